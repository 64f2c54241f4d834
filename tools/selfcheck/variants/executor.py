# SPDX-License-Identifier: Apache-2.0
"""A second executor in numpy: formats, roundings and orders that a conforming engine may use.

Uses no code of hlocts, and therefore has no error in common with the sets and the noise. An array
of bf16 is a float32 array whose values are exact in bf16.
"""
import math

import numpy as np

F32, F64, F16 = np.float32, np.float64, np.float16


def bf16(x):
    """Rounds float32 to bf16, to nearest, ties to even. Returns float32."""
    bits = np.asarray(x, F32).view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(F32)
    return np.where(np.isfinite(x), rounded, np.asarray(x, F32)).astype(F32)


def tf32(x):
    """Rounds float32 to 10 bits of mantissa, to nearest."""
    bits = np.asarray(x, F32).view(np.uint32).astype(np.uint64)
    return ((bits + 0xFFF + ((bits >> 13) & 1)) & 0xFFFFE000).astype(np.uint32).view(F32)


def f16(x):
    return np.asarray(x, F32).astype(F16).astype(F32)


def identity(x):
    return x


def flush(x, least=2.0**-126):
    """Replaces subnormal numbers by zeros of the same sign."""
    x = np.asarray(x)
    return np.where(np.abs(x) < least, np.copysign(np.zeros_like(x), x), x)


def fma(a, b, c):
    """Returns a * b + c in float32, rounded once from the exact value."""
    from fractions import Fraction
    out = np.empty(np.broadcast(a, b, c).shape, F32)
    for i, (x, y, z) in enumerate(zip(*(np.broadcast_to(v, out.shape).flat for v in (a, b, c)))):
        exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
        out.flat[i] = round_fraction(exact)
    return out


def round_fraction(exact):
    """Rounds a fraction to float32, ties to even, if the result is a normal number."""
    if exact == 0:
        return F32(0)
    e = math.floor(math.log2(abs(exact)))
    if abs(exact) >= 2 ** (e + 1):
        e += 1
    if abs(exact) < 2**e:
        e -= 1
    unit = max(e, -126) - 23
    scaled = exact * 2**-unit if unit < 0 else exact / 2**unit
    return F32(math.ldexp(float(round(scaled)), unit))


def sequential(terms, step=F32, round_to=identity):
    total = step(terms[0])
    for term in terms[1:]:
        total = step(round_to(step(total + step(term))))
    return total


def pairwise(terms, step=F32, round_to=identity):
    terms = [step(t) for t in terms]
    while len(terms) > 1:
        paired = [step(round_to(step(a + b))) for a, b in zip(terms[::2], terms[1::2])]
        terms = paired + ([terms[-1]] if len(terms) % 2 else [])
    return terms[0]


def blocked(terms, size, step=F32, round_to=identity):
    parts = [sequential(terms[i:i + size], step, round_to) for i in range(0, len(terms), size)]
    return sequential(parts, step, round_to)


def kahan(terms):
    total, lost = F32(0), F32(0)
    for term in terms:
        y = F32(F32(term) - lost)
        t = F32(total + y)
        lost = F32(F32(t - total) - y)
        total = t
    return total


def truncating(terms, bits=24):
    """Adds, and drops the bits below the top `bits` bits of the larger operand in each step."""
    total = 0.0
    for term in terms:
        exact = total + float(term)
        if exact == 0:
            total = 0.0
            continue
        unit = 2.0 ** (math.frexp(exact)[1] - bits)
        total = math.trunc(exact / unit) * unit
    return F32(total)


def dot(a, b, sum_of=sequential, read=identity, product=F32):
    """Multiplies a [m,k] by b [k,n]. `sum_of` adds the products; `read` converts the operands."""
    a, b = read(a), read(b)
    out = np.empty((a.shape[0], b.shape[1]), F32)
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            out[i, j] = sum_of([product(x * y) for x, y in zip(a[i].astype(product),
                                                               b[:, j].astype(product))])
    return out


def dot_fma(a, b):
    out = np.zeros((a.shape[0], b.shape[1]), F32)
    for k in range(a.shape[1]):
        out = fma(a[:, k:k + 1], b[k:k + 1, :], out)
    return out


def passes(a, b, count):
    """Computes f32 products by 1, 3, 6 or 9 products of bf16 parts."""
    parts_a, parts_b = split(a), split(b)
    order = [(0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (2, 0), (1, 2), (2, 1), (2, 2)]
    taken = {1: order[:1], 3: order[:3], 6: order[:6], 9: order}[count]
    out = np.zeros((a.shape[0], b.shape[1]), F32)
    for i, j in reversed(taken):
        out = (out + dot(parts_a[i], parts_b[j])).astype(F32)
    return out


def split(x):
    first = bf16(x)
    second = bf16((x - first).astype(F32))
    return first, second, bf16(((x - first) - second).astype(F32))
