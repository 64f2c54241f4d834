// SPDX-License-Identifier: Apache-2.0
// Defines a joint predicate over sorted rows for which only sets are known (lemma 25). The output
// rows must be different rows of the operands, in the order that the comparator requires.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "reference/judge/joint/row_permutation.h"
#include "reference/scalar_function.h"
#include "spec/judge/acceptance_set.h"
#include "spec/judge/joint.h"

namespace hlocts::reference {

class SortedRows : public JointPredicate {
 public:
  // Makes the predicate. operands[k] has the sets of operand k, including flushed values. No order
  // is required if the comparator does more than compare, select, change signs and combine preds,
  // or if it reads several operands that the engine may compare unrounded (`skips_rounding`).
  static absl::StatusOr<std::shared_ptr<const JointPredicate>> Of(std::vector<SetArray> operands,
                                                                  Lines lines,
                                                                  const Computation& comparator,
                                                                  bool skips_rounding);
  std::string kind() const override { return "permutation"; }
  int slot_count() const override { return static_cast<int>(operands_.size()); }
  Verdict Check(absl::Span<const Literal* const> slots) const override;

 private:
  SortedRows(std::vector<SetArray> operands, Lines lines,
             std::unique_ptr<ScalarFunction> comparator, std::vector<bool> compared)
      : operands_(std::move(operands)),
        lines_(std::move(lines)),
        comparator_(std::move(comparator)),
        compared_(std::move(compared)) {}
  // any_nan: all NaNs with known bits are treated as equal.
  bool Holds(absl::Span<const Literal* const> slots, bool any_nan, Verdict& verdict) const;
  bool InOrder(int64_t start, absl::Span<const Literal* const> slots, Verdict& verdict) const;
  bool Matches(int64_t start, absl::Span<const Literal* const> slots, bool any_nan,
               Verdict& verdict) const;
  bool IsRow(int64_t operand_row, int64_t output_row, absl::Span<const Literal* const> slots,
             bool any_nan) const;

  std::vector<SetArray> operands_;
  Lines lines_;
  std::unique_ptr<ScalarFunction> comparator_;  // nullptr: the order is not checked
  std::vector<bool> compared_;                  // the operands that the comparator reads
};

// Adds the values that flushing the array's subnormals may produce.
void AddFlushes(SetArray& array, uint32_t origin);

}  // namespace hlocts::reference
