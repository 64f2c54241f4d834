// SPDX-License-Identifier: Apache-2.0
// A stable merge sort of positions that terminates and permutes for any comparator: HLO's
// comparators are programs, and need not be a strict weak order (ruling 0024).
#ifndef HLOCTS_REFERENCE_KERNELS_SORT_H_
#define HLOCTS_REFERENCE_KERNELS_SORT_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "spec/ir/float_format.h"
#include "spec/ir/literal.h"

namespace hlocts::reference {

// Sorts the elements of `order` so that less(b, a) is false for neighbours a, b; the earlier of two
// elements equal by less stays first. `scratch` has the size of `order`.
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

// Positions 0 to n - 1 in an order in which precedes(b, a) holds for no a before b, the smallest of
// those that may come first at every place; false where there is none.
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

// Orders positions 0 to n - 1 so that precedes(b, a) holds for no a before b, if there is such an
// order (sort.8, ruling 0024) and all pairs are compared. In longer lines, positions that are not
// `odd` are merged as by a weak order; the odd ones (rows with a NaN) are compared with all. The
// smaller of two positions of which neither precedes the other stays first unless that contradicts
// the order.
template <typename Precedes>
void OrderWithOddRows(absl::Span<uint32_t> order, absl::Span<uint32_t> scratch,
                      absl::Span<const uint8_t> odd, Precedes&& precedes) {
  constexpr size_t kAllPairsMax = 2048;
  const size_t n = order.size();
  // A tournament whose scores are all different is an order.
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
  // Each odd row before the first that it precedes.
  size_t out = 0, next = 0;
  for (uint32_t row : rest) {
    size_t place = next;
    while (place < plain.size() && !precedes(row, plain[place])) ++place;
    for (; next < place; ++next) order[out++] = plain[next];
    order[out++] = row;
  }
  for (; next < plain.size(); ++next) order[out++] = plain[next];
}

// Unsigned keys whose order is the order of the elements; type is not complex.
//   total order: IEEE 754 totalOrder on bits; integers and pred by value (ruling 0059).
//   otherwise    the order of IEEE comparison: both zeros have one key; NaN has none.
class SortKeyReader {
 public:
  // `elements` must outlive the reader.
  SortKeyReader(const Literal& elements, bool total_order);
  // The key of element i, below 2^bits().
  uint64_t operator[](int64_t i) const;
  bool HasKey(int64_t i) const;
  int bits() const { return 8 * bytes_; }

 private:
  uint64_t Raw(int64_t i) const;
  const uint8_t* data_;
  int bytes_;
  const FloatFormat* format_;  // nullptr: an integer or pred
  bool total_order_;
  uint64_t sign_;  // turns signed integers into unsigned ones of the same order
};

// All of them; NaN without a key has some.
std::vector<uint64_t> SortKeysOf(const Literal& elements, bool total_order);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_KERNELS_SORT_H_
