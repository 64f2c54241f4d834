// SPDX-License-Identifier: Apache-2.0
#include "spec/ops/op_table.h"

#include <array>

#include "spec/base/status.h"

namespace hlocts {
namespace {

struct Arity {
  int min;
  int max;
};
constexpr Arity Exactly(int count) { return {count, count}; }
constexpr Arity AtLeast(int count) { return {count, kVariadic}; }
constexpr AttributeUse Needs(Attr attr) { return {attr, true}; }
constexpr AttributeUse May(Attr attr) { return {attr, false}; }

constexpr TypeSet TypesOfClass(TypeClass wanted) {
  TypeSet set = 0;
#define HLOCTS_PRIMITIVE_TYPE(Name, text, number, bits, type_class) \
  if (TypeClass::type_class == wanted) set |= TypeBit(PrimitiveType::k##Name);
#include "spec/ir/primitive_types.def"
#undef HLOCTS_PRIMITIVE_TYPE
  return set;
}
constexpr TypeSet kPredicate = TypesOfClass(TypeClass::kPred);
constexpr TypeSet kSignedTypes = TypesOfClass(TypeClass::kSigned);
constexpr TypeSet kUnsignedTypes = TypesOfClass(TypeClass::kUnsigned);
constexpr TypeSet kIntegers = kSignedTypes | kUnsignedTypes;
constexpr TypeSet kFloating = TypesOfClass(TypeClass::kFloat);
constexpr TypeSet kComplexTypes = TypesOfClass(TypeClass::kComplex);
constexpr TypeSet kArray = kPredicate | kIntegers | kFloating | kComplexTypes;
constexpr TypeSet kTokenType = TypeBit(PrimitiveType::kToken);
constexpr TypeSet kAnyType = kArray | TypesOfClass(TypeClass::kOther);

template <typename... Uses>
constexpr OpRow Row(Opcode opcode, Family family, Arity arity, TypeSet types, AccuracyRule accuracy,
                    Freedom freedom, int weight, absl::string_view documented_as,
                    absl::string_view clauses, Uses... uses) {
  static_assert(sizeof...(uses) <= kAttributesMax);
  return {opcode,  family, arity.min,     arity.max, types,           accuracy,
          freedom, weight, documented_as, clauses,   sizeof...(uses), {uses...}};
}

constexpr OpRow kRows[] = {
#include "spec/ops/op_rows.inc"
};
constexpr size_t kRowCount = sizeof(kRows) / sizeof(kRows[0]);
static_assert(kRowCount == kOpcodeCount, "one row per opcode of opcodes.def");

constexpr std::array<const OpRow*, kOpcodeCount> IndexRows() {
  std::array<const OpRow*, kOpcodeCount> rows{};
  for (const OpRow& row : kRows) rows[static_cast<size_t>(row.opcode)] = &row;
  return rows;
}
constexpr std::array<const OpRow*, kOpcodeCount> kRowOfOpcode = IndexRows();

constexpr bool EveryOpcodeHasItsRow() {
  for (const OpRow* row : kRowOfOpcode) {
    if (row == nullptr) return false;
  }
  return true;
}
static_assert(EveryOpcodeHasItsRow(), "two rows for one opcode leave another without");

constexpr AttrRow kAttrRows[] = {
#define HLOCTS_ATTRIBUTE(Name, text, Kind) {Attr::k##Name, text, AttributeKind::Kind},
#include "spec/ir/attributes.def"
#undef HLOCTS_ATTRIBUTE
};

constexpr Attr kCommon[] = {
    Attr::kSharding,
    Attr::kControlPredecessors,
    Attr::kMetadata,
    Attr::kFrontendAttributes,
    Attr::kBackendConfig,
    Attr::kStatistics,
    Attr::kOrigin,
    Attr::kOriginalValue,
    Attr::kOutputToOperandAliasing,
    Attr::kParameterReplication,
    Attr::kResultAccuracy,
};

struct WordRow {
  Attr attr;
  absl::string_view words[24];
};
constexpr WordRow kWordRows[] = {
    {Attr::kDirection, {"EQ", "NE", "GE", "GT", "LE", "LT"}},
    {Attr::kType, {"FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"}},
    {Attr::kFftType, {"FFT", "IFFT", "RFFT", "IRFFT"}},
    {Attr::kTransposeA, {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}},
    {Attr::kDistribution, {"rng_uniform", "rng_normal"}},
    {Attr::kKind, {"kLoop", "kInput", "kOutput", "kCustom"}},
    {Attr::kApiVersion,
     {"API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
      "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"}},
    {Attr::kSchedule, {"SCHEDULE_NONE", "SCHEDULE_LATEST", "SCHEDULE_EARLIEST"}},
    {Attr::kAlgorithm,
     {"rng_default", "rng_three_fry", "rng_philox", "dot_unset", "dot_any_f8_any_f8_f32",
      "dot_any_f8_any_f8_f32_fast_accum", "dot_any_f8_any_f8_any",
      "dot_any_f8_any_f8_any_fast_accum", "dot_f16_f16_f16", "dot_f16_f16_f32",
      "dot_bf16_bf16_bf16", "dot_bf16_bf16_f32", "dot_bf16_bf16_f32_x3", "dot_bf16_bf16_f32_x6",
      "dot_bf16_bf16_f32_x9", "dot_tf32_tf32_f32", "dot_tf32_tf32_f32_x3", "dot_f32_f32_f32",
      "dot_f64_f64_f64"}},
};

constexpr AliasRow kAliases[] = {
#define HLOCTS_ALIAS(operation, lowers_to, edition, clauses) \
  {operation, lowers_to, edition, clauses},
#include "spec/ops/aliases.def"
#undef HLOCTS_ALIAS
};

}  // namespace

bool OpRow::Takes(Attr attr) const {
  for (const AttributeUse& use : attribute_uses()) {
    if (use.attr == attr) return true;
  }
  return false;
}

const OpRow& RowOf(Opcode opcode) { return *kRowOfOpcode[static_cast<size_t>(opcode)]; }
const AttrRow& RowOf(Attr attr) { return kAttrRows[static_cast<size_t>(attr)]; }
absl::Span<const Attr> CommonAttributes() { return kCommon; }
absl::Span<const AliasRow> AllAliases() { return kAliases; }

std::optional<Attr> AttributeFromText(Opcode opcode, absl::string_view text) {
  for (const AttributeUse& use : RowOf(opcode).attribute_uses()) {
    if (RowOf(use.attr).text == text) return use.attr;
  }
  for (Attr attr : kCommon) {
    if (RowOf(attr).text == text) return attr;
  }
  return std::nullopt;
}

absl::Span<const absl::string_view> AllowedWords(Attr attr) {
  for (const WordRow& row : kWordRows) {
    if (row.attr != attr) continue;
    size_t count = 0;
    while (count < 24 && !row.words[count].empty()) ++count;
    return {row.words, count};
  }
  return {};
}

}  // namespace hlocts
