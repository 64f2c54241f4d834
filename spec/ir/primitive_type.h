// SPDX-License-Identifier: Apache-2.0
// The element types of HLO: names, field numbers, widths and classes (primitive_types.def).
#pragma once

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace hlocts {

// The value of an enumerator is the field number in HloModuleProto's PrimitiveType.
enum class PrimitiveType : uint8_t {
  kInvalid = 0,
#define HLOCTS_PRIMITIVE_TYPE(Name, text, number, bits, type_class) k##Name = number,
#include "spec/ir/primitive_types.def"
#undef HLOCTS_PRIMITIVE_TYPE
};

enum class TypeClass : uint8_t { kPred, kSigned, kUnsigned, kFloat, kComplex, kOther };

// Returns the name in HLO text ("f32"), or "invalid" for kInvalid and numbers without a row.
absl::string_view PrimitiveTypeName(PrimitiveType type);
// Parses a case-sensitive name. Returns nullopt if no row has it.
std::optional<PrimitiveType> PrimitiveTypeFromName(absl::string_view name);
std::optional<PrimitiveType> PrimitiveTypeFromNumber(int number);

TypeClass TypeClassOf(PrimitiveType type);
// Returns the width of one element in bits (pred: 8), or 0 for tuple, opaque and token.
int BitWidth(PrimitiveType type);
// Returns the bytes of one element as Literal stores it: 1 for sub-byte types, 0 for non-arrays.
int StorageBytes(PrimitiveType type);

inline bool IsSigned(PrimitiveType t) { return TypeClassOf(t) == TypeClass::kSigned; }
inline bool IsUnsigned(PrimitiveType t) { return TypeClassOf(t) == TypeClass::kUnsigned; }
inline bool IsInteger(PrimitiveType t) { return IsSigned(t) || IsUnsigned(t); }
inline bool IsFloat(PrimitiveType t) { return TypeClassOf(t) == TypeClass::kFloat; }
inline bool IsComplex(PrimitiveType t) { return TypeClassOf(t) == TypeClass::kComplex; }
// Returns true for pred, integers, floats and complex types.
inline bool IsArrayType(PrimitiveType t) {
  return t != PrimitiveType::kInvalid && TypeClassOf(t) != TypeClass::kOther;
}
inline bool IsSubByte(PrimitiveType t) { return BitWidth(t) > 0 && BitWidth(t) < 8; }
// Returns f32 for c64 and f64 for c128, otherwise the type itself.
PrimitiveType ComponentType(PrimitiveType type);
// Returns c64 for f32 and c128 for f64, otherwise kInvalid.
PrimitiveType ComplexTypeOf(PrimitiveType component);

// Returns every element type but kInvalid, in the order of the table.
absl::Span<const PrimitiveType> AllPrimitiveTypes();

}  // namespace hlocts
