# SPDX-License-Identifier: Apache-2.0
"""Evaluates slices at computed positions, gather, scatter and sort."""

import functools
import itertools

import numpy as np

import sums
from evaluator import at_indices, certain, operation
from formats import COMPLEX, FORMATS, everything, is_float
from sets import ANY, FREEDOMS, OPEN, READINGS, Nan, Unsupported, Value, joined

MOST_ROWS = 256  # limit of the rows of a sort


def starts(value, limit, ruling="0009"):
    """Returns the possible values of a start index after clamping to [0, limit]."""
    if value.stored == ANY:
        return list(range(limit + 1))
    inside = {min(max(n, 0), limit) for n in value.stored}
    if inside != value.stored:
        READINGS.add("starts are clamped in each dimension (ruling %s)" % ruling)
    return sorted(inside)


@operation("indexing", None, "dynamic-slice")
def dynamic_slice(run, i, operands):
    operand, start = operands[0], operands[1:]
    sizes = i.integers("dynamic_slice_sizes")

    def at(index):
        ranges = [starts(s[()], size - n) for s, size, n in zip(start, operand.shape.dims, sizes)]
        return joined(
            operand[[a + b for a, b in zip(first, index)]] for first in itertools.product(*ranges)
        )

    return at_indices(i.shape, at)


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

    return at_indices(i.shape, at)


class Vectors:
    """The start indices or scatter indices: their components, for an index into the batch."""

    def __init__(self, i, array, window_dims, index_map, batching):
        self.array, self.window_dims = array, i.integers(window_dims)
        self.vector = int(i.attribute("index_vector_dim"))
        self.index_map, self.batching = i.integers(index_map), batching
        self.sorted = i.attributes.get("indices_are_sorted") == "true"

    def at(self, index):
        """Yields dimension and value of each component of the vector, for an index of the batch."""
        batch = tuple(n for d, n in enumerate(index) if d not in self.window_dims)
        for n, d in enumerate(self.index_map):
            whole = self.vector == len(self.array.shape.dims)
            place = batch[: self.vector] + (n,) + batch[self.vector :]
            yield d, self.array[batch if whole else place]
        for d, s in self.batching:
            yield d, batch[s - (s > self.vector)]

    def unsorted(self):
        """Returns True if indices_are_sorted is set and may be untrue (ruling 0074)."""
        if not self.sorted or not self.array.cells.size:
            return False
        cells, whole = self.array.cells, self.vector == self.array.cells.ndim
        rows = cells.reshape(-1, 1) if whole else np.moveaxis(cells, self.vector, -1)
        rows = [[c.value.stored for c in row] for row in rows.reshape(-1, rows.shape[-1])]
        order = np.argsort(self.index_map)
        vectors = [[row[n] for n in order] for row in rows]
        known = all(len(s) == 1 and s != ANY for row in vectors for s in row)
        if known and vectors == sorted(vectors, key=lambda row: [min(s) for s in row]):
            return False
        FREEDOMS.add("a broken promise of sorted indices frees the result (ruling 0074)")
        return True


@operation("indexing", None, "gather")
def gather(run, i, operands):
    operand, start = operands
    batching = i.integers("operand_batching_dims", ())
    start_batching = i.integers("start_indices_batching_dims", ())
    pairs = list(zip(batching, start_batching))
    vectors = Vectors(i, start, "offset_dims", "start_index_map", pairs)
    sizes, dims = i.integers("slice_sizes"), operand.shape.dims
    whole = i.integers("collapsed_slice_dims", ()) + batching
    window = [d for d in range(len(dims)) if d not in whole]

    def at(index):
        if vectors.unsorted():
            return any_of(i.shape.type)
        first = [[0] for _ in dims]
        for d, value in vectors.at(index):
            first[d] = [value] if d in batching else starts(value, dims[d] - sizes[d], "0010")
        offset = dict(zip(window, (index[d] for d in vectors.window_dims)))
        choices = itertools.product(*first)
        return joined(operand[[n + offset.get(d, 0) for d, n in enumerate(c)]] for c in choices)

    return at_indices(i.shape, at)


@operation("indexing", None, "scatter")
def scatter(run, i, operands):
    """Applies N arrays of updates to N operands, in any order (ruling 0075)."""
    count = len(operands) // 2
    arrays, where, updates = operands[:count], operands[count], operands[count + 1 :]
    target, broken = targets(i, arrays[0].shape.dims, where, updates[0].shape.dims)
    kind, types = sums.combiner(run, i), [array.type for array in arrays]

    def at(index, n):
        if broken():
            return any_of(types[n])
        found = [(u, target(u)) for u in np.ndindex(updates[0].shape.dims)]
        hits = [u for u, (place, _) in found if place == index]
        whole = [u for u, (place, inside) in found if place == index and inside]
        if hits == whole:
            return updated(index, n, hits)
        FREEDOMS.add("a window that is partly outside may be left out (ruling 0011)")
        return joined([updated(index, n, hits), updated(index, n, whole)])

    def updated(index, n, hits):
        given = [[update[u] for update in updates] for u in hits]
        state = [array[index] for array in arrays]
        if count > 1 or not kind:
            return joined(end[n] for end in in_any_order(run, i, types, state, given))
        values = [value for (value,) in given]
        if not values or kind == "first":
            return state[0]
        if kind == "second":
            return joined(values)
        return sums.combined(kind, types[0], state + values)

    shapes = i.shape if isinstance(i.shape, tuple) else [i.shape]
    made = tuple(at_indices(s, lambda index, n=n: at(index, n)) for n, s in enumerate(shapes))
    return made if isinstance(i.shape, tuple) else made[0]


