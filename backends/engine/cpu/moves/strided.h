// SPDX-License-Identifier: Apache-2.0
// Copies between strided arrays, and converts arrays to and from the type of a computation.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "backends/engine/cpu/elementwise/kernel.h"
#include "backends/engine/plan/graph.h"

namespace hlocts::cpu {

struct CopyDimension {
  int64_t size = 1, from = 0, to = 0;  // strides, in elements
};

// Sets to[sum i_d * to_d] = from[sum i_d * from_d] for each index i. Dimension 0 is outermost.
class StridedCopy {
 public:
  void Add(int64_t size, int64_t from, int64_t to) { dimensions_.push_back({size, from, to}); }
  void Simplify();
  bool empty() const;
  // Returns true if the elements are contiguous in both arrays. Simplify must have been called.
  bool IsOneRun() const;
  void Run(int width, const uint8_t* from, uint8_t* to) const;

 private:
  absl::InlinedVector<CopyDimension, 6> dimensions_;
};

using Strides = absl::InlinedVector<int64_t, 6>;
Strides RowMajor(absl::Span<const int64_t> dimensions);
using plan::Joined;
using plan::Product;

// The elements of an array as type `to`: a converted copy, or the array itself if it has that type.
class Converted {
 public:
  Converted(PrimitiveType from, PrimitiveType to, const uint8_t* array, int64_t count);
  template <typename T>
  const T* data() const {
    return reinterpret_cast<const T*>(data_);
  }

 private:
  std::vector<uint8_t> storage_;
  const uint8_t* data_;
};
// Converts `count` elements of type `from` to type `to`, with rounding.
void ConvertInto(PrimitiveType from, PrimitiveType to, const void* array, int64_t count,
                 uint8_t* out);

// Calls run(memory for `count` elements of type `computed`), then converts these elements to type
// `to`. If the types are equal, the memory is `out`.
template <typename Run>
absl::Status IntoConverted(PrimitiveType computed, PrimitiveType to, int64_t count, uint8_t* out,
                           Run run) {
  if (computed == to) return run(out);
  std::vector<uint8_t> wide(static_cast<size_t>(count * StorageBytes(computed)));
  HLOCTS_RETURN_IF_ERROR(run(wide.data()));
  ConvertInto(computed, to, wide.data(), count, out);
  return absl::OkStatus();
}
inline PrimitiveType InDouble(PrimitiveType type) {
  return IsComplex(type) ? PrimitiveType::kC128 : PrimitiveType::kF64;
}

// Returns the type in which products are added: f32 or f64, c64 or c128, u32 or u64, or pred.
PrimitiveType ContractionType(PrimitiveType a, PrimitiveType b, PrimitiveType result);

}  // namespace hlocts::cpu
