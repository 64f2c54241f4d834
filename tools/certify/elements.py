# SPDX-License-Identifier: Apache-2.0
"""Computes the values that an operation may return for one element from the sets of its operands.

The documents define the real value of a result and limit no error. Basic operations are rounded
once. Other freedoms that a compiler has in the default profile of this suite's acceptance rules are
allowed and named: flushed subnormals, a product fused with a sum, a narrow intermediate kept in a
wider type, and for functions the ulps of ULPS.
"""

import functools
import itertools
import math
import operator

from gmpy2 import mpq

from formats import FORMATS, everything, fits, is_float, store, store_once, width_of, wrap
from integers import MOST_PIECES, integer_binary, known_range, over, overflowed
from reals import BINARY, ends, finite, function_of, multiply, negated
from sets import ANY, HUGE, ONE, OPEN, READINGS, TINY, Inf, Nan, Real, Value, Zero, allow, decided
from sets import floor_log2, joined, point, power_of_two, reals

BOTH_ZEROS = (Zero(1), Zero(-1))
IEEE = "zeros, infinities and NaN in arithmetic as in IEEE 754 (ruling 0130)"
C99 = "functions at zeros, infinities and poles as in C99 (ruling 0083)"
# A relative error that no document forbids and that a user would not report as a bug.
OPEN_ERROR = power_of_two(-10)


# For each function: the ulps in f64, f32, f16 and bf16, and additional ulps per unit of |x|.
ULPS = {
    "exponential": (3, 7, 1, 1, 0),
    "exponential-minus-one": (5, 9, 3, 1, 0),
    "log": (2, 3, 1, 1, 0),
    "log-plus-one": (3, 4, 2, 1, 0),
    "logistic": (5, 5, 3, 3, 0),
    "tanh": (8, 7, 1, 1, 0),
    "erf": (3, 8, 1, 1, 0),
    "sine": (3, 4, 1, 1, 0),
    "cosine": (3, 4, 1, 1, 0),
    "tan": (3, 5, 2.5, 1, 0),
    "atan": (3, 4, 1, 1, 0),
    "atan2": (3, 4, 1, 1, 0),
    "power": (3, 9, 1, 1, 0),
    "cbrt": (4, 2, 1, 1, 0),
    "rsqrt": (2, 3, 2, 1, 0),
    "acos": (8, 8, 2, 2, 0),
    "acosh": (8, 8, 2, 2, 0),
    "asin": (8, 8, 2, 2, 0),
    "asinh": (8, 8, 2, 2, 0),
    "atanh": (8, 8, 2, 2, 0),
    "cosh": (5, 5, 2, 2, 1),
    "sinh": (6, 9, 3, 2, 1),
    "divide": (1.5, 2.5, 1.5, 1.5, 0),
    "sqrt": (0, 1, 0, 0, 0),
}

# Functions with a zero next to which a formula loses all digits.
CROSSING = (
    """acos acosh asinh atanh cosine exponential-minus-one log log-plus-one sine sinh tan
tanh""".split()
)
NEVER_NEGATIVE = ("exponential", "logistic", "cosh", "sqrt", "rsqrt")


def ulps_of(opcode, form, argument):
    row = ULPS[opcode]
    if form.width <= 8:
        return mpq(0 if opcode in ("divide", "sqrt") else 0.6)
    column = {"f64": 0, "f32": 1, "f16": 2, "bf16": 3}[form.name]
    return mpq(row[column]) + row[4] * argument


def loosened(opcode, form, pieces, argument=0):
    """Moves the ends of all intervals outward by the ulps that the operation is allowed."""
    result = set()
    for p in pieces:
        if not isinstance(p, Real) or abs(p.hi) >= HUGE or abs(p.lo) >= HUGE:
            result.add(p)
            continue
        lo, hi = sorted((abs(p.lo), abs(p.hi)))
        ulps = ulps_of(opcode, form, argument)
        READINGS.add("%s within %g ulps (ruling 0072)" % (opcode, ulps))
        # An ulp just above a power of two is twice as large as one just below it.
        above = power_of_two(floor_log2(lo) + 1)
        low = min(x - ulps * form.ulp(x) for x in (lo, above) if x <= hi)
        high = hi + ulps * form.ulp(hi)
        if OPEN[0]:  # literally the documents' formula
            low, high = low * (1 - OPEN_ERROR), high * (1 + OPEN_ERROR)
            if opcode in CROSSING:
                low, high = low - 4 * form.ulp(ONE + hi), high + 4 * form.ulp(ONE + hi)
                low = max(low, mpq(0))
        if opcode in NEVER_NEGATIVE:
            low = max(low, mpq(0))
        result |= reals(*sorted((p.sign * low, p.sign * high)), zero_signs=(p.sign,))
    return frozenset(result)


