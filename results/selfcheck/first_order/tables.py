# SPDX-License-Identifier: Apache-2.0
"""What the default profile allows single operations, their slopes, and an element of the tape.

Numbers are mpmath's, in numpy's arrays of objects: no rounding of a denominator is seen."""

import mpmath
import numpy as np

mpmath.mp.prec = 160  # bits; the widest format here has 53

PRECISION = {"f64": 53, "f32": 24, "f16": 11, "bf16": 8}
LEAST = {"f64": -1022, "f32": -126, "f16": -14, "bf16": -126}
# Units in the last place of the default profile: (f32, bf16, f16).
ULPS = {
    "exponential": (3, 1, 1),
    "log": (3, 1, 1),
    "log-plus-one": (4, 1, 2),
    "tanh": (7, 1, 1),
    "logistic": (5, 3, 3),
    "erf": (8, 1, 1),
    "sine": (4, 1, 1),
    "cosine": (4, 1, 1),
    "power": (9, 1, 1),
    "rsqrt": (3, 2, 2),
    "sqrt": (1, 0.5, 0.5),
    "divide": (2.5, 1.5, 1.5),
    "exponential-minus-one": (8, 1, 3),
}
TRUNCATED = 2.0**-23  # a contraction accumulates in f32, and additions may truncate
EXACT = {"negate", "abs", "maximum", "minimum", "select", "clamp"}


def each(function):
    """`function` of a number, on every element of an array."""
    on_array = np.frompyfunc(function, 1, 1)
    return lambda x: np.asarray(on_array(x), dtype=object)


WHOLE = (bool, int, np.integer, np.bool_)
exact = each(lambda x: mpmath.mpf(int(x) if isinstance(x, WHOLE) else x))


def ulp(x, dtype):
    exponent = lambda v: mpmath.frexp(v)[1] - 1 if v else LEAST[dtype]
    place = lambda v: max(exponent(v), LEAST[dtype]) - PRECISION[dtype] + 1
    return each(lambda v: mpmath.ldexp(1, place(v)))(x)


def contract(subscripts, a, b):
    """einsum of two arrays of objects: each letter an axis, products summed over those not kept."""
    left, right, kept = subscripts.replace("->", ",").split(",")
    letters = kept + "".join(x for x in sorted(set(left + right)) if x not in kept)

    def aligned(array, names):
        order = [names.index(x) for x in letters if x in names]
        sizes = dict(zip(names, array.shape))
        return array.transpose(order).reshape([sizes.get(x, 1) for x in letters])

    product = aligned(a, left) * aligned(b, right)
    return np.asarray(product.sum(tuple(range(len(kept), len(letters)))), dtype=object)


def ulps_of(opcode, dtype):
    if opcode in EXACT:
        return 0
    row = ULPS.get(opcode)
    return 0.5 if row is None else row[{"f32": 0, "bf16": 1, "f16": 2, "f64": 0}[dtype]]


class Node:
    """value; bound: error allowed here; back: weights of the result to [(node, its weights)]."""

    def __init__(self, value, bound=None, back=None, dtype=None):
        if dtype in PRECISION:
            value = np.asarray(value, dtype=object)
        self.value, self.bound, self.back, self.dtype = value, bound, back, dtype


one = each(lambda x: mpmath.mpf(1))
exp, log, cos, sin = each(mpmath.exp), each(mpmath.log), each(mpmath.cos), each(mpmath.sin)
sqrt = each(mpmath.sqrt)
log_or_zero = each(lambda x: mpmath.log(x) if x > 0 else 0)
UNARY = {
    "exponential": (exp, lambda x, y: y),
    "log": (log, lambda x, y: 1 / x),
    "log-plus-one": (each(mpmath.log1p), lambda x, y: 1 / (1 + x)),
    "tanh": (each(mpmath.tanh), lambda x, y: 1 - y * y),
    "exponential-minus-one": (each(mpmath.expm1), lambda x, y: y + 1),
    "logistic": (lambda x: 1 / (1 + exp(-x)), lambda x, y: y * (1 - y)),
    "erf": (each(mpmath.erf), lambda x, y: 2 / mpmath.sqrt(mpmath.pi) * exp(-x * x)),
    "sine": (sin, lambda x, y: cos(x)),
    "cosine": (cos, lambda x, y: -sin(x)),
    "sqrt": (sqrt, lambda x, y: 1 / (2 * y)),
    "rsqrt": (lambda x: 1 / sqrt(x), lambda x, y: -y / (2 * x)),
    "negate": (np.negative, lambda x, y: -one(x)),
    "abs": (np.abs, lambda x, y: each(mpmath.sign)(x)),
}
BINARY = {
    "add": (np.add, lambda a, b, y: (1, 1)),
    "subtract": (np.subtract, lambda a, b, y: (1, -1)),
    "multiply": (np.multiply, lambda a, b, y: (b, a)),
    "divide": (np.divide, lambda a, b, y: (1 / b, -y / b)),
    "maximum": (np.maximum, lambda a, b, y: (a >= b, a < b)),
    "minimum": (np.minimum, lambda a, b, y: (a <= b, a > b)),
    "power": (
        np.power,
        lambda a, b, y: (b * np.power(a, b - 1), y * log_or_zero(a)),
    ),
}
COMPARE = {
    "EQ": np.equal,
    "NE": np.not_equal,
    "LT": np.less,
    "LE": np.less_equal,
    "GT": np.greater,
    "GE": np.greater_equal,
}
