# SPDX-License-Identifier: Apache-2.0
"""Makes executions of dots, convolutions, reductions, windows, scatters, and chains after a dot."""
import numpy as np

from executor import (F16, F32, F64, bf16, blocked, dot, dot_fma, f16, kahan, pairwise, passes,
                      sequential, tf32, truncating)
from write import File, literal

ADD = "add {{ a = {0}[] parameter(0) b = {0}[] parameter(1) ROOT r = {0}[] add(a, b) }}\n"


def dot_module(kind, out, m, k, n, attributes="", tail=None):
    root = "ROOT r" if tail is None else "d"
    return (f"ENTRY e {{ x = {kind}[{m},{k}] parameter(0) y = {kind}[{k},{n}] parameter(1)\n"
            f" {root} = {out}[{m},{n}] dot(x, y), lhs_contracting_dims={{1}}, "
            f"rhs_contracting_dims={{0}}{attributes}" + (tail or "") + " }")


def dots(rng):
    file = File(1, "Orders, accumulators and operands of a dot.")
    a, b = rng.standard_normal((2, 32)).astype(F32), rng.standard_normal((32, 2)).astype(F32)
    inputs = literal(a), literal(b)
    rows = [
        ("sequential", "S+D+R+", dot(a, b)), ("fused", "S+D+R+", dot_fma(a, b)),
        ("reversed", "S+D+R+", dot(a[:, ::-1], b[::-1])),
        ("f64 accumulator", "S+D+R+", (a.astype(F64) @ b.astype(F64)).astype(F32)),
        ("split in four", "S+D+R+", dot(a, b, lambda t: blocked(t, 8))),
        ("pairwise", "S+D+R+", dot(a, b, pairwise)), ("Kahan", "S+D+R+", dot(a, b, kahan)),
        ("truncated", "D+R+", dot(a, b, truncating)), ("TF32", "S-D-R+", dot(a, b, read=tf32)),
        ("one pass of bf16", "S-D-R+", passes(a, b, 1)),
        ("six passes of bf16", "D+R+", passes(a, b, 6)),
        ("one sign wrong", "S-D-R-", -dot(a, b)),
        ("last product missing", "S-D-R-", dot(a[:, :-1], b[:-1])),
    ]
    file.module(dot_module("f32", "f32", 2, 32, 2), *inputs)
    for name, verdicts, out in rows:
        file.case(name, verdicts, [literal(out)])
    file.case("TF32 by fact", "S-D+R+", [literal(dot(a, b, read=tf32))], facts="dot.tf32")
    file.case("TF32 by the other fact", "S-D+R+", [literal(dot(a, b, read=tf32))],
              facts="dot.f32=tf32")
    file.case("one pass by fact", "S-D+R+", [literal(passes(a, b, 1))], facts="dot.f32=bf16x1")
    file.case("one pass where three are promised", "S-D-", [literal(passes(a, b, 1))],
              facts="dot.f32=bf16x3")
    file.case("three passes by fact", "D+R+", [literal(passes(a, b, 3))], facts="dot.f32=bf16x3")
    file.case("one chain where a tree is promised", "D-", [literal(far_from(a, b))],
              facts="dot.height=5")
    file.module(dot_module("f32", "f32", 2, 32, 2, ", operand_precision={highest,highest}"),
                *inputs)
    file.case("TF32 at highest", "S-D-R-", [literal(dot(a, b, read=tf32))], facts="dot.tf32")
    file.case("one pass at highest", "S-D-R-", [literal(passes(a, b, 1))], facts="dot.f32=bf16x1")
    file.case("six passes at highest", "D+R+", [literal(passes(a, b, 6))], facts="dot.f32=bf16x1")
    narrow_dots(rng, file)
    return file


def far_from(a, b):
    """Returns the exact dot + 20 u S: u = 2^-24, S is the sum of magnitudes, n u S the bound."""
    exact, size = a.astype(F64) @ b.astype(F64), np.abs(a) @ np.abs(b)
    return (exact + 20 * 2.0**-24 * size).astype(F32)


