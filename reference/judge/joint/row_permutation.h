// SPDX-License-Identifier: Apache-2.0
// Sorted rows as a joint predicate: in any order of tied rows, none is lost, doubled or torn apart.
#ifndef HLOCTS_REFERENCE_JUDGE_JOINT_ROW_PERMUTATION_H_
#define HLOCTS_REFERENCE_JUDGE_JOINT_ROW_PERMUTATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "spec/ir/literal.h"
#include "spec/judge/joint.h"

namespace hlocts::reference {

// Lines of an array along one dimension.
struct Lines {
  int64_t length = 0, stride = 1, count = 0;
  std::vector<int64_t> starts;
};
Lines LinesOf(const Shape& shape, int64_t dimension);

// The rows of the outputs are a permutation of the operands' rows, and the rows of each cluster of
// ties take the cluster's places.
class RowPermutation : public JointPredicate {
 public:
  // `sorted`: the rows in an order the sort may give; clusters[line][place] numbers the clusters.
  // may_flush[k]: a subnormal of operand k counts as a zero of its sign.
  RowPermutation(std::vector<Literal> sorted, Lines lines, std::vector<std::vector<int>> clusters,
                 std::vector<bool> may_flush);
  // For rows that their places do not determine: `rows` in operand order, and for each line at i *
  // length + j whether its row i must precede its row j.
  void SetOrder(std::vector<Literal> rows, std::vector<std::vector<uint8_t>> before) {
    rows_ = std::move(rows);
    before_ = std::move(before);
  }
  std::string kind() const override { return "permutation"; }
  int slot_count() const override { return static_cast<int>(sorted_.size()); }
  Verdict Check(absl::Span<const Literal* const> slots) const override;
  std::string ParametersJson() const override;

 private:
  // The outputs that are there, and whether all their NaNs are one.
  struct Outputs {
    absl::Span<const Literal* const> slots;
    bool any_nan = false;
  };
  // The bytes of row `at` of these outputs: of `own`, or, when that is empty, theirs.
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

#endif  // HLOCTS_REFERENCE_JUDGE_JOINT_ROW_PERMUTATION_H_
