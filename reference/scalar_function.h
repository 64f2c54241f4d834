// SPDX-License-Identifier: Apache-2.0
// Declares a computation over scalars, compiled to a list of typed operations on 16-byte slots.
//
// Sort comparators and computations of reduce, map, scatter and select-and-scatter run once per
// element, without allocation or recursion. Calls of other scalar computations are inlined and
// tuples are flattened; a root tuple yields several results.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "reference/elementwise.h"
#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::reference {

// Storage of one scalar of any type, as in a Literal (one byte for pred and sub-byte types).
struct alignas(16) Slot {
  std::array<uint8_t, 16> bytes;  // indeterminate until set; Run reads only what it has set

  template <typename T>
  T Get() const {
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }
  template <typename T>
  void Set(T value) {
    std::memcpy(bytes.data(), &value, sizeof(T));
  }
  // Copies from or to an element of a Literal's raw data; `width` is StorageBytes of the type.
  void Load(const uint8_t* element, int width) { std::memcpy(bytes.data(), element, width); }
  void Store(uint8_t* element, int width) const { std::memcpy(element, bytes.data(), width); }
};

class ScalarFunction {
 public:
  // Returns nullptr if the computation is not straight-line code over scalars (arrays, loops,
  // random numbers, ...) or exceeds 4096 operations. Returns an error for a type without a kernel.
  static absl::StatusOr<std::unique_ptr<ScalarFunction>> Compile(const Computation& computation);

  int64_t argument_count() const { return static_cast<int64_t>(argument_types_.size()); }
  int64_t result_count() const { return static_cast<int64_t>(result_types_.size()); }
  PrimitiveType argument_type(int64_t i) const { return argument_types_[i]; }
  PrimitiveType result_type(int64_t i) const { return result_types_[i]; }

  // Applies the function once. `arguments` and `results` may overlap. Reentrant.
  void Run(const Slot* arguments, Slot* results) const;
  // Applies the function `count` times, running each operation over all applications. arguments[i]
  // is an array of argument_type(i), and results[j] gets the array of result j.
  void RunBatch(absl::Span<const void* const> arguments, absl::Span<void* const> results,
                int64_t count) const;

 private:
  friend class ScalarCompiler;  // scalar_compiler.cc
  struct Step {
    ElementwiseOp op;
    int32_t operands[3];  // slot numbers
    int32_t result;
    int32_t operand_count;
  };
  void RunSteps(Slot* slots) const;

  std::vector<PrimitiveType> argument_types_;
  std::vector<PrimitiveType> result_types_;
  std::vector<int32_t> result_slots_;
  std::vector<int> slot_widths_;
  // Slot numbers are ordered: arguments, constants, results of the steps.
  std::vector<Slot> constants_;
  std::vector<Step> steps_;
};

}  // namespace hlocts::reference
