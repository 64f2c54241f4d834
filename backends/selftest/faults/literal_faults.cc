// SPDX-License-Identifier: Apache-2.0
// Faults of reading and transferring values: constants, arguments and results (as in
// openxla/xla#47149, #17324).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "backends/selftest/elements.h"
#include "backends/selftest/faults/fault.h"
#include "spec/ir/index_util.h"

namespace hlocts::backends {
namespace {

using Edit = void (*)(Literal&);

template <typename Change>
void EditBits(Literal& literal, bool (*type_is)(PrimitiveType), Change&& change) {
  if (!IsArrayType(literal.element_type()) || !type_is(NumberType(literal))) return;
  for (int64_t i = 0; i < NumberCount(literal); ++i) {
    uint64_t bits = ReadBits(literal, i), wrong = change(bits);
    if (wrong != bits) WriteBits(literal, i, wrong);
  }
}
template <typename Change>
void EditNumbers(Literal& literal, bool (*type_is)(PrimitiveType), Change&& change) {
  if (!IsArrayType(literal.element_type()) || !type_is(NumberType(literal))) return;
  for (int64_t i = 0; i < NumberCount(literal); ++i) {
    double value = ReadNumber(literal, i), wrong = change(value);
    if (wrong != value && !std::isnan(value)) WriteNumber(literal, i, wrong);
  }
}

bool IsNibble(PrimitiveType type) { return BitWidth(type) == 4; }
bool IsQuarter(PrimitiveType type) { return BitWidth(type) == 2; }
bool IsF64(PrimitiveType type) { return type == PrimitiveType::kF64; }
bool IsF32(PrimitiveType type) { return type == PrimitiveType::kF32; }
bool IsF16(PrimitiveType type) { return type == PrimitiveType::kF16; }
bool IsBf16(PrimitiveType type) { return type == PrimitiveType::kBF16; }
bool IsF8E4M3FN(PrimitiveType type) { return type == PrimitiveType::kF8E4M3FN; }
bool IsLong(PrimitiveType type) { return IsInteger(type) && BitWidth(type) == 64; }
bool IsU64(PrimitiveType type) { return type == PrimitiveType::kU64; }
bool IsU32(PrimitiveType type) { return type == PrimitiveType::kU32; }
bool IsPred(PrimitiveType type) { return type == PrimitiveType::kPred; }

// Reverses the order in groups of `count` neighbouring elements, which share a byte.
void ReverseGroups(Literal& literal, int64_t count) {
  const Literal right = literal;
  for (int64_t i = 0; i < right.element_count(); ++i) {
    int64_t other = i - i % count + (count - 1 - i % count);
    if (other < right.element_count()) CopyElement(right, other, literal, i);
  }
}
void HighNibbleFirst(Literal& literal) {
  if (IsNibble(literal.element_type())) ReverseGroups(literal, 2);
}
void HighQuarterFirst(Literal& literal) {
  if (IsQuarter(literal.element_type())) ReverseGroups(literal, 4);
}
void OddNibbleLost(Literal& literal) {
  int64_t count = literal.element_count();
  if (IsNibble(literal.element_type()) && count % 2 == 1) ZeroElement(literal, count - 1);
}
void NibbleNotExtended(Literal& literal) {
  if (!IsNibble(literal.element_type()) || !IsSigned(literal.element_type())) return;
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    if (ReadInteger(literal, i) < 0) WriteInteger(literal, i, ReadInteger(literal, i) & 7);
  }
}

bool IsNan(PrimitiveType type, uint64_t bits) { return IsNanBits(FormatOf(type), bits); }
void NanPayloadLost(Literal& literal) {
  if (!IsArrayType(literal.element_type())) return;
  PrimitiveType type = NumberType(literal);
  if (!IsFloat(type)) return;
  const FloatFormat& format = FormatOf(type);
  EditBits(literal, IsFloat, [&](uint64_t bits) {
    return IsNan(type, bits) ? format.nan_bits() | (bits & format.sign_mask()) : bits;
  });
}
void NanSignLost(Literal& literal) {
  if (!IsArrayType(literal.element_type())) return;
  PrimitiveType type = NumberType(literal);
  if (!IsFloat(type) || !FormatOf(type).has_negative_zero()) return;
  EditBits(literal, IsFloat, [&](uint64_t bits) {
    return IsNan(type, bits) ? bits & ~FormatOf(type).sign_mask() : bits;
  });
}
void MinusZeroLost(Literal& literal) {
  if (!IsArrayType(literal.element_type())) return;
  PrimitiveType type = NumberType(literal);
  if (!IsFloat(type) || !FormatOf(type).has_negative_zero()) return;
  EditBits(literal, IsFloat,
           [&](uint64_t bits) { return bits == FormatOf(type).sign_mask() ? 0 : bits; });
}
void SubnormalsFlushed(Literal& literal) {
  if (!IsArrayType(literal.element_type()) || !IsFloat(NumberType(literal))) return;
  double least = FormatOf(NumberType(literal)).min_normal();
  EditNumbers(literal, IsFloat, [&](double x) { return std::fabs(x) < least ? x * 0 : x; });
}
void InfinityIsLargest(Literal& literal) {
  if (!IsArrayType(literal.element_type()) || !IsFloat(NumberType(literal))) return;
  double most = FormatOf(NumberType(literal)).max_finite();
  EditNumbers(literal, IsFloat,
              [&](double x) { return std::isinf(x) ? std::copysign(most, x) : x; });
}
void F64ThroughF32(Literal& literal) {
  EditNumbers(literal, IsF64, [](double x) { return RoundTo(PrimitiveType::kF32, x); });
}
void F32ThroughDecimal(Literal& literal) {
  EditNumbers(literal, IsF32, [](double x) {
    char text[40];
    std::snprintf(text, sizeof(text), "%.6g", x);
    return std::strtod(text, nullptr);
  });
}
void LongThroughDouble(Literal& literal) {
  if (!IsArrayType(literal.element_type()) || !IsLong(literal.element_type())) return;
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    double value = ReadNumber(literal, i);
    if (std::fabs(value) < 9e18) WriteInteger(literal, i, static_cast<int64_t>(value));
  }
}
void U64Saturates(Literal& literal) {
  EditBits(literal, IsU64, [](uint64_t bits) { return std::min<uint64_t>(bits, INT64_MAX); });
}
void U32Saturates(Literal& literal) {
  EditBits(literal, IsU32, [](uint64_t bits) { return std::min<uint64_t>(bits, INT32_MAX); });
}
void Bf16LastBitLost(Literal& literal) {
  EditBits(literal, IsBf16, [](uint64_t bits) { return bits & ~uint64_t{1}; });
}
void F16ReadAsBf16(Literal& literal) {
  EditBits(literal, IsF16, [](uint64_t bits) {
    double value = DecodeFloat(FormatOf(PrimitiveType::kBF16), bits);
    return EncodeFloat(FormatOf(PrimitiveType::kF16), value);
  });
}
void F8ReadAsFnuz(Literal& literal) {
  EditBits(literal, IsF8E4M3FN, [](uint64_t bits) {
    double value = DecodeFloat(FormatOf(PrimitiveType::kF8E4M3FNUZ), bits);
    return EncodeFloat(FormatOf(PrimitiveType::kF8E4M3FN), value);
  });
}
void PredInverted(Literal& literal) {
  EditBits(literal, IsPred, [](uint64_t bits) { return bits ^ 1; });
}
void ImaginaryNegated(Literal& literal) {
  if (!IsComplex(literal.element_type())) return;
  for (int64_t i = 1; i < NumberCount(literal); i += 2) {
    WriteNumber(literal, i, -ReadNumber(literal, i));
  }
}
void PartsSwapped(Literal& literal) {
  if (!IsComplex(literal.element_type())) return;
  for (int64_t i = 0; i + 1 < NumberCount(literal); i += 2) {
    uint64_t real = ReadBits(literal, i);
    WriteBits(literal, i, ReadBits(literal, i + 1));
    WriteBits(literal, i + 1, real);
  }
}
void ColumnMajor(Literal& literal) {
  if (!IsArrayType(literal.element_type()) || literal.shape().rank() != 2) return;
  const Literal right = literal;
  const int64_t rows = literal.shape().dimensions()[0], columns = literal.shape().dimensions()[1];
  for (int64_t i = 0; i < right.element_count(); ++i) {
    CopyElement(right, i, literal, (i * columns) % right.element_count() + i / rows);
  }
}
void RestZeroAfter8(Literal& literal) {
  if (!IsArrayType(literal.element_type())) return;
  for (int64_t i = 8; i < literal.element_count(); ++i) ZeroElement(literal, i);
}
void TakenForSplat(Literal& literal) {
  if (!IsArrayType(literal.element_type()) || literal.element_count() < 3) return;
  if (!SameElement(literal, 0, literal, 1)) return;
  for (int64_t i = 2; i < literal.element_count(); ++i) CopyElement(literal, 0, literal, i);
}
void BoundsForSizes(Literal& literal) {
  if (IsArrayType(literal.element_type())) literal.ClearRuntimeSizes();
}

