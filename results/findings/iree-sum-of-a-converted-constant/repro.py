# SPDX-License-Identifier: Apache-2.0
# pip install iree-base-compiler==3.13.0 iree-base-runtime==3.13.0
import iree.compiler
import iree.runtime

TEXT = """
func.func @main() -> tensor<i32> {
  %q = stablehlo.constant dense<1.0> : tensor<2xf32>
  %x = stablehlo.convert %q : (tensor<2xf32>) -> tensor<2xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0]
    : (tensor<2xi32>, tensor<i32>) -> tensor<i32>
  return %r : tensor<i32>
}
"""
code = iree.compiler.compile_str(TEXT, target_backends=["llvm-cpu"], input_type="stablehlo")
config = iree.runtime.Config("local-sync")
module = iree.runtime.VmModule.copy_buffer(config.vm_instance, code)
print("wanted 2")
print("got   ", iree.runtime.load_vm_module(module, config).main().to_host())
