// SPDX-License-Identifier: Apache-2.0
// Requires that elements of several outputs belong to the same candidate (lemma 31). An example is
// the value and the index of a maximum.
#pragma once

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
  // A candidate: the sets of each slot, component by component.
  using Row = std::vector<std::vector<AcceptanceSet>>;
  static constexpr size_t kRowsMax = 64;  // elements with more candidates are not checked

  // An element is `width` elements of each slot: those of a row one after another.
  explicit RowChoice(int slots, int64_t width = 1) : slots_(slots), width_(width) {}
  // Requires that in all slots together the element matches one of these candidates.
  void Put(int64_t element, std::vector<Row> rows) {
    if (rows.size() > 1 && rows.size() <= kRowsMax) rows_[element] = std::move(rows);
  }
  bool empty() const { return rows_.empty(); }

  std::string kind() const override { return "choice"; }
  int slot_count() const override { return slots_; }
  Verdict Check(absl::Span<const Literal* const> slots) const override;

 private:
  int slots_;
  int64_t width_;
  absl::flat_hash_map<int64_t, std::vector<Row>> rows_;
};

}  // namespace hlocts::reference
