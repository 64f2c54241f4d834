# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1; the scatter's function is no primitive of JAX, so the module is StableHLO
import jax
import jax.export
from jax._src.interpreters import mlir
from jaxlib import xla_client

TEXT = """
func.func @main(%p0: tensor<2xi32>, %p1: tensor<2xi32>, %i: tensor<1x1xi32>, %u: tensor<1xi32>) -> tensor<2xi32> {
  %s = "stablehlo.scatter"(%p1, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %r = stablehlo.add %b, %b : tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
    : (tensor<2xi32>, tensor<1x1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %y = stablehlo.add %p0, %s : tensor<2xi32>
  return %y : tensor<2xi32>
}
"""
device, put = jax.devices("cpu")[0], jax.numpy.array
with mlir.make_ir_context():
    module = mlir.module_to_bytecode(mlir.ir.Module.parse(TEXT))
options, devices = xla_client.CompileOptions(), xla_client.DeviceList((device,))
run = device.client.compile_and_load(module, devices, options)
inputs = put([10, 20]), put([1, 2]), put([[1]]), put([7])
print("wanted [11 34]")
print("got   ", run.execute(inputs)[0])
