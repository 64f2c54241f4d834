# SPDX-License-Identifier: Apache-2.0
"""Legal executions at the ends of the range, and on the worst data for a fast algorithm. The judge
once rejected each of them. Each also has a wrong answer, which must be rejected."""
import numpy as np

from executor import F32, F64, fma, flush
from write import File, literal

C64 = np.complex64
LEAST = 2.0**-126  # the smallest normal f32


def parts(z):
    return F32(z.real), F32(z.imag)


def smith(x, y):
    """Divides by Smith's method: scales by the ratio of the divisor's parts; flushes subnormals."""
    f = lambda v: F32(flush(F32(v)))
    (a, b), (c, d) = parts(x), parts(y)
    ratio = f(d / c)
    size = f(c + f(d * ratio))
    return C64(complex(f(f(a + f(b * ratio)) / size), f(f(b - f(a * ratio)) / size)))


def by_norm(x, y):
    """Divides as x conj(y) / |y|^2; subnormal results become zero."""
    f = lambda v: F32(flush(F32(v)))
    (a, b), (c, d) = parts(x), parts(y)
    size = f(f(c * c) + f(d * d))
    return C64(complex(f(f(f(a * c) + f(b * d)) / size), f(f(f(b * c) - f(a * d)) / size)))


def power_by_logarithm(x, y):
    """Computes e^(y log x) for real y in f32, with |x| as the root of the sum of squares."""
    (re, im), y = parts(x), F32(y)
    modulus = np.sqrt(F32(F32(re * re) + F32(im * im)))
    exponent, angle = F32(y * np.log(modulus)), F32(y * np.arctan2(im, re))
    size = np.exp(exponent)
    return C64(complex(F32(size * np.cos(angle)), F32(size * np.sin(angle))))


def powers(rng):
    """Makes cases of powers of bases near the unit circle, which amplify errors of the modulus."""
    file = File(24, "Powers of numbers near the unit circle.")
    one = lambda z: literal(np.asarray(z, C64).reshape(1))
    worst = 0
    for _ in range(300):
        x = C64(np.exp(rng.uniform(0, 1e-4) + 1j * rng.uniform(0, 2e-4)))
        exact = np.complex128(x) ** 1000
        found = power_by_logarithm(x, 1000)
        if abs(found - exact) > worst:
            worst, kept = abs(found - exact), (x, found)
    file.module("ENTRY e { x = c64[1] parameter(0) y = c64[1] parameter(1)\n"
                " ROOT r = c64[1] power(x, y) }", one(kept[0]), one(1000))
    file.case("by its modulus", "D+R+", [one(kept[1])])
    file.case("further off", "S-D-", [one(kept[1] * F32(1 + 2.0**-8))])
    return file


def quotients(_rng):
    file = File(24, "Complex quotients near the least normal number and by coarse "
                "reciprocals.")
    one = lambda z: literal(np.asarray(z, C64).reshape(1))
    file.module("ENTRY e { x = c64[1] parameter(0) y = c64[1] parameter(1)\n"
                " ROOT r = c64[1] divide(x, y) }")
    x, y = C64(complex(200 * LEAST, 1.9 * LEAST)), C64(100 + 50j)
    file.case("by the ratio, a product vanishes", "S-D+R+", [one(smith(x, y))], [one(x), one(y)])
    file.case("more than a product missing", "S-D-R-", [one(smith(x, y) * F32(0.9))],
              [one(x), one(y)])
    x, y = C64(1 + 2j), C64(3 - 1j)
    coarse = F32(2.0**-16) * F32(0.9)
    off = C64(complex(F32(F32(0.1) * (1 + coarse)), F32(F32(0.7) * (1 + coarse))))
    file.case("by real quotients of relaxed", "S-D-R+", [one(off)], [one(x), one(y)])
    file.case("coarser than those", "S-D-R-", [one(C64(0.1 + 0.7j) * F32(1 + 2.0**-12))],
              [one(x), one(y)])
    file.module("ENTRY e { x = c64[1] parameter(0) ROOT r = c64[1] log(x) }", one(1e3 + 1e3j))
    exact = np.log(np.complex128(C64(1e3 + 1e3j)))
    file.case("log by real functions of relaxed", "S-D-R+", [one(exact * (1 + 6000 * 2.0**-24))])
    file.case("log coarser than those", "S-D-R-", [one(exact * (1 + 2.0**-8))])
    return file


