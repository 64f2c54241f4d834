# SPDX-License-Identifier: Apache-2.0
# pip install iree-base-compiler==3.13.0 iree-base-runtime==3.13.0
import iree.compiler
import iree.runtime
import numpy as np

TEXT = """
func.func @main(%a: tensor<1x2xui8>, %b: tensor<2x1xui8>) -> tensor<1x1xi32> {
  %r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
    : (tensor<1x2xui8>, tensor<2x1xui8>) -> tensor<1x1xi32>
  return %r : tensor<1x1xi32>
}
"""
code = iree.compiler.compile_str(TEXT, target_backends=["llvm-cpu"], input_type="stablehlo")
config = iree.runtime.Config("local-sync")
module = iree.runtime.VmModule.copy_buffer(config.vm_instance, code)
inputs = np.uint8([[200, 1]]), np.uint8([[3], [1]])
print("wanted 601  (200 * 3 + 1 * 1)")
print("got   ", iree.runtime.load_vm_module(module, config).main(*inputs).to_host())