struct LiteralRow {
  const char* id;
  const char* what;
  Edit edit;
  bool constants, arguments, outputs;
};
constexpr LiteralRow kLiteralRows[] = {
    {"high-nibble-first", "4-bit elements are packed high half first", HighNibbleFirst, true, true,
     true},
    {"high-quarter-first", "2-bit elements are packed from the high end", HighQuarterFirst, true,
     true, false},
    {"odd-nibble-lost", "the last of an odd number of 4-bit elements is lost", OddNibbleLost, true,
     true, false},
    {"nibble-not-extended", "the sign of 4-bit elements is lost", NibbleNotExtended, true, true,
     false},
    {"nan-payload-lost", "NaNs lose their payload", NanPayloadLost, true, true, true},
    {"nan-sign-lost", "NaNs lose their sign", NanSignLost, true, true, false},
    {"minus-zero-lost", "-0 becomes 0", MinusZeroLost, true, true, true},
    {"subnormals-flushed", "subnormals become 0", SubnormalsFlushed, true, true, false},
    {"infinity-is-largest", "infinities become the largest number", InfinityIsLargest, true, false,
     false},
    {"f64-through-f32", "f64 passes through f32", F64ThroughF32, true, true, false},
    {"f32-through-6-digits", "f32 passes through six decimal digits", F32ThroughDecimal, true, true,
     false},
    {"s64-through-f64", "64-bit integers pass through f64", LongThroughDouble, true, true, false},
    {"u64-saturates", "u64 saturates at the signed maximum", U64Saturates, true, true, false},
    {"u32-saturates", "u32 saturates at the signed maximum", U32Saturates, true, false, false},
    {"bf16-last-bit-lost", "bf16 loses its last bit", Bf16LastBitLost, true, true, false},
    {"f16-read-as-bf16", "f16 is decoded as bf16", F16ReadAsBf16, true, false, false},
    {"f8e4m3fn-read-as-fnuz", "f8e4m3fn is decoded as f8e4m3fnuz", F8ReadAsFnuz, true, true, false},
    {"pred-inverted", "true is false", PredInverted, true, false, false},
    {"imaginary-negated", "complex numbers are conjugated", ImaginaryNegated, true, true, false},
    {"parts-swapped", "real and imaginary parts are swapped", PartsSwapped, true, true, false},
    {"column-major", "matrices are read column by column", ColumnMajor, true, false, false},
    {"rest-zero-after-8", "arrays of more than 8 elements are truncated", RestZeroAfter8, true,
     false, false},
    {"taken-for-splat", "an array whose first two elements are equal is read as a splat",
     TakenForSplat, true, false, false},
    {"bounds-for-sizes", "run-time sizes are lost", BoundsForSizes, false, true, true},
};

