// SPDX-License-Identifier: Apache-2.0
// A computation over scalars, compiled once to a flat list of typed operations over 16-byte slots.
//
// Sort comparators, bodies of reduce, map, scatter and select-and-scatter run once per element:
// applying one costs no allocation and no recursion. Calls of other scalar computations are
// inlined, tuples are taken apart; a root tuple means several results.
#ifndef HLOCTS_REFERENCE_SCALAR_FUNCTION_H_
#define HLOCTS_REFERENCE_SCALAR_FUNCTION_H_

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "reference/elementwise.h"
#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::reference {

// Storage of one scalar of any element type, as a Literal stores it (a byte for pred and sub-byte).
struct alignas(16) Slot {
  std::array<uint8_t, 16> bytes;  // indeterminate until set: a Run touches only what it uses

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
  // From or to an element of a Literal's raw data; `width` is StorageBytes of the type.
  void Load(const uint8_t* element, int width) { std::memcpy(bytes.data(), element, width); }
  void Store(uint8_t* element, int width) const { std::memcpy(element, bytes.data(), width); }
};

class ScalarFunction {
 public:
  // nullptr when the computation is not straight-line code over scalars (arrays, loops, random
  // numbers, ...) or would be longer than 4096 operations. A type without a kernel is an error.
  static absl::StatusOr<std::unique_ptr<ScalarFunction>> Compile(const Computation& computation);

  int64_t argument_count() const { return static_cast<int64_t>(argument_types_.size()); }
  int64_t result_count() const { return static_cast<int64_t>(result_types_.size()); }
  PrimitiveType argument_type(int64_t i) const { return argument_types_[i]; }
  PrimitiveType result_type(int64_t i) const { return result_types_[i]; }

  // `arguments` has argument_count() slots, `results` result_count(); they may overlap. Reentrant.
  void Run(const Slot* arguments, Slot* results) const;
  // The same for `count` applications with each operation running over all of them: argument i is
  // an array of argument_type(i) at arguments[i], result j one at results[j].
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
  // Slots are numbered: arguments, then constants, then what the steps compute.
  std::vector<Slot> constants_;
  std::vector<Step> steps_;
};

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_SCALAR_FUNCTION_H_