def narrow_dots(rng, file):
    a, b = f16(rng.uniform(0.5, 1, (1, 64))), f16(rng.uniform(0.5, 1, (64, 1)))
    file.module(dot_module("f16", "f16", 1, 64, 1), literal(a.astype(F16)), literal(b.astype(F16)))
    own = dot(a, b, lambda t: sequential(t, round_to=f16))
    file.case("f16 in f32", "S+D+R+", [literal(dot(a, b).astype(F16))])
    file.case("f16 in f16", "S-D+R+", [literal(own.astype(F16))])
    file.case("f16 in f16 where f32 is promised", "S-D-R-", [literal(own.astype(F16))],
              facts="dot.sums=f32")
    a, b = bf16(rng.uniform(0.5, 1, (2, 64))), bf16(rng.uniform(0.5, 1, (64, 2)))
    quarters = lambda t: [bf16(sequential(t[i:i + 16])) for i in range(0, 64, 16)]
    parts = dot(a, b, lambda t: sequential(quarters(t), round_to=bf16))
    file.module(dot_module("bf16", "bf16", 2, 64, 2), literal(a, "bf16"), literal(b, "bf16"))
    file.case("bf16 in f32", "S+D+R+", [literal(bf16(dot(a, b)), "bf16")])
    file.case("bf16 split, f32 parts", "S+D+R+",
              [literal(bf16(dot(a, b, lambda t: blocked(t, 16))), "bf16")])
    off = bf16(bf16(dot(a, b)) * (1 + 3 * 2.0**-8))
    file.case("bf16 split, bf16 parts", "D+R+", [literal(bf16(parts), "bf16")])
    file.case("bf16 split where f32 is promised", "D-R-", [literal(bf16(parts), "bf16")],
              facts="dot.sums=f32")
    file.case("bf16 split by fact", "D+R+", [literal(bf16(parts), "bf16")],
              facts="dot.sums=f32 dot.partials=16bit:4")
    file.case("three units off", "S-D+", [literal(off, "bf16")])
    file.case("three units off where f32 is promised", "S-D-", [literal(off, "bf16")],
              facts="dot.sums=f32")
    file.case("three units off by fact", "D+", [literal(off, "bf16")],
              facts="dot.sums=f32 dot.partials=16bit:4")
    file.case("three units off, one part", "D-", [literal(bf16(off * (1 + 2.0**-7)), "bf16")],
              facts="dot.sums=f32 dot.partials=16bit:1")
    file.case("a quarter of the sum", "S-D-R-", [literal(bf16(dot(a, b) * F32(0.25)), "bf16")])


def algorithms(rng):
    file = File(40, "A dot whose algorithm the module names.")
    a, b = rng.standard_normal((2, 32)).astype(F32), rng.standard_normal((32, 2)).astype(F32)
    own = dot(f16(a), f16(b), lambda t: sequential(t, round_to=f16))
    rows = [("dot_tf32_tf32_f32", dot(a, b, read=tf32), "S+D+R+"),
            ("dot_bf16_bf16_f32", passes(a, b, 1), "S+D+R+"),
            ("dot_bf16_bf16_f32_x3", passes(a, b, 3), "S+D+R+"),
            ("dot_bf16_bf16_f32_x6", passes(a, b, 6), "S+D+R+"),
            ("dot_bf16_bf16_f32_x9", passes(a, b, 9), "S+D+R+"),
            ("dot_f32_f32_f32", dot(a, b), "S+D+R+"), ("dot_f16_f16_f16", own, "S+D+R+")]
    for algorithm, out, verdicts in rows:
        file.module(dot_module("f32", "f32", 2, 32, 2, f", algorithm={algorithm}"),
                    literal(a), literal(b))
        file.case(f"{algorithm} obeyed", verdicts, [literal(out)])
        file.case(f"{algorithm} not at all", "S-D-R-", [literal((out * F32(1.25)).astype(F32))])
        if algorithm in ("dot_f32_f32_f32", "dot_bf16_bf16_f32_x6", "dot_bf16_bf16_f32_x9"):
            file.case(f"{algorithm} demanded, one pass done", "S-D-R-", [literal(passes(a, b, 1))])
    return file


