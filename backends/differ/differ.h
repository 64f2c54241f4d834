// SPDX-License-Identifier: Apache-2.0
// Runs a module on an engine and judges the results: the differential test in one call. It knows no
// engine by name; an engine reports its own promises beyond the documents (target facts).
#ifndef HLOCTS_BACKENDS_DIFFER_DIFFER_H_
#define HLOCTS_BACKENDS_DIFFER_DIFFER_H_

#include <map>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "reports/verdict.h"
#include "reports/verdict_fwd.h"
#include "spec/accuracy/rules.h"
#include "spec/judge/judge.h"
#include "spec/judge/unusual.h"

namespace hlocts::backends {

struct DiffOptions {
  Profile profile = Profile::kDefault;
  LoadOptions load;
  RuleChange change_rule;  // for the self-check: a mutant of the rule table
  // [device][leaf], or empty: results that the documents print. Outputs must equal these bit for
  // bit (a "nan" without sign and payload is any NaN), and must be in the acceptance sets as well.
  std::vector<std::vector<Literal>> printed_result;
  // [device][leaf], or empty: what must have been sent out, in this order.
  std::vector<std::vector<Literal>> expected_outfeed;
  // Approximate number of floating-point operations per piece: pieces are judged as well as the
  // outputs. 0: the module is cut only where a value under a joint predicate is consumed inside,
  // and only when the outputs leave something open. kNoCut: never.
  static constexpr int64_t kNoCut = -1;
  int64_t cut = 0;
  // If the outputs are inconclusive, the module is cut at checkpoints: into large pieces and blocks
  // of trips, then into smaller ones.
  bool checkpoints = false;
  // Narrows a failure down to a piece that is wrong by itself (many executions).
  bool blame = false;
  // Outputs that no set refuses are tested against the likely effects of roundings (RULES 44), and
  // may be `suspect`: where the sets say nothing, also where they are wide, or always.
  enum class Suspect : uint8_t { kNot, kWhereInconclusive, kWhereWide, kAlways };
  Suspect suspect = Suspect::kNot;
  // A pass reports its improbable features as well (a second walk over the module).
  bool unusual = false;
  // A failure reports the operands of its instruction at the failing element (one more evaluation).
  bool describe = false;
  // The largest distance of accepted values of functions of real numbers from the exact ones.
  bool ulps = false;
};

// One module with its arguments; the acceptance sets are computed once per set of target facts and
// shared by all engines.
class Differ {
 public:
  // Both must outlive the Differ. The module is verified.
  Differ(const Module& module, const ExecuteRequest& request, DiffOptions options)
      : module_(module), request_(request), options_(std::move(options)) {}

  // Runs and judges. `verdict` fields that only the caller knows (module, case, seed) stay empty.
  reports::Verdict Diff(Backend& backend);
  // The same for a finished run; the engine runs the pieces, if any.
  reports::Verdict DiffOutcome(const RunOutcome& outcome, Backend& backend);
  // Judges the given outputs, [device][leaf].
  reports::Verdict JudgeOutputs(const std::vector<std::vector<Literal>>& outputs,
                                const std::vector<std::string>& facts = {});
  // Improbable features of acceptable outputs (two more walks over the module).
  hlocts::Unusual FindUnusual(const std::vector<std::vector<Literal>>& outputs,
                              const std::vector<std::string>& facts = {});
  // The sets of one device, for explanations and bundles.
  absl::StatusOr<const ModuleAcceptance*> Acceptance(int64_t device,
                                                     const std::vector<std::string>& facts = {});

 private:
  reports::Verdict JudgeBySets(const std::vector<std::vector<Literal>>& outputs,
                               const std::vector<std::string>& facts);
  bool AcquitOfConversion(const BackendInfo& info, reports::Verdict& verdict);
  // The sets to use: those of every judgement, rigorous ones to confirm a failure, likely and far
  // ones to find improbable features.
  enum class Kind { kUsual, kRigorous, kLikely, kFar };
  double LambdaOf(Kind kind) const;
  absl::StatusOr<const std::vector<ModuleAcceptance>*> Sets(const std::vector<std::string>& facts,
                                                            Kind kind);
  void AddStatistical(const std::vector<std::vector<Literal>>& outputs,
                      const std::vector<std::string>& facts, reports::Verdict& verdict);
  void AddUlps(const std::vector<std::vector<Literal>>& outputs,
               const std::vector<std::string>& facts, reports::Verdict& verdict);
  // Operation, distance and, where asked for, operands of a failure.
  void AddDetails(const ModuleAcceptance& accepted, const std::vector<Literal>& outputs,
                  reports::VerdictFailure& failure);
  const Module& module_;
  const ExecuteRequest& request_;
  DiffOptions options_;
  std::map<std::string, absl::StatusOr<std::vector<ModuleAcceptance>>> sets_;
};

// The verdict on an engine that returned no values.
reports::Verdict VerdictOf(const RunOutcome& outcome);

// The module is invalid: refusal is the pass, "accepted" the failure.
reports::Verdict DiffInvalidModule(const Module& module, Backend& backend,
                                   const DiffOptions& options);
// The same for a text that our parser refuses, so that it cannot be sent as a module: a pass of an
// engine that reads with our parser, `unsupported` for any other.
reports::Verdict DiffUnreadableModule(const absl::Status& refusal, Backend& backend);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_DIFFER_DIFFER_H_
