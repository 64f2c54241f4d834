// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/moves/strided.h"

#include <algorithm>
#include <cstring>

#include "spec/ir/element_width.h"

namespace hlocts::cpu {
namespace {

template <typename T>
void CopyInner(const CopyDimension& inner, const uint8_t* from, uint8_t* to) {
  const T* x = reinterpret_cast<const T*>(from);
  T* r = reinterpret_cast<T*>(to);
  if (inner.from == 1 && inner.to == 1) {
    std::memcpy(r, x, static_cast<size_t>(inner.size) * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < inner.size; ++i) r[i * inner.to] = x[i * inner.from];
}

template <typename T>
void CopyAll(absl::Span<const CopyDimension> dimensions, const uint8_t* from, uint8_t* to) {
  constexpr int64_t kWidth = sizeof(T);
  if (dimensions.size() <= 1) {
    return CopyInner<T>(dimensions.empty() ? CopyDimension{1, 1, 1} : dimensions[0], from, to);
  }
  const size_t outer = dimensions.size() - 1;
  absl::InlinedVector<int64_t, 8> index(outer, 0);
  while (true) {
    CopyInner<T>(dimensions[outer], from, to);
    size_t d = outer;
    while (d-- > 0) {
      from += dimensions[d].from * kWidth;
      to += dimensions[d].to * kWidth;
      if (++index[d] < dimensions[d].size) break;
      from -= index[d] * dimensions[d].from * kWidth;
      to -= index[d] * dimensions[d].to * kWidth;
      index[d] = 0;
      if (d == 0) return;
    }
  }
}

}  // namespace

void StridedCopy::Simplify() {
  absl::InlinedVector<CopyDimension, 6> merged;
  for (const CopyDimension& d : dimensions_) {
    if (d.size == 1) continue;
    if (!merged.empty() && merged.back().from == d.from * d.size &&
        merged.back().to == d.to * d.size) {
      merged.back() = {merged.back().size * d.size, d.from, d.to};
    } else {
      merged.push_back(d);
    }
  }
  dimensions_ = std::move(merged);
}

bool StridedCopy::IsOneRun() const {
  return dimensions_.empty() ||
         (dimensions_.size() == 1 && dimensions_[0].from == 1 && dimensions_[0].to == 1);
}

bool StridedCopy::empty() const {
  return std::any_of(dimensions_.begin(), dimensions_.end(),
                     [](const CopyDimension& d) { return d.size == 0; });
}

void StridedCopy::Run(int width, const uint8_t* from, uint8_t* to) const {
  if (empty()) return;
  VisitWidth(width, [&](auto zero) { CopyAll<decltype(zero)>(dimensions_, from, to); });
}

Strides RowMajor(absl::Span<const int64_t> dimensions) {
  Strides strides(dimensions.size());
  int64_t stride = 1;
  for (size_t d = dimensions.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= dimensions[d];
  }
  return strides;
}

void ConvertInto(PrimitiveType from, PrimitiveType to, const void* array, int64_t count,
                 uint8_t* out) {
  if (from == to) {
    if (count > 0) std::memcpy(out, array, static_cast<size_t>(count) * StorageBytes(to));
    return;
  }
  ConvertKernel(from, to)(array, nullptr, nullptr, out, count);
}

Converted::Converted(PrimitiveType from, PrimitiveType to, const uint8_t* array, int64_t count)
    : data_(array) {
  if (from == to) return;
  storage_.resize(static_cast<size_t>(count) * StorageBytes(to));
  ConvertInto(from, to, array, count, storage_.data());
  data_ = storage_.data();
}

PrimitiveType ContractionType(PrimitiveType a, PrimitiveType b, PrimitiveType result) {
  bool is_complex = false, is_float = false, is_pred = true, is_wide = false;
  for (PrimitiveType type : {a, b, result}) {
    is_complex = is_complex || IsComplex(type);
    is_float = is_float || IsFloat(type);
    is_pred = is_pred && type == PrimitiveType::kPred;
    is_wide = is_wide || BitWidth(ComponentType(type)) == 64;
  }
  if (is_complex) return is_wide ? PrimitiveType::kC128 : PrimitiveType::kC64;
  if (is_float) return is_wide ? PrimitiveType::kF64 : PrimitiveType::kF32;
  if (is_pred) return PrimitiveType::kPred;
  return is_wide ? PrimitiveType::kU64 : PrimitiveType::kU32;
}

}  // namespace hlocts::cpu
