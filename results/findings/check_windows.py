# SPDX-License-Identifier: Apache-2.0
"""Reductions, windows, dot and convolution: which elements come together in one sum."""

import re

import check_sums as sums
from check_elements import Value, binary
from check_evaluator import Array, indices, operation
from check_formats import FORMATS, is_float
from check_numbers import Unsupported, Zero, power_of_two


def reduction(run, i, type_name, init, values):
    kind = sums.combiner(run, i)
    if kind in sums.ANY_ORDER:
        return sums.reduced(kind, type_name, init, values) if values else init
    computation = run.computation(i)
    return sums.orders(
        lambda a, b: run.apply(computation, [type_name] * 2, [a, b])[0], [init] + values
    )


@operation("sum", None, "reduce")
def reduce(run, i, operands):
    if len(operands) != 2:
        raise Unsupported("a reduction of several operands")
    operand, init = operands
    dimensions = i.integers("dimensions")

    def at(index):
        values = []
        for inner in indices([operand.shape.dims[d] for d in dimensions]):
            outer, inside = iter(index), dict(zip(dimensions, inner))
            values.append(
                operand[
                    [
                        inside[d] if d in inside else next(outer)
                        for d in range(len(operand.shape.dims))
                    ]
                ]
            )
        return reduction(run, i, operand.shape.type, init[()], values)

    return Array(i.shape, at)


class Window:
    """window={size=2x3 stride=1x2 pad=0_1x0_0 lhs_dilate=.. rhs_dilate=.. rhs_reversal=..}"""

    def __init__(self, text, rank):
        fields = dict(f.split("=") for f in text.strip("{}").split())
        numbers = lambda key, default: (
            [int(n) for n in fields[key].split("x")] if key in fields else [default] * rank
        )
        self.size, self.stride = numbers("size", 1), numbers("stride", 1)
        self.base, self.dilation = numbers("lhs_dilate", 1), numbers("rhs_dilate", 1)
        self.reversal = numbers("rhs_reversal", 0)
        pads = fields["pad"].split("x") if "pad" in fields else ["0_0"] * rank
        self.low = [int(p.split("_")[0]) for p in pads]

    def place(self, dimension, position, inside, size):
        """The base element that element `inside` of the window at `position` covers; None:
        padding."""
        n = (
            position * self.stride[dimension]
            + inside * self.dilation[dimension]
            - self.low[dimension]
        )
        base = self.base[dimension]
        return n // base if n >= 0 and n % base == 0 and n // base < size else None


@operation("sum", None, "reduce-window")
def reduce_window(run, i, operands):
    if len(operands) != 2:
        raise Unsupported("a reduction of several operands")
    operand, init = operands
    window = Window(i.attribute("window"), len(operand.shape.dims))

    def at(index):
        values = []
        for inside in indices(window.size):
            place = [
                window.place(d, index[d], n, operand.shape.dims[d]) for d, n in enumerate(inside)
            ]
            if None not in place:
                values.append(operand[place])
        return reduction(run, i, operand.shape.type, init[()], values)

    return Array(i.shape, at)


def one_of_two(value):
    if value.stored not in (frozenset([0]), frozenset([1])):
        raise Unsupported("a selection that is not certain")
    return 1 in value.stored


@operation("sum", None, "select-and-scatter")
def select_and_scatter(run, i, operands):
    operand, source, init = operands
    sizes = operand.shape.dims
    window = Window(i.attribute("window"), len(sizes))
    select, scatter = run.computation(i, "select"), run.computation(i, "scatter")

    def selected(position):
        chosen = None
        for inside in indices(window.size):
            place = [window.place(d, position[d], n, sizes[d]) for d, n in enumerate(inside)]
            if None in place:
                continue
            pair = [operand[p] for p in (chosen, place)] if chosen else None
            if not pair or not one_of_two(run.apply(select, [operand.shape.type] * 2, pair)[0]):
                chosen = place
        return chosen

    def at(index):
        sources = [source[p] for p in indices(source.shape.dims) if selected(p) == list(index)]
        if len(sources) > 1:
            raise Unsupported("an element that several windows select")
        types = [source.shape.type] * 2
        return run.apply(scatter, types, [init[()], sources[0]])[0] if sources else init[()]

    return Array(i.shape, at)


