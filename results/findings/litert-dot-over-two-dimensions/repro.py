# SPDX-License-Identifier: Apache-2.0
# pip install litert-converter==0.5.0 ai-edge-litert==2.3.0
import litert_converter.converter_api_ext as converter
import numpy as np
from ai_edge_litert.interpreter import Interpreter
from litert_converter.mlir import ir, passmanager

TEXT = """
func.func @main(%l: tensor<1x2x2xf32>, %r: tensor<2x1x2xf32>) -> tensor<1x1xf32> {
  %y = stablehlo.dot_general %l, %r, contracting_dims = [1, 2] x [2, 0]
    : (tensor<1x2x2xf32>, tensor<2x1x2xf32>) -> tensor<1x1xf32>
  return %y : tensor<1x1xf32>
}
"""
context = ir.Context()
converter.prepare_mlir_context(context)
with context:
    module = ir.Module.parse(TEXT)
    converter.run_convert_to_tfl_passes(module, passmanager.PassManager(), converter.ConvertToTFLConfig())
    engine = Interpreter(model_content=converter.export_flatbuffer_to_bytes(module.operation))
engine.allocate_tensors()
for detail, x in zip(engine.get_input_details(), ([[[1, 2], [3, 4]]], [[[1, 10]], [[100, 1000]]])):
    engine.set_tensor(detail["index"], np.float32(x))
engine.invoke()
print("wanted 4231  (1*1 + 2*100 + 3*10 + 4*1000)")
print("got   ", engine.get_tensor(engine.get_output_details()[0]["index"]))
