// SPDX-License-Identifier: Apache-2.0
// A stable merge sort of positions that terminates and permutes whatever the comparator says: HLO's
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

// Sorts the elements of `order` so that less(b, a) is false for neighbours a, b; of two elements
// equal by less the earlier stays first. `scratch` has the size of `order`.
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
