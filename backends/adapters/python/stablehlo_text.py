# SPDX-License-Identifier: Apache-2.0
"""Converts HLO to StableHLO with jaxlib's converter, for engines that accept only StableHLO."""

import re

from hlocts_frames import Refused, Unsupported
from one_bit import has_one_bit_integers
from small_ids import with_small_ids

# Messages of converters and compilers on modules that they cannot represent or do not import yet.
NO_WORDS = re.compile(
    r"[Uu]nimplemented|UNIMPLEMENTED|[Nn]ot (?:yet )?(?:supported|implemented)|[Uu]nsupported"
    r"|[Uu]nhandled|MHLO => StableHLO failed|failed to legalize|Unable to prepare for XLA"
    r"|unregistered|Could not map dtype|Unknown opcode|has invalid element type"
    r"|invalid Attribute index"  # the parser's message on an attribute that only XLA's dialect has
)


def refusal(error, what):
    """Returns Unsupported if the error says that StableHLO, a converter or the library's Python
    interface lacks a feature, otherwise Refused (invalid)."""
    text = f"{what}{type(error).__name__}: {error}"
    if isinstance(error, (AttributeError, ImportError, TypeError)):
        return Unsupported(f"the adapter needs a newer release: {text}")
    # Removes the parser's guess that a plugin is old, since StableHLO's verifier rejected the module.
    own_words = text.replace("old unsupported plugin", "")
    return Unsupported(text) if NO_WORDS.search(own_words) else Refused(text)


def converted(proto, xla_client):
    """Converts a HloModuleProto to func and StableHLO, as text or bytecode that jaxlib reads."""
    if has_one_bit_integers(proto):
        raise Unsupported("StableHLO has no integers of one bit")
    mlir = xla_client._xla.mlir
    try:
        if hasattr(mlir, "hlo_to_stablehlo"):
            return mlir.hlo_to_stablehlo(proto)
        try:
            return mlir.xla_computation_to_mlir_module(xla_client.XlaComputation(proto))
        except Exception as error:
            if "INT_MAX" not in str(error):
                raise
        old = with_small_ids(proto)
        return mlir.xla_computation_to_mlir_module(xla_client.XlaComputation(old))
    except Exception as error:
        raise refusal(error, "conversion to StableHLO: ") from error


def jax_dialects():
    """Returns the registry of the dialects that jax reads. Its module was renamed in jaxlib 0.7."""
    from jaxlib.mlir import ir

    try:
        from jaxlib.mlir._mlir_libs import _jax_mlir_ext as holder
    except ImportError:
        from jaxlib.mlir._mlir_libs import register_jax_dialects as holder
    registry = ir.DialectRegistry()
    holder.register_dialects(registry)
    return registry


def plain_module(proto):
    """Like `converted`, but returns an ir.Module with StableHLO only, without XLA's attributes."""
    import jaxlib.xla_client as xla_client
    from jaxlib.mlir import ir, passmanager
    from jaxlib.mlir.dialects import chlo, stablehlo

    context = ir.Context()
    with context:
        context.append_dialect_registry(jax_dialects())
        stablehlo.register_dialect(context)
        chlo.register_dialect(context)
        context.allow_unregistered_dialects = (
            True  # XLA-only attributes
        )
        source = converted(proto, xla_client)
        stablehlo.register_stablehlo_passes()
        for passes in (
            "chlo-legalize-to-stablehlo,stablehlo-legalize-deprecated-ops",
            "chlo-legalize-to-stablehlo",
        ):
            module = parsed(source, ir)
            strip_attributes(module)
            try:
                passmanager.PassManager.parse(f"builtin.module(func.func({passes}))").run(
                    module.operation
                )
                break
            except ir.MLIRError:  # map and rng have no newer form, so they stay
                module = None
    if module is None:
        raise Unsupported("StableHLO has no equivalent of some chlo operations")
    own = sorted(set(re.findall(r"\bmhlo\.\w+", str(module))))
    if own:
        raise Unsupported("StableHLO has no equivalent of " + ", ".join(own))
    return module


def parsed(source, ir):
    try:
        return ir.Module.parse(source)
    except ir.MLIRError as error:
        raise refusal(error, "reading of StableHLO: ") from error


def strip_attributes(module):
    attributes = module.operation.attributes
    for name in [getattr(attribute, "name", attribute) for attribute in attributes]:
        if name.startswith("mhlo."):
            del attributes[name]


def plain_text(proto):
    return plain_module(proto).operation.get_asm(enable_debug_info=False)


def written_results(text):
    signature = re.search(r"@main\(.*?\)\s*->\s*(.*?)\s*(?:attributes .*)?\{\n", text)
    return signature[1] if signature else ""


def results_of(text):
    """Returns the text of main's result types. Raises Unsupported for run-time sizes, since an
    engine that returns plain arrays does not report their bounds."""
    types = written_results(text)
    if "?" in types:
        raise Unsupported("results of run-time sizes are not supported")
    return types


def narrow_results(text):
    """Returns {position: HLO type} of main's results whose elements are smaller than a byte. Some
    bindings return these as arrays with one byte for each element."""
    arrays = re.findall(r"tensor<((?:[^<>]|<[^<>]*>)*)>", written_results(text))
    found = [re.search(r"(?:^|x)(u?)i([24])$", array.split(",")[0]) for array in arrays]
    return {
        place: ("u" if kind[1] else "s") + kind[2] for place, kind in enumerate(found) if kind
    }


def reached(proto):
    """Returns the HloModuleProto after its conversion to StableHLO and back."""
    import jaxlib.xla_client as xla_client

    back = xla_client._xla.mlir.mlir_module_to_xla_computation(
        converted(proto, xla_client), use_tuple_args=False, return_tuple=False
    )
    return back.as_serialized_hlo_module_proto()


def write_reached(path):
    """Writes the converted module of a file (see `reached`) to standard output."""
    import sys

    with open(path, "rb") as file:
        sys.stdout.buffer.write(reached(file.read()))
