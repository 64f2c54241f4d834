// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/joint/row_choice.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace hlocts::reference {
namespace {

bool Holds(const RowChoice::Row& row, absl::Span<const Literal* const> slots, int64_t element) {
  for (size_t k = 0; k < slots.size(); ++k) {
    if (slots[k] == nullptr) continue;
    for (size_t c = 0; c < row[k].size(); ++c) {
      if (!Accepts(row[k][c], *slots[k], element, static_cast<int>(c))) return false;
    }
  }
  return true;
}

}  // namespace

RowChoice::Verdict RowChoice::Check(absl::Span<const Literal* const> slots) const {
  Verdict verdict;
  verdict.checked = true;
  for (size_t k = 0; k < slots.size(); ++k) {
    if (slots[k] != nullptr) verdict.slot = static_cast<int>(k);
  }
  std::vector<int64_t> elements;
  for (const auto& [element, rows] : rows_) elements.push_back(element);
  std::sort(elements.begin(), elements.end());
  for (int64_t element : elements) {
    const std::vector<Row>& rows = rows_.at(element);
    bool held = std::any_of(rows.begin(), rows.end(),
                            [&](const Row& row) { return Holds(row, slots, element); });
    if (held) continue;
    verdict.ok = false;
    verdict.index = element;
    verdict.expected =
        absl::StrCat("the outputs' elements belong to one of ", rows.size(), " candidates");
    return verdict;
  }
  return verdict;
}

}  // namespace hlocts::reference