# --- The values that an operation may read for its operands ---


def with_flushed(form, pieces):
    """Returns the values that may be read for a subnormal operand: itself, a zero of the same sign,
    or any value in between, because library code scales it in steps."""
    flushed = set()
    for p in pieces:
        if isinstance(p, Real) and min(abs(p.lo), abs(p.hi)) < form.min_normal:
            far = max((p.lo, p.hi), key=abs)
            flushed |= {Zero(p.sign), Real(*sorted((TINY * p.sign, far)))}
    freedom = "a subnormal operand may be read as zero (ruling 0036)"
    return allow(freedom, frozenset(pieces), flushed)


def read(type_name, value, sums=False, widens=False):
    """Returns the pieces that an operation may read for a floating-point operand."""
    form, pieces = FORMATS[type_name], value.stored
    if sums and value.product:
        pieces = allow("a product may be fused into a sum (ruling 0073)", pieces, value.wide)
    if widens or form.width <= 16:
        freedom = "an intermediate may keep excess precision (ruling 0073)"
        pieces = allow(freedom, pieces, value.wide)
    elif OPEN[0]:  # the expression may be regrouped over the reals (rulings 0087 to 0091)
        pieces = pieces | value.wide
    if form.kind == "exponent" and any(p == point(form.min_normal) for p in pieces):
        pieces = decided("2^-127 is read as itself (rulings 0035, 0036)", pieces, [Zero(1)])
    return with_flushed(form, pieces)


def either_way(form, p):
    """Returns the piece with its ends rounded outward: the documents name no direction."""
    if not isinstance(p, Real) or max(abs(p.lo), abs(p.hi)) > form.max:
        return p
    down, up = form.ulp(p.lo), form.ulp(p.hi)
    lo, hi = math.floor(p.lo / down) * down, math.ceil(p.hi / up) * up
    return Real(lo if lo * p.sign > 0 else p.lo, hi if hi * p.sign > 0 else p.hi)


def result(form, pieces, product=False, saturates=False):
    """Returns the Value of a floating-point result that is in `pieces` before rounding."""
    stored = store(form, pieces)
    if OPEN[0]:
        stored |= store(form, frozenset(either_way(form, p) for p in pieces))
    far = {p for p in pieces if isinstance(p, Real) and max(abs(p.lo), abs(p.hi)) > form.max}
    if saturates and far:
        most = [point(p.sign * form.max) for p in far]
        stored = allow("a function that overflows may give the maximum", stored, most)
    if stored != pieces:
        READINGS.add("results are rounded to nearest even (ruling 0072)")
    wide = pieces
    for wider in ("f32", "f64"):
        if FORMATS[wider].mantissa_bits > form.mantissa_bits:
            wide |= store_once(FORMATS[wider], pieces, flush=False)
    return Value(stored, merged(stored | wide), product)


def merged(pieces):
    """If there are more than eight intervals, joins those of each sign to one interval."""
    intervals = [p for p in pieces if isinstance(p, Real)]
    if len(intervals) <= 8:
        return pieces
    rest = {p for p in pieces if not isinstance(p, Real)}
    for sign in (1, -1):
        same = [p for p in intervals if p.sign == sign]
        if same:
            rest.add(Real(min(p.lo for p in same), max(p.hi for p in same)))
    return frozenset(rest)


