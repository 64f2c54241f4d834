// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/joint/row_permutation.h"

#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "reference/judge/joint/joint_numbers.h"
#include "spec/ir/index_util.h"
#include "spec/judge/real.h"

namespace hlocts::reference {
Lines LinesOf(const Shape& shape, int64_t dimension) {
  Lines lines;
  lines.length = shape.dimensions()[dimension];
  std::vector<int64_t> others = shape.dimensions();
  others[dimension] = lines.length == 0 ? 0 : 1;
  std::vector<int64_t> strides = RowMajorStrides(shape.dimensions());
  lines.stride = strides[dimension];
  ForEachIndex(others, [&](absl::Span<const int64_t> index) {
    lines.starts.push_back(LinearIndex(index, strides));
  });
  lines.count = static_cast<int64_t>(lines.starts.size());
  return lines;
}

RowPermutation::RowPermutation(std::vector<Literal> sorted, Lines lines,
                               std::vector<std::vector<int>> clusters, std::vector<bool> may_flush)
    : sorted_(std::move(sorted)),
      lines_(std::move(lines)),
      clusters_(std::move(clusters)),
      may_flush_(std::move(may_flush)) {}

RowPermutation::Verdict RowPermutation::Check(absl::Span<const Literal* const> slots) const {
  Verdict verdict;
  verdict.checked = true;
  for (size_t k = 0; k < slots.size(); ++k) {
    if (slots[k] == nullptr) continue;
    verdict.bits_per_element = BitWidth(slots[k]->element_type()) / 2.0;
    verdict.slot = static_cast<int>(k);
  }
  if (!Holds({slots}, verdict)) {
    Verdict any_nan;
    verdict.nan_bits = Holds({slots, true}, any_nan);
  }
  return verdict;
}

bool RowPermutation::Holds(const Outputs& outputs, Verdict& verdict) const {
  for (int64_t line = 0; line < lines_.count; ++line) {
    if (!LineHolds(line, outputs, verdict) || !OrderHolds(line, outputs, verdict)) return false;
  }
  return true;
}

std::string RowPermutation::ParametersJson() const {
  std::string text = absl::StrCat("\"rows\":", lines_.length, ",\"lines\":", lines_.count);
  int64_t numbers = 0;
  for (const Literal& literal : sorted_) numbers += literal.element_count();
  if (numbers > kNumbersInFileMax) return text;
  // Writes data for programs that check certificates: the sorted operands' bytes, the clusters of
  // tied positions of each line (lines begin at `starts`; their elements are `stride` apart), and
  // the operands whose subnormals are treated as zeros.
  std::vector<std::string> bytes, clusters;
  std::vector<int> flush(may_flush_.begin(), may_flush_.end());
  for (const Literal& literal : sorted_) {
    bytes.push_back(
        absl::StrCat("\"",
                     absl::BytesToHexString(absl::string_view(
                         reinterpret_cast<const char*>(literal.raw_data()), literal.raw_size())),
                     "\""));
  }
  for (const std::vector<int>& line : clusters_) {
    clusters.push_back(absl::StrCat("[", absl::StrJoin(line, ","), "]"));
  }
  return absl::StrCat(text, ",\"stride\":", lines_.stride, ",\"starts\":[",
                      absl::StrJoin(lines_.starts, ","), "],\"may_flush\":[",
                      absl::StrJoin(flush, ","), "],\"clusters\":[", absl::StrJoin(clusters, ","),
                      "],\"sorted\":[", absl::StrJoin(bytes, ","), "]");
}

namespace {

// Appends the element's bytes. If may_flush, a subnormal is written as a zero of its sign, so that
// a row and its flushed form compare equal. If any_nan, all NaNs have the same bytes.
void AppendElement(const Literal& literal, int64_t at, bool may_flush, bool any_nan,
                   std::string& row) {
  PrimitiveType type = literal.element_type();
  int64_t bytes = StorageBytes(type);
  const char* element = reinterpret_cast<const char*>(literal.raw_data()) + at * bytes;
  size_t begin = row.size();
  row.append(element, static_cast<size_t>(bytes));
  if (!(may_flush || any_nan) || !(IsFloat(type) || IsComplex(type))) return;
  const FloatFacts& facts = FactsOf(type);
  int components = IsComplex(type) ? 2 : 1;
  size_t part = static_cast<size_t>(bytes / components);
  for (int c = 0; c < components; ++c) {
    double x = RealAt(literal, at, c);
    const bool flushed = may_flush && x != 0 && std::fabs(x) < facts.min_normal;
    if (!flushed && !(any_nan && std::isnan(x))) continue;
    const FloatFormat& format = FormatOf(facts.type);
    uint64_t bits = flushed ? EncodeFloat(format, std::copysign(0.0, x)) : format.nan_bits();
    std::memcpy(&row[begin + static_cast<size_t>(c) * part], &bits, part);
  }
}

}  // namespace

std::string RowPermutation::Row(int64_t at, const Outputs& outputs,
                                absl::Span<const Literal> own) const {
  std::string row;
  for (size_t k = 0; k < outputs.slots.size(); ++k) {
    if (outputs.slots[k] == nullptr) continue;
    AppendElement(own.empty() ? *outputs.slots[k] : own[k], at, may_flush_[k], outputs.any_nan,
                  row);
  }
  return row;
}

// Rows with equal bytes are interchangeable: only an order that all of them require is checked.
bool RowPermutation::OrderHolds(int64_t line, const Outputs& outputs, Verdict& verdict) const {
  if (before_.empty()) return true;
  const int64_t n = lines_.length;
  std::map<std::string, std::vector<int64_t>> alike;
  auto at = [&](int64_t place) { return lines_.starts[line] + place * lines_.stride; };
  for (int64_t i = 0; i < n; ++i) alike[Row(at(i), outputs, rows_)].push_back(i);
  std::vector<const std::vector<int64_t>*> found(n);
  for (int64_t i = 0; i < n; ++i) found[i] = &alike[Row(at(i), outputs, {})];
  auto must = [&](const std::vector<int64_t>& first, const std::vector<int64_t>& second) {
    for (int64_t i : first) {
      for (int64_t j : second) {
        if (before_[line][i * n + j] == 0) return false;
      }
    }
    return !first.empty() && !second.empty();
  };
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = i + 1; j < n; ++j) {
      if (found[i] == found[j] || !must(*found[j], *found[i])) continue;
      verdict.ok = false;
      verdict.index = at(i);
      verdict.expected = absl::StrCat("row ", i, " of the line precedes row ", j,
                                      ", which the comparator orders first");
      return false;
    }
  }
  return true;
}

bool RowPermutation::LineHolds(int64_t line, const Outputs& outputs, Verdict& verdict) const {
  const std::vector<int>& cluster = clusters_[line];
  for (int64_t begin = 0; begin < lines_.length;) {
    int64_t end = begin;
    std::map<std::string, int> balance;
    for (; end < lines_.length && cluster[end] == cluster[begin]; ++end) {
      ++balance[Row(lines_.starts[line] + end * lines_.stride, outputs, sorted_)];
    }
    for (int64_t k = begin; k < end; ++k) {
      int64_t at = lines_.starts[line] + k * lines_.stride;
      if (--balance[Row(at, outputs, {})] >= 0) continue;
      verdict.ok = false;
      verdict.index = at;
      verdict.expected = absl::StrCat("rows ", begin, " to ", end - 1,
                                      " of the line are not a permutation of the sorted rows");
      return false;
    }
    begin = end;
  }
  return true;
}

}  // namespace hlocts::reference
