# SPDX-License-Identifier: Apache-2.0
"""Runs StableHLO's reference interpreter, which jaxlib contains. It has no options."""

import re

import numpy as np
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import func, stablehlo

import leaves
from hlocts_frames import Unsupported
from stablehlo_text import plain_module, refusal

# MLIR's bindings return arrays of these types only. Values of other types are passed as bits.
PLAIN = {"f16", "f32", "f64", "i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"}


def hlo_name(mlir_name):
    if mlir_name.startswith("complex"):  # the bindings would end the process
        raise Unsupported("MLIR's bindings do not support complex arguments and results")
    if mlir_name.startswith("ui"):
        return "u" + mlir_name[2:]
    if mlir_name[0] == "i" and mlir_name != "i1":
        return "s" + mlir_name[1:]
    return "pred" if mlir_name == "i1" else mlir_name.lower()


def carrier(mlir_name):
    """Returns the integer type that has a value's bits: the same width, but at least a byte."""
    if mlir_name in ("i2", "i4", "ui2", "ui4"):
        return mlir_name.rstrip("24") + "8"
    return f"ui{8 * leaves.dtype_of(hlo_name(mlir_name)).itemsize}"


# Operations that the interpreter lacks. It reports an error on them and ends the process.
ABSENT = (
    "all_gather",
    "all_reduce",
    "all_to_all",
    "batch_norm_grad",
    "batch_norm_inference",
    "batch_norm_training",
    "cholesky",
    "collective_broadcast",
    "collective_permute",
    "custom_call",
    "infeed",
    "map",
    "outfeed",
    "partition_id",
    "recv",
    "reduce_scatter",
    "replica_id",
    "rng",
    "rng_bit_generator",
    "send",
    "triangular_solve",
)


def check_present(module):
    text = str(module)
    used = [name for name in ABSENT if re.search(rf"\bstablehlo\.{name}\b", text)]
    if used:
        raise Unsupported("the interpreter does not support " + ", ".join(used))
    if re.search(r"tensor<[^>]*\?", text):
        raise Unsupported("dynamic dimensions")


def without_tuple(block):
    """Returns the last operation of main, without the tuple in which old converters put results."""
    end = list(block.operations)[-1]
    made = end.operands[0].owner if len(end.operands) == 1 else None
    if getattr(made, "name", "") != "stablehlo.tuple":  # `made` is a block for a parameter
        return end
    with ir.InsertionPoint(end), ir.Location.unknown():
        parts = func.ReturnOp(list(made.operands))
    end.operation.erase()
    made.erase()
    return parts


def return_carriers(module):
    """Makes main return a carrier for a type not in PLAIN. Returns the HLO types of all results."""
    main = next(
        op for op in module.body.operations if op.operation.attributes["sym_name"].value == "main"
    )
    end = without_tuple(main.regions[0].blocks[0])
    names = []
    with ir.InsertionPoint(end), ir.Location.unknown():
        for index, value in enumerate(end.operands):
            if str(value.type).startswith("tuple"):
                raise Unsupported("results that are tuples are not supported")
            kind = ir.RankedTensorType(value.type)
            name = str(kind.element_type)
            names.append(hlo_name(name))
            if name in PLAIN:
                continue
            if name == "f4E2M1FN":  # a bitcast keeps the width (below a byte)
                four = ir.RankedTensorType.get(kind.shape, ir.Type.parse("ui4"))
                value, name = stablehlo.bitcast_convert(four, value), "ui4"
            wide = ir.RankedTensorType.get(kind.shape, ir.Type.parse(carrier(name)))
            change = (
                stablehlo.convert
                if name in ("i2", "i4", "ui2", "ui4")
                else stablehlo.bitcast_convert
            )
            end.operands[index] = change(wide, value)
    kinds = ir.FunctionType.get(
        ir.FunctionType(main.function_type.value).inputs, [v.type for v in end.operands]
    )
    main.attributes["function_type"] = ir.TypeAttr.get(kinds)
    return names


def to_attribute(leaf, kind):
    kind = ir.RankedTensorType(kind)
    array = np.ascontiguousarray(leaves.to_array(leaf)).reshape(leaf.array.shape)
    name = str(kind.element_type)
    hlo_name(name)
    if name in ("i2", "i4", "ui2", "ui4"):
        array = array.astype(np.int8 if name[0] == "i" else np.uint8)
        return ir.Attribute.parse(f"dense<{array.tolist() if array.size else ''}> : {kind}")
    if name not in PLAIN:
        array = array.view(f"u{array.dtype.itemsize}")
    if name == "i1" and BOOLS_ARE_PACKED:
        array = np.packbits(array, axis=None, bitorder="little")
    return ir.DenseElementsAttr.get(array, type=kind.element_type, shape=kind.shape)


def bools_are_packed():
    """Returns True if MLIR's bindings pack eight i1 into a byte, as they do before jaxlib 0.10."""
    with ir.Context():
        one = ir.IntegerType.get_signless(1)
        try:
            ir.DenseElementsAttr.get(np.zeros(2, np.bool_), type=one, shape=[2])
        except ValueError:
            return True
    return False


BOOLS_ARE_PACKED = bools_are_packed()


def make(_options):
    def load(proto):
        module = plain_module(proto)
        check_present(module)
        context = module.context
        with context:
            names = return_carriers(module)
            main = next(
                op
                for op in module.body.operations
                if op.operation.attributes["sym_name"].value == "main"
            )
            inputs = ir.FunctionType(main.function_type.value).inputs
            if any(str(kind).startswith("tuple") for kind in inputs):
                raise Unsupported("parameters that are tuples are not supported")

        def run(arguments):
            with context:
                try:
                    given = [to_attribute(leaf, kind) for leaf, kind in zip(arguments, inputs)]
                    results = stablehlo.eval_module(module, given)
                except Exception as error:
                    raise refusal(error, "") from error
                return [
                    leaves.as_leaf(np.array(result), name) for result, name in zip(results, names)
                ]

        return run

    return load
