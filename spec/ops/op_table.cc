// SPDX-License-Identifier: Apache-2.0
#include "spec/ops/op_table.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "spec/base/count_text.h"
#include "spec/base/status.h"
#include "spec/ir/instruction.h"
#include "spec/ops/kinds.h"
#include "spec/ops/op_facts.h"

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

constexpr int kWeight = 10;  // the usual weight of an opcode

// A row as written in op_rows.inc.
struct Columns {
  Opcode opcode;
  Family family;
  Arity arity;
  TypeSet types;
  AccuracyRule accuracy = AccuracyRule::kExact;
  Freedom freedom = Freedom::kNone;
  int weight = kWeight;
  absl::string_view documented_as = "";
  absl::string_view clauses = "";
  absl::string_view type_clause = "";
  absl::string_view result_clause = "";
  uint32_t traits = 0;
  std::array<AttributeUse, kAttributesMax> attributes = {};
};

// Returns the columns of a real function from its row in scalar_functions.def. Random modules have
// no undocumented functions, because many engines lack these.
constexpr Columns FunctionRow(Opcode opcode, absl::string_view documented) {
  return {.opcode = opcode,
          .family = Family::kElementwiseUnary,
          .arity = Exactly(1),
          .types = kFloating | (ops::IsComplexFunction(opcode) ? kComplexTypes : TypeSet{0}),
          .accuracy = AccuracyRule::kFunction,
          .weight = documented.empty() ? 0 : kWeight,
          .documented_as = documented,
          .clauses = "elementwise_unary"};
}

constexpr Columns kRows[] = {
#include "spec/ops/op_rows.inc"
};
static_assert(std::size(kRows) == kOpcodeCount, "one row per opcode of opcodes.def");

// The enumerator with value 0 (sharding) marks the unused rest of a row's array. No row lists it,
// because it is an attribute of all opcodes.
static_assert(AttributeUse().attr == Attr::kSharding);
constexpr int CountOf(const std::array<AttributeUse, kAttributesMax>& attributes) {
  int count = 0;
  while (count < kAttributesMax && attributes[count].attr != AttributeUse().attr) ++count;
  return count;
}

constexpr OpRow RowOf(const Columns& c) {
  OpRow row = {
      c.opcode, c.family,        c.arity.min, c.arity.max,           c.types, c.accuracy, c.freedom,
      c.weight, c.documented_as, c.clauses,   CountOf(c.attributes), {}};
  for (int i = 0; i < kAttributesMax; ++i) row.attributes[i] = c.attributes[i];
  return row;
}

constexpr std::array<OpRow, kOpcodeCount> IndexRows() {
  std::array<OpRow, kOpcodeCount> rows{};
  for (const Columns& columns : kRows) rows[static_cast<size_t>(columns.opcode)] = RowOf(columns);
  return rows;
}
constexpr std::array<OpRow, kOpcodeCount> kRowOfOpcode = IndexRows();

constexpr std::array<OpFacts, kOpcodeCount> IndexFacts() {
  std::array<OpFacts, kOpcodeCount> facts{};
  for (const Columns& c : kRows)
    facts[static_cast<size_t>(c.opcode)] = {c.traits, c.type_clause, c.result_clause};
  return facts;
}
constexpr std::array<OpFacts, kOpcodeCount> kFactsOfOpcode = IndexFacts();

// A position without a row has opcode 0, which is correct only at position 0.
constexpr bool EveryOpcodeHasItsRow() {
  for (size_t i = 0; i < kRowOfOpcode.size(); ++i) {
    if (static_cast<size_t>(kRowOfOpcode[i].opcode) != i) return false;
  }
  return true;
}
static_assert(EveryOpcodeHasItsRow(), "duplicate opcode row (so another opcode has none)");

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

absl::string_view FreedomName(Freedom freedom) {
  constexpr absl::string_view kNames[] = {
      "",
#define HLOCTS_FREEDOM(symbol, name, ruling, facts) name,
#include "spec/ops/freedoms.def"
#undef HLOCTS_FREEDOM
  };
  return kNames[static_cast<size_t>(freedom)];
}

std::string ArityText(const OpRow& row) {
  const std::string operands = CountText(std::max(row.arity_min, row.arity_max), "operand");
  if (row.arity_max == kVariadic) return absl::StrCat("at least ", operands);
  if (row.arity_min == row.arity_max) return operands;
  return absl::StrCat(row.arity_min, " to ", operands);
}

const OpRow& RowOf(Opcode opcode) { return kRowOfOpcode[static_cast<size_t>(opcode)]; }
const OpFacts& FactsOf(Opcode opcode) { return kFactsOfOpcode[static_cast<size_t>(opcode)]; }

absl::string_view TypeClauseOf(Opcode opcode) {
  const absl::string_view clause = FactsOf(opcode).type_clause;
  return clause.empty() ? "hlo.element_type" : clause;
}

absl::string_view ResultClauseOf(Opcode opcode) {
  const absl::string_view clause = FactsOf(opcode).result_clause;
  if (!clause.empty()) return clause;
  const Family family = RowOf(opcode).family;
  if (family == Family::kElementwiseUnary) return "elementwise_unary.42";
  return family == Family::kElementwiseBinary ? "elementwise_binary.23" : "hlo.result_shape";
}

bool IsIndexOperand(const Instruction& instruction, int64_t operand) {
  const Opcode opcode = instruction.opcode();
  if (opcode == Opcode::kScatter)  // N operands, indices, N updates
    return operand == (instruction.operand_count() - 1) / 2;
  if (opcode == Opcode::kGather) return operand == 1;
  if (opcode == Opcode::kDynamicSlice) return operand >= 1;
  return opcode == Opcode::kDynamicUpdateSlice && operand >= 2;
}

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
