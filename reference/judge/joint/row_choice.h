// SPDX-License-Identifier: Apache-2.0
// Elements of several outputs that belong together, as the value and the index of a maximum: they
// are those of one candidate (RULES 31).
#ifndef HLOCTS_REFERENCE_JUDGE_JOINT_ROW_CHOICE_H_
#define HLOCTS_REFERENCE_JUDGE_JOINT_ROW_CHOICE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "spec/judge/acceptance_set.h"
#include "spec/judge/joint.h"

namespace hlocts::reference {

class RowChoice : public JointPredicate {
 public:
  // A candidate: what each slot may hold, component by component.
  using Row = std::vector<std::vector<AcceptanceSet>>;
  static constexpr size_t kRowsMax = 64;  // of one element; more have no requirement

  explicit RowChoice(int slots) : slots_(slots) {}
  // The element of every slot is one of these rows.
  void Put(int64_t element, std::vector<Row> rows) {
    if (rows.size() > 1 && rows.size() <= kRowsMax) rows_[element] = std::move(rows);
  }
  bool empty() const { return rows_.empty(); }

  std::string kind() const override { return "choice"; }
  int slot_count() const override { return slots_; }
  Verdict Check(absl::Span<const Literal* const> slots) const override;

 private:
  int slots_;
  absl::flat_hash_map<int64_t, std::vector<Row>> rows_;
};

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_JOINT_ROW_CHOICE_H_
