# SPDX-License-Identifier: Apache-2.0
"""What the default profile allows single operations, their slopes, and an element of the tape."""

import math

import numpy as np

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


def ulp(x, dtype):
    exponent = np.floor(np.log2(np.maximum(np.abs(x), 1e-300)))
    return 2.0 ** (np.maximum(exponent, LEAST[dtype]) - PRECISION[dtype] + 1)


def ulps_of(opcode, dtype):
    if opcode in EXACT:
        return 0
    row = ULPS.get(opcode)
    return 0.5 if row is None else row[{"f32": 0, "bf16": 1, "f16": 2, "f64": 0}[dtype]]


class Node:
    """value; bound: error allowed here; back: weights of the result to [(node, its weights)]."""

    def __init__(self, value, bound=None, back=None, dtype=None):
        self.value, self.bound, self.back, self.dtype = value, bound, back, dtype


erf = np.vectorize(math.erf)
UNARY = {
    "exponential": (np.exp, lambda x, y: y),
    "log": (np.log, lambda x, y: 1 / x),
    "log-plus-one": (np.log1p, lambda x, y: 1 / (1 + x)),
    "tanh": (np.tanh, lambda x, y: 1 - y * y),
    "exponential-minus-one": (np.expm1, lambda x, y: y + 1),
    "logistic": (lambda x: 1 / (1 + np.exp(-x)), lambda x, y: y * (1 - y)),
    "erf": (erf, lambda x, y: 2 / np.sqrt(np.pi) * np.exp(-x * x)),
    "sine": (np.sin, lambda x, y: np.cos(x)),
    "cosine": (np.cos, lambda x, y: -np.sin(x)),
    "sqrt": (np.sqrt, lambda x, y: 0.5 / y),
    "rsqrt": (lambda x: 1 / np.sqrt(x), lambda x, y: -0.5 * y / x),
    "negate": (np.negative, lambda x, y: -np.ones_like(x)),
    "abs": (np.abs, lambda x, y: np.sign(x)),
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
        lambda a, b, y: (b * np.power(a, b - 1), y * np.log(np.maximum(a, 1e-300))),
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
