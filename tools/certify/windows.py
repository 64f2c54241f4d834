# SPDX-License-Identifier: Apache-2.0
"""Evaluates reductions, windows, dot and convolution: finds the elements of each sum."""

import functools
import math
import re

import numpy as np

from arrays import padded
from elements import binary
from evaluator import at_indices, certain, operation
from formats import FORMATS, is_float, store_once, width_of, wrap
from sets import ANY, OPEN, READINGS, Inf, Nan, Real, Unsupported, Value, Zero, allow, decided, joined
from sets import power_of_two
from sums import ANY_ORDER, combiner, in_trees, reduced, total


def together(cells, rank):
    """Returns the cells with the dimensions from `rank` on merged into one."""
    return cells.reshape(*cells.shape[:rank], math.prod(cells.shape[rank:]))


def reductions(run, i, init, cells):
    """Reduces `cells` over the dimensions that follow those of the result. None is padding."""
    kind, type_name = combiner(run, i), i.shape.type

    def at(index):
        values = [cell.value for cell in rows[index] if cell is not None]
        if kind in ANY_ORDER:
            return reduced(kind, type_name, init[()], values) if values else init[()]
        computation = run.computation(i)
        apply = lambda a, b: run.apply(computation, [type_name] * 2, [a, b])[0]
        return in_trees(apply, init[()], values)

    rows = together(cells, len(i.shape.dims))
    return at_indices(i.shape, at)


@operation("sum", None, "reduce")
def reduce(run, i, operands):
    if len(operands) != 2:
        raise Unsupported("a reduction of several operands")
    dimensions = i.integers("dimensions")
    cells = operands[0].cells
    outer = [d for d in range(cells.ndim) if d not in dimensions]
    return reductions(run, i, operands[1], cells.transpose(*outer, *dimensions))


class Window:
    """A window: {size=2x3 stride=1x2 pad=0_1x0_0 lhs_dilate=.. rhs_dilate=.. rhs_reversal=..}."""

    def __init__(self, text, rank):
        fields = dict(f.split("=") for f in text.strip("{}").split())
        numbers = lambda key, default: np.array(
            re.findall(r"-?\d+", fields.get(key, " ".join([default] * rank))), int
        )
        self.size, self.stride = numbers("size", "1"), numbers("stride", "1")
        self.base, self.dilation = numbers("lhs_dilate", "1"), numbers("rhs_dilate", "1")
        self.reversal, self.pads = numbers("rhs_reversal", "0"), numbers("pad", "0_0")
        if (self.base > 1).any() or (self.dilation > 1).any():
            READINGS.add("dilation puts holes between elements (rulings 0049, 0051)")

    def over(self, cells):
        """Returns the cells of each window, in additional dimensions after those of the positions.
        A cell None is padding."""
        rows = np.column_stack([self.pads.reshape(-1, 2), self.base - 1])
        base = padded(cells, rows, None)
        reach = (self.size - 1) * self.dilation + 1
        if any(n < r for n, r in zip(base.shape, reach)):
            return np.empty([0] * cells.ndim + list(self.size), object)
        views = np.lib.stride_tricks.sliding_window_view(base, reach)
        steps = [slice(None, None, n) for n in (*self.stride, *self.dilation)]
        return views[(*steps, ...)]


@operation("sum", None, "reduce-window")
def reduce_window(run, i, operands):
    if len(operands) != 2:
        raise Unsupported("a reduction of several operands")
    operand, init = operands
    window = Window(i.attribute("window"), operand.cells.ndim)
    return reductions(run, i, init, window.over(operand.cells))


@operation("sum", None, "select-and-scatter")
def select_and_scatter(run, i, operands):
    operand, source, init = operands
    window = Window(i.attribute("window"), operand.cells.ndim)
    select, scatter = run.computation(i, "select"), run.computation(i, "scatter")
    rows = together(window.over(operand.cells), operand.cells.ndim)
    types = [operand.type] * 2

    def selected(position):
        """Returns the cells that the window may select."""
        cells = chosen, *rest = [cell for cell in rows[position] if cell is not None]
        if len(cells) < len(rows[position]):
            READINGS.add("padding is never selected (ruling 0050)")
        if any(isinstance(p, Nan) for cell in cells for p in cell.value.stored):
            READINGS.add("a selection with NaN compares in the order of the window (ruling 0050)")
            if OPEN[0]:  # the comparison is not transitive, as the documents demand
                return cells
        for cell in rest:
            kept = run.apply(select, types, [chosen.value, cell.value])[0]
            chosen = chosen if certain(kept, "a selection") else cell
        return [chosen]

    def at(index):
        own, made = operand.cells[index], [init[()]]
        chosen = [(source[p], selected(p)) for p in np.ndindex(source.shape.dims)]
        chosen = [(value, len(cells) == 1) for value, cells in chosen if any(c is own for c in cells)]
        if len(chosen) > 1:
            raise Unsupported("an element that several windows select")
        for value, sure in chosen:
            applied = run.apply(scatter, types, [init[()], value])[0]
            made = [applied] if sure else [*made, applied]
        return joined(made)

    return at_indices(i.shape, at)


# --- Products of arrays ---


NARROWER = {"f32": "bf16", "f64": "f32"}


