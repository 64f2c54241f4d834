# SPDX-License-Identifier: Apache-2.0
"""Slices at computed places, gather, scatter and sort."""

import functools
import itertools

import check_sums as sums
from check_elements import joined
from check_evaluator import Array, indices, operation
from check_numbers import ANY, Unsupported

MOST_ROWS = 256  # of a sort


def starts(value, limit):
    """The possible values of a start index, brought into [0, limit] (rulings 0009, 0010)."""
    if value.stored == ANY:
        return list(range(limit + 1))
    return sorted({min(max(n, 0), limit) for n in value.stored})


@operation("indexing", None, "dynamic-slice")
def dynamic_slice(run, i, operands):
    operand, start = operands[0], operands[1:]
    sizes = i.integers("dynamic_slice_sizes")

    def at(index):
        ranges = [starts(s[()], size - n) for s, size, n in zip(start, operand.shape.dims, sizes)]
        return joined(
            operand[[a + b for a, b in zip(first, index)]] for first in itertools.product(*ranges)
        )

    return Array(i.shape, at)


@operation("indexing", None, "dynamic-update-slice")
def dynamic_update_slice(run, i, operands):
    operand, update, start = operands[0], operands[1], operands[2:]
    limits = [size - n for size, n in zip(operand.shape.dims, update.shape.dims)]

    def at(index):
        choices = []
        for first in itertools.product(*(starts(s[()], limit) for s, limit in zip(start, limits))):
            place = [n - f for n, f in zip(index, first)]
            inside = all(0 <= p < size for p, size in zip(place, update.shape.dims))
            choices.append(update[place] if inside else operand[index])
        return joined(choices)

    return Array(i.shape, at)


def index_vector(array, batch, vector_dimension, n):
    """Component n of the index vector at `batch` of start or scatter indices."""
    if vector_dimension == len(array.shape.dims):
        return array[batch]
    return array[batch[:vector_dimension] + (n,) + batch[vector_dimension:]]


@operation("indexing", None, "gather")
def gather(run, i, operands):
    operand, start = operands
    offset_dims, collapsed = i.integers("offset_dims"), i.integers("collapsed_slice_dims", ())
    index_map, vector = i.integers("start_index_map"), int(i.attribute("index_vector_dim"))
    batching, start_batching = i.integers("operand_batching_dims", ()), i.integers(
        "start_indices_batching_dims", ()
    )
    sizes = i.integers("slice_sizes")
    window = [d for d in range(len(operand.shape.dims)) if d not in collapsed + batching]

    def at(index):
        batch = tuple(n for d, n in enumerate(index) if d not in offset_dims)
        first = {d: [0] for d in range(len(operand.shape.dims))}
        for n, d in enumerate(index_map):
            first[d] = starts(
                index_vector(start, batch, vector, n), operand.shape.dims[d] - sizes[d]
            )
        for d, s in zip(batching, start_batching):
            first[d] = [batch[s - (s > vector)]]
        offset = dict(zip(window, (index[d] for d in offset_dims)))
        choices = itertools.product(*(first[d] for d in sorted(first)))
        return joined(operand[[n + offset.get(d, 0) for d, n in enumerate(c)]] for c in choices)

    return Array(i.shape, at)


@operation("indexing", None, "scatter")
def scatter(run, i, operands):
    """N operands, the indices, N arrays of updates."""
    count = len(operands) // 2
    arrays, where, updates = operands[:count], operands[count], operands[count + 1 :]
    target = targets(i, arrays[0].shape.dims, where, updates[0].shape.dims)

    def hits(index):
        return [u for u in indices(updates[0].shape.dims) if target(u) == index]

    def at(index):
        values = [updates[0][u] for u in hits(index)]
        return scattered(run, i, arrays[0].shape.type, arrays[0][index], values)

    def part(n):
        def of(index):
            values = [[update[u] for update in updates] for u in hits(index)]
            types = [array.shape.type for array in arrays]
            found = in_any_order(run, i, types, [array[index] for array in arrays], values)
            return joined(state[n] for state in found)

        return of

    if count == 1:
        return Array(i.shape, at)
    return tuple(Array(shape, part(n)) for n, shape in enumerate(i.shape))