void SwapFirstOutputs(std::vector<Literal>& leaves) {
  if (leaves.size() >= 2 && leaves[0].shape().CompatibleWith(leaves[1].shape())) {
    std::swap(leaves[0], leaves[1]);
  }
}

}  // namespace

void AddLiteralFaults(std::vector<Fault>& faults) {
  constexpr FaultClass kClass = FaultClass::kLiteral;
  for (const LiteralRow& row : kLiteralRows) {
    if (row.constants) {
      Fault fault{absl::StrCat("constant.", row.id), kClass, row.what, {Opcode::kConstant}};
      fault.after = [edit = row.edit](FaultSite& site) { edit(*site.result); };
      faults.push_back(std::move(fault));
    }
    if (row.arguments) {
      Fault fault{absl::StrCat("argument.", row.id), kClass, row.what};
      fault.argument = row.edit;
      faults.push_back(std::move(fault));
    }
    if (row.outputs) {
      Fault fault{absl::StrCat("output.", row.id), kClass, row.what};
      fault.outputs = [edit = row.edit](std::vector<Literal>& leaves) {
        for (Literal& leaf : leaves) edit(leaf);
      };
      faults.push_back(std::move(fault));
    }
  }
  Fault swapped{"output.first-two-swapped", kClass, "the first two outputs are swapped"};
  swapped.outputs = SwapFirstOutputs;
  faults.push_back(std::move(swapped));
}

}  // namespace hlocts::backends
