// SPDX-License-Identifier: Apache-2.0
#include "suites/expectations.h"

#include <fcntl.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "backends/backend_list.h"
#include "backends/engine_list.h"
#include "spec/base/nearest.h"
#include "spec/clauses/registry.h"
#include "suites/case.h"
#include "suites/expectations.pb.h"
#include "suites/selection.h"
#include "suites/suite_files.h"

namespace hlocts::suites {

std::string ExpectationsPath(const std::string& backend) {
  return absl::StrCat(HomeFolder(), "/suites/expectations/", backends::EngineNameOf(backend),
                      ".textproto");
}

struct ExpectationList::Impl {
  expectations::Expectations list;
  std::vector<std::string> places;  // "FILE:LINE" of each entry
  engines::EngineList engines;      // loaded if an entry names a release
};

ExpectationList::ExpectationList() : impl_(std::make_unique<Impl>()) {}
ExpectationList::~ExpectationList() = default;
ExpectationList::ExpectationList(ExpectationList&&) noexcept = default;
ExpectationList& ExpectationList::operator=(ExpectationList&&) noexcept = default;
size_t ExpectationList::size() const { return impl_->list.expectation_size(); }

const engines::Engine* EngineOf(const engines::EngineList& list, const reports::Verdict& verdict) {
  const std::string name = verdict.backend.substr(0, verdict.backend.find_first_of(":?"));
  const engines::Engine* own = backends::FindEngine(list, name);
  if (own == nullptr || own->alias() != name) return own;
  for (const engines::Engine& engine : list.engine()) {
    const std::string version = absl::StrCat(engine.package(), " ", engine.version());
    if (engine.family() == own->family() && absl::StrContains(verdict.backend_version, version))
      return &engine;
  }
  return own;
}

namespace {

constexpr absl::string_view kFlake = "flake";

class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (text.empty())
      text = absl::StrCat("line ", line + 1, ", column ", column + 1, ": ", message);
  }
  std::string text;
};

// Returns true if the text has no control characters except newlines, tabs and carriage returns.
bool IsText(const std::string& text) {
  for (char c : text) {
    unsigned char byte = static_cast<unsigned char>(c);
    if (byte < 0x20 && c != '\n' && c != '\t' && c != '\r') return false;
  }
  return true;
}

// Returns the words that are valid as the `verdict` of an entry.
std::vector<std::string> VerdictWords() {
  std::vector<std::string> words = {std::string(kFlake)};
  for (int kind = 0; kind <= static_cast<int>(kLastOutcome); ++kind)
    words.emplace_back(OutcomeName(static_cast<Outcome>(kind)));
  return words;
}

// Returns "FILE:LINE" of the beginning of each entry.
std::vector<std::string> PlacesOf(const expectations::Expectations& list,
                                  const google::protobuf::TextFormat::ParseInfoTree& tree,
                                  const std::string& path) {
  const auto* field = list.GetDescriptor()->FindFieldByName("expectation");
  std::vector<std::string> places;
  for (int i = 0; i < list.expectation_size(); ++i)
    places.push_back(absl::StrCat(path, ":", tree.GetLocation(field, i).line + 1));
  return places;
}

absl::Status CheckClause(const std::string& clause) {
  static const auto* const registry =
      new auto(ClauseRegistry::Load(HomeFolder() + "/spec/clauses"));
  HLOCTS_RETURN_IF_ERROR(registry->status());
  if (clause == kUnknownClause || (*registry)->Find(clause) != nullptr) return absl::OkStatus();
  std::vector<std::string> ids;
  for (const Clause& one : (*registry)->clauses()) {
    if (absl::StartsWith(one.id, clause + ".")) return absl::OkStatus();  // a file of clauses
    ids.push_back(one.id);
  }
  return InvalidInput("no clause \"", clause, "\"", DidYouMean(clause, ids),
                      "; `hlocts clauses` lists all");
}

absl::Status CheckEntry(const expectations::Expectation& entry) {
  auto missing = [&](absl::string_view field) {
    return InvalidInput("expectation for \"", entry.query(), entry.signature(), "\": no ", field);
  };
  if (entry.query().empty() && entry.signature().empty()) return missing("query or signature");
  if (entry.verdict().empty()) return missing("verdict");
  if (!OutcomeFromName(entry.verdict()) && entry.verdict() != kFlake)
    return InvalidInput("verdict \"", entry.verdict(), "\": expected ",
                        absl::StrJoin(VerdictWords(), ", "),
                        DidYouMean(entry.verdict(), VerdictWords()));
  if (entry.kind() == expectations::KIND_UNSET) return missing("kind");
  if (entry.clause().empty()) return missing("clause");
  if (entry.reason().empty()) return missing("reason");
  return CheckClause(entry.clause());
}

