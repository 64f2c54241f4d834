// SPDX-License-Identifier: Apache-2.0
// Sorts positions stably, terminates and returns a permutation for any comparator. HLO's
// comparators are programs and need not define a strict weak order (ruling 0024).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "spec/ir/float_format.h"
#include "spec/ir/literal.h"

namespace hlocts::reference {

// Sorts `order` so that less(b, a) is false for adjacent a, b. Equivalent elements keep their
// order. `scratch` has the size of `order`.
template <typename T, typename Less>
void StableMergeSort(absl::Span<T> order, absl::Span<T> scratch, Less&& less) {
  constexpr size_t kRun = 8;
  const size_t n = order.size();
  for (size_t begin = 0; begin < n; begin += kRun) {
    for (size_t i = begin + 1; i < std::min(begin + kRun, n); ++i) {
      const T x = order[i];
      size_t j = i;
      for (; j > begin && less(x, order[j - 1]); --j) order[j] = order[j - 1];
      order[j] = x;
    }
  }
  T *from = order.data(), *to = scratch.data();
  for (size_t width = kRun; width < n; width *= 2) {
    for (size_t begin = 0; begin < n; begin += 2 * width) {
      const size_t middle = std::min(begin + width, n), end = std::min(middle + width, n);
      size_t left = begin, right = middle;
      for (size_t out = begin; out < end; ++out) {
        const bool take_right = left == middle || (right < end && less(from[right], from[left]));
        to[out] = take_right ? from[right++] : from[left++];
      }
    }
    std::swap(from, to);
  }
  if (from != order.data()) std::copy(from, from + n, order.data());
}

// Orders positions 0 to n - 1 so that no position follows one that it must precede, i.e.
// precedes(b, a) is false if a is before b. The next position is always the smallest possible one.
// Returns false if there is no such order.
template <typename Precedes>
bool OrderTopologically(absl::Span<uint32_t> order, Precedes&& precedes) {
  const uint32_t n = static_cast<uint32_t>(order.size());
  std::vector<uint8_t> before(size_t{n} * n, 0), taken(n, 0);
  std::vector<uint32_t> waiting(n, 0);
  for (uint32_t i = 0; i < n; ++i) {
    for (uint32_t j = 0; j < n; ++j) {
      if (i == j || !precedes(i, j)) continue;
      before[size_t{i} * n + j] = 1;
      ++waiting[j];
    }
  }
  for (uint32_t place = 0; place < n; ++place) {
    uint32_t next = 0;
    while (next < n && (taken[next] != 0 || waiting[next] != 0)) ++next;
    if (next == n) return false;
    taken[next] = 1;
    order[place] = next;
    for (uint32_t j = 0; j < n; ++j) waiting[j] -= before[size_t{next} * n + j];
  }
  return true;
}

// Orders positions 0 to n - 1 so that no position follows one that it must precede, if such an
// order exists (sort.8, ruling 0024) and n is small enough to compare all pairs. If n is larger,
// positions with odd[i] == 0 are sorted by merging, which assumes a weak order. The others (rows
// with a NaN) are compared with all positions and inserted. If neither of two positions precedes
// the other, the smaller one comes first unless that contradicts the order.
template <typename Precedes>
void OrderWithOddRows(absl::Span<uint32_t> order, absl::Span<uint32_t> scratch,
                      absl::Span<const uint8_t> odd, Precedes&& precedes) {
  constexpr size_t kAllPairsMax = 2048;
  const size_t n = order.size();
  // Counts the positions before each one. If all counts differ, they are the order.
  if (n <= kAllPairsMax) {
    std::vector<uint32_t> score(n, 0);
    for (uint32_t i = 0; i < n; ++i) {
      for (uint32_t j = i + 1; j < n; ++j) ++score[precedes(j, i) ? i : j];
    }
    std::vector<uint8_t> taken(n, 0);
    for (uint32_t s : score) taken[s] = 1;
    if (std::find(taken.begin(), taken.end(), 0) == taken.end()) {
      for (uint32_t i = 0; i < n; ++i) order[score[i]] = i;
      return;
    }
    if (OrderTopologically(order, precedes)) return;
  }
  std::vector<uint32_t> plain, rest;
  for (uint32_t i = 0; i < n; ++i) (odd[i] ? rest : plain).push_back(i);
  StableMergeSort<uint32_t>(absl::MakeSpan(plain), scratch, precedes);
  StableMergeSort<uint32_t>(absl::MakeSpan(rest), scratch, precedes);
  // Insert each odd row before the first row that it precedes.
  size_t out = 0, next = 0;
  for (uint32_t row : rest) {
    size_t place = next;
    while (place < plain.size() && !precedes(row, plain[place])) ++place;
    for (; next < place; ++next) order[out++] = plain[next];
    order[out++] = row;
  }
  for (; next < plain.size(); ++next) order[out++] = plain[next];
}

// Reads unsigned keys that have the order of the elements, whose type must not be complex.
//   total order: IEEE 754 totalOrder on bits; integers and preds by value (ruling 0059).
//   otherwise    the order of IEEE comparison: both zeros have one key; NaN has none.
class SortKeyReader {
 public:
  // `elements` must outlive the reader.
  SortKeyReader(const Literal& elements, bool total_order);
  // Returns the key of element i, which is below 2^bits().
  uint64_t operator[](int64_t i) const;
  bool HasKey(int64_t i) const;
  int bits() const { return 8 * bytes_; }

 private:
  uint64_t Raw(int64_t i) const;
  const uint8_t* data_;
  int bytes_;
  const FloatFormat* format_;  // nullptr for integers and pred
  bool total_order_;
  uint64_t sign_;  // maps signed integers to unsigned integers of the same order
};

// Returns the keys of all elements; the key of a NaN that has none is arbitrary.
std::vector<uint64_t> SortKeysOf(const Literal& elements, bool total_order);

}  // namespace hlocts::reference
