// SPDX-License-Identifier: Apache-2.0
#include "reports/sentences.h"

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "reports/verdict.h"
#include "spec/accuracy/rules.h"
#include "spec/accuracy/target_facts.h"
#include "spec/clauses/of_opcodes.h"
#include "spec/clauses/registry.h"
#include "spec/files/home_folder.h"
#include "spec/ir/opcode_fwd.h"
#include "spec/ir/primitive_type.h"
#include "spec/ops/op_table.h"
#include "spec/targets/targets.h"

namespace hlocts::reports {
namespace {

// The clauses of the documents, read on the first failure.
struct ClauseBook {
  absl::StatusOr<ClauseRegistry> registry;
  absl::StatusOr<ClausesOfOpcodes> of_opcodes;
};

const ClauseBook& Book() {
  static const auto* book =
      new ClauseBook{ClauseRegistry::Load(HomeFolder() + "/spec/clauses"),
                     LoadClausesOfOpcodes(HomeFolder() + "/spec/clauses/of_opcodes.txt")};
  return *book;
}

struct RulingOfFreedom {
  absl::string_view name;
  int number;
  absl::string_view facts;  // separated by blanks
};
constexpr RulingOfFreedom kFreedoms[] = {
#define HLOCTS_FREEDOM(symbol, name, ruling, facts) {name, ruling, facts},
#include "spec/ops/freedoms.def"
#undef HLOCTS_FREEDOM
};

const RulingOfFreedom* FindFreedom(absl::string_view name) {
  for (const RulingOfFreedom& one : kFreedoms)
    if (one.name == name) return &one;
  return nullptr;
}

constexpr char kRangeClause[] = "elementwise_unary.45";  // a function's results are in its range

// Returns the clause ids that are listed for the operation with one of the failure's facts or, if
// there are none, for the operation alone. A fact decides what the documents leave open.
std::vector<std::string> ClausesOf(const VerdictFailure& failure, const ClausesOfOpcodes& all) {
  std::vector<std::string> keys;
  for (const std::string& fact : failure.facts)
    keys.push_back(absl::StrCat(failure.operation, ":", fact));
  if (failure.tie) keys.push_back(absl::StrCat(failure.operation, ":tie"));
  if (failure.to_integer) keys.push_back(absl::StrCat(failure.operation, ":to_integer"));
  keys.push_back(failure.operation);
  std::vector<std::string> clauses;
  for (const std::string& key : keys) {
    const auto found = all.find(key);
    if (clauses.empty() && found != all.end()) clauses = found->second;
  }
  if (!failure.range.empty()) clauses.push_back(kRangeClause);
  return clauses;
}

bool IsSpecial(absl::string_view value) {
  value = absl::StripPrefix(value, "-");
  return value == "0" || value == "inf" || value == "nan";
}

// Returns true if a word of Clause::ruling_if holds, or may hold if type or operands are unknown.
bool Holds(absl::string_view word, const Verdict& verdict) {
  const VerdictFailure& failure = *verdict.first_failure;
  if (word == "together") return verdict.localisation.kind == Localisation::Kind::kTogether;
  if (word == "partitioned") return verdict.localisation.partitions > 1;
  if (word == "reordered")
    return absl::c_linear_search(verdict.freedoms, FreedomName(Freedom::kReductionOrder));
  if (word == "special")
    return failure.operands.empty() || IsSpecial(failure.actual) || IsSpecial(failure.accepted) ||
           absl::c_any_of(failure.operands, [](const auto& one) { return IsSpecial(one.value); });
  const auto type = PrimitiveTypeFromName(failure.type);
  if (word == "never" || !type) return word != "never";
  if (word == "integer") return IsInteger(*type);
  if (word == "complex") return IsComplex(*type);
  if (word == "outside") {
    int64_t count = 0;
    return failure.operands.size() < 2 || !absl::SimpleAtoi(failure.operands[1].value, &count) ||
           count < 0 || count >= BitWidth(*type);
  }
  return IsFloat(*type) && (word == "float" || BitWidth(*type) < 16);
}

constexpr char kAccuracyRuling[] = "0072";

// Returns true if the failure is a number at some distance from the bound of its operation. The
// documents state no bound, so the ruling on accuracy decided.
bool DecidedByABound(const VerdictFailure& failure) {
  const auto opcode = OpcodeFromName(failure.operation.substr(0, failure.operation.find(':')));
  const auto type = PrimitiveTypeFromName(failure.type);
  if (!opcode || !type || !(IsFloat(*type) || IsComplex(*type)) ||
      failure.value == WrongValue::kNan || failure.distance.empty() || failure.categorical ||
      !failure.facts.empty())
    return false;
  const RuleClass rule_class = RuleFor(*opcode, *type, Profile::kDefault).rule_class;
  return rule_class == RuleClass::kCorrectlyRounded || rule_class == RuleClass::kUlp ||
         rule_class == RuleClass::kSum || rule_class == RuleClass::kProduct ||
         rule_class == RuleClass::kNormwise || rule_class == RuleClass::kResidual;
}

}  // namespace

std::vector<std::string> FactsOfFreedom(absl::string_view freedom) {
  const RulingOfFreedom* one = FindFreedom(freedom);
  if (one == nullptr) return {};
  return absl::StrSplit(one->facts, ' ', absl::SkipEmpty());
}

std::vector<std::string> ClausesOfFreedom(absl::string_view freedom,
                                          const std::set<std::string>& opcodes) {
  const ClauseBook& book = Book();
  const RulingOfFreedom* one = FindFreedom(freedom);
  if (one == nullptr || !book.registry.ok() || !book.of_opcodes.ok()) return {};
  std::set<std::string> ids;
  const auto add = [&](const std::string& key) {
    const auto found = book.of_opcodes->find(key);
    if (found == book.of_opcodes->end()) return false;
    for (const std::string& id : found->second) {
      const Clause* clause = book.registry->Find(id);
      if (clause != nullptr && clause->ruling == absl::StrFormat("%04d", one->number))
        ids.insert(id);
    }
    return true;
  };
  for (const std::string& opcode : opcodes) {
    bool with_fact = false;
    for (const std::string& fact : FactsOfFreedom(freedom))
      with_fact = add(absl::StrCat(opcode, ":", fact)) || with_fact;
    if (!with_fact) add(opcode);
  }
  return {ids.begin(), ids.end()};
}

std::string FreedomText(const std::string& freedom) {
  const ClauseBook& book = Book();
  const RulingOfFreedom* one = FindFreedom(freedom);
  if (one == nullptr || !book.registry.ok()) return freedom;
  const Ruling* ruling = book.registry->FindRuling(absl::StrFormat("%04d", one->number));
  return ruling == nullptr ? freedom : absl::StrCat(freedom, " (", ruling->path(), ")");
}

std::string FactText(const std::string& fact, const std::string& backend) {
  const FactRow* row = FindFact(fact);
  std::string text = row == nullptr ? fact : absl::StrCat(fact, ": ", row->says);
  const auto target = FindTarget(backend.substr(0, backend.find('@')));
  if (target.ok() && absl::c_linear_search(target->Facts(), fact))
    absl::StrAppend(&text, " (target ", target->name, ")");
  return text;
}

std::string OperandsText(const VerdictFailure& failure) {
  return absl::StrJoin(failure.operands, ", ", [](std::string* out, const auto& one) {
    absl::StrAppend(out, one.name, " = ", one.value);
  });
}

std::string FactSentences(const VerdictFailure& failure, const std::string& backend) {
  std::string text;
  for (const std::string& fact : failure.facts)
    absl::StrAppend(&text, "\nThe documents do not exclude this value; a fact of the engine does: ",
                    FactText(fact, backend), ".\n");
  return text;
}

std::vector<ClauseSentence> SentencesOf(const Verdict& verdict) {
  std::vector<ClauseSentence> sentences;
  const ClauseBook& book = Book();
  if (!book.registry.ok() || !book.of_opcodes.ok()) return sentences;
  for (const std::string& id : ClausesOf(*verdict.first_failure, *book.of_opcodes)) {
    const Clause* clause = book.registry->Find(id);
    if (clause == nullptr) continue;
    ClauseSentence sentence{clause->id, clause->text, clause->source, clause->address, ""};
    const Ruling* ruling = book.registry->FindRuling(clause->ruling);
    const auto holds = [&](absl::string_view word) { return Holds(word, verdict); };
    if (ruling != nullptr &&
        absl::c_all_of(absl::StrSplit(clause->ruling_if, ' ', absl::SkipEmpty()), holds))
      sentence.ruling = ruling->path();
    sentences.push_back(std::move(sentence));
  }
  const bool none_applies =
      absl::c_all_of(sentences, [](const ClauseSentence& one) { return one.ruling.empty(); });
  const Ruling* accuracy = book.registry->FindRuling(kAccuracyRuling);
  if (!sentences.empty() && none_applies && accuracy != nullptr &&
      DecidedByABound(*verdict.first_failure))
    sentences[0].ruling = accuracy->path();
  return sentences;
}

}  // namespace hlocts::reports