def convolve(x, k, dilate=1, holes=False):
    """Convolves [n] with [m] without padding. holes: zeros between the taps are multiplied too."""
    if holes:
        dense = np.zeros((len(k) - 1) * dilate + 1, F32)
        dense[::dilate] = k
        k, dilate = dense, 1
    n = len(x) - (len(k) - 1) * dilate
    with np.errstate(invalid="ignore"):
        return np.array([sequential([F32(x[i + j * dilate] * k[j]) for j in range(len(k))])
                         for i in range(n)], F32)


def winograd(x, k):
    """Convolves by Winograd's F(2,3), which computes two results per tile."""
    out = []
    for i in range(0, len(x) - 2, 2):
        d, (g0, g1, g2) = x[i:i + 4], k
        half = F32(0.5)
        m = [F32(F32(d[0] - d[2]) * g0),
             F32(F32(d[1] + d[2]) * F32(F32(F32(g0 + g1) + g2) * half)),
             F32(F32(d[2] - d[1]) * F32(F32(F32(g0 - g1) + g2) * half)),
             F32(F32(d[1] - d[3]) * g2)]
        out += [F32(F32(m[0] + m[1]) + m[2]), F32(F32(m[1] - m[2]) - m[3])]
    return np.array(out, F32)


def conv_module(kind, n, m, out, window):
    return (f"ENTRY e {{ x = {kind}[1,{n},1] parameter(0) k = {kind}[{m},1,1] parameter(1)\n"
            f" ROOT r = {kind}[1,{out},1] convolution(x, k), window={{{window}}}, "
            "dim_labels=b0f_0io->b0f }")


def convolutions(rng):
    file = File(19, "Direct and fast convolutions, and the zeros in holes.")
    x, k = rng.standard_normal(16).astype(F32), rng.standard_normal(3).astype(F32)
    shaped = lambda v, kind=None: literal(np.asarray(v).reshape(1, -1, 1), kind)
    tap = lambda v, kind=None: literal(np.asarray(v).reshape(-1, 1, 1), kind)
    file.module(conv_module("f32", 16, 3, 14, "size=3"), shaped(x), tap(k))
    file.case("direct", "S+D+R+", [shaped(convolve(x, k))])
    file.case("Winograd", "R+", [shaped(winograd(x, k))])
    file.case("Winograd by fact", "D+R+", [shaped(winograd(x, k))], facts="convolution.fast")
    file.case("reversed kernel", "S-D-R-", [shaped(convolve(x, k[::-1]))])
    uneven = x.copy()
    uneven[0] = F32(2.0**20)
    spectrum = (np.fft.rfft(uneven, 32).astype(np.complex64)
                * np.conj(np.fft.rfft(k, 32)).astype(np.complex64))
    transform = np.fft.irfft(spectrum, 32)[:14].astype(F32)
    file.case("by transforms, uneven data", "S-D-R+", [shaped(transform)], [shaped(uneven), tap(k)])
    file.case("by transforms, uneven data, by fact", "S-D+R+", [shaped(transform)],
              [shaped(uneven), tap(k)], facts="convolution.fast")
    with_inf = x.copy()
    with_inf[7] = np.inf
    file.module(conv_module("f32", 16, 3, 12, "size=3 rhs_dilate=2"), shaped(with_inf), tap(k))
    dense = convolve(with_inf, k, 2, holes=True)
    file.case("holes absent", "S+D+R?", [shaped(convolve(with_inf, k, 2))])
    file.case("holes times infinity", "S+D+R?", [shaped(dense)])
    wrong = dense.copy()
    wrong[0] = np.nan
    file.case("NaN where no hole meets it", "S-D-R?", [shaped(wrong)])
    small, taps = bf16(rng.standard_normal(16)), bf16(rng.standard_normal(3))
    file.module(conv_module("bf16", 16, 3, 14, "size=3"), shaped(small, "bf16"), tap(taps, "bf16"))
    file.case("bf16 in f32", "S+D+R+", [shaped(bf16(convolve(small, taps)), "bf16")])
    return file