def solves(_rng):
    file = File(9, "Triangular solves whose quotients vanish or leave the range.")
    module = lambda kind, n: (
        f"ENTRY e {{ a = {kind}[{n},{n}] parameter(0) b = {kind}[{n},1] parameter(1)\n"
        f" ROOT r = {kind}[{n},1] triangular-solve(a, b), left_side=true, lower=true, "
        "unit_diagonal=false, transpose_a=NO_TRANSPOSE }")
    matrix = lambda t, kind: literal(np.asarray(t, kind))
    file.module(module("c64", 1))
    # Products with the conjugate underflow to zero, or one square of the divisor's parts does.
    for name, verdicts, t, b in [("products", "S-D+R+", 1e-10 + 1e-10j, 1e-29 + 1e-29j),
                                 ("a square", "S-D?R?", 4.5e-19 + 0.9e-19j, 1e-10 + 0j)]:
        t, b = C64(t), C64(b)
        given = [matrix([[t]], C64), matrix([[b]], C64)]
        file.case(f"{name} vanish", verdicts, [matrix([[by_norm(b, t)]], C64)], given)
    t, b = C64(1e-3 + 1e-3j), C64(1e-20 + 1e-20j)
    file.case("nothing vanishes", "S-D-R-", [matrix([[0]], C64)],
              [matrix([[t]], C64), matrix([[b]], C64)])
    # The first product is rounded, the second is not. The remainder of their sum is then divided by
    # a small number.
    x, c = F32(1.7e36), F32(1.1)
    t = np.array([[1, 0, 0], [0, 1, 0], [c, -c, 1e-11]], F32)
    b = np.array([[x], [x], [F32(1e-11)]], F32)
    rest = fma(c, x, F32(b[2, 0] - F32(c * x)))
    with np.errstate(over="ignore"):
        last = F32(rest / t[2, 2])
    assert np.isinf(last)
    file.module(module("f32", 3), matrix(t, F32), matrix(b, F32))
    file.case("an unknown of rounding alone", "S+", [matrix([[x], [x], [last]], F32)])
    file.module(module("f32", 3), matrix(np.eye(3) * 2, F32), matrix(b, F32))
    file.case("an infinity of nothing", "S-D-R-", [matrix([[x / 2], [x / 2], [np.inf]], F32)])
    return file


def flushing_radix_two(x):
    """Transforms in f32 by decimation in time. Subnormal results of all operations become zero."""
    f = lambda v: flush(np.asarray(v, F32)).astype(F32)
    if len(x) == 1:
        return x
    even, odd = flushing_radix_two(x[::2]), flushing_radix_two(x[1::2])
    w = np.exp(-2j * np.pi * np.arange(len(odd)) / len(x)).astype(C64)
    re = f(f(w.real * odd.real) - f(w.imag * odd.imag))
    im = f(f(w.real * odd.imag) + f(w.imag * odd.real))
    first = f(even.real + re) + 1j * f(even.imag + im)
    second = f(even.real - re) + 1j * f(even.imag - im)
    return np.concatenate([first, second]).astype(C64)


def transforms(rng):
    file = File(21, "Transforms of numbers near the least normal one.")
    n = 64
    file.module(f"ENTRY e {{ x = c64[{n}] parameter(0) ROOT r = c64[{n}] fft(x), fft_type=FFT, "
                f"fft_length={{{n}}} }}")
    worst = 0
    for _ in range(200):
        x = ((rng.uniform(0.5, 1.6, n) * rng.choice([-1, 1], n)
              + 1j * rng.uniform(0.5, 1.6, n) * rng.choice([-1, 1], n)) * LEAST).astype(C64)
        found = flushing_radix_two(flush(x.real) + 1j * flush(x.imag)).astype(C64)
        lost = np.linalg.norm(found - np.fft.fft(x.astype(np.complex128))) / (n * LEAST)
        if lost > worst:
            worst, kept = lost, (x, found)
    file.case("all that vanishes", "S-D+R+", [literal(kept[1])], [literal(kept[0])])
    x = (kept[0] * F32(2.0**40)).astype(C64)
    exact = np.fft.fft(x.astype(np.complex128)).astype(C64)
    exact[3] = 0
    file.case("one result missing", "S-D-R-", [literal(exact)], [literal(x)])
    return file


def toom(points, m, r):
    """Returns A^T, G and B^T of Winograd's F(m, r) for these points and infinity."""
    n = len(points) + 1
    inverse = np.array([np.prod([p - q for q in points if q != p]) for p in points])
    at = np.array([[p**i for p in points] + [1.0 if i == m - 1 else 0.0] for i in range(m)])
    g = np.array([[p**k / d for k in range(r)] for p, d in zip(points, inverse)]
                 + [[0.0] * (r - 1) + [1.0]])
    bt = np.zeros((n, n))
    for i, p in enumerate(points):
        bt[i, :n - 1] = np.poly([q for q in points if q != p])[::-1]
    bt[n - 1] = np.poly(points)[::-1]
    return at, g, bt


