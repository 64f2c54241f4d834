# SPDX-License-Identifier: Apache-2.0
"""Combines many values into one, in an order that the documents leave open."""

import functools
import itertools
import math
from collections import Counter

from gmpy2 import mpq

from elements import IEEE, binary, merged, read, result
from formats import FORMATS, everything, is_float, wrap
from reals import ends, multiply
from sets import ANY, OPEN, READINGS, Inf, Nan, Real, Unsupported, Value, Zero, allow, joined, point
from sets import power_of_two, reals


def hull(pieces):
    """Returns the least and the greatest real of pieces without infinities and NaN."""
    return min(ends(p)[0] for p in pieces), max(ends(p)[1] for p in pieces)


def magnitude(pieces):
    return max(abs(end) for end in hull(pieces))


def magnitudes(terms):
    return sum(n * magnitude(term) for term, n in terms.items())


def special(form, terms):
    """Returns the sum if infinities or NaN among the terms decide it, else None."""
    if not any(isinstance(p, (Inf, Nan)) for term in terms for p in term):
        return None
    READINGS.add(IEEE)
    if OPEN[0]:
        return everything(form)
    if any(all(isinstance(p, Nan) for p in term) for term in terms):
        return frozenset([Nan()])
    kinds = {p for term in terms for p in term if isinstance(p, Inf)}
    certain = [term for term in terms if any(isinstance(p, (Inf, Nan)) for p in term)]
    if len(kinds) == 1 and all(len(term) == 1 for term in certain):
        return frozenset(kinds)
    if len(kinds) == 2 and all(len(term) == 1 for term in certain):
        return frozenset([Nan()])
    raise Unsupported("a sum with infinities that are not certain")


def float_sum(form, terms, roundoff):
    """Sums n terms in any order, as any tree of additions: the exact sum +- n u (sum of
    magnitudes), where u is `roundoff`, and +- n least normals if partial results are flushed."""
    done = special(form, terms)
    if done is not None:
        return Value(done)
    hulls = [[n * end for end in hull(term)] for term, n in terms.items()]
    count, size = sum(terms.values()), magnitudes(terms)
    inexact = count > 1 and size > 0
    slack = count * roundoff * size + (
        count * form.min_normal if inexact and may_flush(form, terms) else 0
    )
    pieces = reals(
        sum(h[0] for h in hulls) - slack, sum(h[1] for h in hulls) + slack, zero_signs=(1, -1)
    )
    if size + slack > form.max:
        pieces = allow("a partial sum may overflow", pieces, [Inf(1), Inf(-1), Nan()])
    return result(form, pieces)


def may_flush(form, terms):
    """Returns True if a partial sum may be below the normal numbers. This is impossible if all
    terms are multiples of a normal number."""
    unit = form.min_normal
    points = [p for term in terms for p in term if isinstance(p, Real)]
    return any(p.lo != p.hi or p.lo % unit for p in points)


def exact_if_small(form, terms):
    """Returns True for integers whose sums are exact in any order: the magnitudes add up to at most
    2^p."""
    points = [p for term in terms for p in term]
    if not all(
        isinstance(p, Zero) or (isinstance(p, Real) and p.lo == p.hi and p.lo.denominator == 1)
        for p in points
    ):
        return False
    return magnitudes(terms) <= power_of_two(form.mantissa_bits + 1)


def total(type_name, values, roundoff=None):
    """Returns the sums of the values in any order."""
    if not is_float(type_name):
        return folded("add", type_name, values)
    form = FORMATS[type_name]
    terms = Counter()
    for value, n in Counter(values).items():
        terms[merged(read(type_name, value, sums=True))] += n
    if not terms:
        return Value(frozenset([Zero(1)]))
    rounding = form.roundoff if roundoff is None else roundoff
    return float_sum(form, terms, mpq(0) if exact_if_small(form, terms) else rounding)


