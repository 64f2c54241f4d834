# SPDX-License-Identifier: Apache-2.0
"""Random numbers: what each of them may be."""

from check_elements import Value
from check_evaluator import Array, operation
from check_formats import FORMATS, is_float
from check_numbers import Real, Unsupported, Zero, reals


def number(operand):
    """The one real that a bound is."""
    stored = operand[()].stored
    (piece,) = stored if len(stored) == 1 else (None,)
    if isinstance(piece, Zero):
        return 0
    if not isinstance(piece, Real) or piece.lo != piece.hi:
        raise Unsupported("a bound that is not one number")
    return piece.lo


@operation("draw", "rng_uniform", "rng")
def rng(run, i, operands):
    """Uniform over [a, b): from a to the greatest number of the type below b."""
    if i.attribute("distribution") != "rng_uniform" or not is_float(i.shape.type):
        raise Unsupported("a distribution without bounds, or of integers")
    low, high = map(number, operands)
    if low >= high:
        raise Unsupported("an interval that is empty")
    below = high - FORMATS[i.shape.type].ulp(high) / 2  # no number of the type lies between
    return Array(i.shape, lambda index: Value(reals(low, below, (1, -1))))
