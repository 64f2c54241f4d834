// SPDX-License-Identifier: Apache-2.0
#include "fuzz/triage/bucket.h"

#include <algorithm>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "fuzz/triage/failure_signature.h"
#include "spec/ops/groups.h"
#include "spec/ops/op_table.h"

namespace hlocts::fuzz {
namespace {

using Words = std::vector<absl::string_view>;

// If a shrunk module still has an array with more elements than this, the failure needs a minimum
// size (e.g. that of a vector register), and the bucket contains "long".
constexpr int64_t kFewElements = 15;

std::string ClassOf(absl::string_view type) {
  std::vector<absl::string_view> both = absl::StrSplit(type, "->");
  if (both.size() == 2) return absl::StrCat(ClassOf(both[0]), "->", ClassOf(both[1]));
  auto known = PrimitiveTypeFromName(type);
  if (!known) return std::string(type);
  return IsComplex(*known) || IsFloat(*known) ? "float"
         : IsInteger(*known)                  ? "integer"
                                              : std::string(type);
}

// Returns true for operations whose defects rarely depend on the type: sorts, collectives and
// scatter, where only the order, position or device of elements matters.
bool IsOfAnyType(const std::vector<std::string>& operations) {
  return std::all_of(operations.begin(), operations.end(), [](const std::string& name) {
    auto opcode = OpcodeFromName(name);
    return opcode && (RowOf(*opcode).family == Family::kOrdering ||
                      RowOf(*opcode).family == Family::kCollective || *opcode == Opcode::kScatter);
  });
}

bool Indexes(const std::vector<std::string>& operations) {
  return std::any_of(operations.begin(), operations.end(), [](const auto& name) {
    auto opcode = OpcodeFromName(name);
    return opcode && RowOf(*opcode).family == Family::kIndexing;
  });
}

// Returns the needs that are relevant: traits of indices if the operations use indices, otherwise
// traits of data unless the operations only move data. Attributes are always relevant.
std::set<std::string> NeedsOf(const BucketKey& key, const std::set<std::string>& needs,
                              bool moves) {
  static const auto* const kOfIndices =
      new std::set<std::string>{"negative", "packed", "narrow", "unsigned"};
  static const auto* const kOfData =
      new std::set<std::string>{"nan",    "inf",      "-0",   "subnormal", "least", "packed",
                                "narrow", "unsigned", "wide", "complex",   "slight"};
  const bool indexes = Indexes(key.operations);
  std::set<std::string> asked;
  for (const std::string& need : needs) {
    if (need == "only-nan") continue;  // one defect may fail with and without this need
    bool of_indices = kOfIndices->count(need) > 0, of_data = kOfData->count(need) > 0;
    bool attribute = !of_indices && !of_data;
    if (attribute || (indexes && of_indices) || (!indexes && !moves && of_data)) asked.insert(need);
  }
  return asked;
}

// Returns the needs of failures in control flow or between instructions. They depend little on
// data, but may depend on a permutation of the loop state.
std::set<std::string> NeedsOfRunning(const std::set<std::string>& needs) {
  return needs.count("permutation") > 0 ? std::set<std::string>{"permutation"}
                                        : std::set<std::string>{};
}

bool RunsOthers(const std::vector<std::string>& operations) {
  return std::any_of(operations.begin(), operations.end(), [](const std::string& name) {
    auto opcode = OpcodeFromName(name);
    return opcode && RowOf(*opcode).family == Family::kControlFlow;
  });
}

// Returns the class of a mismatch. All wrong numbers are one class; for operations that fetch
// elements by index, zero is another. NaN is a class too, except in types without infinity.
absl::string_view FailureClass(absl::string_view mismatch, absl::string_view type, bool fetches) {
  if (mismatch == "inf" || (mismatch == "zero" && !fetches)) return "value";
  auto known = PrimitiveTypeFromName(type.substr(type.rfind('>') + 1));
  bool saturates = known && IsFloat(*known) && !FormatOf(*known).has_infinity();
  return mismatch == "nan" && saturates ? "value" : mismatch;
}

// Removes the traits from "gather(batched)(u64)" and returns those that are not index types.
std::vector<std::string> TakeTraits(std::string& operation) {
  std::vector<std::string> traits;
  size_t open = operation.find('(');
  if (open == operation.npos) return traits;
  for (const char* trait : {"batched", "empty", "partitioned"}) {
    if (absl::StrContains(operation.substr(open), trait)) traits.emplace_back(trait);
  }
  operation.resize(open);
  return traits;
}

void ReadFailure(const Words& words, const FailureTraits& remains, BucketKey& key) {
  std::string operation(words.empty() ? "" : words[0]);
  key.together = absl::StrContains(operation, "(together)");
  key.traits = TakeTraits(operation);
  key.operations = absl::StrSplit(operation, ',', absl::SkipEmpty());
  bool moves = OnlyMoves(key.operations);
  std::string signature(
      words.size() > 2 ? FailureClass(words[2], words[1], moves && Indexes(key.operations)) : "");
  const bool alone = !key.together && !RunsOthers(key.operations);
  const bool any_data =
      moves || !alone || remains.has_distinct_callees || IsOfAnyType(key.operations);
  if (any_data && signature == "nan") signature = "value";
  if (remains.has_distinct_callees) {
    // The fault is that a wrong computation is called. Caller and operations do not matter.
    key = {
        key.kind, {"called-computation"}, false, {}, {}, signature == "shape" ? "shape" : "value"};
    return;
  }
  key.needs = alone ? NeedsOf(key, remains.needs, moves) : NeedsOfRunning(remains.needs);
  // Zero for an out-of-bounds index is one defect, whether the index is negative or too large.
  if (moves && signature == "zero") key.needs.erase("negative");
  // Omits the type of sub-byte elements, because the need "packed" describes them.
  const bool typed = alone && !moves && !IsOfAnyType(key.operations) && !key.needs.count("packed");
  const std::string type = words.size() > 1 && typed ? ClassOf(words[1]) : "";
  for (const std::string& part :
       {std::string(remains.elements > kFewElements && !key.together ? "long" : ""), type,
        signature}) {
    if (!part.empty()) absl::StrAppend(&key.rest, key.rest.empty() ? "" : " ", part);
  }
}

// Ignores the opcode in "convolution: too large": several operations may share one check.
void ReadMessage(const Words& words, BucketKey& key) {
  size_t begin = words.size() > 1 && OpcodeFromName(absl::StripSuffix(words[1], ":")) ? 2 : 1;
  key.rest =
      words.size() > begin
          ? absl::StrJoin(words.begin() + static_cast<std::ptrdiff_t>(begin), words.end(), " ")
          : "";
  if (!HasMessage({Outcome::kRejected, key.rest}) && !words.empty())
    key.operations = absl::StrSplit(words[0], ',', absl::SkipEmpty());
}

// If an engine accepts this many broken rules of an operation, it does not check the operation.
constexpr int64_t kRulesUnchecked = 3;

// Replaces the rule "concatenate.7" that a module breaks by "concatenate.*".
BucketKey OfAnyRule(BucketKey key) {
  if (key.kind != "accepted") return key;
  for (std::string& rule : key.operations) {
    const size_t dot = rule.find('.');
    if (dot != rule.npos) rule.replace(dot, rule.npos, ".*");
  }
  return key;
}

}  // namespace

bool OnlyMoves(const std::vector<std::string>& operations) {
  return !operations.empty() &&
         std::all_of(operations.begin(), operations.end(), [](const std::string& name) {
           auto opcode = OpcodeFromName(name);
           if (!opcode || *opcode == Opcode::kIota) return false;
           return ops::MovesElements(*opcode) || *opcode == Opcode::kSelect ||
                  RowOf(*opcode).family == Family::kTuple;
         });
}

bool OnlyOrders(const std::vector<std::string>& operations) {
  return !operations.empty() &&
         std::all_of(operations.begin(), operations.end(), [](const std::string& name) {
           auto opcode = OpcodeFromName(name);
           return opcode && RowOf(*opcode).family == Family::kOrdering;
         });
}

std::string BucketKey::Name() const {
  std::string name = kind;
  if (!operations.empty())
    absl::StrAppend(&name, " ", absl::StrJoin(operations, ","), together ? "(together)" : "");
  for (const std::string& trait : traits) absl::StrAppend(&name, "(", trait, ")");
  for (const std::string& need : needs) absl::StrAppend(&name, " ", need);
  return absl::StrCat(name, " ", rest);
}

BucketKey BucketOf(const std::string& signature, const FailureTraits& remains) {
  BucketKey key;
  Words words = absl::StrSplit(signature, ' ');
  size_t kinds = words[0] == "flaky" ? 2 : 1;
  key.kind = absl::StrJoin(
      words.begin(), words.begin() + static_cast<std::ptrdiff_t>(std::min(kinds, words.size())),
      " ");
  words.erase(words.begin(),
              words.begin() + static_cast<std::ptrdiff_t>(std::min(kinds, words.size())));
  if (absl::EndsWith(key.kind, "fail")) {
    ReadFailure(words, remains, key);
  } else {
    ReadMessage(words, key);
  }
  return key;
}

bool Covers(const BucketKey& general, const BucketKey& special) {
  return general.kind == special.kind && general.together == special.together &&
         general.rest == special.rest && !general.operations.empty() &&
         general.needs.empty() == special.needs.empty() &&
         std::includes(special.needs.begin(), special.needs.end(), general.needs.begin(),
                       general.needs.end()) &&
         std::includes(special.traits.begin(), special.traits.end(), general.traits.begin(),
                       general.traits.end()) &&
         std::includes(special.operations.begin(), special.operations.end(),
                       general.operations.begin(), general.operations.end());
}

std::string BucketSet::Add(const BucketKey& key, std::vector<std::string>* absorbed) {
  const BucketKey any = OfAnyRule(key);
  if (keys_.count(any.Name()) > 0) return any.Name();
  for (const auto& [name, known] : keys_) {
    if (Covers(known, key)) return name;
  }
  auto breaks_its_rules = [&](const auto& entry) {
    return entry.second.kind == "accepted" && OfAnyRule(entry.second).Name() == any.Name();
  };
  const int64_t rules = 1 + std::count_if(keys_.begin(), keys_.end(), breaks_its_rules);
  const bool unchecked = rules >= kRulesUnchecked;
  for (auto it = keys_.begin(); it != keys_.end();) {
    if (unchecked ? breaks_its_rules(*it) : Covers(key, it->second)) {
      absorbed->push_back(it->first);
      it = keys_.erase(it);
    } else {
      ++it;
    }
  }
  const BucketKey& added = unchecked ? any : key;
  return keys_.emplace(added.Name(), added).first->first;
}

}  // namespace hlocts::fuzz