def at_special(opcode, form, made, *pieces):
    """Returns `made` for operands with zeros, infinities or NaN. The documents name a function but
    do not define its values for such operands."""
    function = opcode in ULPS and opcode not in ("divide", "sqrt")
    ruling = C99 if function else IEEE
    if opcode in ("maximum", "minimum"):
        others = pieces if any(isinstance(p, Nan) for p in pieces) else made
        return decided("NaN of maximum and minimum goes on (ruling 0003)", made, others)
    if opcode == "remainder" and finite(*pieces):
        return made
    if any(isinstance(p, (Inf, Nan)) for p in (*pieces, *made)):
        return decided(ruling, made, everything(form))
    if opcode == "atan2" and all(isinstance(p, Zero) for p in pieces):
        return decided(ruling, made, everything(form))
    return decided(ruling, made, BOTH_ZEROS) if any(isinstance(p, Zero) for p in made) else made


def float_binary(opcode, type_name, left, right):
    form, exact = FORMATS[type_name], frozenset()
    sums = opcode in ("add", "subtract")
    operands = [merged(read(type_name, v, sums=sums)) for v in (left, right)]
    for a, b in itertools.product(*operands):
        if opcode != "power" and (isinstance(a, Nan) or isinstance(b, Nan)):
            pieces = frozenset([Nan()])
        else:
            pieces = frozenset(BINARY[opcode](a, b))
        if opcode == "remainder" and pieces != {Nan()}:
            READINGS.add("Rem has the sign of the dividend (ruling 0001)")
        if not all(isinstance(p, Real) for p in (a, b)):
            pieces = at_special(opcode, form, pieces, a, b)
        exact |= loosened(opcode, form, pieces) if opcode in ULPS else pieces
        huge = isinstance(b, Real) and 1 / min(abs(b.lo), abs(b.hi)) < form.min_normal
        if opcode == "divide" and huge:
            freedom = "a quotient by a huge number may use its flushed reciprocal (ruling 0086)"
            exact = allow(freedom, exact, multiply(a, Zero(b.sign)))
    value = result(form, exact, product=opcode == "multiply", saturates=opcode in ULPS)
    if sums and any(isinstance(p, Zero) for p in value.stored) and form.kind != "fnuz":
        signs = allow("the sign of a zero sum is free (ruling 0073)", value.stored, BOTH_ZEROS)
        value = Value(signs, value.wide, value.product)
    return value


def rounded_to_integer(opcode, p):
    if not isinstance(p, Real):
        return {p}
    half = mpq(1, 2)
    rounding = {
        "floor": math.floor,
        "ceil": math.ceil,
        "round-nearest-even": round,
        "round-nearest-afz": lambda x: math.floor(abs(x) + half) * (1 if x > 0 else -1),
    }[opcode]
    return reals(mpq(rounding(p.lo)), mpq(rounding(p.hi)), zero_signs=(p.sign,))


def float_unary(opcode, type_name, operand):
    form, pieces = FORMATS[type_name], merged(read(type_name, operand))
    if opcode == "is-finite":
        return Value(frozenset(int(finite(p)) for p in pieces))
    if opcode in ("abs", "negate"):
        kept = lambda p: opcode == "abs" and p.sign > 0
        change = lambda p: Nan() if isinstance(p, Nan) else p if kept(p) else negated(p)
        changed, wide = (frozenset(map(change, given)) for given in (pieces, operand.wide))
        if opcode == "negate" and any(isinstance(p, Zero) for p in changed):
            changed = decided(IEEE, changed, BOTH_ZEROS)
        return Value(changed, wide, operand.product)
    if opcode == "sign":
        signs = {p if isinstance(p, (Nan, Zero)) else point(p.sign) for p in pieces}
        return result(form, frozenset(signs))
    if opcode in ("floor", "ceil", "round-nearest-even", "round-nearest-afz"):
        rounded = frozenset().union(*(rounded_to_integer(opcode, p) for p in pieces))
        if any(isinstance(p, Zero) for p in rounded):
            rounded = decided("a rounded zero keeps the sign (ruling 0054)", rounded, BOTH_ZEROS)
        return result(form, rounded)
    exact = frozenset()
    for p in pieces:
        made = frozenset(function_of(opcode, p))
        if not isinstance(p, Real):
            made = at_special(opcode, form, made, p)
        size = max(map(abs, ends(p))) if isinstance(p, Real) else 0
        exact |= loosened(opcode, form, made, size)
    return result(form, exact, saturates=True)


# --- Conversions ---


