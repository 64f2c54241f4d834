# SPDX-License-Identifier: Apache-2.0
"""Makes executions of factorisations, solves, transforms, normalisations and sorts."""
import numpy as np

from executor import F32, F64, sequential
from write import File, literal

C64 = np.complex64


def left_looking(a):
    n = len(a)
    low = np.zeros_like(a)
    for j in range(n):
        for i in range(j, n):
            s = a[i, j]
            for k in range(j):
                s = F32(s - F32(low[i, k] * low[j, k]))
            low[i, j] = np.sqrt(s) if i == j else F32(s / low[j, j])
    return low


def right_looking(a, reciprocal):
    a, n = a.copy(), len(a)
    for k in range(n):
        root = np.sqrt(a[k, k])
        a[k, k] = root
        if reciprocal:
            a[k + 1:, k] = (a[k + 1:, k] * (F32(1) / root)).astype(F32)
        else:
            a[k + 1:, k] = (a[k + 1:, k] / root).astype(F32)
        for j in range(k + 1, n):
            a[j:, j] = (a[j:, j] - (a[j:, k] * a[j, k]).astype(F32)).astype(F32)
    return np.tril(a)


def substitute(t, b):
    x = np.zeros_like(b)
    for i in range(len(t)):
        s = b[i]
        for j in range(i):
            s = F32(s - F32(t[i, j] * x[j]))
        x[i] = F32(s / t[i, i])
    return x


def inverse_times(t, b):
    """Computes the inverse in f32, column by column, and multiplies by it."""
    n = len(t)
    inverse = np.zeros_like(t)
    for c in range(n):
        e = np.zeros(n, F32)
        e[c] = 1
        inverse[:, c] = substitute(t, e)
    return np.array([sequential([F32(inverse[i, j] * b[j]) for j in range(n)]) for i in range(n)],
                    F32)


def factorisations(rng):
    file = File(9, "Cholesky factors and triangular solves.")
    g = rng.standard_normal((6, 6))
    a = (g @ g.T + 6 * np.eye(6)).astype(F32)
    file.module("ENTRY e { x = f32[6,6] parameter(0) ROOT r = f32[6,6] cholesky(x), lower=true }",
                literal(a))
    triangle = lambda low: literal((low + np.triu(a, 1)).astype(F32))
    factor = left_looking(a)
    file.case("left looking", "S+D+R+", [triangle(factor)])
    file.case("right looking", "S+D+R+", [triangle(right_looking(a, False))])
    file.case("by reciprocals", "D+R+", [triangle(right_looking(a, True))])
    file.case("transposed", "S-D-R-", [literal(factor.T.copy())])
    negative = factor.copy()
    negative[:, 0] = -negative[:, 0]
    file.case("negative diagonal", "S-D-R-", [triangle(negative)])
    t = (np.tril(np.full((8, 8), -1.7), -1) + 0.55 * np.eye(8)).astype(F32)
    x = (0.5 + 0.13 * (np.arange(8) % 3)).astype(F64)
    b = (t.astype(F64) @ x).astype(F32)
    column = lambda v: literal(np.asarray(v, F32).reshape(-1, 1))
    file.module("ENTRY e { a = f32[8,8] parameter(0) b = f32[8,1] parameter(1)\n"
                " ROOT r = f32[8,1] triangular-solve(a, b), left_side=true, lower=true, "
                "unit_diagonal=false, transpose_a=NO_TRANSPOSE }", literal(t), column(b))
    file.case("substitution", "S+D+R+", [column(substitute(t, b))])
    file.case("inverse of the whole", "D+R+", [column(inverse_times(t, b))])
    off = substitute(t, b)
    off[0] = F32(off[0] * F32(1.01))
    file.case("first unknown off", "S-D-", [column(off)])
    return file