def targets(i, dims, where, update_dims):
    """Returns two functions: the operand element of an update, and whether promises are broken."""
    batching = i.integers("input_batching_dims", ())
    pairs = list(zip(batching, i.integers("scatter_indices_batching_dims", ())))
    vectors = Vectors(i, where, "update_window_dims", "scatter_dims_to_operand_dims", pairs)
    whole = i.integers("inserted_window_dims", ()) + batching
    window = [d for d in range(len(dims)) if d not in whole]
    sizes = dict(zip(window, (update_dims[d] for d in vectors.window_dims)))

    def target(update):
        """Returns the operand's element, and True if the whole window is in bounds."""
        first = [0] * len(dims)
        for d, value in vectors.at(update):
            first[d] = value if d in batching else certain(value, "a scatter index")
        inside = all(0 <= n <= dims[d] - sizes.get(d, 1) for d, n in enumerate(first))
        offset = dict(zip(window, (update[d] for d in vectors.window_dims)))
        return tuple(n + offset.get(d, 0) for d, n in enumerate(first)), inside

    @functools.lru_cache(None)
    def broken():
        """Returns True if a promise about the indices is untrue (ruling 0074)."""
        if vectors.unsorted():
            return True
        if i.attributes.get("unique_indices") != "true":
            return False
        places = [place for place, _ in map(target, np.ndindex(update_dims))]
        if len(set(places)) < len(places):
            FREEDOMS.add("a broken promise of unique indices frees the result (ruling 0074)")
            return True
        return False

    return target, broken


def any_of(type_name):
    """Returns any value of the type."""
    if type_name in COMPLEX:
        raise Unsupported("any complex number")
    return Value(everything(FORMATS[type_name]) if is_float(type_name) else ANY)


def in_any_order(run, i, types, state, updates):
    """Returns the values of N outputs at one element after all updates, per order (ruling 0075)."""
    if len(updates) > 4:
        raise Unsupported("more than 4 updates to one element by a computation of no known kind")
    computation = run.computation(i)
    apply = lambda current, update: run.apply(computation, types * 2, current + update)
    return [functools.reduce(apply, order, state) for order in itertools.permutations(updates)]


# --- Order ---


@operation("order", None, "sort")
def sort(run, i, operands):
    """Sorts rows by keys. Equivalent rows may be exchanged unless the sort is stable (rulings 0023,
    0024)."""
    (dimension,) = i.integers("dimensions")
    comparator, types = run.computation(i), [o.type for o in operands]
    stable = i.attributes.get("is_stable") == "true"
    size = operands[0].shape.dims[dimension] if operands[0].shape.dims else 1

    def before(a, b):
        given = [v for pair in zip(a, b) for v in pair]
        return run.apply(comparator, [t for t in types for _ in "ab"], given)[0].stored

    @functools.lru_cache(None)
    def rows_of(line):
        """Returns the rows along the sorted dimension at these indices, and the possible rows at
        each position."""
        if size > MOST_ROWS:
            raise Unsupported("a sort of more than %d rows" % MOST_ROWS)
        at = lambda n: line[:dimension] + (n,) + line[dimension:]
        rows = [[o[at(n)] for o in operands] for n in range(size)]
        nan = any(isinstance(p, Nan) for row in rows for v in row for p in v.stored)
        return rows, places([[before(a, b) for b in rows] for a in rows], stable, nan)

    def element(index, k):
        rows, allowed = rows_of(index[:dimension] + index[dimension + 1 :])
        return joined(rows[n][k] for n in allowed[index[dimension]])

    made = tuple(
        at_indices(o.shape, lambda index, k=k: element(index, k)) for k, o in enumerate(operands)
    )
    return made if isinstance(i.shape, tuple) else made[0]


def places(less, stable, nan=False):
    """Returns the possible rows at every position: all rows at each, if the order is not strict or
    not certain."""
    size = range(len(less))
    everywhere = [list(size)] * len(less)
    if any(len(cell) != 1 or cell == ANY for line in less for cell in line):
        return everywhere
    if nan:  # IEEE 754-2018 lets the implementation choose the order
        READINGS.add("a sort with NaN follows its comparator (ruling 0024)")
        if OPEN[0]:
            return everywhere
    below = np.array([[1 in cell for cell in line] for line in less], bool).reshape(len(less), -1)
    equal = ~below & ~below.T
    chained = lambda relation: (relation.astype(int) @ relation.astype(int) > 0) & ~relation
    if (below & below.T).any() or chained(below).any() or chained(equal).any():
        return everywhere
    order = np.argsort(below.sum(axis=0), kind="stable").tolist()
    if stable:
        return [[n] for n in order]
    return [[n for n in size if equal[n, at]] for at in order]
