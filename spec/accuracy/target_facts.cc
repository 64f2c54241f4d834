// SPDX-License-Identifier: Apache-2.0
#include "spec/accuracy/target_facts.h"

#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/ops/op_table.h"

namespace hlocts {
namespace {

struct FlagFact {
  absl::string_view name;
  bool TargetFacts::*member;
};
constexpr FlagFact kFlagFacts[] = {
#define HLOCTS_FLAG_FACT(name, member, grants, says) {name, &TargetFacts::member},
#define HLOCTS_COUNT_FACT(name, value, member, grants, says)
#include "spec/accuracy/target_facts.def"
#undef HLOCTS_FLAG_FACT
#undef HLOCTS_COUNT_FACT
};

struct CountFact {
  absl::string_view name, value;
  std::optional<int64_t> TargetFacts::*member;

  // Returns the text before the number: "dot.partials=16bit:".
  std::string Prefix() const { return absl::StrCat(name, "=", absl::StripSuffix(value, "N")); }
};
constexpr CountFact kCountFacts[] = {
#define HLOCTS_FLAG_FACT(name, member, grants, says)
#define HLOCTS_COUNT_FACT(name, value, member, grants, says) {name, value, &TargetFacts::member},
#include "spec/accuracy/target_facts.def"
#undef HLOCTS_FLAG_FACT
#undef HLOCTS_COUNT_FACT
};

constexpr absl::string_view kDotF32 = "dot.f32=";
struct PassesName {
  absl::string_view name;
  DotPasses passes;
};
constexpr PassesName kPasses[] = {
    {"tf32", DotPasses::kTf32}, {"bf16x3", DotPasses::kBf16x3}, {"bf16x1", DotPasses::kBf16x1}};

struct FieldName {
  absl::string_view name;
  RowFact::Field field;
};
constexpr FieldName kFields[] = {{"ulps", RowFact::Field::kUlps},
                                 {"absolute", RowFact::Field::kAbsolute},
                                 {"backward", RowFact::Field::kBackward},
                                 {"overflow", RowFact::Field::kOverflow}};

constexpr FactRow kFacts[] = {
#define HLOCTS_FLAG_FACT(name, member, grants, says) {name, "", grants, says},
#define HLOCTS_COUNT_FACT(name, value, member, grants, says) {name, value, grants, says},
#include "spec/accuracy/target_facts.def"
#undef HLOCTS_FLAG_FACT
#undef HLOCTS_COUNT_FACT
    {"dot.f32", "tf32|bf16x3|bf16x1", true,
     "f32 contractions at DEFAULT precision round their operands in this way"},
    {"ulps.OP.TYPE", "N", true,
     "results of OP on TYPE are within N ulps, not within the default bound"},
    {"absolute.OP.TYPE", "X", true, "an error of at most X is also permitted"},
    {"backward.OP.TYPE", "N", true, "complex functions: the argument may be off by N ulps"},
    {"overflow.OP.TYPE", "N", true, "results of at least 2^N may be infinite"},
};

// Sets a fact about one rule. `rest` is what follows "ulps." in "ulps.exponential.f32=116".
absl::Status SetRowFact(absl::string_view fact, RowFact::Field field, absl::string_view rest,
                        TargetFacts& facts) {
  const std::pair<absl::string_view, absl::string_view> sides = absl::StrSplit(rest, '=');
  const size_t dot = sides.first.rfind('.');
  if (dot == absl::string_view::npos) {
    return InvalidInput("target fact ", fact, ": expected an operation and a type");
  }
  const std::optional<Opcode> opcode = OpcodeFromName(sides.first.substr(0, dot));
  if (!opcode.has_value()) {
    return InvalidInput("target fact ", fact, ": unknown operation ", sides.first.substr(0, dot));
  }
  const PrimitiveType type =
      PrimitiveTypeFromName(sides.first.substr(dot + 1)).value_or(PrimitiveType::kInvalid);
  if (!Contains(RowOf(*opcode).types, type) || (!IsFloat(type) && !IsComplex(type))) {
    return InvalidInput("target fact ", fact, ": ", OpcodeName(*opcode), " has no row for ",
                        sides.first.substr(dot + 1));
  }
  double value;
  if (!absl::SimpleAtod(sides.second, &value) || !std::isfinite(value) || value < 0) {
    return InvalidInput("target fact ", fact, ": expected a number of at least 0");
  }
  facts.rows.push_back({field, *opcode, type, value});
  return absl::OkStatus();
}

absl::Status SetCount(const CountFact& row, absl::string_view fact, TargetFacts& facts) {
  int64_t count;
  if (!absl::SimpleAtoi(fact.substr(row.Prefix().size()), &count) || count < 1) {
    return InvalidInput("target fact ", fact, ": expected a number of at least 1");
  }
  facts.*row.member = count;
  return absl::OkStatus();
}

}  // namespace

absl::Span<const FactRow> AllFacts() { return kFacts; }

const FactRow* FindFact(absl::string_view fact) {
  for (const FactRow& row : kFacts) {
    const absl::string_view prefix = absl::StripSuffix(row.name, "OP.TYPE");
    if (fact == row.name || absl::StartsWith(fact, absl::StrCat(row.name, "=")) ||
        (prefix != row.name && absl::StartsWith(fact, prefix)))
      return &row;
  }
  return nullptr;
}

absl::Status SetTargetFact(absl::string_view fact, TargetFacts& facts) {
  for (const FlagFact& row : kFlagFacts) {
    if (row.name != fact) continue;
    facts.*row.member = true;
    return absl::OkStatus();
  }
  for (const CountFact& row : kCountFacts) {
    if (absl::StartsWith(fact, row.Prefix())) return SetCount(row, fact, facts);
  }
  if (absl::StartsWith(fact, kDotF32)) {
    for (const PassesName& row : kPasses) {
      if (fact.substr(kDotF32.size()) != row.name) continue;
      facts.dot_f32 = row.passes;
      return absl::OkStatus();
    }
    return InvalidInput("target fact ", fact, ": expected tf32, bf16x3 or bf16x1");
  }
  for (const FieldName& row : kFields) {
    absl::string_view rest = fact;
    if (!absl::ConsumePrefix(&rest, row.name) || !absl::ConsumePrefix(&rest, ".")) continue;
    return SetRowFact(fact, row.field, rest, facts);
  }
  return InvalidInput("unknown target fact '", fact, "'");
}

}  // namespace hlocts