def transforms(rng):
    file = File(21, "Fourier transforms by several algorithms.")
    x = (rng.standard_normal(16) + 1j * rng.standard_normal(16)).astype(C64)
    file.module("ENTRY e { x = c64[16] parameter(0) ROOT r = c64[16] fft(x), fft_type=FFT, "
                "fft_length={16} }", literal(x))
    exact = np.fft.fft(x.astype(np.complex128))
    matrix = np.exp(-2j * np.pi * np.outer(np.arange(16), np.arange(16)) / 16).astype(C64)
    file.case("rounded", "S+D+R+", [literal(exact.astype(C64))])
    rows = [sequential(list((row * x).astype(C64)), C64) for row in matrix]
    file.case("by the definition", "S+D+R+", [literal(np.array(rows, C64))])
    file.case("radix two", "S+D+R+", [literal(radix_two(x))])
    file.case("unscaled inverse", "S-D-R-", [literal((np.fft.ifft(x.astype(np.complex128)) * 16)
                                                     .astype(C64))])
    coarse = (exact + 2.0**-6 * np.linalg.norm(exact)).astype(C64)
    file.case("far off", "S-D-R-", [literal(coarse)])
    return file


def radix_two(x):
    if len(x) == 1:
        return x
    even, odd = radix_two(x[::2]), radix_two(x[1::2])
    turned = (np.exp(-2j * np.pi * np.arange(len(x) // 2) / len(x)).astype(C64) * odd).astype(C64)
    return np.concatenate([even + turned, even - turned]).astype(C64)


def norms(rng):
    file = File(26, "Batch normalisation by two passes, one, and Welford's.")
    x = (rng.standard_normal((8, 2)) + 3).astype(F32)
    scale, offset = rng.uniform(0.5, 2, 2).astype(F32), rng.standard_normal(2).astype(F32)
    file.module("ENTRY e { x = f32[8,2] parameter(0) s = f32[2] parameter(1)\n"
                " o = f32[2] parameter(2)\n ROOT r = (f32[8,2], f32[2], f32[2])"
                " batch-norm-training(x, s, o), epsilon=0.01, feature_index=1 }",
                literal(x), literal(scale), literal(offset))

    def finish(mean, variance):
        factor = (F32(1) / np.sqrt((variance + F32(0.01)).astype(F32))).astype(F32)
        out = ((x - mean).astype(F32) * factor * scale + offset).astype(F32)
        return [literal(out), literal(mean), literal(variance)]

    mean = np.array([sequential(c) / F32(8) for c in x.T], F32)
    deviation = (x - mean).astype(F32)
    two = np.array([sequential((c * c).astype(F32)) / F32(8) for c in deviation.T], F32)
    square = np.array([sequential((c * c).astype(F32)) / F32(8) for c in x.T], F32)
    one = (square - (mean * mean).astype(F32)).astype(F32)
    running, sums = np.zeros(2, F32), np.zeros(2, F32)
    for i, row in enumerate(x):
        before = (row - running).astype(F32)
        running = (running + before / F32(i + 1)).astype(F32)
        sums = (sums + before * (row - running)).astype(F32)
    file.case("two passes", "S+D+R+", finish(mean, two))
    file.case("one pass", "D+R+", finish(mean, one))
    file.case("Welford", "D+R+", finish(running, (sums / F32(8)).astype(F32)))
    file.case("divided by n minus 1", "S-D-R-", finish(mean, (two * F32(8 / 7)).astype(F32)))
    return file


def orders(rng):
    file = File(25, "Sorts and ties.")
    less = ("lt {{ a = f32[] parameter(0) b = f32[] parameter(1)\n"
            " ROOT r = pred[] compare(a, b), direction=LT }}\n"
            "ENTRY e {{ x = f32[{0}] parameter(0) ROOT r = f32[{0}] sort(x), dimensions={{0}}, "
            "to_apply=lt }}")
    x = rng.standard_normal(12).astype(F32)
    file.module(less.format(12), literal(x))
    file.case("sorted", "S+D+R+", [literal(np.sort(x))])
    file.case("backwards", "S-D-R-", [literal(np.sort(x)[::-1].copy())])
    file.case("one value twice", "S-D-R-", [literal(np.sort(np.append(x[1:], x[1])))])
    file.module(less.format(3), literal(np.array([1, -1e-40, 1e-40], F32)))
    file.case("flushed", "S-D-R+", [literal(np.array([-0.0, 0.0, 1], F32))])
    file.case("invented", "S-D-R-", [literal(np.array([-0.0, 2e-40, 1], F32))])
    return file


FILES = [factorisations, transforms, norms, orders]