def winograd(x, k, matrices):
    f = lambda v: np.asarray(v, F32)
    at, g, bt = (f(m) for m in matrices)
    u, v = f(f(g @ k) @ g.T), f(f(bt @ x) @ bt.T)
    return f(f(at @ f(u * v)) @ at.T)


def unlikeliest(rng, m, points, steps=1500):
    """Returns a tile and a kernel that are similar to rows of B and G, and that lose many digits in
    F(m x m, 3 x 3)."""
    matrices = toom(points, m, 3)
    _, g, bt = matrices
    best, kept = 0, None

    def try_one(x, k):
        nonlocal best, kept
        found = winograd(x, k, matrices)
        exact = np.array([[np.sum(x[i:i + 3, j:j + 3].astype(F64) * k.astype(F64))
                           for j in range(m)] for i in range(m)])
        size = np.linalg.norm(x.astype(F64)) * np.linalg.norm(k.astype(F64))
        lost = np.max(np.abs(found - exact)) / size * 2.0**24
        if lost > best:
            best, kept = lost, (x, k, found)

    for i in range(m + 2):
        for j in range(m + 2):
            x, k = np.outer(bt[i], bt[j]), np.outer(g[i], g[j])
            for _ in range(8):
                try_one((x * (1 + 1e-3 * rng.standard_normal(x.shape))).astype(F32),
                        (k * (1 + 1e-3 * rng.standard_normal(k.shape))).astype(F32))
    for _ in range(steps):
        x, k, _ = kept
        near = rng.choice([0, 1e-6, 1e-4], 2)
        try_one((x * (1 + near[0] * rng.standard_normal(x.shape))).astype(F32),
                (k * (1 + near[1] * rng.standard_normal(k.shape))).astype(F32))
    return best, kept


def convolutions(rng):
    file = File(19, "Winograd's larger tiles on what they like least.")
    for m, points in [(4, [0, 1, -1, 2, -2]), (6, [0, 1, -1, 2, -2, 0.5, -0.5])]:
        n = m + 2
        _, (x, k, found) = unlikeliest(rng, m, [float(p) for p in points])
        four = lambda v, shape: literal(v.reshape(shape))
        file.module(f"ENTRY e {{ x = f32[1,{n},{n},1] parameter(0) k = f32[3,3,1,1] parameter(1)\n"
                    f" ROOT r = f32[1,{m},{m},1] convolution(x, k), window={{size=3x3}}, "
                    "dim_labels=b01f_01io->b01f }", four(x, (1, n, n, 1)), four(k, (3, 3, 1, 1)))
        file.case(f"tile of {m} by fact", "D+R+", [four(found, (1, m, m, 1))],
                  facts="convolution.fast")
        wrong = found.copy()
        wrong[0, 0] += F32(2.0**-12 * np.linalg.norm(x) * np.linalg.norm(k))
        file.case(f"tile of {m} further off", "S-D-", [four(wrong, (1, m, m, 1))],
                  facts="convolution.fast")
    return file


def norms(_rng):
    file = File(26, "Gradients of batch norm whose factors vanish in one order.")
    x = np.array([[1], [2], [4], [5]], F32)
    dy = (np.array([[3], [-1], [-4], [2]]) * F32(2.0**-130)).astype(F32)
    scale = F32(1e6)
    one = lambda v: literal(np.asarray([v], F32))
    file.module("ENTRY e { x = f32[4,1] parameter(0) s = f32[1] parameter(1) m = f32[1] "
                "parameter(2)\n v = f32[1] parameter(3) dy = f32[4,1] parameter(4)\n"
                " ROOT r = (f32[4,1], f32[1], f32[1]) batch-norm-grad(x, s, m, v, dy), "
                "epsilon=0.5, feature_index=1 }",
                literal(x), one(scale), one(3), one(2), literal(dy))
    # Subnormal sums are flushed before the scale is applied, so the result is zero.
    zeros = np.zeros_like(x)
    file.case("vanished before the scale", "S-D+R+",
              [literal(zeros), one(0), one(0)])
    file.case("not vanished, and zero", "S-D-R-", [literal(zeros), one(0), one(0)],
              [literal(x), one(scale), one(3), one(2), literal((dy * F32(2.0**40)).astype(F32))])
    return file


def narrow_functions(_rng):
    file = File(17, "8-bit functions by way of bf16 in relaxed.")
    file.module("ENTRY e { x = f8e4m3fn[1] parameter(0) ROOT r = f8e4m3fn[1] logistic(x) }",
                "f8e4m3fn[1] {2}")
    out = lambda v: [f"f8e4m3fn[1] {{{v}}}"]
    file.case("nearest", "S+D+R+", out(0.875))
    file.case("60 units of bf16 off", "S-D-R+", out(0.625))
    file.case("further", "S-D-R-", out(0.5))
    return file


FILES = [quotients, powers, solves, transforms, convolutions, norms, narrow_functions]
