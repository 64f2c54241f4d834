// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/joint/row_choice.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "spec/judge/choices.h"

namespace hlocts::reference {
namespace {

// `first` is the first element of the row.
bool Holds(const RowChoice::Row& row, absl::Span<const Literal* const> slots, int64_t first,
           bool any_nan) {
  for (size_t k = 0; k < slots.size(); ++k) {
    if (slots[k] == nullptr) continue;
    const size_t components = IsComplex(slots[k]->element_type()) ? 2 : 1;
    for (size_t i = 0; i < row[k].size(); ++i) {
      const int64_t element = first + static_cast<int64_t>(i / components);
      const int c = static_cast<int>(i % components);
      if (Accepts(row[k][i], *slots[k], element, c)) continue;
      if (!any_nan || !IsNanOfOtherBits(row[k][i], *slots[k], element, c)) return false;
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
    const auto held = [&](bool any_nan) {
      return std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
        return Holds(row, slots, element * width_, any_nan);
      });
    };
    if (held(false)) continue;
    if (!verdict.ok && held(true)) continue;  // both fail by NaN bits only; the first is kept
    verdict.ok = false;
    verdict.nan_bits = held(true);
    verdict.index = element * width_;
    verdict.expected =
        absl::StrCat(width_ == 1 ? "this element" : "each element", " of all outputs comes from ",
                     width_ == 1 ? "one" : "the same", " of ", rows.size(), " candidates");
    if (!verdict.nan_bits) return verdict;
  }
  return verdict;
}

}  // namespace hlocts::reference
