# SPDX-License-Identifier: Apache-2.0
"""Converts between StableHLO and HLO with the installed jaxlib, in a worker process.

    python3 -m hlocts.stablehlo

It answers Convert requests (backends/worker.proto) on its standard streams: MLIR text or portable
bytecode becomes a serialized HloModuleProto, or vice versa. The PJRT plugins start it when a client
compiles MLIR.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import sys
from collections.abc import Iterator
from typing import Any

from hlocts.worker_frames import frames


def _mlir() -> Any:
    """Returns the conversions of jaxlib. Their module was renamed in jaxlib 0.7."""
    try:
        return importlib.import_module("jaxlib._jax").mlir
    except ImportError:
        return importlib.import_module("jaxlib.xla_extension").mlir


def to_hlo(module: bytes, mlir: Any = None) -> bytes:
    """Converts MLIR text or portable bytecode to a serialized HloModuleProto."""
    text: str | bytes = module if module[:4] == b"ML\xefR" else _located(module.decode())
    try:
        computation = converted(text, mlir)
    except Exception as error:
        if isinstance(text, str) and "<__elided__>" in text:
            first = str(error).split("\n")[0]
            raise ValueError(f"{first}; the module was printed without its large constants "
                             "(dense_resource<__elided__>)") from error  # fmt: skip
        text = text if isinstance(text, bytes) else _with_arrays(text)
        plain = _plain(text) or _renamed(text)
        if plain is None:
            raise
        computation = converted(plain, mlir)
    proto: bytes = computation.as_serialized_hlo_module_proto()
    return proto


def converted(module: str | bytes, mlir: Any = None) -> Any:
    """Converts with jaxlib, except for the starts of slices that it is known to misread."""
    module = with_clamped_starts(module) or module
    convert = (mlir or _mlir()).mlir_module_to_xla_computation
    return convert(module, use_tuple_args=False, return_tuple=False)


def from_hlo(proto: bytes, form: str, mlir: Any = None) -> bytes:
    """Converts a serialized HloModuleProto to MLIR text or portable bytecode."""
    mlir = mlir or _mlir()
    if not hasattr(mlir, "hlo_to_stablehlo"):
        raise ValueError("this jaxlib only reads StableHLO; a newer one also writes it")
    module = mlir.hlo_to_stablehlo(proto)
    if form == "stablehlo-bytecode":
        stablehlo = importlib.import_module("jaxlib.mlir.dialects.stablehlo")
        age = stablehlo.StablehloCompatibilityRequirement.WEEK_12
        version = stablehlo.get_version_from_compatibility_requirement(age)
        return bytes(mlir.serialize_portable_artifact(module, version))
    ir = importlib.import_module("jaxlib.mlir.ir")
    with _context(ir), ir.Location.unknown():
        text: str = ir.Module.parse(module).operation.get_asm(enable_debug_info=False)
    return text.encode()


def _located(text: str) -> str:
    """Removes references to locations that the text (a part of a longer one) does not define."""
    defined = set(re.findall(r"^(#loc\w*) = ", text, re.MULTILINE))
    return re.sub(r" ?\bloc\((#loc\w*)\)", lambda m: m[0] if m[1] in defined else "", text)


# Attributes that were tensors until StableHLO 0.17 (October 2023), and have been arrays since.
_ARRAYS = re.compile(
    r"\b(broadcast_dimensions|broadcast_sizes|dimensions|permutation|fft_length|slice_sizes|"
    r"start_indices|limit_indices|strides|edge_padding_low|edge_padding_high|interior_padding|"
    r"window_dimensions|window_strides|base_dilations|window_dilations|lhs_dilation|rhs_dilation|"
    r"window_reversal) = dense<\[?([\w, -]*)\]?> : tensor<(\d+)x(i64|i1)>"
)


def _with_arrays(text: str) -> str:
    def array(match: re.Match[str]) -> str:
        name, elements, count, element_type = match.groups()
        if "," not in elements:  # a single element is the value of all elements
            elements = ", ".join([elements] * int(count))
        return f"{name} = array<{element_type}{': ' if elements else ''}{elements}>"

    return _ARRAYS.sub(array, text)


def _renamed(text: str | bytes) -> str | None:
    """Returns the module with its only function as `main`; None if it has none or several."""
    if isinstance(text, bytes):
        return None
    names = re.findall(r"\bfunc\.func (?:public )?@([\w$.]+)", text)
    return re.sub(rf"@{re.escape(names[0])}(?![\w$.])", "@main", text) if len(names) == 1 else None


_DIALECTS = ("stablehlo", "chlo", "sdy")  # dialects that the converter accepts
_OWN = (*_DIALECTS, "mhlo", "jax")  # dialects whose attributes the converter accepts


def _context(ir: Any) -> Any:
    """Returns a context with the dialects of jaxlib; other dialects are allowed in it."""
    context, registry = ir.Context(), ir.DialectRegistry()
    try:  # renamed in jaxlib 0.7
        libraries = importlib.import_module("jaxlib.mlir._mlir_libs._jax_mlir_ext")
    except ImportError:
        libraries = importlib.import_module("jaxlib.mlir._mlir_libs.register_jax_dialects")
    libraries.register_dialects(registry)  # func and the other dialects of MLIR
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    context.allow_unregistered_dialects = True
    for name in _DIALECTS:
        with contextlib.suppress(ImportError):  # older releases lack sdy
            importlib.import_module(f"jaxlib.mlir.dialects.{name}").register_dialect(context)
    return context


# Text has the types of operands on the line of an operation; bytecode has no names of types.
_UNSIGNED_START = re.compile(r"\bstablehlo\.(?:dynamic_slice|gather)\b.*: \(.*[<x]ui\d+>.*\) ->")
_NOT_EVALUATED = ("func.call", "stablehlo.composite", "stablehlo.custom_call", "stablehlo.optimization_barrier")
_SLICE = re.compile(rb"dynamic_slice|gather")


def may_have_unsigned_start(module: str | bytes) -> bool:
    found = _UNSIGNED_START.search(module) if isinstance(module, str) else _SLICE.search(module)
    return found is not None


def with_clamped_starts(module: str | bytes) -> str | None:
    """Returns the module with clamped starts where jaxlib's conversion would read an unsigned start
    as a signed number (finding jaxlib-constant-unsigned-slice-start); None for other modules.

    The conversion evaluates what depends on constants only, and replaces a slice or gather with
    such starts by a slice. It reads 255 of type ui8 as -1, which it clamps to 0."""
    if not may_have_unsigned_start(module):
        return None
    ir = importlib.import_module("jaxlib.mlir.ir")
    with _context(ir) as context, ir.Location.unknown():
        try:
            if isinstance(module, bytes):
                dialect = importlib.import_module("jaxlib.mlir.dialects.stablehlo")
                parsed = dialect.deserialize_portable_artifact(context, module)
            else:
                parsed = ir.Module.parse(module)
        except Exception:  # the conversion reports what is wrong with the module
            return None
        values = _constant_values(ir, parsed.operation)
        slices = [one for one in _operations(parsed.operation) if _needs_clamp(ir, one, values)]
        for one in slices:
            _clamp(ir, one)
        return str(parsed.operation.get_asm(enable_debug_info=True)) if slices else None


def _operations(operation: Any) -> Iterator[Any]:
    for region in operation.regions:
        for block in region:
            for inner in block.operations:
                yield inner.operation
                yield from _operations(inner.operation)


def _constant_values(ir: Any, module: Any) -> set[Any]:
    """Returns the values that the conversion may evaluate, as they depend on constants only."""
    values: set[Any] = set()
    for one in _operations(module):
        given = [operand in values for operand in one.operands]
        if one.name == "stablehlo.while":  # values that the loop never changes
            last = list(one.regions[1].blocks[0].operations)[-1].operands
            for place, argument in enumerate(one.regions[1].blocks[0].arguments):
                if given[place] and last[place] == argument:
                    values |= {argument, one.regions[0].blocks[0].arguments[place], one.results[place]}
        elif one.name == "stablehlo.constant" or (
            given and all(given) and not len(one.regions) and one.name not in _NOT_EVALUATED):  # fmt: skip
            values |= set(one.results)
    return values


def _starts(ir: Any, operation: Any) -> dict[int, list[int]]:
    """Returns by operand the last starts at which the slice fits; {} for operations that the
    conversion never replaces by a slice, and for sizes that are known only at run time."""
    if operation.name not in ("stablehlo.dynamic_slice", "stablehlo.gather"):
        return {}
    array = ir.RankedTensorType(operation.operands[0].type)
    if not array.has_static_shape:
        return {}
    sizes = list(ir.DenseI64ArrayAttr(operation.attributes["slice_sizes"]))
    last = [length - size for length, size in zip(array.shape, sizes, strict=True)]
    if operation.name == "stablehlo.dynamic_slice":
        return {place + 1: [limit] for place, limit in enumerate(last)}
    dialect = importlib.import_module("jaxlib.mlir.dialects.stablehlo")
    numbers = dialect.GatherDimensionNumbers(operation.attributes["dimension_numbers"])
    is_single = ir.RankedTensorType(operation.operands[1].type).rank - (numbers.index_vector_dim == 0) < 1
    return {1: [last[dimension] for dimension in numbers.start_index_map]} if is_single else {}


def _needs_clamp(ir: Any, operation: Any, values: set[Any]) -> bool:
    """Returns True for unsigned starts of which one is computed from constants, or is a constant
    that is negative as a signed number."""
    for place in _starts(ir, operation):
        start = operation.operands[place]
        element = ir.RankedTensorType(start.type).element_type
        if not str(element).startswith("ui"):
            return False
        if start not in values:
            continue
        owner = None if isinstance(start.owner, ir.Block) else start.owner
        if owner is None or owner.name != "stablehlo.constant":
            return True
        elements = ir.DenseIntElementsAttr(owner.attributes["value"])
        if any(value >> (ir.IntegerType(element).width - 1) for value in elements):
            return True
    return False


def _clamp(ir: Any, operation: Any) -> None:
    """Replaces each start by its minimum with the last one. All starts of an operation have one
    type, which becomes wider if it has no sign bit to spare for the last starts."""
    starts = _starts(ir, operation)
    element = ir.RankedTensorType(operation.operands[1].type).element_type
    if max(map(max, starts.values())) >> (ir.IntegerType(element).width - 1):
        element = ir.IntegerType.get_unsigned(64)
    for place, limits in starts.items():
        start = operation.operands[place]
        shape = ir.RankedTensorType(start.type).shape
        wanted = ir.RankedTensorType.get(shape, element)
        limit = ir.Attribute.parse(f"dense<{limits if shape else limits[0]}> : {wanted}")

        def new(name: str, *operands: Any, result: Any = wanted, **attributes: Any) -> Any:
            return ir.Operation.create(
                f"stablehlo.{name}", results=[result], operands=operands, attributes=attributes,
                loc=operation.location, ip=ir.InsertionPoint(operation)).result  # fmt: skip

        wide = start if wanted == start.type else new("convert", start)
        operation.operands[place] = new("minimum", wide, new("constant", value=limit))


def _plain(text: str | bytes) -> str | None:
    """Returns the module without attributes of dialects that jaxlib lacks, which do not affect
    values, and with its only public function as `main`. Returns None if that does not parse."""
    try:
        ir = importlib.import_module("jaxlib.mlir.ir")
        with _context(ir), ir.Location.unknown():
            module = ir.Module.parse(text)
            functions = [op for op in module.body.operations if op.operation.name == "func.func"]
            if all(op.attributes["sym_name"].value != "main" for op in functions):
                public = [op for op in functions if "sym_visibility" not in op.attributes
                          or op.attributes["sym_visibility"].value == "public"]  # fmt: skip
                if len(public) == 1:
                    public[0].attributes["sym_name"] = ir.StringAttr.get("main")
            _drop_foreign(ir, module.operation)
            return str(module.operation.get_asm(enable_debug_info=True))  # with source locations
    except Exception:  # the error about the original text is the answer
        return None


def _drop_foreign(ir: Any, operation: Any) -> None:
    def is_foreign(name: str) -> bool:
        return "." in name and name.split(".")[0] not in _OWN

    def names(attributes: Any) -> list[str]:  # newer releases return names, older ones return pairs
        return [getattr(one, "name", one) for one in attributes]

    for name in names(operation.attributes):
        if is_foreign(name):
            del operation.attributes[name]
        elif name in ("arg_attrs", "res_attrs"):
            kept = [{one: each[one] for one in names(each) if not is_foreign(one)}
                    for each in operation.attributes[name]]
            operation.attributes[name] = ir.ArrayAttr.get([ir.DictAttr.get(one) for one in kept])
    for region in operation.regions:
        for block in region:
            for inner in block.operations:
                _drop_foreign(ir, inner.operation)


def _answer(lib: Any, mlir: Any, kind: int, body: Any) -> bytes:
    if kind == 1:
        hello = lib.field(1, 1) + lib.field(2, "stablehlo") + lib.field(4, "convert")
        return bytes(lib.field(1, hello))
    if kind != 5:
        raise lib.Unsupported("this worker only converts modules")
    message = dict(lib.fields(body))
    source, target = (message.get(place, b"").decode() for place in (2, 3))
    if message.get(4) or "hlo" not in (source, target):
        raise lib.Unsupported("expected a conversion between stablehlo and hlo")
    module = message.get(1, b"")
    return bytes(lib.field(5, to_hlo(module, mlir) if target == "hlo"
                           else from_hlo(module, target, mlir)))  # fmt: skip


def main() -> None:
    lib = frames()
    try:
        mlir = _mlir()
    except ImportError as error:
        sys.exit(f"{error}: pip install jax")
    # Text that a library prints must not get between the frames.
    stdin, stdout = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while (frame := lib.read_frame(stdin)) is not None:
        kind, body = next(lib.fields(frame))
        try:
            reply = _answer(lib, mlir, kind, body)
        except Exception as error:  # the error of the converter is the answer
            code = lib.UNSUPPORTED if isinstance(error, lib.Unsupported) else lib.REFUSED
            message = re.sub(r"^[A-Z_]+: ", "", str(error))  # without the name of a status
            reply = lib.field(4, lib.field(1, code) + lib.field(2, message))
        stdout.write(lib.varint(len(reply)) + reply)
        stdout.flush()


if __name__ == "__main__":
    main()
