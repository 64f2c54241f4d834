# SPDX-License-Identifier: Apache-2.0
"""Runs modules that jaxlib partitions: arguments and results are full arrays, devices hold tiles.

A tile has ceil(dimension / tiles) elements in each dimension. Its elements beyond the array are
filled with POISON in arguments and dropped from results.
"""

import types

import numpy as np

import leaves
from hlocts_frames import Copies, Unsupported, field, fields, read_varint

# Fields of HloModuleProto; num_partitions is hlocts' own.
COMPUTATIONS, PROGRAM_SHAPE, ENTRY_ID, PARTITIONS = 3, 4, 6, 20002
INSTRUCTIONS, COMPUTATION_ID, ROOT_ID = 2, 5, 6  # fields of HloComputationProto
OPCODE, ID, SHARDING = 2, 35, 40  # fields of HloInstructionProto
TYPE, TUPLE_SHARDINGS, LAST_TILE_DIMS, NAMED_SHARDING = 1, 5, 8, 14  # fields of OpSharding
MANUAL, UNREDUCED = 4, 6  # values of OpSharding.Type
UNREDUCED_AXES, MANUAL_AXES = 5, 7  # fields of NamedShardingProto
RESULT = 2  # field of ProgramShapeProto
DIMENSIONS, ELEMENTS, DYNAMIC = 3, 4, 6  # fields of ShapeProto
BUILD_OPTIONS, DEBUG_OPTIONS = 3, 3  # fields of CompileOptionsProto, ExecutableBuildOptionsProto
POISON = (0xFF, 0x4D, 0x7F, 0x80)  # fill elements with NaNs, huge and negative numbers


def partitions_of(proto):
    return dict(fields(proto)).get(PARTITIONS, 1)


def unpacked(packed):
    numbers, at = [], 0
    while at < len(packed):
        number, at = read_varint(packed, at)
        numbers.append(number)
    return numbers


def leaf_dimensions(shape):
    """Returns the dimensions of each leaf of a ShapeProto."""
    elements = [value for number, value in fields(shape) if number == ELEMENTS]
    if elements:
        return [leaf for element in elements for leaf in leaf_dimensions(element)]
    return [tuple(unpacked(dict(fields(shape)).get(DIMENSIONS, b"")))]


def is_dynamic(shape):
    """Returns True if a leaf of a ShapeProto has a dynamic dimension."""
    return any(
        any(value) if number == DYNAMIC else number == ELEMENTS and is_dynamic(value)
        for number, value in fields(shape)
    )


def result_of(proto):
    return dict(fields(dict(fields(proto))[PROGRAM_SHAPE]))[RESULT]


def has_value_per_device(sharding):
    """Returns True if an OpSharding has manual or unreduced axes."""
    found = list(fields(sharding))
    has = dict(found)
    kinds = {has.get(TYPE), *unpacked(has.get(LAST_TILE_DIMS, b""))}
    axes = dict(fields(has.get(NAMED_SHARDING, b"")))
    return (
        bool(kinds & {MANUAL, UNREDUCED} or axes.keys() & {MANUAL_AXES, UNREDUCED_AXES})
        or any(has_value_per_device(leaf) for number, leaf in found if number == TUPLE_SHARDINGS)
    )  # fmt: skip


def check_entry(proto):
    """Raises Unsupported if an argument or result has a value per device, on which XLA aborts."""
    module = list(fields(proto))
    for number, computation in module:
        of = dict(fields(computation)) if number == COMPUTATIONS else {}
        if not of or of.get(COMPUTATION_ID) != dict(module).get(ENTRY_ID):
            continue
        for number, instruction in fields(computation):
            has = dict(fields(instruction)) if number == INSTRUCTIONS else {}
            is_outer = has.get(OPCODE) == b"parameter" or has.get(ID) == of.get(ROOT_ID)
            if is_outer and has_value_per_device(has.get(SHARDING, b"")):
                raise Unsupported("arguments and results with a value per device are not supported")


