# SPDX-License-Identifier: Apache-2.0
"""Runs a module on sets of values.

Every array is a numpy array of cells. A cell computes the set of values of one element when it is
read. Only the cone of the certificate's element is computed: the elements on which it depends.
"""

import numpy as np

from formats import COMPLEX
from sets import ANY, Broken, Unsupported, Value
from text import Shape

OPERATIONS = {}  # opcode -> Operation
CONE = {}  # opcode (and variant if it has one) -> number of elements computed


# The attributes that this program reads, or that change no value. An instruction with another one is
# not covered.
HARMLESS = {"metadata", "sharding"}
ATTRIBUTES = {
    words[0]: set(words[1:])
    for words in map(str.split, """\
all-gather replica_groups dimensions channel_id use_global_device_ids
broadcast dimensions
call to_apply
compare direction type
concatenate dimensions
conditional branch_computations true_computation false_computation
convolution window dim_labels feature_group_count batch_group_count operand_precision
dot lhs_contracting_dims rhs_contracting_dims lhs_batch_dims rhs_batch_dims operand_precision
dynamic-slice dynamic_slice_sizes
fusion kind calls
gather offset_dims collapsed_slice_dims start_index_map index_vector_dim slice_sizes \
operand_batching_dims start_indices_batching_dims indices_are_sorted
get-tuple-element index
iota iota_dimension
map dimensions to_apply
pad padding
reduce dimensions to_apply
reduce-precision exponent_bits mantissa_bits
reduce-window window to_apply
reverse dimensions
rng distribution
scatter update_window_dims inserted_window_dims scatter_dims_to_operand_dims index_vector_dim \
input_batching_dims scatter_indices_batching_dims indices_are_sorted unique_indices to_apply
select-and-scatter window select scatter
slice slice
sort dimensions is_stable to_apply
transpose dimensions
while condition body""".splitlines())
}


class Operation:
    def __init__(self, kind, section, evaluate, together):
        self.kind, self.section, self.evaluate, self.together = kind, section, evaluate, together


def operation(kind, section, *opcodes, together=False):
    """Registers the function for these opcodes. section: the documents' name of the operation, also
    the name of a file of clauses. together: the function gets the operands of all devices."""

    def register(function):
        for opcode in opcodes:
            section_name = section or opcode.replace("-", "_")
            OPERATIONS[opcode] = Operation(kind, section_name, function, together)
        return function

    return register


class Cell:
    """One element. opcode: the opcode of the instruction that computes it."""

    __slots__ = ("make", "opcode", "known")

    def __init__(self, make, opcode=None):
        self.make, self.opcode, self.known = make, opcode, None

    @property
    def value(self):
        if self.known is None:
            if self.opcode:
                CONE[self.opcode] = CONE.get(self.opcode, 0) + 1
            self.known, self.make = self.make(), None
        return self.known


class Array:
    def __init__(self, type_name, cells):
        self.type, self.cells = type_name, cells
        self.shape = Shape(type_name, cells.shape)

    def __getitem__(self, index):
        index = tuple(index)
        if len(index) != self.cells.ndim or any(
            not 0 <= i < d for i, d in zip(index, self.cells.shape)
        ):
            raise Broken("index %s outside of %s" % (index, self.cells.shape))
        return self.cells[index].value


def objects(dims, items):
    """Returns a numpy array of Python objects, in row-major order."""
    made = np.empty(int(np.prod(dims)), object)
    made[:] = list(items)
    return made.reshape(dims)


def each(type_name, function, *arrays):
    """Applies a function element by element. A scalar operand is used for every element."""
    make = lambda *cells: Cell(lambda: function(*[cell.value for cell in cells]))
    made = np.frompyfunc(make, len(arrays), 1)(*(a.cells for a in arrays))
    return Array(type_name, made if isinstance(made, np.ndarray) else objects((), [made]))


def at_indices(shape, function):
    """Returns an array whose elements are functions of their indices."""
    cells = (Cell(lambda index=index: function(index)) for index in np.ndindex(shape.dims))
    return Array(shape.type, objects(shape.dims, cells))


