#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What operations may return that choose: of an interval, or of the elements of a window."""

from fractions import Fraction
import sys
import unittest

sys.dont_write_bytecode = True
from check_evaluator import Evaluator, of_elements
from check_numbers import Unsupported, holds
from check_operations_test import allowed, entry, point
from check_text import parse_literals, parse_module


class ChoiceTest(unittest.TestCase):
    def test_random_numbers_stay_below_their_upper_bound(self):
        text = entry(
            "%a = f32[] constant(1)",
            "%b = f32[] constant(1.5)",
            "ROOT %r = f32[2] rng(%a, %b), distribution=rng_uniform",
        )
        allowed_ones = allowed(text, index=(1,))
        for x, inside in ((1, True), (1.25, True), (1.5, False), (0.99, False)):
            self.assertEqual(holds(allowed_ones, point(x)), inside, x)
        below = Fraction(1.5) - Fraction(1, 2**23)
        self.assertTrue(holds(allowed(text, index=(0,)), point(below)))
        with self.assertRaises(Unsupported):
            allowed(text.replace("1.5", "1"), index=(0,))

    SELECT = """HloModule m
%ge {
  %a = s32[] parameter(0)
  %b = s32[] parameter(1)
  ROOT %r = pred[] compare(%a, %b), direction=GE
}
%minus {
  %now = s32[] parameter(0)
  %source = s32[] parameter(1)
  ROOT %r = s32[] subtract(%now, %source)
}
ENTRY %main {
  %x = s32[4] parameter(0)
  %s = s32[2] parameter(1)
  %i = s32[] constant(1)
  ROOT %r = s32[4] select-and-scatter(%x, %s, %i), $WINDOW, select=%ge, scatter=%minus
}""".replace("$WINDOW", "window={size=2 stride=2}")

    def test_select_and_scatter(self):
        data = "s32[4] {5, 5, 1, 7}\ns32[2] {10, 20}"
        self.assertEqual(
            [allowed(self.SELECT, data, index=(n,)) for n in range(4)], [{-9}, {1}, {1}, {-19}]
        )
        with self.assertRaises(Unsupported):
            allowed(
                self.SELECT.replace("s32[2]", "s32[3]").replace(" stride=2", ""),
                "s32[4] {1, 9, 1, 7}\ns32[3] {10, 20, 30}",
                index=(1,),
            )

    def test_gathering_takes_the_replicas_of_a_group_in_its_order(self):
        text = entry(
            "%x = s32[1,2] parameter(0)",
            "ROOT %r = s32[1,4] all-gather(%x), replica_groups={{1,0},{2,3}}, dimensions={1}",
        )
        blocks = ["s32[1,2] {{%d, %d}}" % (2 * n, 2 * n + 1) for n in range(4)]
        module = parse_module(text)
        arguments = [[of_elements(*parse_literals(b)[0])] for b in blocks]
        results = Evaluator(module).run_devices(module.entry, arguments)
        self.assertEqual(
            [[r[0, n].stored for n in range(4)] for r in results],
            2 * [[{2}, {3}, {0}, {1}]] + 2 * [[{4}, {5}, {6}, {7}]],
        )


if __name__ == "__main__":
    unittest.main()
