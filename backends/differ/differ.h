// SPDX-License-Identifier: Apache-2.0
// Runs a module on an engine and judges the results: the differential test in one call. The differ
// has no code for particular engines; an engine reports its promises beyond the documents (facts).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "reference/judge/module_sets.h"
#include "reports/verdict.h"
#include "reports/verdict_fwd.h"
#include "spec/accuracy/rules.h"
#include "spec/judge/judge.h"
#include "spec/judge/unusual.h"

namespace hlocts::backends {

struct DiffOptions {
  Profile profile = Profile::kDefault;
  LoadOptions load;
  RuleChange change_rule;  // a mutant of the rule table, for the self-check
  // Results that the documents print, as [device][leaf], or empty. Outputs must equal them bit for
  // bit (a "nan" without sign and payload is any NaN), and must be in the acceptance sets as well.
  std::vector<std::vector<Literal>> printed_result;
  // The expected outfeed in order, as [device][leaf], or empty.
  std::vector<std::vector<Literal>> expected_outfeed;
  // The approximate number of floating-point operations per piece. If `cut` is positive, pieces are
  // judged in addition to the outputs. If it is 0, the module is cut only if the outputs are
  // inconclusive, and only at values that a joint predicate judges and that the module itself uses.
  // If it is kNoCut, the module is never cut.
  static constexpr int64_t kNoCut = -1;
  int64_t cut = 0;
  // If the outputs and the pieces of `cut` are inconclusive, cuts the module at checkpoints, into
  // pieces and blocks of loop trips, and each inconclusive piece into smaller ones. `suspect`
  // applies to the smallest pieces.
  bool checkpoints = false;
  // Narrows a failure down to a piece that is wrong in isolation; takes many executions.
  bool blame = false;
  // The outputs to test against the likely effects of roundings (lemma 44), if no set rejects them:
  // inconclusive ones only, those with wide sets as well, or all. The verdict may become `suspect`.
  enum class Suspect : uint8_t { kNot, kWhereInconclusive, kWhereWide, kAlways };
  Suspect suspect = Suspect::kNot;
  // Adds improbable features to a passing verdict, which takes another evaluation of the module.
  bool unusual = false;
  // Adds the operands of the failing element to a failure, which takes another evaluation.
  bool describe = false;
  // Reports the largest distance of accepted results of real functions from their exact values.
  bool ulps = false;
};

// Returns true if both failures exist and are at the same element.
template <typename A, typename B>
bool SameElement(const std::optional<A>& a, const std::optional<B>& b) {
  return a && b && a->output == b->output && a->index == b->index;
}

// Judges one module with its arguments. The acceptance sets are computed once per set of target
// facts and shared by all engines.
class Differ {
 public:
  // The module must be verified. It and the request must outlive the Differ.
  Differ(const Module& module, const ExecuteRequest& request, DiffOptions options)
      : module_(module), request_(request), options_(std::move(options)) {}

  // Runs and judges. Fields that only the caller knows (module, case, seed) stay empty.
  reports::Verdict Diff(Backend& backend);
  // Judges a finished run; runs pieces, if any, on the engine.
  reports::Verdict DiffOutcome(const RunOutcome& outcome, Backend& backend);
  // Judges the given outputs, [device][leaf].
  reports::Verdict JudgeOutputs(const std::vector<std::vector<Literal>>& outputs,
                                const std::vector<std::string>& facts = {});
  // Finds improbable features of acceptable outputs, which takes two more evaluations.
  hlocts::Unusual FindUnusual(const std::vector<std::vector<Literal>>& outputs,
                              const std::vector<std::string>& facts = {});
  // Applies the tests of lemma 44 to outputs that no set rejects, as options.suspect requests.
  void AddStatistical(const std::vector<std::vector<Literal>>& outputs,
                      const std::vector<std::string>& facts, reports::Verdict& verdict);
  // Returns the acceptance sets of one device, for explanations and bundles.
  absl::StatusOr<const ModuleAcceptance*> Acceptance(int64_t device,
                                                     const std::vector<std::string>& facts = {});

 private:
  struct Judged;
  absl::StatusOr<Judged> JudgeDevice(const std::vector<Literal>& outputs, size_t device,
                                     const std::vector<std::string>& facts);
  reports::Verdict JudgeBySets(const std::vector<std::vector<Literal>>& outputs,
                               const std::vector<std::string>& facts);
  bool DismissIfConversionIsAtFault(const BackendInfo& info, reports::Verdict& verdict);
  // The kind of sets: kUsual for every judgement, kRigorous to confirm a failure, kLikely and
  // kVeryLikely to find improbable features.
  enum class Kind { kUsual, kRigorous, kLikely, kVeryLikely };
  double SigmaFactorOf(Kind kind) const;
  absl::StatusOr<std::vector<ModuleAcceptance>> ComputeSets(const std::vector<std::string>& facts,
                                                            Kind kind,
                                                            const reference::SetWatch& watch);
  absl::StatusOr<const std::vector<ModuleAcceptance>*> Sets(const std::vector<std::string>& facts,
                                                            Kind kind);
  void AddUlps(const std::vector<std::vector<Literal>>& outputs,
               const std::vector<std::string>& facts, reports::Verdict& verdict);
  // Notes each fact that alone would permit the first failure.
  void NoteFactsThatPermit(const std::vector<Literal>& outputs, size_t device,
                           const std::vector<std::string>& facts, reports::Verdict& verdict);
  // Notes the facts of the engine that permit more and without which the outputs would be wrong.
  // `seconds`: the time that judging the outputs took.
  void NoteDepartures(const std::vector<std::vector<Literal>>& outputs,
                      const std::vector<std::string>& facts, double seconds,
                      reports::Verdict& verdict);
  const Module& module_;
  const ExecuteRequest& request_;
  DiffOptions options_;
  std::map<std::string, absl::StatusOr<std::vector<ModuleAcceptance>>> sets_;
};

// Adds to a failure of the module its operation, its distance and, if requested, its operands.
void AddDetails(const Module& module, const ExecuteRequest& request, const DiffOptions& options,
                const ModuleAcceptance& accepted, const std::vector<Literal>& outputs,
                reports::VerdictFailure& failure);

// Returns true if the failing instruction is a stable sort, and the sets of the same sort without
// `is_stable` accept the outputs of all devices.
bool ViolatesOnlyStability(const Module& module, const ExecuteRequest& request, DiffOptions options,
                           const std::vector<std::vector<Literal>>& outputs,
                           const std::vector<std::string>& facts,
                           const reports::VerdictFailure& failure);

// Returns the verdict on a run that returned no values.
reports::Verdict VerdictOf(const RunOutcome& outcome);

// Judges an engine on an invalid module: rejection is a pass, and "accepted" is a failure.
reports::Verdict DiffInvalidModule(const Module& module, Backend& backend,
                                   const DiffOptions& options);
// Returns the verdict on a text that our parser rejects, so that no module can be sent. The verdict
// is a pass for an engine that uses our parser and `unsupported` for other engines.
reports::Verdict DiffUnreadableModule(const absl::Status& refusal, Backend& backend);

}  // namespace hlocts::backends