# Products of arrays.


def contraction(type_name, left_type, pairs):
    """The sum of products: integers exact modulo 2^w, floats with every product and addition
    rounded in f32 at least, f8 in about 14 bits."""
    if not is_float(type_name):
        return sums.total(
            type_name,
            [Value(frozenset([0]))] + [binary("multiply", type_name, a, b) for a, b in pairs],
        )
    form = FORMATS[type_name]
    if not is_float(left_type):
        raise Unsupported("a floating-point product of integers")
    wide = form if form.width >= 32 else FORMATS["f32"]
    roundoff = power_of_two(-13) if FORMATS[left_type].width <= 8 else 2 * wide.roundoff
    products = [binary("multiply", wide.name, widened(a), widened(b)) for a, b in pairs]
    if not products:
        return Value(frozenset([Zero(1), Zero(-1)]))
    return sums.total(type_name, products, roundoff)


def widened(value):
    return Value(value.stored | value.wide, value.wide)


@operation("sum", "dot_general", "dot")
def dot(run, i, operands):
    left, right = operands
    left_batch, right_batch = i.integers("lhs_batch_dims", ()), i.integers("rhs_batch_dims", ())
    left_inner, right_inner = i.integers("lhs_contracting_dims", ()), i.integers(
        "rhs_contracting_dims", ()
    )

    def place(rank, batch, inner, batch_index, inner_index, rest):
        known = {**dict(zip(batch, batch_index)), **dict(zip(inner, inner_index))}
        return [known[d] if d in known else next(rest) for d in range(rank)]

    def at(index):
        batch, rest = index[: len(left_batch)], index[len(left_batch) :]
        free = len(left.shape.dims) - len(left_batch) - len(left_inner)
        pairs = []
        for inner in indices([left.shape.dims[d] for d in left_inner]):
            pairs.append(
                (
                    left[
                        place(
                            len(left.shape.dims),
                            left_batch,
                            left_inner,
                            batch,
                            inner,
                            iter(rest[:free]),
                        )
                    ],
                    right[
                        place(
                            len(right.shape.dims),
                            right_batch,
                            right_inner,
                            batch,
                            inner,
                            iter(rest[free:]),
                        )
                    ],
                )
            )
        return contraction(i.shape.type, left.shape.type, pairs)

    return Array(i.shape, at)


@operation("sum", "conv_with_general_padding", "convolution")
def convolution(run, i, operands):
    left, right = operands
    match = re.fullmatch(r"(\w+)_(\w+)->(\w+)", i.attribute("dim_labels"))
    left_labels, right_labels, out_labels = match.groups()
    spatial = [c for c in left_labels if c.isdigit()]
    window = Window(i.attributes.get("window", "{}"), len(spatial))
    if int(i.attributes.get("batch_group_count", 1)) != 1:
        raise Unsupported("a convolution in batch groups")
    groups = int(i.attributes.get("feature_group_count", 1))
    inputs = right.shape.dims[right_labels.index("i")]
    outputs = right.shape.dims[right_labels.index("o")]
    place = lambda labels, known: [known[c] for c in labels]

    def at(index):
        out = dict(zip(out_labels, index))
        pairs = []
        for inside in indices(window.size):
            base = [
                window.place(d, out[c], n, left.shape.dims[left_labels.index(c)])
                for d, (c, n) in enumerate(zip(spatial, inside))
            ]
            if None in base:
                continue
            kernel = [
                window.size[d] - 1 - n if window.reversal[d] else n for d, n in enumerate(inside)
            ]
            first = out["f"] // (outputs // groups) * inputs
            for f in range(inputs):
                pairs.append(
                    (
                        left[
                            place(
                                left_labels,
                                {"b": out["b"], "f": first + f, **dict(zip(spatial, base))},
                            )
                        ],
                        right[
                            place(
                                right_labels, {"i": f, "o": out["f"], **dict(zip(spatial, kernel))}
                            )
                        ],
                    )
                )
        return contraction(i.shape.type, left.shape.type, pairs)

    return Array(i.shape, at)