// The engine of a verdict and the one that a condition names, comparable within a family.
struct Pair {
  const engines::Engine* own = nullptr;
  const engines::Engine* named = nullptr;
  bool Compares() const { return own && named && own->family() == named->family(); }
  bool OwnIsEarlier() const { return Compares() && backends::IsLater(*named, *own); }
  bool OwnIsNotEarlier() const { return Compares() && !backends::IsLater(*named, *own); }
};

Pair PairOf(const engines::EngineList& list, const reports::Verdict& verdict,
            const std::string& release) {
  return {EngineOf(list, verdict), backends::FindEngine(list, release)};
}

bool HoldsForRelease(const engines::EngineList& list, const expectations::Condition& condition,
                     const reports::Verdict& verdict) {
  const std::string &since = condition.since(), &before = condition.before();
  if (EngineOf(list, verdict) == nullptr) return before.empty();  // treated as the newest release
  if (!since.empty() && !PairOf(list, verdict, since).OwnIsNotEarlier()) return false;
  return before.empty() || PairOf(list, verdict, before).OwnIsEarlier();
}

// Returns true if the recorded name of an engine has `option`: KEY=VALUE, or KEY for any value.
bool HasOption(absl::string_view engine, absl::string_view option) {
  const size_t mark = engine.find('?');
  if (mark == absl::string_view::npos) return false;
  return absl::c_any_of(absl::StrSplit(engine.substr(mark + 1), '&'), [&](absl::string_view one) {
    return !one.empty() && (one == option || one.substr(0, one.find('=')) == option);
  });
}

bool Holds(const engines::EngineList& list, const expectations::Expectation& entry,
           const reports::Verdict& verdict, const std::string& today) {
  const expectations::Condition& condition = entry.condition();
  if (!absl::StrContains(verdict.backend_version, condition.version_contains())) return false;
  if (!condition.option().empty() && !HasOption(verdict.backend, condition.option())) return false;
  if (HasOption(verdict.backend, condition.without_option())) return false;
  if (!condition.platform().empty() && condition.platform() != "linux") return false;
  if (!HoldsForRelease(list, condition, verdict)) return false;
  return today.empty() || entry.expires().empty() || entry.expires() >= today;
}

bool IsOfCase(const expectations::Expectation& entry, const reports::Verdict& verdict) {
  return !entry.query().empty() && QueryMatches(entry.query(), verdict.case_address);
}

absl::Status CheckRelease(const engines::EngineList& list, const std::string& release) {
  if (release.empty() || backends::FindEngine(list, release)) return absl::OkStatus();
  return InvalidInput("release \"", release,
                      "\": expected a name that `hlocts engines list` prints");
}

// Returns how specific an entry is: the number of characters that its signature and needs state
// without a wildcard.
size_t SpecificityOf(const expectations::Expectation& entry) {
  size_t characters = entry.signature().size() - absl::c_count(entry.signature(), '*');
  for (const std::string& need : entry.needs()) characters += need.size();
  return characters;
}

}  // namespace

bool ConditionHolds(const expectations::Expectation& entry, const reports::Verdict& verdict) {
  const auto list = backends::LoadEngineList();
  return list.ok() && Holds(*list, entry, verdict, "");
}

absl::StatusOr<ExpectationList> ExpectationList::Load(const std::string& path, bool must_exist) {
  ExpectationList result;
  std::error_code none;
  if (std::filesystem::is_directory(path, none))
    return InvalidInput("expectations: ", path, ": expected a file, found a directory");
  std::ifstream in(path);
  if (!in && must_exist) return InvalidInput("expectations: ", path, ": cannot be read");
  if (!in) return result;
  std::stringstream text;
  text << in.rdbuf();
  if (text.str().find('\0') != std::string::npos || !IsText(text.str()))
    return InvalidInput(path, ": expected a list of expectations as text, found binary data");
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  google::protobuf::TextFormat::ParseInfoTree tree;
  parser.WriteLocationsTo(&tree);
  parser.RecordErrorsTo(&error);
  if (!parser.ParseFromString(text.str(), &result.impl_->list)) {
    return InvalidInput(path, ": ", error.text);
  }
  HLOCTS_ASSIGN_OR_RETURN(result.impl_->engines, backends::LoadEngineList());
  result.impl_->places = PlacesOf(result.impl_->list, tree, path);
  for (size_t i = 0; i < result.size(); ++i) {
    const auto& entry = result.impl_->list.expectation(static_cast<int>(i));
    const std::string& place = result.impl_->places[i];
    HLOCTS_RETURN_IF_ERROR(Annotate(CheckEntry(entry), place));
    for (const std::string& release : {entry.condition().since(), entry.condition().before()}) {
      HLOCTS_RETURN_IF_ERROR(Annotate(CheckRelease(result.impl_->engines, release), place));
    }
  }
  HLOCTS_RETURN_IF_ERROR(result.AddSignatures(path));
  return result;
}