def targets(i, dims, where, update_dims):
    """Which element of an operand an element of updates goes to."""
    window_dims, inserted = i.integers("update_window_dims"), i.integers("inserted_window_dims", ())
    index_map, vector = i.integers("scatter_dims_to_operand_dims"), int(
        i.attribute("index_vector_dim")
    )
    batching, where_batching = i.integers("input_batching_dims", ()), i.integers(
        "scatter_indices_batching_dims", ()
    )
    rank = len(dims)
    window = [d for d in range(rank) if d not in inserted + batching]
    window_sizes = dict(zip(window, (update_dims[d] for d in window_dims)))

    def target(update):
        """None where the window does not lie inside as a whole: it is left out (ruling 0011)."""
        batch = tuple(n for d, n in enumerate(update) if d not in window_dims)
        first = [0] * rank
        for n, d in enumerate(index_map):
            value = index_vector(where, batch, vector, n).stored
            if len(value) != 1 or value == ANY:
                raise Unsupported("a scatter index that is not certain")
            first[d] = next(iter(value))
        for d, s in zip(batching, where_batching):
            first[d] = batch[s - (s > vector)]
        for d in range(rank):
            if not 0 <= first[d] <= dims[d] - window_sizes.get(d, 1):
                return None
        offset = dict(zip(window, (update[d] for d in window_dims)))
        return tuple(n + offset.get(d, 0) for d, n in enumerate(first))

    return target


def scattered(run, i, type_name, value, values):
    """An element and the updates that hit it, in any order (ruling 0075)."""
    if not values:
        return value
    kind = sums.combiner(run, i)
    if kind == "first":
        return value
    if kind == "second":
        return joined(values)
    if kind:
        return sums.combined(kind, type_name, [value] + values)
    found = in_any_order(run, i, [type_name], [value], [[v] for v in values])
    return joined(state[0] for state in found)


def in_any_order(run, i, types, state, updates):
    """The values of N outputs at one element after all updates, for each order (ruling 0075)."""
    if len(updates) > 4:
        raise Unsupported("more than 4 updates to one element by a computation of no known kind")
    computation = run.computation(i)

    def apply(current, update):
        return run.apply(computation, types * 2, current + update)

    return [functools.reduce(apply, order, state) for order in itertools.permutations(updates)]



# Order.


@operation("order", None, "sort")
def sort(run, i, operands):
    """What the order of the keys demands: a row stands where the rows before and after it in the
    order leave it; rows that are equivalent may change places unless the sort is stable (rulings
    0023, 0024).
    """
    (dimension,) = i.integers("dimensions")
    comparator = run.computation(i)
    types = [o.shape.type for o in operands]
    stable = i.attributes.get("is_stable") == "true"
    size = operands[0].shape.dims[dimension] if operands[0].shape.dims else 1
    known = {}

    def rows_at(index):
        """The rows that may stand at this position, for the line of the array through `index`."""
        line = index[:dimension] + index[dimension + 1 :]
        if line not in known:
            if size > MOST_ROWS:
                raise Unsupported("a sort of more than %d rows" % MOST_ROWS)
            rows = [
                [o[index[:dimension] + (n,) + index[dimension + 1 :]] for o in operands]
                for n in range(size)
            ]
            less = [[before(run, comparator, types, a, b) for b in rows] for a in rows]
            known[line] = rows, places(less, stable)
        rows, allowed = known[line]
        return [rows[n] for n in allowed[index[dimension]]]

    made = tuple(
        Array(o.shape, lambda index, k=k: joined(row[k] for row in rows_at(index)))
        for k, o in enumerate(operands)
    )
    return made if isinstance(i.shape, tuple) else made[0]


def before(run, comparator, types, a, b):
    pairs = [(t, v) for t, x, y in zip(types, a, b) for t, v in ((t, x), (t, y))]
    return run.apply(comparator, [t for t, _ in pairs], [v for _, v in pairs])[0].stored


def places(less, stable):
    """For every position the rows that may stand there; all of them if the order is not certain
    and strict."""
    size = range(len(less))
    everywhere = [list(size)] * len(less)
    if any(len(cell) != 1 or cell == ANY for line in less for cell in line):
        return everywhere
    below = [[next(iter(cell)) for cell in line] for line in less]
    equal = lambda a, b: not below[a][b] and not below[b][a]
    for a in size:
        for b in size:
            if below[a][b] and below[b][a]:
                return everywhere
            for c in size:
                if (
                    below[a][b]
                    and below[b][c]
                    and not below[a][c]
                    or equal(a, b)
                    and equal(b, c)
                    and not equal(a, c)
                ):
                    return everywhere
    smaller = [sum(below[other][n] for other in size) for n in size]
    order = sorted(size, key=lambda n: smaller[n])
    if stable:
        return [[n] for n in order]
    return [[n for n in size if equal(n, order[position])] for position in size]
