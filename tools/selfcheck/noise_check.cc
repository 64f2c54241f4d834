// SPDX-License-Identifier: Apache-2.0
#include "tools/selfcheck/noise_check.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "backends/backend_list.h"
#include "backends/differ/differ.h"
#include "nlohmann/json.hpp"
#include "reports/effective_bits.h"
#include "spec/base/json_text.h"
#include "spec/ir/module.h"
#include "tools/selfcheck/forked.h"

namespace hlocts::tools {
namespace {

using Json = nlohmann::ordered_json;
constexpr int64_t kChunk = 250;  // modules per process
constexpr size_t kFailuresKept = 20;

Json ToJson(const Unusual& unusual) {
  return {unusual.tensors, unusual.tensors_marked, unusual.elements, unusual.elements_marked};
}
void Add(const Unusual& from, Unusual& into) {
  into.tensors += from.tensors;
  into.tensors_marked += from.tensors_marked;
  into.elements += from.elements;
  into.elements_marked += from.elements_marked;
}

// Returns the report as text, with which a child process passes it to its parent.
std::string ToText(const NoiseReport& report) {
  Json failures = Json::array();
  for (const NoiseReport::Failure& failure : report.failures) {
    if (failures.size() == kFailuresKept) break;
    Json one = {{"trial", failure.trial},
                {"seed", failure.seed},
                {"kind", static_cast<int>(failure.verdict.kind)},
                {"reason", failure.verdict.reason}};
    if (const auto& first = failure.verdict.first_failure) {
      one["first"] = {first->actual, first->accepted, first->rule, first->instruction};
    }
    failures.push_back(std::move(one));
  }
  Json json = {{"verdicts", report.verdicts},
               {"modules", report.modules},
               {"elements", report.elements},
               {"unspecified", report.unspecified},
               {"unlike", report.unlike_reference},
               {"below", report.barely_checked},
               {"bits", report.bits_checked_mean},
               {"failures", failures},
               {"marked", report.marked},
               {"unusual", ToJson(report.unusual)},
               {"suspects", report.suspects},
               {"tested", report.tested},
               {"swept", report.swept}};
  return JsonText(json);
}

NoiseReport FromText(const std::string& text) {
  NoiseReport report;
  Json json = ParseJson<Json>(text);
  if (json.is_discarded()) return report;
  for (const auto& [name, count] : json["verdicts"].items()) report.verdicts[name] = count;
  report.modules = json["modules"];
  report.elements = json["elements"];
  report.unspecified = json["unspecified"];
  report.unlike_reference = json["unlike"];
  report.barely_checked = json["below"];
  report.bits_checked_mean = json["bits"];
  report.suspects = json["suspects"];
  report.tested = json["tested"];
  report.swept = json["swept"];
  report.marked = json["marked"].get<std::vector<std::string>>();
  const Json& unusual = json["unusual"];
  report.unusual = {unusual[0], unusual[1], unusual[2], unusual[3], ""};
  for (const Json& one : json["failures"]) {
    NoiseReport::Failure failure{one["trial"], one["seed"], {}};
    failure.verdict.kind = static_cast<Outcome>(one["kind"].get<int>());
    failure.verdict.reason = one["reason"];
    if (one.contains("first")) {
      reports::VerdictFailure first;
      first.actual = one["first"][0], first.accepted = one["first"][1];
      first.rule = one["first"][2], first.instruction = one["first"][3];
      failure.verdict.first_failure = first;
    }
    report.failures.push_back(std::move(failure));
  }
  return report;
}

bool SameBits(const std::vector<std::vector<Literal>>& a,
              const std::vector<std::vector<Literal>>& b) {
  for (size_t d = 0; d < a.size() && d < b.size(); ++d) {
    for (size_t i = 0; i < a[d].size() && i < b[d].size(); ++i) {
      if (!a[d][i].BitwiseEqual(b[d][i])) return false;
    }
  }
  return true;
}

reports::Verdict Judge(const Trial& trial, backends::Differ& differ, backends::Backend& engine,
                       const NoiseMode& mode, NoiseReport& report) {
  backends::RunOutcome outcome =
      backends::RunModule(engine, *trial.module, trial.load, trial.request);
  if (!outcome.has_values()) return backends::VerdictOf(outcome);
  report.unlike_reference += !SameBits(outcome.result.outputs, trial.expected.outputs);
  const std::vector<std::string> facts = engine.info().facts;
  reports::Verdict verdict = differ.JudgeOutputs(outcome.result.outputs, facts);
  if (mode.typical && verdict.kind == Outcome::kPass) {
    const Unusual unusual = differ.FindUnusual(outcome.result.outputs, facts);
    Add(unusual, report.unusual);
    if (!unusual.text.empty()) report.marked.push_back(trial.name + ": " + unusual.text);
  }
  return verdict;
}

// Returns the number of output elements that the statistical tests use: floats of at least 16 bits.
int64_t FloatsOf(const Module& module) {
  int64_t floats = 0;
  for (const Shape& leaf : backends::OutputLeafShapes(module)) {
    const PrimitiveType type = leaf.element_type();
    if (leaf.IsArray() && IsFloat(type) && BitWidth(type) >= 16) floats += leaf.ElementCount();
  }
  return floats;
}

void Count(const reports::Verdict& verdict, int64_t floats, NoiseReport& report) {
  ++report.modules;
  ++report.verdicts[std::string(OutcomeName(verdict.kind))];
  report.bits_checked_mean += verdict.bits_checked_mean * static_cast<double>(verdict.elements);
  report.elements += verdict.elements;
  report.unspecified += verdict.unspecified_elements;
  report.barely_checked += reports::ElementsBarelyChecked(verdict);
  if (!verdict.statistical) return;
  report.suspects += verdict.kind == Outcome::kSuspect;
  report.tested += floats;
  report.swept += verdict.statistical->elements;
}

}  // namespace

NoiseReport CheckNoise(const std::vector<Trial>& trials, const NoiseMode& mode,
                       const std::vector<uint64_t>& seeds) {
  NoiseReport report;
  for (const Trial& trial : trials) {
    if (!trial.valid) continue;
    backends::DiffOptions options{
        .profile = mode.profile, .load = trial.load, .change_rule = trial.change_rule};
    if (mode.typical || mode.suspect) options.suspect = backends::DiffOptions::Suspect::kAlways;
    backends::Differ differ(*trial.module, trial.request, options);
    for (uint64_t seed : seeds) {
      auto engine = backends::MakeInProcessBackend(
          absl::StrCat("legal-noise?seed=", seed, "&profile=", ProfileName(mode.profile),
                       "&partitions=", mode.partitions, mode.typical ? "&typical=1" : "",
                       mode.facts.empty() ? "" : "&facts=", mode.facts));
      HLOCTS_CHECK(engine.ok());
      reports::Verdict verdict = Judge(trial, differ, **engine, mode, report);
      Count(verdict, FloatsOf(*trial.module), report);
      // A suspect is a failure only if the noise is typical.
      const bool excused =
          IsInconclusive(verdict.kind) || (verdict.kind == Outcome::kSuspect && !mode.typical);
      if (IsFailure(verdict.kind) && !excused) {
        report.failures.push_back({trial.name, seed, verdict});
      }
    }
  }
  if (report.elements > 0) report.bits_checked_mean /= static_cast<double>(report.elements);
  return report;
}

void Merge(const NoiseReport& from, NoiseReport& into) {
  double bits = from.bits_checked_mean * static_cast<double>(from.elements) +
                into.bits_checked_mean * static_cast<double>(into.elements);
  into.modules += from.modules;
  into.elements += from.elements;
  into.unspecified += from.unspecified;
  into.unlike_reference += from.unlike_reference;
  into.barely_checked += from.barely_checked;
  into.suspects += from.suspects;
  into.tested += from.tested;
  into.swept += from.swept;
  if (into.elements > 0) into.bits_checked_mean = bits / static_cast<double>(into.elements);
  for (const auto& [name, count] : from.verdicts) into.verdicts[name] += count;
  into.failures.insert(into.failures.end(), from.failures.begin(), from.failures.end());
  into.marked.insert(into.marked.end(), from.marked.begin(), from.marked.end());
  Add(from.unusual, into.unusual);
}

NoiseReport CheckNoiseOnGenerated(uint64_t seed, int64_t count, const NoiseMode& mode, int jobs,
                                  const std::function<void(const NoiseReport&)>& tick) {
  NoiseReport report;
  const size_t chunks = static_cast<size_t>((count + kChunk - 1) / kChunk);
  auto work = [&](size_t chunk) {
    NoiseReport own;
    int64_t first = static_cast<int64_t>(chunk) * kChunk;
    for (int64_t i = first; i < std::min(count, first + kChunk); ++i) {
      std::vector<Trial> one;
      one.push_back(GeneratedTrial(seed, static_cast<uint64_t>(i)));
      Merge(CheckNoise(one, mode, {seed + static_cast<uint64_t>(i)}), own);
    }
    return ToText(own);
  };
  RunForked(chunks, jobs, 1500, work, [&](size_t chunk, const ForkedResult& result) {
    if (result.crashed || result.timed_out) {
      NoiseReport::Failure failure;
      failure.trial = absl::StrCat("generated:", seed, ":", chunk * kChunk, " or later");
      failure.verdict.kind = result.crashed ? Outcome::kCrash : Outcome::kTimeout;
      report.failures.push_back(std::move(failure));
    }
    Merge(FromText(result.text), report);
    tick(report);
  });
  return report;
}

std::string NoiseLine(const NoiseReport::Failure& failure) {
  std::string line = absl::StrCat("  ", failure.trial, " seed ", failure.seed, ": ",
                                  OutcomeName(failure.verdict.kind), " ", failure.verdict.reason);
  if (const auto& first = failure.verdict.first_failure) {
    absl::StrAppend(&line, " [", first->instruction, ", ", first->rule, ": ", first->actual,
                    ", accepted ", first->accepted, "]");
  }
  return line + "\n";
}

void PrintNoise(const NoiseReport& report, const std::string& where, std::ostream& out) {
  out << absl::StrFormat("legal noise, %s: %d runs, %d different from the reference, %d failures",
                         where, report.modules, report.unlike_reference, report.failures.size());
  for (const auto& [name, count] : report.verdicts) out << ", " << name << " " << count;
  out << absl::StrFormat(
      "; %.2f bits checked; %d elements, %d unspecified, %d unspecified or below 2 bits (%.2f%%)\n",
      report.bits_checked_mean, report.elements, report.unspecified, report.barely_checked,
      100.0 * static_cast<double>(report.barely_checked) /
          std::max(1.0, static_cast<double>(report.elements)));
  for (const NoiseReport::Failure& failure : report.failures) out << NoiseLine(failure);
  if (report.tested > 0) {
    out << absl::StrFormat("  suspect: %d runs, of %d elements, %d of them tested singly\n",
                           report.suspects, report.tested, report.swept);
  }
  const Unusual& unusual = report.unusual;
  if (unusual.tensors == 0) return;
  out << absl::StrFormat("  unusual: %d of %d tensors, %d of %d elements\n", unusual.tensors_marked,
                         unusual.tensors, unusual.elements_marked, unusual.elements);
  for (const std::string& line : report.marked) out << "  unusual: " << line << "\n";
}

}  // namespace hlocts::tools
