// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/compile/held_rows.h"

#include <algorithm>
#include <map>

#include "backends/engine/cuda/compile/packs.h"

namespace hlocts::cuda {
namespace {

constexpr int64_t kHeldBytes = 256;  // limit for each thread: a quarter of its registers

bool IsLoadInOrder(const hl::Instr& n) { return n.op == hl::kOpLoad && n.b < 0; }

// Returns the element width of arrays that parts load in order or compute. Omits ambiguous widths.
std::map<int, int> WidthsOf(absl::Span<const RowReads> reads, absl::Span<const RowText> texts) {
  std::map<int, int> widths;
  const auto see = [&](int array, int type) {
    const auto [it, fresh] = widths.emplace(array, hl::BytesOf(type));
    if (!fresh && it->second != hl::BytesOf(type)) it->second = 0;
  };
  for (size_t p = 0; p < texts.size(); ++p) {
    if (!reads[p].wide) continue;
    if (!texts[p].is_reduce) see(static_cast<int>(p), texts[p].type);
    for (const hl::Instr& n : texts[p].terms) {
      if (IsLoadInOrder(n)) see(reads[p].arrays[n.a], n.to);
    }
  }
  std::erase_if(widths, [](const auto& array) { return array.second == 0; });
  return widths;
}

// Returns true if the part reads the array from registers only.
bool HoldsAll(const RowReads& reads, const RowText& text, int array) {
  const Packs packs(text.terms, text.many);
  const auto is_of = [&](const hl::Instr& n) {
    return n.op == hl::kOpLoad && reads.arrays[n.a] == array;
  };
  return reads.wide && std::none_of(text.finish.begin(), text.finish.end(), is_of) &&
         std::all_of(text.terms.begin(), text.terms.end(),
                     [&](const hl::Instr& n) { return !is_of(n) || packs.Has(n); });
}

// Returns true if a part reads the result of part `made` from memory.
bool IsReadBack(absl::Span<const RowReads> reads, absl::Span<const RowText> texts, size_t made,
                bool held) {
  const int array = static_cast<int>(made);
  for (size_t p = made + 1; p < texts.size(); ++p) {
    const auto& arrays = reads[p].arrays;
    const bool reads_it = std::find(arrays.begin(), arrays.end(), array) != arrays.end();
    if (reads_it && (!held || !HoldsAll(reads[p], texts[p], array))) return true;
  }
  return false;
}

}  // namespace

bool HoldRows(int64_t columns, absl::Span<const RowReads> reads, std::vector<RowText>& texts) {
  int many = hl::kRowMany;
  for (size_t p = 0; p < texts.size(); ++p) {
    if (reads[p].wide) many = std::min(many, texts[p].many);
  }
  const std::map<int, int> widths = WidthsOf(reads, texts);
  const int64_t block = int64_t{hl::kBlockThreads} * many, held = (columns + block - 1) / block;
  int64_t bytes = 0;
  for (const auto& [array, width] : widths) bytes += width * many * held;
  if (bytes > kHeldBytes) return false;
  const auto place = [&](int array) {
    const auto it = widths.find(array);
    return it == widths.end() ? -1 : static_cast<int>(std::distance(widths.begin(), it));
  };
  for (size_t p = 0; p < texts.size(); ++p) {
    RowText& text = texts[p];
    text.wide = reads[p].wide;
    if (!text.wide) continue;
    text.many = many;
    for (int array : reads[p].arrays) {
      text.holds.push_back(HoldsAll(reads[p], text, array) ? place(array) : -1);
    }
    if (!text.is_reduce) text.makes = place(static_cast<int>(p));
  }
  for (size_t p = 0; p < texts.size(); ++p) {
    if (!texts[p].wide || texts[p].is_reduce) continue;
    texts[p].read_back = IsReadBack(reads, texts, p, texts[p].makes >= 0);
    texts[p].stores = reads[p].needed || texts[p].read_back;
  }
  return true;
}

}  // namespace hlocts::cuda