def float_product(form, values):
    """Multiplies n values in any order: the relative error is at most (1 + roundoff)^n - 1."""
    terms = [merged(v.stored) for v in values]
    if any(not isinstance(p, (Real, Zero)) for term in terms for p in term):
        raise Unsupported("a product with infinities")
    exact = [terms[0]]
    for term in terms[1:]:
        exact.append(merged(frozenset().union(*(multiply(a, b) for a in exact[-1] for b in term))))
    sizes = [magnitude(term) for term in terms]
    if (
        math.prod(max(1, s) for s in sizes) > form.max
        or math.prod(min(1, s) for s in sizes if s) < form.min_normal
    ):
        raise Unsupported("a product whose partial products may leave the range")
    factor = (1 + form.roundoff) ** len(terms)
    pieces = {
        (
            p
            if isinstance(p, Zero)
            else Real(
                *sorted((min(p.lo * factor, p.lo / factor), max(p.hi * factor, p.hi / factor)))
            )
        )
        for p in exact[-1]
    }
    return result(form, frozenset(pieces))


def folded(opcode, type_name, values):
    return functools.reduce(lambda a, b: binary(opcode, type_name, a, b), values)


ANY_ORDER = ("add", "multiply", "maximum", "minimum", "and", "or", "xor")


def combined(opcode, type_name, values):
    """Combines the values by a known operation, in any order."""
    if opcode == "add":
        return total(type_name, values)
    if opcode == "multiply" and is_float(type_name):
        return float_product(FORMATS[type_name], list(values))
    return folded(opcode, type_name, values)


IDENTITY = {
    "add": {0, Zero(1), Zero(-1)},
    "multiply": {1, point(1)},
    "or": {0},
    "xor": {0},
    "and": {-1},
    "maximum": {Inf(-1)},
    "minimum": {Inf(1)},
}


def is_identity(opcode, type_name, init):
    known = IDENTITY[opcode] | ({wrap(type_name, -1)} if opcode == "and" else set())
    return init.stored <= frozenset(known)


def reduced(opcode, type_name, init, values):
    """Reduces the values and the initial value. An initial value that is no identity may be used 0
    to n + 1 times for n values (ruling 0019)."""
    once = combined(opcode, type_name, values + [init])
    if is_identity(opcode, type_name, init):
        return once
    many = opcode not in ("and", "or", "maximum", "minimum")  # these operations are idempotent
    times = [0, *range(2, len(values) + 2)] if many else [0]
    more = joined([combined(opcode, type_name, values + [init] * k) for k in times])
    if ANY in (once.stored, more.stored):
        return Value(ANY)
    freedom = "an init value that is no identity may count any number of times (ruling 0019)"
    return Value(allow(freedom, once.stored, more.stored), once.wide | more.wide)


def in_trees(apply, init, values, most=4):
    """Combines the values by every tree in every order. Whether the initial value is an identity is
    not known, so that it may be a leaf 0 to n + 1 times for n values (ruling 0019)."""
    if len(values) > most:
        raise Unsupported("a computation of no known kind over %d values" % len(values))

    @functools.lru_cache(None)
    def of(places, count):
        """Returns the results of the trees over the values at these places and `count` initial values."""
        if len(places) + count == 1:
            return values[places[0]] if places else init
        made = []
        for size, n in itertools.product(range(len(places) + 1), range(count + 1)):
            if 0 < size + n < len(places) + count:
                for left in itertools.combinations(places, size):
                    right = tuple(p for p in places if p not in left)
                    made.append(apply(of(left, n), of(right, count - n)))
        return joined(made)

    freedom = "init may count any number of times in a computation of no known kind (ruling 0019)"
    places = tuple(range(len(values)))
    counts = [n for n in range(len(values) + 2) if n or values]
    once, more = of(places, 1), joined([of(places, n) for n in counts])
    if more.stored == ANY:
        return Value(ANY)
    return Value(allow(freedom, once.stored, more.stored), more.wide)


def combiner(run, i):
    """Returns the operation of a computation that only combines two scalars: its opcode, or "first"
    or "second" if it returns that parameter. Returns None for other computations."""
    computation = run.computation(i)
    by_name = {c.name: c for c in computation.instructions}
    root = by_name[computation.root]
    if root.opcode == "parameter":
        two = len(computation.parameters()) == 2
        return ("first", "second")[int(root.argument)] if two else None
    operands = [by_name[name] for name in root.operands]
    given = sorted(o.argument for o in operands if o.opcode == "parameter")
    return root.opcode if root.opcode in ANY_ORDER and given == ["0", "1"] else None
