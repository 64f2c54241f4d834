// SPDX-License-Identifier: Apache-2.0
// A replacement for MLIR's headers, which the wheel does not contain. XLA's client interface names
// mlir::ModuleOp in two virtual functions that hlocts never calls, and hlocts only forwards the
// modules of the StableHLO converters. The classes have the sizes of MLIR's classes, except for
// MLIRContext, which is larger. This directory must be first on the include path.
#pragma once

#include <utility>

namespace mlir {

class Operation {
 public:
  void erase();
};

class ModuleOp {
 public:
  Operation* operation() const { return state_; }

 private:
  Operation* state_ = nullptr;
};

class MLIRContext {
 public:
  enum class Threading { DISABLED, ENABLED };
  explicit MLIRContext(Threading threading);
  ~MLIRContext();
  MLIRContext(const MLIRContext&) = delete;

 private:
  void* state_[8] = {};
};

template <typename Op>
class OwningOpRef {
 public:
  OwningOpRef(OwningOpRef&& other) : op_(std::exchange(other.op_, Op())) {}
  ~OwningOpRef() {
    if (op_.operation()) op_.operation()->erase();
  }
  Op get() const { return op_; }

 private:
  Op op_;
};

}  // namespace mlir
