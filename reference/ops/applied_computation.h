// SPDX-License-Identifier: Apache-2.0
// A called computation applied to scalars, element by element: bodies of reduce-window, map,
// scatter and select-and-scatter, comparators of sort.
#ifndef HLOCTS_REFERENCE_OPS_APPLIED_COMPUTATION_H_
#define HLOCTS_REFERENCE_OPS_APPLIED_COMPUTATION_H_

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
  int argument_width(int64_t i) const { return widths_[i]; }
  int result_width(int64_t i) const { return result_widths_[i]; }

  // One application; arguments and results may overlap. False when the computation failed: the
  // first such status() stays, and further applications leave the results alone. A computation that
  // is straight-line code never fails, so the loop over elements needs to look only once, at the
  // end.
  bool operator()(const Slot* arguments, Slot* results) {
    if (function_ != nullptr) {
      function_->Run(arguments, results);
      return true;
    }
    return Call(arguments, results);
  }
  const absl::Status& status() const { return status_; }
  // nullptr when applications go through the interpreter.
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

// The result of an operation on N operands: the array itself, or the tuple its shape asks for.
Literal Collated(const Shape& shape, std::vector<Literal> results);

// slots[k] = arrays[k][index], for k < arrays.size(). A variadic body has two such runs of slots:
// the N current values, then the N new ones.
inline void LoadSlots(absl::Span<const Literal> arrays, absl::Span<const int> widths, int64_t index,
                      Slot* slots) {
  for (size_t k = 0; k < arrays.size(); ++k) {
    slots[k].Load(arrays[k].raw_data() + index * widths[k], widths[k]);
  }
}
std::vector<int> ElementWidths(absl::Span<const Literal> arrays);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_OPS_APPLIED_COMPUTATION_H_