def reductions(rng):
    file = File(1, "Sums and products in any order.")
    x = rng.standard_normal(64).astype(F32)
    module = lambda kind, n, body, init: (
        f"b {{ a = {kind}[] parameter(0) b = {kind}[] parameter(1)\n"
        f" ROOT r = {kind}[] {body}(a, b) }}\n"
        f"ENTRY e {{ x = {kind}[{n}] parameter(0) i = {kind}[] constant({init})\n"
        f" ROOT r = {kind}[] reduce(x, i), dimensions={{0}}, to_apply=b }}")
    file.module(module("f32", 64, "add", 0), literal(x))
    for name, out in [("sequential", sequential(x)), ("reversed", sequential(x[::-1])),
                      ("pairwise", pairwise(x)), ("Kahan", kahan(x)), ("blocked", blocked(x, 16)),
                      ("f64", F32(x.astype(F64).sum())),
                      ("by magnitude", sequential(x[np.argsort(np.abs(x))]))]:
        file.case(name, "S+D+R+", [literal(np.asarray(out))])
    file.case("one missing", "S-D-R-", [literal(np.asarray(sequential(x[:-1])))])
    for kind, round_to, own in [("bf16", bf16, lambda v: literal(np.asarray(v, F32), "bf16")),
                                ("f16", f16, lambda v: literal(np.asarray(v, F32).astype(F16)))]:
        y = round_to(rng.uniform(0, 1, 64).astype(F32))
        file.module(module(kind, 64, "add", 0), own(y))
        for name, out in [("in its type", sequential(y, round_to=round_to)),
                          ("in f32", round_to(sequential(y))),
                          ("blocked in its type", blocked(y, 16, round_to=round_to))]:
            file.case(f"{kind} {name}", "S+D+R+", [own(out)])
        file.case(f"{kind} twice", "S-D-R-", [own(round_to(F32(2) * sequential(y)))])
    big = np.array([3e38, 3e38, -3e38, -3e38], F32)
    file.module(module("f32", 4, "add", 0), literal(big))
    for name, out in [("infinity", np.inf), ("NaN", np.nan), ("zero", 0.0)]:
        file.case(f"overflow by order {name}", "S+D+R+", [literal(F32(out))])
    file.case("overflow by order something", "S-D-R-", [literal(F32(1e38))])
    order = np.array([2.0**100, 2.0**100, 2.0**-100, 2.0**-100], F32)
    file.module(module("f32", 4, "multiply", 1), literal(order))
    for name, out in [("exact", 1.0), ("overflow by order", np.inf), ("underflow by order", 0.0)]:
        file.case(f"product {name}", "S+D+R+", [literal(F32(out))])
    file.case("product negative", "S-D-R-", [literal(F32(-1))])
    y = rng.uniform(0.9, 1.1, 16).astype(F32)
    tree = y.copy()
    while len(tree) > 1:
        tree = (tree[::2] * tree[1::2]).astype(F32)
    file.module(module("f32", 16, "multiply", 1), literal(y))
    file.case("product by a tree", "S+D+R+", [literal(tree[0])])
    file.case("product off", "S-D-R-", [literal(F32(tree[0] * F32(1.0001)))])
    near = np.array([np.float32(2.0**64), np.float32(2.0**64 * (1 - 2.0**-24))], F32)
    file.module(module("f32", 2, "multiply", 1), literal(near))
    file.case("product near the largest", "S+D+R+", [literal(F32(near[0] * near[1]))])
    return file


