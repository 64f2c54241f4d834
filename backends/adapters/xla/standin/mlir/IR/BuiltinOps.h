// SPDX-License-Identifier: Apache-2.0
// Stand-in for MLIR's header, which the wheel does not ship: XLA's client interface names
// mlir::ModuleOp in two virtual functions that we never call. It must stay one pointer wide, as the
// real one is, and come first on the include path.
#ifndef HLOCTS_BACKENDS_ADAPTERS_XLA_STANDIN_MLIR_IR_BUILTINOPS_H_
#define HLOCTS_BACKENDS_ADAPTERS_XLA_STANDIN_MLIR_IR_BUILTINOPS_H_

namespace mlir {
class ModuleOp {
  void* state_ = nullptr;
};
}  // namespace mlir

#endif  // HLOCTS_BACKENDS_ADAPTERS_XLA_STANDIN_MLIR_IR_BUILTINOPS_H_