def of_elements(shape, values):
    """Returns an array of known values, given in row-major order."""
    cells = (Cell(lambda value=value: Value(frozenset([value]))) for value in values)
    return Array(shape.type, objects(shape.dims, cells))


def scalar(type_name, value):
    return Array(type_name, objects((), [Cell(lambda: value)]))


def certain(value, what):
    """Returns the value of an integer that has only one possible value."""
    if len(value.stored) != 1 or value.stored == ANY:
        raise Unsupported(what + " that is not certain")
    return next(iter(value.stored))


class Evaluator:
    def __init__(self, module):
        self.module = module
        self.known = {}  # computation -> values of its last run, by device and name

    def computation(self, instruction, key="to_apply"):
        name = instruction.attribute(key).lstrip("%")
        if name not in self.module.computations:
            raise Broken("no computation " + name)
        return self.module.computations[name]

    def run(self, computation, arguments):
        return self.run_devices(computation, [arguments])[0]

    def run_devices(self, computation, arguments):
        """Returns the results of all devices. They execute each instruction at the same time."""
        count = len(computation.parameters())
        if any(count != len(of_device) for of_device in arguments):
            raise Broken("%s: %d parameters, different arguments" % (computation.name, count))
        values = self.known[computation.name] = [{} for _ in arguments]
        for i in computation.instructions:
            operands = [[known[name] for name in i.operands] for known in values]
            for device, known in enumerate(values):
                if i.opcode == "parameter":
                    made = arguments[device][int(i.argument)]
                else:
                    made = self.evaluate(i, operands[device], operands, device)
                if shape_of(made) != i.shape:
                    raise Broken("%s: the result has another shape" % i.name)
                known[i.name] = made
        return [known[computation.root] for known in values]

    def evaluate(self, i, operands, of_all, device):
        row = OPERATIONS.get(i.opcode)
        types = {a.type for value in operands for a in leaves(value)} | set(types_of(i.shape))
        if row is None or (types & set(COMPLEX) and row.kind in ("comparison", "sum", "selection")):
            return unknown(i.shape, "the operation %s of %s" % (i.opcode, ", ".join(sorted(types))))
        unread = set(i.attributes) - HARMLESS - ATTRIBUTES.get(i.opcode, set())
        if unread:
            return unknown(i.shape, "the attribute %s of %s" % (min(unread), i.opcode))
        try:
            given = (of_all, device) if row.together else (operands,)
            made = row.evaluate(self, i, *given)
        except Unsupported as reason:  # an error only if the cone reaches this instruction
            return unknown(i.shape, str(reason))
        except (ValueError, IndexError) as error:  # raised by numpy
            raise Broken("%s: %s" % (i.name, error)) from error
        return labelled(made, variant_of(i))

    def apply(self, computation, types, values):
        """Applies a computation with scalar parameters to single values."""
        made = self.run(computation, [scalar(t, v) for t, v in zip(types, values)])
        return [leaf[()] for leaf in leaves(made)]


def variant_of(i):
    """Returns the operation's name in spec/clauses/of_opcodes.txt, e.g. `compare:LT`."""
    key = {"compare": "direction", "rng": "distribution"}.get(i.opcode)
    return i.opcode + ":" + i.attribute(key) if key else i.opcode


def labelled(made, opcode):
    """Returns the same cells, attributed to an instruction with this opcode."""
    if isinstance(made, tuple):
        return tuple(labelled(part, opcode) for part in made)
    cells = (Cell(lambda cell=cell: cell.value, opcode) for cell in made.cells.flat)
    return Array(made.type, objects(made.cells.shape, cells))


def unknown(shape, what):
    if isinstance(shape, tuple):
        return tuple(unknown(s, what) for s in shape)

    def refuse(index):
        raise Unsupported(what)

    return at_indices(shape, refuse)


def types_of(shape):
    return [t for s in shape for t in types_of(s)] if isinstance(shape, tuple) else [shape.type]


def shape_of(value):
    return tuple(map(shape_of, value)) if isinstance(value, tuple) else value.shape


def leaves(value):
    if not isinstance(value, tuple):
        return [value]
    return [leaf for part in value for leaf in leaves(part)]
