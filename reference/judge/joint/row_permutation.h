// SPDX-License-Identifier: Apache-2.0
// Defines a joint predicate over sorted rows: ties may be in any order, but rows stay whole.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "spec/ir/literal.h"
#include "spec/judge/joint.h"

namespace hlocts::reference {

// The lines of an array along one dimension.
struct Lines {
  int64_t length = 0, stride = 1, count = 0;
  std::vector<int64_t> starts;
};
Lines LinesOf(const Shape& shape, int64_t dimension);

// Requires that the rows of the outputs are a permutation of the operands' rows, and that the rows
// of each cluster of ties occupy the cluster's positions.
class RowPermutation : public JointPredicate {
 public:
  // `sorted` has the rows in an order that the sort may return. clusters[line][position] is the
  // cluster of the position. may_flush[k]: a subnormal of operand k equals a zero of its sign.
  RowPermutation(std::vector<Literal> sorted, Lines lines, std::vector<std::vector<int>> clusters,
                 std::vector<bool> may_flush);
  // Adds constraints for rows whose positions the clusters do not determine. `rows` are in operand
  // order. before[line][i * length + j] is 1 if row i must precede row j.
  void SetOrder(std::vector<Literal> rows, std::vector<std::vector<uint8_t>> before) {
    rows_ = std::move(rows);
    before_ = std::move(before);
  }
  std::string kind() const override { return "permutation"; }
  int slot_count() const override { return static_cast<int>(sorted_.size()); }
  Verdict Check(absl::Span<const Literal* const> slots) const override;
  std::string ParametersJson() const override;

 private:
  // The outputs that are present. `any_nan`: all of their NaNs are treated as equal.
  struct Outputs {
    absl::Span<const Literal* const> slots;
    bool any_nan = false;
  };
  // Returns the bytes of row `at` of `own`, or of the outputs if `own` is empty.
  std::string Row(int64_t at, const Outputs& outputs, absl::Span<const Literal> own) const;
  bool Holds(const Outputs& outputs, Verdict& verdict) const;
  bool LineHolds(int64_t line, const Outputs& outputs, Verdict& verdict) const;
  bool OrderHolds(int64_t line, const Outputs& outputs, Verdict& verdict) const;

  std::vector<Literal> sorted_;
  Lines lines_;
  std::vector<std::vector<int>> clusters_;
  std::vector<bool> may_flush_;
  std::vector<Literal> rows_;
  std::vector<std::vector<uint8_t>> before_;
};

}  // namespace hlocts::reference