absl::Status ExpectationList::AddSignatures(const std::string& path) {
  if (impl_->list.signatures_of().empty()) return absl::OkStatus();
  const std::filesystem::path other =
      std::filesystem::path(path).replace_filename(impl_->list.signatures_of() + ".textproto");
  if (other == path) return InvalidInput(path, ": signatures_of names the list itself");
  // The list of a claim is packed without the other one.
  HLOCTS_ASSIGN_OR_RETURN(const ExpectationList added, Load(other.string()));
  for (size_t i = 0; i < added.size(); ++i) {
    const auto& entry = added.impl_->list.expectation(static_cast<int>(i));
    if (!entry.query().empty()) continue;
    *impl_->list.add_expectation() = entry;
    impl_->places.push_back(added.impl_->places[i]);
  }
  return absl::OkStatus();
}

std::vector<std::string> ExpectationList::WithoutCase(
    const std::vector<std::string>& addresses) const {
  std::vector<std::string> without;
  for (size_t i = 0; i < size(); ++i) {
    const std::string& query = impl_->list.expectation(static_cast<int>(i)).query();
    const auto selects = [&](const std::string& one) { return QueryMatches(query, one); };
    if (query.empty() || std::any_of(addresses.begin(), addresses.end(), selects)) continue;
    without.push_back(absl::StrCat(impl_->places[i], ": \"", query, "\" selects no case",
                                   NearestQuery(query, addresses)));
  }
  return without;
}

void ExpectationList::Apply(reports::Verdict& verdict, const std::string& today) const {
  if (!verdict.inconclusive_by_nature.empty()) {
    verdict.expectation = verdict.inconclusive_by_nature;
    verdict.expected = true;
    return;
  }
  std::string wanted, flake_known_as;
  for (const auto& entry : impl_->list.expectation()) {
    if (!IsOfCase(entry, verdict) || !Holds(impl_->engines, entry, verdict, today)) continue;
    std::string known_as = absl::StrCat(expectations::Kind_Name(entry.kind()), " (", entry.clause(),
                                        "): ", entry.reason());
    if (entry.verdict() == kFlake) {  // does not apply to a case with a constant verdict
      flake_known_as = std::move(known_as);
      continue;
    }
    verdict.expectation = std::move(known_as);
    if (verdict.flake.empty() &&
        (entry.verdict() == OutcomeName(verdict.kind) ||
         (entry.verdict() == "inconclusive" && IsInconclusive(verdict.kind)))) {
      verdict.expected = true;
      return;
    }
    absl::StrAppend(&wanted, wanted.empty() ? "" : " or ", entry.verdict());
  }
  if (!verdict.flake.empty()) {
    verdict.expected = !flake_known_as.empty();
    if (verdict.expected) verdict.expectation = std::move(flake_known_as);
  } else if (wanted.empty()) {
    verdict.expected = !IsFailure(verdict.kind);
  } else {
    verdict.expected = false;
    verdict.wanted = std::move(wanted);
  }
}

bool ExpectationList::AppliesAlike(const reports::Verdict& earlier,
                                   const std::string& today) const {
  reports::Verdict again = earlier;
  again.expectation.clear();
  Apply(again, today);
  return again.expected == earlier.expected && again.expectation == earlier.expectation;
}

std::string ExpectationList::FixedSince(const reports::Verdict& verdict) const {
  if (verdict.kind != Outcome::kPass) return "";
  for (const auto& entry : impl_->list.expectation()) {
    const std::string& release = entry.condition().before();
    if (release.empty() || !IsOfCase(entry, verdict)) continue;
    if (PairOf(impl_->engines, verdict, release).OwnIsNotEarlier()) return release;
  }
  return "";
}

constexpr absl::string_view kPartitioned = "(partitioned)";

const expectations::Expectation* ExpectationList::Explaining(const std::string& signature,
                                                             const reports::Verdict& verdict,
                                                             const std::set<std::string>* needs,
                                                             const Fits& fits) const {
  auto has = [&](const std::string& need) { return needs && needs->count(need) > 0; };
  const auto applies = [&](const auto& entry) {
    return Holds(impl_->engines, entry, verdict, "") &&
           entry.verdict() == OutcomeName(verdict.kind);
  };
  for (const auto& entry : impl_->list.expectation()) {
    if (IsOfCase(entry, verdict) && applies(entry)) return &entry;
  }
  const expectations::Expectation* found = nullptr;
  for (const auto& entry : impl_->list.expectation()) {
    if (entry.signature().empty() || !QueryMatches(entry.signature(), signature)) continue;
    // A wrong value of a partitioned module has another cause than one of the whole module.
    if (verdict.kind == Outcome::kFail && absl::StrContains(signature, kPartitioned) &&
        !absl::StrContains(entry.signature(), kPartitioned))
      continue;
    if (!std::all_of(entry.needs().begin(), entry.needs().end(), has)) continue;
    if (found != nullptr && SpecificityOf(entry) <= SpecificityOf(*found)) continue;
    if (applies(entry) && (fits == nullptr || fits(entry))) found = &entry;
  }
  return found;
}

}  // namespace hlocts::suites
