# SPDX-License-Identifier: Apache-2.0
"""The programs of posture.py. Each row of a result depends only on its own row of the input."""

from typing import NamedTuple

ADD = """
%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b)
}
"""
MAXIMUM = ADD.replace("%add", "%max").replace("f32[] add(", "f32[] maximum(")


class Posture(NamedTuple):
    """A program. $N in its text is the number of rows. in_place: the result has the shape of the
    first parameter, whose memory it may use if that is donated. spread: the program for one of
    several devices, each of which has a part of the terms; $K is the size of the part. cut: the
    divided dimension of each parameter, and of the result if it is divided too."""
    name: str
    batch: int
    row: tuple
    others: tuple
    in_place: bool
    text: str
    spread: str = ""
    cut: tuple = ()
    result_cut: bool = False


PROGRAMS = [
    Posture("dot", 64, (512,), ((512, 512),), True, """
ENTRY %main (x: f32[$N,512], w: f32[512,512]) -> f32[$N,512] {
  %x = f32[$N,512] parameter(0)
  %w = f32[512,512] parameter(1)
  ROOT %y = f32[$N,512] dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
""", ADD + """
ENTRY %main (x: f32[$N,$K], w: f32[$K,512]) -> f32[$N,512] {
  %x = f32[$N,$K] parameter(0)
  %w = f32[$K,512] parameter(1)
  %p = f32[$N,512] dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT %y = f32[$N,512] all-reduce(%p), replica_groups={}, to_apply=%add
}
""", (1, 0)),
    Posture("reduce", 64, (4096,), (), False, ADD + """
ENTRY %main (x: f32[$N,4096]) -> f32[$N] {
  %x = f32[$N,4096] parameter(0)
  %zero = f32[] constant(0)
  ROOT %y = f32[$N] reduce(%x, %zero), dimensions={1}, to_apply=%add
}
""", ADD + """
ENTRY %main (x: f32[$N,$K]) -> f32[$N] {
  %x = f32[$N,$K] parameter(0)
  %zero = f32[] constant(0)
  %p = f32[$N] reduce(%x, %zero), dimensions={1}, to_apply=%add
  ROOT %y = f32[$N] all-reduce(%p), replica_groups={}, to_apply=%add
}
""", (1,)),
    Posture("sort", 64, (1024,), (), True, """
%less (a: f32[], b: f32[]) -> pred[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %l = pred[] compare(%a, %b), direction=LT
}

ENTRY %main (x: f32[$N,1024]) -> f32[$N,1024] {
  %x = f32[$N,1024] parameter(0)
  ROOT %y = f32[$N,1024] sort(%x), dimensions={1}, to_apply=%less
}
"""),
    Posture("softmax", 64, (1024,), (), True, ADD + MAXIMUM + """
ENTRY %main (x: f32[$N,1024]) -> f32[$N,1024] {
  %x = f32[$N,1024] parameter(0)
  %least = f32[] constant(-inf)
  %m = f32[$N] reduce(%x, %least), dimensions={1}, to_apply=%max
  %mm = f32[$N,1024] broadcast(%m), dimensions={0}
  %d = f32[$N,1024] subtract(%x, %mm)
  %e = f32[$N,1024] exponential(%d)
  %zero = f32[] constant(0)
  %s = f32[$N] reduce(%e, %zero), dimensions={1}, to_apply=%add
  %ss = f32[$N,1024] broadcast(%s), dimensions={0}
  ROOT %y = f32[$N,1024] divide(%e, %ss)
}
""", ADD + MAXIMUM + """
ENTRY %main (x: f32[$N,$K]) -> f32[$N,$K] {
  %x = f32[$N,$K] parameter(0)
  %least = f32[] constant(-inf)
  %mp = f32[$N] reduce(%x, %least), dimensions={1}, to_apply=%max
  %m = f32[$N] all-reduce(%mp), replica_groups={}, to_apply=%max
  %mm = f32[$N,$K] broadcast(%m), dimensions={0}
  %d = f32[$N,$K] subtract(%x, %mm)
  %e = f32[$N,$K] exponential(%d)
  %zero = f32[] constant(0)
  %sp = f32[$N] reduce(%e, %zero), dimensions={1}, to_apply=%add
  %s = f32[$N] all-reduce(%sp), replica_groups={}, to_apply=%add
  %ss = f32[$N,$K] broadcast(%s), dimensions={0}
  ROOT %y = f32[$N,$K] divide(%e, %ss)
}
""", (1,), True),
    Posture("convolution", 8, (32, 32, 16), ((3, 3, 16, 16),), True, """
ENTRY %main (x: f32[$N,32,32,16], w: f32[3,3,16,16]) -> f32[$N,32,32,16] {
  %x = f32[$N,32,32,16] parameter(0)
  %w = f32[3,3,16,16] parameter(1)
  ROOT %y = f32[$N,32,32,16] convolution(%x, %w), window={size=3x3 pad=1_1x1_1},
    dim_labels=b01f_01io->b01f
}
"""),
    Posture("exponential", 64, (1023,), (), True, """
ENTRY %main (x: f32[$N,1023]) -> f32[$N,1023] {
  %x = f32[$N,1023] parameter(0)
  ROOT %y = f32[$N,1023] exponential(%x)
}
"""),
]
