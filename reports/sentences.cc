// SPDX-License-Identifier: Apache-2.0
#include "reports/sentences.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "spec/accuracy/target_facts.h"
#include "spec/clauses/of_opcodes.h"
#include "spec/clauses/registry.h"
#include "spec/files/home_folder.h"
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
};
constexpr RulingOfFreedom kFreedoms[] = {
#define HLOCTS_FREEDOM(symbol, name, ruling) {name, ruling},
#include "spec/ops/freedoms.def"
#undef HLOCTS_FREEDOM
};

// Freedoms that apply to every operation. A failure names their rulings only if they widened its
// set. A ruling of a clause, in contrast, is about the operation itself.
constexpr absl::string_view kOfEveryOperation[] = {"subnormals", "skipped-rounding",
                                                   "double-rounding", "no-such-value"};

bool IsOfEveryOperation(absl::string_view ruling) {
  for (const RulingOfFreedom& one : kFreedoms) {
    if (absl::StrFormat("%04d", one.number) == ruling &&
        absl::c_linear_search(kOfEveryOperation, one.name))
      return true;
  }
  return false;
}

}  // namespace

std::string FreedomText(const std::string& freedom) {
  const ClauseBook& book = Book();
  for (const RulingOfFreedom& one : kFreedoms) {
    if (one.name != freedom || !book.registry.ok()) continue;
    const Ruling* ruling = book.registry->FindRuling(absl::StrFormat("%04d", one.number));
    if (ruling != nullptr) return absl::StrCat(freedom, " (", ruling->path(), ")");
  }
  return freedom;
}

std::string FactText(const std::string& fact, const std::string& backend) {
  const FactRow* row = FindFact(fact);
  std::string text = row == nullptr ? fact : absl::StrCat(fact, ": ", row->says);
  const auto target = FindTarget(backend.substr(0, backend.find('@')));
  if (target.ok() && absl::c_linear_search(target->Facts(), fact))
    absl::StrAppend(&text, " (spec/targets/", target->name, ".textproto)");
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
    absl::StrAppend(
        &text, "\nThe documents permit this value; the engine promises a fact that excludes it: ",
        FactText(fact, backend), ".\n");
  return text;
}

namespace {

// Returns the clause ids of a failure. A fact decides what its clause leaves open; a fact without
// an entry for the operation has no clause of its own.
std::vector<std::string> ClausesOf(const VerdictFailure& failure, const ClausesOfOpcodes& all) {
  std::vector<std::string> keys;
  for (const std::string& fact : failure.facts)
    keys.push_back(absl::StrCat(failure.operation, ":", fact));
  if (failure.tie) keys.push_back(absl::StrCat(failure.operation, ":tie"));
  keys.push_back(failure.operation);
  for (const std::string& key : keys)
    if (const auto found = all.find(key); found != all.end()) return found->second;
  return {};
}

}  // namespace

std::vector<ClauseSentence> SentencesOf(const VerdictFailure& failure) {
  std::vector<ClauseSentence> sentences;
  const ClauseBook& book = Book();
  if (!book.registry.ok() || !book.of_opcodes.ok()) return sentences;
  for (const std::string& id : ClausesOf(failure, *book.of_opcodes)) {
    const Clause* clause = book.registry->Find(id);
    if (clause == nullptr) continue;
    ClauseSentence sentence{clause->id, clause->text, clause->source, clause->address, ""};
    const Ruling* ruling = book.registry->FindRuling(clause->ruling);
    if (ruling != nullptr && !IsOfEveryOperation(clause->ruling)) sentence.ruling = ruling->path();
    sentences.push_back(std::move(sentence));
  }
  return sentences;
}

}  // namespace hlocts::reports
