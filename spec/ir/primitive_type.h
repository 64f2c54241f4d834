// SPDX-License-Identifier: Apache-2.0
// The element types of HLO: names, field numbers, widths and classes, one row each in
// primitive_types.def.
#ifndef HLOCTS_SPEC_IR_PRIMITIVE_TYPE_H_
#define HLOCTS_SPEC_IR_PRIMITIVE_TYPE_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace hlocts {

// The value of an enumerator is the field number of HloModuleProto's PrimitiveType.
enum class PrimitiveType : uint8_t {
  kInvalid = 0,
#define HLOCTS_PRIMITIVE_TYPE(Name, text, number, bits, type_class) k##Name = number,
#include "spec/ir/primitive_types.def"
#undef HLOCTS_PRIMITIVE_TYPE
};

enum class TypeClass : uint8_t { kPred, kSigned, kUnsigned, kFloat, kComplex, kOther };

// "f32"; "invalid" for kInvalid and numbers without a row.
absl::string_view PrimitiveTypeName(PrimitiveType type);
// Case-sensitive; nullopt when no row has that text.
std::optional<PrimitiveType> PrimitiveTypeFromName(absl::string_view name);
std::optional<PrimitiveType> PrimitiveTypeFromNumber(int number);

TypeClass TypeClassOf(PrimitiveType type);
// Width of one element in bits (pred 8); 0 for tuple, opaque and token.
int BitWidth(PrimitiveType type);
// Bytes of one element as Literal stores it: sub-byte types take a byte each; 0 for non-arrays.
int StorageBytes(PrimitiveType type);

inline bool IsSigned(PrimitiveType t) { return TypeClassOf(t) == TypeClass::kSigned; }
inline bool IsUnsigned(PrimitiveType t) { return TypeClassOf(t) == TypeClass::kUnsigned; }
inline bool IsInteger(PrimitiveType t) { return IsSigned(t) || IsUnsigned(t); }
inline bool IsFloat(PrimitiveType t) { return TypeClassOf(t) == TypeClass::kFloat; }
inline bool IsComplex(PrimitiveType t) { return TypeClassOf(t) == TypeClass::kComplex; }
// Pred, integer, float or complex.
inline bool IsArrayType(PrimitiveType t) {
  return t != PrimitiveType::kInvalid && TypeClassOf(t) != TypeClass::kOther;
}
inline bool IsSubByte(PrimitiveType t) { return BitWidth(t) > 0 && BitWidth(t) < 8; }
// c64 -> f32, c128 -> f64, anything else itself.
PrimitiveType ComponentType(PrimitiveType type);
// f32 -> c64, f64 -> c128, anything else kInvalid.
PrimitiveType ComplexTypeOf(PrimitiveType component);

// Every element type but kInvalid, in the order of the table.
absl::Span<const PrimitiveType> AllPrimitiveTypes();

}  // namespace hlocts

#endif  // HLOCTS_SPEC_IR_PRIMITIVE_TYPE_H_