def windows_and_scatters(rng):
    file = File(1, "Cumulative sums, and updates in any order.")
    x = rng.standard_normal(16).astype(F32)
    file.module(ADD.format("f32") + "ENTRY e { x = f32[16] parameter(0) i = f32[] constant(0)\n"
                " ROOT r = f32[16] reduce-window(x, i), window={size=16 pad=15_0}, to_apply=add }",
                literal(x))
    scan = x.copy()
    for shift in (1, 2, 4, 8):
        scan = (scan + np.concatenate([np.zeros(shift, F32), scan[:-shift]])).astype(F32)
    running = np.array([sequential(x[:i + 1]) for i in range(16)], F32)
    file.case("Hillis Steele", "S+D+R+", [literal(scan)])
    file.case("cumulative", "S+D+R+", [literal(running)])
    file.case("exclusive", "S-D-R-", [literal(np.concatenate([[F32(0)], running[:-1]]))])
    file.module(ADD.format("f32") + "ENTRY e { o = f32[2] parameter(0) u = f32[4] parameter(1)\n"
                " i = s32[4,1] parameter(2)\n"
                " ROOT r = f32[2] scatter(o, i, u), update_window_dims={},"
                " inserted_window_dims={0},"
                " scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add }",
                literal(np.array([1, 2], F32)), literal(np.array([1e8, 1, -1e8, 5], F32)),
                literal(np.array([[0], [0], [0], [1]], np.int32)))
    for name, order in [("as given", [1, 1e8, 1, -1e8]), ("backwards", [1, -1e8, 1, 1e8]),
                        ("mixed", [1, 1e8, -1e8, 1])]:
        out = sequential(np.array(order, F32))
        file.case(name, "S+D+R+", [literal(np.array([out, 7], F32))])
    file.case("lost update", "S-D-R-", [literal(np.array([2, 2], F32))])
    return file


def epilogues(rng):
    file = File(7, "What an engine joins to a dot.")
    a, b = bf16(rng.standard_normal((4, 16))), bf16(rng.standard_normal((16, 4)))
    wide = dot(a, b)
    alpha = F32(bf16(np.array(0.7109375, F32)))
    scaled = bf16((wide * alpha).astype(F32))
    scale = ("\n c = bf16[] constant(0.7109375) s = bf16[4,4] broadcast(c), dimensions={}\n"
             " ROOT r = bf16[4,4] multiply(d, s)")
    file.module(dot_module("bf16", "bf16", 4, 16, 4, tail=scale), literal(a, "bf16"),
                literal(b, "bf16"))
    file.case("alpha after rounding", "S+D+R+", [literal(bf16(bf16(wide) * alpha), "bf16")])
    file.case("alpha in the accumulator", "R+", [literal(scaled, "bf16")])
    file.case("alpha by fact", "S-D+R+" if (scaled != bf16(bf16(wide) * alpha)).any() else "D+R+",
              [literal(scaled, "bf16")], facts="excess.16bit")
    file.case("alpha forgotten", "S-D-R-", [literal(bf16(wide), "bf16")])
    bias = bf16(rng.standard_normal((4, 4)))
    relu = "\n c = bf16[4,4] parameter(2) s = bf16[4,4] add(d, c) z = bf16[] constant(0)\n" \
           " t = bf16[4,4] broadcast(z), dimensions={} m = bf16[4,4] maximum(s, t)\n" \
           " ROOT r = f32[4,4] convert(m)"
    file.module(dot_module("bf16", "bf16", 4, 16, 4, tail=relu), literal(a, "bf16"),
                literal(b, "bf16"), literal(bias, "bf16"))
    unrounded = np.maximum((wide + bias).astype(F32), F32(0))
    rounded = np.maximum(bf16((bf16(wide) + bias).astype(F32)), F32(0))
    file.case("rounded relu", "S+D+R+", [literal(rounded)])
    file.case("unrounded relu", "S-D-R+", [literal(unrounded)], facts="dot.sums=f32")
    facts = "excess.16bit dot.sums=f32"
    file.case("unrounded relu by fact", "S-D+R+", [literal(unrounded)], facts=facts)
    file.case("no relu", "S-D-R-", [literal((wide + bias).astype(F32))], facts="excess.16bit")
    x, y = rng.standard_normal((2, 32)).astype(F32), rng.standard_normal((32, 2)).astype(F32)
    add = "\n c = f32[2,2] parameter(2) ROOT r = f32[2,2] add(d, c)"
    offset = rng.standard_normal((2, 2)).astype(F32)
    file.module(dot_module("f32", "f32", 2, 32, 2, tail=add), literal(x), literal(y),
                literal(offset))
    file.case("bias last", "S+D+R+", [literal((dot(x, y) + offset).astype(F32))])
    file.case("no bias", "S-D-R-", [literal(dot(x, y))])
    return file


FILES = [dots, algorithms, convolutions, reductions, windows_and_scatters, epilogues]