class Tiling:
    """Maps each device to the index of its tile, for an array of the given rank."""

    def __init__(self, xla_client, sharding, rank, devices):
        self.counts, self.at = [1] * rank, [(0,) * rank] * devices
        if sharding is None or rank == 0:
            return
        known = xla_client.HloSharding.from_proto(sharding)
        if known.is_manual() or known.is_unreduced():
            raise Unsupported("arguments and results with a value per device are not supported")
        if known.is_replicated() or known.is_maximal() or not known.tile_assignment_dimensions():
            return
        counts = list(known.tile_assignment_dimensions())
        self.counts = counts[:rank]
        for device, index in zip(known.tile_assignment_devices(), np.ndindex(*counts)):
            self.at[device] = index[:rank]

    def shape(self, whole):
        return tuple(-(-size // count) for size, count in zip(whole, self.counts))

    def common(self, device, whole):
        """Returns slices of the array and of the tile that select their common elements."""
        tile = self.shape(whole)
        starts = [index * size for index, size in zip(self.at[device], tile)]
        sizes = [
            max(0, min(size, end - start)) for size, end, start in zip(tile, whole, starts)
        ]
        return (
            tuple(slice(start, start + size) for start, size in zip(starts, sizes)),
            tuple(slice(0, size) for size in sizes),
        )

    def cut(self, array, device):
        shape = self.shape(array.shape)
        if shape == array.shape:
            return array
        count = int(np.prod(shape))
        bytes_ = np.resize(np.array(POISON, np.uint8), count)
        if array.dtype == np.bool_:
            tile = (bytes_ & 1).astype(np.bool_).reshape(shape)
        else:
            tile = np.repeat(bytes_, array.dtype.itemsize).view(array.dtype).reshape(shape)
        in_array, in_tile = self.common(device, array.shape)
        tile[in_tile] = array[in_array]
        return tile

    def assemble(self, tiles, whole):
        """Returns an array of each element's first copy, and one that has copies that differ."""
        array, other, seen = np.zeros(whole, tiles[0].dtype), np.zeros(whole, tiles[0].dtype), set()
        for device, tile in enumerate(tiles):
            in_array, in_tile = self.common(device, whole)
            if self.at[device] not in seen:
                seen.add(self.at[device])
                array[in_array] = other[in_array] = tile[in_tile]
                continue
            differ = array[in_array] != tile[in_tile]
            differ &= ~((array[in_array] != array[in_array]) & (tile[in_tile] != tile[in_tile]))
            other[in_array] = np.where(differ, tile[in_tile], other[in_array])
        return array, other


def compile_options(xla_client):
    """Returns CompileOptions without debug options, which JAX changes; XLA then uses XLA_FLAGS."""
    build = dict(fields(xla_client.CompileOptions().SerializeAsString()))[BUILD_OPTIONS]
    kept = b"".join(field(*one) for one in fields(build) if one[0] != DEBUG_OPTIONS)
    return xla_client.CompileOptions.ParseFromString(field(BUILD_OPTIONS, kept))


def load_partitioned(xla_client, client, module, proto, partitioner, to_numpy):
    """Loads the module; returns the function run(arguments)."""
    check_entry(proto)
    count, shapes = partitions_of(proto), leaf_dimensions(result_of(proto))
    devices = client.devices()[:count]
    options = compile_options(xla_client)
    build = options.executable_build_options
    build.num_replicas, build.num_partitions, build.use_spmd_partitioning = 1, count, True
    if hasattr(build, "use_shardy_partitioner"):
        build.use_shardy_partitioner = partitioner == "shardy"
    options.device_assignment = xla_client.DeviceAssignment.create(np.int32([range(count)]))
    executable = client.compile_and_load(module, xla_client.DeviceList(tuple(devices)), options)
    parameters = executable.get_parameter_shardings() or []
    results = executable.get_output_shardings() or []

    def side_by_side(rank):
        """Returns a sharding of all tiles as one array along its first dimension. With a sharding
        that declares them copies, jaxlib would return only the first one."""
        if rank == 0:
            return xla_client.GSPMDSharding(tuple(devices), xla_client.HloSharding.replicate())
        sharding = xla_client.OpSharding()
        sharding.type = xla_client.OpSharding.Type.OTHER
        sharding.tile_assignment_dimensions = [count] + [1] * (rank - 1)
        sharding.tile_assignment_devices = list(range(count))
        return xla_client.GSPMDSharding(
            tuple(devices), xla_client.HloSharding.from_proto(sharding)
        )

    def of(shardings, number, rank):
        known = shardings[number] if number < len(shardings) else None
        return Tiling(xla_client, known, rank, count)

    def put(leaf, number):
        array = leaves.to_array(leaf)
        tiling = of(parameters, number, array.ndim)
        tiles = [tiling.cut(array, device) for device in range(count)]
        shape = tuple(size * (count if d == 0 else 1) for d, size in enumerate(tiles[0].shape))
        shaped = types.SimpleNamespace(shape=shape, dtype=array.dtype, weak_type=False)
        return xla_client.batched_device_put(
            shaped, side_by_side(array.ndim), tiles, devices, True
        )

    def run(arguments):
        given = [put(leaf, number) for number, leaf in enumerate(arguments)]
        outputs = executable.execute_sharded(given).disassemble_into_single_device_arrays()
        one, other = [], []
        for number, parts in enumerate(outputs):
            tiles = [np.asarray(to_numpy(part)) for part in parts]
            tiling = of(results, number, tiles[0].ndim)
            for leaves_of, array in zip((one, other), tiling.assemble(tiles, shapes[number])):
                leaves_of.append(leaves.to_leaf(array))
        same = all(a.array.tobytes() == b.array.tobytes() for a, b in zip(one, other))
        return one if same else Copies((one, other))

    return run
