// SPDX-License-Identifier: Apache-2.0
#include "spec/pjrt/buffer_types.h"

#include <cstring>

#include "spec/ir/index_util.h"

namespace hlocts::pjrt {
namespace {

struct TypeRow {
  PrimitiveType type;
  PJRT_Buffer_Type buffer_type;
};

#define ROW(Name, NAME) \
  { PrimitiveType::k##Name, PJRT_Buffer_Type_##NAME }
constexpr TypeRow kTypes[] = {
    ROW(Pred, PRED),
    ROW(S2, S2),
    ROW(S4, S4),
    ROW(S8, S8),
    ROW(S16, S16),
    ROW(S32, S32),
    ROW(S64, S64),
    ROW(U2, U2),
    ROW(U4, U4),
    ROW(U8, U8),
    ROW(U16, U16),
    ROW(U32, U32),
    ROW(U64, U64),
    ROW(F4E2M1FN, F4E2M1FN),
    ROW(F8E3M4, F8E3M4),
    ROW(F8E4M3, F8E4M3),
    ROW(F8E4M3B11FNUZ, F8E4M3B11FNUZ),
    ROW(F8E4M3FN, F8E4M3FN),
    ROW(F8E4M3FNUZ, F8E4M3FNUZ),
    ROW(F8E5M2, F8E5M2),
    ROW(F8E5M2FNUZ, F8E5M2FNUZ),
    ROW(F8E8M0FNU, F8E8M0FNU),
    ROW(F16, F16),
    ROW(BF16, BF16),
    ROW(F32, F32),
    ROW(F64, F64),
    ROW(C64, C64),
    ROW(C128, C128),
    ROW(Token, TOKEN),
    {PrimitiveType::kS1, HLOCTS_PJRT_BUFFER_TYPE_S1},
    {PrimitiveType::kU1, HLOCTS_PJRT_BUFFER_TYPE_U1},
};
#undef ROW

// Copies the elements of the index space `sizes` from one row-major array to another.
void CopyElements(const Literal& from, Literal& to, absl::Span<const int64_t> sizes) {
  const auto width = static_cast<size_t>(StorageBytes(from.element_type()));
  const std::vector<int64_t> from_strides = RowMajorStrides(from.shape().dimensions());
  const std::vector<int64_t> to_strides = RowMajorStrides(to.shape().dimensions());
  uint8_t* data = to.mutable_raw_data();
  ForEachIndex(sizes, [&](absl::Span<const int64_t> index) {
    std::memcpy(data + static_cast<size_t>(LinearIndex(index, to_strides)) * width,
                from.raw_data() + static_cast<size_t>(LinearIndex(index, from_strides)) * width,
                width);
  });
}

}  // namespace

PJRT_Buffer_Type BufferTypeOf(PrimitiveType type) {
  for (const TypeRow& row : kTypes) {
    if (row.type == type) return row.buffer_type;
  }
  return PJRT_Buffer_Type_INVALID;
}

PrimitiveType ElementTypeOf(PJRT_Buffer_Type type) {
  for (const TypeRow& row : kTypes) {
    if (row.buffer_type == type) return row.type;
  }
  return PrimitiveType::kInvalid;
}

bool IsPjrtType(PJRT_Buffer_Type type) {
  return type != PJRT_Buffer_Type_INVALID && type < HLOCTS_PJRT_BUFFER_TYPE_S1;
}

void ExtendSubBytes(Literal& literal) {
  if (!IsSubByte(literal.element_type())) return;
  const int shift = 8 - BitWidth(literal.element_type());
  const bool is_signed = IsSigned(literal.element_type());
  for (uint8_t& byte : literal.mutable_data<uint8_t>()) {
    const auto high = static_cast<uint8_t>(byte << shift);
    byte = static_cast<uint8_t>(is_signed ? static_cast<int8_t>(high) >> shift : high >> shift);
  }
}

Literal WithinSizes(const Literal& literal) {
  if (!literal.has_runtime_sizes()) return literal;
  const std::vector<int64_t> sizes = literal.runtime_sizes();
  Literal exact(Shape(literal.element_type(), sizes));
  CopyElements(literal, exact, sizes);
  return exact;
}

Literal PaddedTo(const Shape& bounded, const Literal& exact) {
  const std::vector<int64_t> sizes = exact.runtime_sizes();
  Literal padded(bounded.WithStaticDimensions().WithoutLayout());
  CopyElements(exact, padded, sizes);
  for (int64_t d = 0; d < bounded.rank(); ++d) {
    if (bounded.is_dynamic_dimension(d)) padded.SetRuntimeSize(d, sizes[static_cast<size_t>(d)]);
  }
  return padded;
}

}  // namespace hlocts::pjrt