def to_integer(type_name, p):
    """Truncates. For values that are out of range, returns any value (ruling 0007)."""
    if type_name == "pred":
        return {int(not isinstance(p, Zero))}
    if isinstance(p, Zero):
        return {0}
    if not isinstance(p, Real):
        return ANY
    lo, hi = math.trunc(p.lo), math.trunc(p.hi)
    few = fits(type_name, lo) and fits(type_name, hi) and hi - lo < MOST_PIECES
    return set(range(lo, hi + 1)) if few else ANY


def convert(source, target, operand):
    if not is_float(source) and not is_float(target):
        # A static_cast to an unsigned type is modulo 2^w in every edition of C++.
        modular = functools.partial(overflowed, "convert") if target[0] == "s" else wrap
        return over(functools.partial(modular, target), known_range(source, operand.stored))
    if not is_float(source):
        points = {point(n) if n else Zero(1) for n in operand.stored if n != "any"}
        exact = everything(FORMATS[target]) if operand.stored == ANY else frozenset(points)
        return result(FORMATS[target], exact)
    widens = is_float(target) and width_of(target) > width_of(source)
    pieces = read(source, operand, widens=widens)
    if is_float(target):
        return result(FORMATS[target], pieces)
    sets = [to_integer(target, p) for p in pieces]
    return Value(ANY if any(s is ANY for s in sets) else frozenset().union(*sets))


def reduce_precision(type_name, exponent_bits, mantissa_bits, operand):
    """Rounds to the lower format, then limits the range (ruling 0053). With no mantissa bits, a tie
    may be rounded either way."""
    form = FORMATS[type_name]
    READINGS.add("reduce-precision rounds first and then looks at the range (ruling 0053)")
    lower = type(form)("lower", exponent_bits, mantissa_bits, (1 << (exponent_bits - 1)) - 1)
    pieces = set()
    for p in read(type_name, operand):
        if isinstance(p, Real) and mantissa_bits == 0:
            power = [power_of_two(floor_log2(abs(x))) for x in (p.lo, p.hi)]
            pieces |= store_once(
                lower, [Real(*sorted((p.sign * min(power), p.sign * 2 * max(power))))]
            )
        else:
            pieces |= store_once(lower, [p])
    return Value(store_once(form, pieces))


# --- Comparisons ---


def key(p, total):
    """Returns the least and the greatest position of a piece in the (total) order."""
    if isinstance(p, Nan):  # only for the total order; the bits of the NaN may be unknown
        return (-math.inf, -2), (math.inf, 2)
    if isinstance(p, Zero):
        return ((mpq(0), p.sign if total else 0),) * 2
    return tuple((end, 0) for end in ends(p))


def compare_pieces(direction, a, b, total):
    if isinstance(a, Nan) or isinstance(b, Nan):
        if not total:
            READINGS.add("NaN is unordered, as editions before 2025 say (ruling 0110)")
            return {int(direction == "NE")}
        READINGS.add("the total order is that of the bits (ruling 0059)")
    (alo, ahi), (blo, bhi) = key(a, total), key(b, total)
    outcomes = {-1: alo < bhi, 0: alo <= bhi and blo <= ahi, 1: ahi > blo}
    true = getattr(operator, direction.lower())
    return {int(true(order, 0)) for order, possible in outcomes.items() if possible}


def compare(type_name, direction, total, left, right):
    if is_float(type_name):
        reading = (lambda v: v.stored) if total else (lambda v: merged(read(type_name, v)))
        sets = [
            compare_pieces(direction, a, b, total)
            for a, b in itertools.product(reading(left), reading(right))
        ]
        return Value(frozenset().union(*sets))
    true = getattr(operator, direction.lower())
    return over(lambda a, b: int(true(a, b)), left.stored, right.stored)


def binary(opcode, type_name, left, right):
    return (float_binary if is_float(type_name) else integer_binary)(opcode, type_name, left, right)


def clamp(type_name, low, operand, high):
    """Returns min(max(low, x), high); if low > high, either bound (ruling 0004)."""
    apply = lambda opcode, a, b: binary(opcode, type_name, a, b)
    written = apply("minimum", apply("maximum", low, operand), high)
    other = apply("maximum", low, apply("minimum", operand, high))
    if written == other or ANY in (written.stored, other.stored):
        return joined([written, other])
    freedom = "crossed bounds of clamp give either (ruling 0004)"
    return Value(allow(freedom, written.stored, other.stored), written.wide | other.wide)
