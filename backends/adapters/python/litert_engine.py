# SPDX-License-Identifier: Apache-2.0
"""LiteRT: converts StableHLO to a flat buffer, which LiteRT's interpreter runs on one thread.

Option: kernels=builtin (LiteRT's default, XNNPACK where possible) or reference (plain loops).
"""

import litert_converter.converter_api_ext as converter
import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from litert_converter.mlir import ir, passmanager

import leaves
from hlocts_frames import Unsupported
from stablehlo_text import narrow_results, plain_text, refusal

KERNELS = {"builtin": OpResolverType.BUILTIN, "reference": OpResolverType.BUILTIN_REF}


def flat_buffer(text):
    context = ir.Context()
    converter.prepare_mlir_context(context)
    with context:
        module = ir.Module.parse(text)
        config = converter.ConvertToTFLConfig()
        config.enable_x64 = True
        config.canonicalizing_inf_as_min_max_float = False  # it would turn infinities into numbers
        converter.run_convert_to_tfl_passes(module, passmanager.PassManager(), config)
        return converter.export_flatbuffer_to_bytes(module.operation)


def set_tensor(engine, detail, leaf):
    """Sets an argument. Like the protocol, LiteRT's bindings pass a 4-bit integer as one byte. They
    reject an array without elements."""
    if leaf.element_type in ("s2", "u2"):
        raise Unsupported("the bindings of LiteRT do not support integers of two bits")
    narrow = leaf.element_type in ("s4", "u4")
    if leaf.array.size:
        engine.set_tensor(detail["index"], leaf.array if narrow else leaves.to_array(leaf))


def array_of(engine, detail):
    """Returns a result. The bindings cannot return an array without elements."""
    if 0 in detail["shape"]:
        return np.empty(detail["shape"], detail["dtype"])
    return np.asarray(engine.get_tensor(detail["index"]))


def make(options):
    kernels = KERNELS[options.get("kernels", "builtin")]

    def load(proto):
        text = plain_text(proto)
        try:
            buffer = flat_buffer(text)
            engine = Interpreter(
                model_content=buffer, experimental_op_resolver_type=kernels, num_threads=1
            )
            engine.allocate_tensors()
        except Exception as error:
            # StableHLO's verifier has accepted the module, so LiteRT lacks a kernel or a conversion
            # to it.
            raise Unsupported(f"conversion to LiteRT: {type(error).__name__}: {error}") from error
        inputs = engine.get_input_details()
        narrow = narrow_results(text)

        def run(arguments):
            if len(arguments) != len(inputs):
                raise Unsupported(f"the converter kept {len(inputs)} of {len(arguments)} arguments")
            try:
                for detail, leaf in zip(inputs, arguments):
                    set_tensor(engine, detail, leaf)
                engine.invoke()
                arrays = [array_of(engine, detail) for detail in engine.get_output_details()]
                return [
                    leaves.as_leaf(array, narrow[place])
                    if place in narrow
                    else leaves.to_leaf(array)
                    for place, array in enumerate(arrays)
                ]
            except (RuntimeError, ValueError) as error:
                raise refusal(error, "") from error

        return run

    return load
