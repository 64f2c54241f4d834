#include "tools/selfcheck/noise_check.h"

#include "backends/backend_list.h"
#include "backends/differ/differ.h"

namespace hlocts {
namespace {

bool SameBits(const std::vector<std::vector<Literal>>& a,
              const std::vector<std::vector<Literal>>& b) {
  for (size_t d = 0; d < a.size() && d < b.size(); ++d) {
    for (size_t i = 0; i < a[d].size() && i < b[d].size(); ++i) {
      if (!a[d][i].BitwiseEqual(b[d][i])) return false;
    }
  }
  return true;
}

Verdict Judge(const Trial& trial, Differ& differ, Backend& engine, bool& unlike) {
  RunOutcome outcome = RunModule(engine, *trial.module, trial.load, trial.request);
  if (outcome.kind != OutcomeKind::kValues) return VerdictOf(outcome);
  unlike = !SameBits(outcome.result.outputs, trial.expected.outputs);
  return differ.JudgeOutputs(outcome.result.outputs, engine.info().facts);
}

void Count(const Verdict& verdict, NoiseReport& report) {
  ++report.modules;
  ++report.verdicts[std::string(VerdictName(verdict.kind))];
  report.bits_checked_mean += verdict.bits_checked_mean * static_cast<double>(verdict.elements);
  report.elements += verdict.elements;
  report.unspecified += verdict.unspecified_elements;
}

}  // namespace

NoiseReport CheckNoise(const std::vector<Trial>& trials, Profile profile,
                       const std::vector<uint64_t>& seeds) {
  NoiseReport report;
  for (const Trial& trial : trials) {
    if (!trial.valid) continue;
    DiffOptions options;
    options.profile = profile;
    options.load = trial.load;
    Differ differ(*trial.module, trial.request, options);
    for (uint64_t seed : seeds) {
      auto engine = MakeInProcessBackend(
          absl::StrCat("legal-noise?seed=", seed, "&profile=", ProfileName(profile)));
      HLOCTS_CHECK(engine.ok());
      bool unlike = false;
      Verdict verdict = Judge(trial, differ, **engine, unlike);
      Count(verdict, report);
      report.unlike_reference += unlike;
      if (verdict.kind != VerdictKind::kPass && verdict.kind != VerdictKind::kInconclusive &&
          verdict.kind != VerdictKind::kUnsupported) {
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
  if (into.elements > 0) into.bits_checked_mean = bits / static_cast<double>(into.elements);
  for (const auto& [name, count] : from.verdicts) into.verdicts[name] += count;
  into.failures.insert(into.failures.end(), from.failures.begin(), from.failures.end());
}

}  // namespace hlocts
