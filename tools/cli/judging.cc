// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/judging.h"

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "spec/ir/index_util.h"
#include "tools/cli/derivation.h"
#include "tools/cli/story.h"

namespace hlocts::tools {
namespace {

// The element with the widest set, which --explain shows for a pass.
struct Widest {
  int64_t output = -1;
  int64_t index = 0;
  double bits = -1;
};

Widest WidestElement(const ModuleAcceptance& accepted) {
  Widest widest;
  for (size_t o = 0; o < accepted.leaves.size(); ++o) {
    const LeafAcceptance& leaf = accepted.leaves[o];
    if (leaf.token || leaf.set.element_count() == 0) continue;
    if (widest.output < 0) widest = {static_cast<int64_t>(o), 0, 0};
    if (leaf.set.exact()) continue;
    PrimitiveType component = ComponentType(leaf.set.element_type());
    for (int64_t i = 0; i < leaf.set.element_count(); ++i) {
      double bits = Log2Count(leaf.set.At(i), component);
      if (bits > widest.bits) widest = {static_cast<int64_t>(o), i, bits};
    }
  }
  return widest;
}

}  // namespace

std::string JsonLineOf(const reports::Verdict& verdict, const OutcomeCounts& counts) {
  std::string line = reports::VerdictToJson(verdict);
  if (!verdict.first_failure && counts.empty()) return line;
  auto json = ParseJson<nlohmann::ordered_json>(line);
  if (!counts.empty()) json["runs"] = counts;
  if (!verdict.first_failure) return JsonText(json);
  for (const Sentence& sentence : SentencesOf(*verdict.first_failure)) {
    json["sentences"].push_back({{"clause", sentence.id},
                                 {"text", sentence.text},
                                 {"source", sentence.source},
                                 {"address", sentence.address},
                                 {"ruling", sentence.ruling}});
  }
  return JsonText(json);
}

absl::StatusOr<backends::DiffOptions> MakeDiffOptions(const Job& job, const std::string& profile,
                                                      const CommonOptions& common) {
  backends::DiffOptions options;
  auto parsed = ProfileFromName(profile);
  if (!parsed) {
    return InvalidInput("profile \"", profile, "\": expected strict, default or relaxed");
  }
  options.profile = *parsed;
  options.load = common.ToLoadOptions(*job.module);
  options.printed_result = job.printed_result;
  options.describe = true;
  return options;
}

void Complete(const Job& job, reports::Verdict& verdict) {
  verdict.module = job.module_name;
  verdict.seed = job.seed;
}

void PrintVerdict(const reports::Verdict& verdict, bool json, const std::string& replay,
                  const OutcomeCounts& counts) {
  std::cout << (json ? JsonLineOf(verdict, counts) : VerdictReport(verdict, replay)) << std::endl;
}

namespace {

// The element to explain: the failing one, or otherwise that with the widest set.
Widest ElementToExplain(const ModuleAcceptance& accepted, const reports::Verdict& verdict) {
  if (!verdict.first_failure) return WidestElement(accepted);
  const reports::VerdictFailure& failure = *verdict.first_failure;
  if (failure.output >= static_cast<int64_t>(accepted.leaves.size())) return Widest();
  const Shape& shape = accepted.leaves[failure.output].shape;
  return {failure.output, LinearIndex(failure.index, RowMajorStrides(shape.dimensions())), 0};
}

// Returns true if the texts are equal except for the line that names the output: a piece that
// computes the output has the same set.
bool SameSet(absl::string_view a, absl::string_view b) {
  return a.substr(reports::FirstLine(a).size()) == b.substr(reports::FirstLine(b).size());
}

}  // namespace

void PrintExplanation(const Job& job, backends::Differ& differ, const reports::Verdict& verdict,
                      int64_t partitions, const std::vector<std::string>& facts) {
  const std::string explanation = reports::ExplanationText(verdict.localisation);
  if (!explanation.empty()) std::cout << explanation << std::endl;
  if (verdict.localisation.in_piece) return;
  auto accepted = differ.Acceptance(verdict.replica * partitions, facts);
  if (!accepted.ok()) {
    std::fprintf(stderr, "hlocts: nothing to explain: %s\n",
                 std::string(accepted.status().message()).c_str());
    return;
  }
  Widest element = ElementToExplain(**accepted, verdict);
  if (element.output < 0) return;
  if (!verdict.first_failure) std::cout << "The element with the widest set:\n";
  const std::string set = ExplainElement(**accepted, element.output, element.index);
  std::cout << (SameSet(set, verdict.localisation.set) ? "" : set)
            << DerivationOf(job, verdict.profile, facts, element.output, element.index)
            << std::flush;
}

void AddSuspectFlag(Flags& flags, std::string& suspect) {
  flags.AddChoice("--suspect", &suspect, {"off", "look", "fail"},
                  "look: report `suspect` (exit status 4) for outputs that are in their sets but "
                  "very unlikely; fail: exit status 1; off: no test");
}

backends::DiffOptions::Suspect SuspectOf(const std::string& suspect) {
  using Suspect = backends::DiffOptions::Suspect;
  return suspect == "off" ? Suspect::kNot : Suspect::kWhereWide;
}

int ExitStatusOf(const std::vector<reports::Verdict>& verdicts, bool suspect_fails) {
  int status = kExitOk;
  bool suspect = false;
  for (const reports::Verdict& verdict : verdicts) {
    const bool is_suspect = verdict.kind == Outcome::kSuspect && !verdict.expected;
    suspect = suspect || is_suspect;
    // Unsupported counts as failed: it is unknown if the module's outputs are acceptable.
    const bool failed = verdict.kind == Outcome::kUnsupported || (is_suspect && suspect_fails);
    if (failed || !is_suspect)
      status = std::max(status, failed ? kExitFailed : reports::ExitStatusOf(verdict));
  }
  return status == kExitOk && suspect ? kExitSuspect : status;
}

}  // namespace hlocts::tools