def reading(i, type_name):
    """Returns the function of the values that a contraction reads for an operand. Unless its
    precision is the highest, hardware may narrow an operand of a wide type (dot.12)."""
    narrow = FORMATS.get(NARROWER.get(type_name))
    words = re.findall("[a-z]+", i.attributes.get("operand_precision", "default"))
    if not narrow or set(words) == {"highest"}:
        return lambda value: value

    def read(value):
        rounded = store_once(narrow, value.stored)
        between = {
            Real(p.lo - abs(p.lo) * 2 * narrow.roundoff, p.hi + abs(p.hi) * 2 * narrow.roundoff)
            for p in value.stored - rounded
            if isinstance(p, Real)
        }
        ruling = "operands of products are not narrowed (ruling 0112)"
        kept = decided(ruling, value.stored, rounded | between)
        return Value(kept, value.wide, value.product)

    return read


def contraction(type_name, left_type, pairs, read):
    """Sums products. Integers are exact modulo 2^w. For floats, every product and sum is rounded in
    the type of the result or in f32 (ruling 0112), for f8 to about 14 bits. A product with padding
    or a hole is either absent or zero times the other number (ruling 0051)."""
    pairs = list(pairs)
    beside = [b.value.stored for a, b in pairs if a is None]
    products = [(read(a.value), read(b.value)) for a, b in pairs if a]
    made = sum_of_products(type_name, left_type, products)
    if any(isinstance(p, (Inf, Nan)) for pieces in beside for p in pieces if pieces != ANY):
        freedom = "padding may be multiplied with an infinite weight (ruling 0051)"
        made = Value(allow(freedom, made.stored, [Nan()]), made.wide)
    return made


def sum_of_products(type_name, left_type, pairs):
    if not is_float(type_name):
        products = [binary("multiply", type_name, a, b) for a, b in pairs]
        made = total(type_name, [Value(frozenset([0]))] + products)
        if width_of(left_type) >= width_of(type_name) or made.stored == ANY:
            return made
        narrow = {wrap(type_name, wrap(left_type, n)) for n in made.stored}
        ruling = "a result that is wider than its operands holds the exact sum (ruling 0112)"
        READINGS.add(ruling)
        return Value(decided(ruling, made.stored, narrow))
    form = FORMATS[type_name]
    if not is_float(left_type):
        raise Unsupported("a floating-point product of integers")
    wide = form if form.width >= 32 else FORMATS["f32"]
    roundoff = power_of_two(-13) if FORMATS[left_type].width <= 8 else 2 * wide.roundoff
    kept_in = {wide.name}
    if type_name != "f8e8m0fnu":  # f8e8m0fnu has no zero for the initial sum
        kept_in.add(type_name)
        roundoff = max(roundoff, 2 * form.roundoff)
    widened = lambda v: Value(v.stored | v.wide, v.wide)
    products = [
        joined([binary("multiply", name, widened(a), widened(b)) for name in sorted(kept_in)])
        for a, b in pairs
    ]
    if not products:
        return Value(frozenset([Zero(1), Zero(-1)]))
    return total(type_name, products, roundoff)


@operation("sum", "dot_general", "dot")
def dot(run, i, operands):
    batches = i.integers("lhs_batch_dims", ()), i.integers("rhs_batch_dims", ())
    inners = i.integers("lhs_contracting_dims", ()), i.integers("rhs_contracting_dims", ())
    sides = []  # dimensions: batch, free, and the contracted ones merged
    for operand, batch, inner in zip(operands, batches, inners):
        free = [d for d in range(operand.cells.ndim) if d not in batch + inner]
        cells = operand.cells.transpose(*batch, *free, *inner)
        sides.append(together(cells, len(batch) + len(free)))
    read = reading(i, operands[0].type)
    batch, left_rank = len(batches[0]), sides[0].ndim - 1

    def at(index):
        left = sides[0][index[:left_rank]]
        right = sides[1][index[:batch] + index[left_rank:]]
        return contraction(i.shape.type, operands[0].type, zip(left, right), read)

    return at_indices(i.shape, at)


@operation("sum", "conv_with_general_padding", "convolution")
def convolution(run, i, operands):
    left, right, out = re.fullmatch(r"(\w+)_(\w+)->(\w+)", i.attribute("dim_labels")).groups()
    spatial = "".join(c for c in left if c.isdigit())
    window = Window(i.attributes.get("window", "{}"), len(spatial))
    if int(i.attributes.get("batch_group_count", 1)) != 1:
        raise Unsupported("a convolution in batch groups")
    groups = int(i.attributes.get("feature_group_count", 1))
    image = operands[0].cells.transpose([left.index(c) for c in "bf" + spatial])
    kernel = operands[1].cells.transpose([right.index(c) for c in "oi" + spatial])
    kernel = np.flip(kernel, [2 + d for d, turned in enumerate(window.reversal) if turned])
    outputs, inputs = kernel.shape[:2]
    read = reading(i, operands[0].type)

    @functools.lru_cache(None)
    def windows(batch, feature):
        return window.over(image[batch, feature, ...])

    def at(index):
        known = dict(zip(out, index))
        place = tuple(known[c] for c in spatial)
        first = known["f"] // (outputs // groups) * inputs
        given = [windows(known["b"], first + f)[(*place, ...)] for f in range(inputs)]
        pairs = zip((cell for part in given for cell in part.flat), kernel[known["f"]].flat)
        return contraction(i.shape.type, operands[0].type, pairs, read)

    return at_indices(i.shape, at)
