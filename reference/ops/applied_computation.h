// SPDX-License-Identifier: Apache-2.0
// Applies a called computation to scalars, one element at a time: the computations of
// reduce-window, map, scatter and select-and-scatter, and comparators of sort.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "reference/eval_context.h"
#include "reference/scalar_function.h"

namespace hlocts::reference {

class AppliedComputation {
 public:
  static absl::StatusOr<AppliedComputation> Of(EvalContext& context,
                                               const Computation& computation);

  int64_t argument_count() const { return static_cast<int64_t>(widths_.size()); }
  int64_t result_count() const { return static_cast<int64_t>(result_widths_.size()); }
  int result_width(int64_t i) const { return result_widths_[i]; }

  // Applies the computation once; arguments and results may overlap. Returns false if it failed.
  // status() keeps the first error, and later applications do not change the results. Straight-line
  // code never fails, so a loop over elements may check status() once at the end.
  bool operator()(const Slot* arguments, Slot* results) {
    if (function_ != nullptr) {
      function_->Run(arguments, results);
      return true;
    }
    return Call(arguments, results);
  }
  const absl::Status& status() const { return status_; }
  // Returns nullptr if the interpreter runs the computation.
  const ScalarFunction* function() const { return function_; }

 private:
  bool Call(const Slot* arguments, Slot* results);

  EvalContext* context_ = nullptr;
  const Computation* computation_ = nullptr;
  const ScalarFunction* function_ = nullptr;
  std::vector<PrimitiveType> types_;
  std::vector<int> widths_;
  std::vector<int> result_widths_;
  absl::Status status_;
};

// Returns the result of an operation on N operands: the array, or a tuple if `shape` is one.
Literal Collated(const Shape& shape, std::vector<Literal> results);

// Sets slots[k] = arrays[k][index] for k < arrays.size(). The computation of a variadic operation
// has two such groups of slots: the N current values, then the N new values.
inline void LoadSlots(absl::Span<const Literal> arrays, absl::Span<const int> widths, int64_t index,
                      Slot* slots) {
  for (size_t k = 0; k < arrays.size(); ++k) {
    slots[k].Load(arrays[k].raw_data() + index * widths[k], widths[k]);
  }
}
std::vector<int> ElementWidths(absl::Span<const Literal> arrays);

}  // namespace hlocts::reference
