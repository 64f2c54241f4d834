// SPDX-License-Identifier: Apache-2.0
#include "backends/differ/differ.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "absl/algorithm/container.h"
#include "absl/strings/str_join.h"
#include "backends/differ/blame.h"
#include "backends/differ/failure_details.h"
#include "backends/differ/kept_promises.h"
#include "backends/differ/printed_result.h"
#include "reference/custom_call.h"
#include "reference/judge/module_sets.h"
#include "reports/effective_bits.h"
#include "spec/accuracy/target_facts.h"
#include "spec/base/hard_limit.h"
#include "spec/ir/index_util.h"
#include "spec/ir/instruction.h"
#include "spec/ir/sharding.h"
#include "spec/judge/freedoms.h"
#include "spec/ops/partitions.h"

namespace hlocts::backends {
namespace {

// Returns the severity of a device's verdict; the module gets the most severe one.
int Severity(Outcome kind) {
  switch (kind) {
    case Outcome::kPass:
      return 0;
    case Outcome::kNanBits:
      return 1;
    case Outcome::kInconclusive:
    case Outcome::kProbable:
      return 2;
    case Outcome::kSuspect:
      return 3;
    case Outcome::kError:
      return 4;
    default:
      return 5;
  }
}

reports::Verdict FromJudge(const JudgeResult& result, int64_t replica, Profile profile) {
  reports::Verdict verdict;
  verdict.kind = result.outcome;
  verdict.replica = replica;
  verdict.reason = result.reason;
  verdict.elements = result.elements;
  verdict.bits_checked_mean = result.bits_checked_mean;
  verdict.unspecified_elements = result.unspecified_elements;
  verdict.draws = result.effective.draws;
  verdict.wrong_elements = result.failed_elements;
  verdict.freedoms = result.freedoms;
  if (result.effective.elements > 0) {
    verdict.effective_bits_median = result.effective.median;
    verdict.effective_bits_p5 = result.effective.percentile5;
    verdict.below_two_bits_share = result.effective.share_below_2;
    verdict.effective_quarters = result.effective.quarters;
    verdict.unspecified_floats = result.effective.unspecified;
  }
  if (const auto& failure = result.first_failure) {
    // A data movement may change a NaN's bits, except in the strict profile (ruling 0071).
    const bool apart = result.only_nan_bits && profile != Profile::kStrict;
    if (apart) verdict.kind = Outcome::kNanBits;
    verdict.first_failure = reports::VerdictFailure{
        failure->output,   failure->index, failure->actual, failure->actual_bits,
        failure->accepted, failure->rule,  failure->clause, failure->instruction};
    verdict.first_failure->value = failure->value;
  }
  return verdict;
}

// Combines the verdicts on two devices: the more severe one, with the counts of both.
reports::Verdict Merge(const reports::Verdict& a, const reports::Verdict& b) {
  const bool second = Severity(b.kind) > Severity(a.kind);
  reports::Verdict merged = second ? b : a;
  const reports::Verdict& other = second ? a : b;
  reports::AddCounts(other, 1, merged);
  std::set<std::string> freedoms(merged.freedoms.begin(), merged.freedoms.end());
  freedoms.insert(other.freedoms.begin(), other.freedoms.end());
  merged.freedoms.assign(freedoms.begin(), freedoms.end());
  return merged;
}

// Changes the verdict `rejected` to `unsupported` if the module has tiles that do not divide an
// array evenly (ruling 0120).
void MarkUnevenShardsUnsupported(const Module& module, reports::Verdict& verdict) {
  if (verdict.kind != Outcome::kRejected) return;
  const Instruction* uneven = FirstUneven(module);
  if (uneven == nullptr) return;
  verdict.kind = Outcome::kUnsupported;
  verdict.reason = absl::StrCat("rejected; the tiles of ", uneven->name(),
                                " are unequal (ruling 0120): ", verdict.reason);
}

// Returns the freedoms that widened the set of the failing element.
std::vector<std::string> FreedomsAt(const ModuleAcceptance& accepted,
                                    const reports::VerdictFailure& failure) {
  const size_t leaf = static_cast<size_t>(failure.output);
  if (leaf >= accepted.leaves.size() || accepted.leaves[leaf].set.exact()) return {};
  const Shape& shape = accepted.leaves[leaf].shape;
  if (shape.rank() != static_cast<int64_t>(failure.index.size())) return {};
  const AcceptanceSet set =
      accepted.leaves[leaf].set.At(LinearIndex(failure.index, RowMajorStrides(shape.dimensions())));
  const Freedom freedom = FreedomOf(set.cause, accepted.OriginOf(set.origin));
  if (freedom == Freedom::kNone) return {};
  return {std::string(FreedomName(freedom))};
}

constexpr char kCompiled[] =
    "the module has a schedule, so a compiler made it: a compiler need not accept it again; "
    "expected the module before compilation (JAX: jax.jit(f).lower(x).as_text())";
constexpr char kOnlyStrict[] =
    "this breaks a promise of the strict profile, not HLO: the default profile accepts the outputs";

reports::Verdict FromStatus(const absl::Status& status) {
  reports::Verdict verdict;
  verdict.kind = OutcomeOf(status);
  // If the reference lacks a feature, that is not a verdict on the engine.
  if (verdict.kind == Outcome::kRejected) verdict.kind = Outcome::kError;
  verdict.error.kind = ErrorKind::kReference;
  verdict.reason = absl::StrCat("reference: ", status.message());
  return verdict;
}

}  // namespace

absl::StatusOr<std::vector<ModuleAcceptance>> Differ::ComputeSets(
    const std::vector<std::string>& facts, Kind kind, const reference::SetWatch& watch) {
  reference::JudgeOptions judge{{options_.load}};
  judge.profile = options_.profile;
  judge.change_rule = options_.change_rule;
  judge.rigorous = kind == Kind::kRigorous;
  judge.likely = SigmaFactorOf(kind);
  judge.replicas = options_.load.replicas;
  judge.partitions = options_.load.partitions;
  judge.infeed = request_.infeed;
  judge.watch = watch;
  judge.deadline = reference::DeadlineAfter(options_.load.reference_seconds_max);
  const HardLimit limit(judge.deadline);
  for (const std::string& fact : facts) {
    HLOCTS_RETURN_IF_ERROR(SetTargetFact(fact, judge.facts));
  }
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<reference::CustomCallLibrary> custom_calls,
                          reference::CustomCallLibrary::Load(options_.load.custom_calls));
  judge.custom_calls = custom_calls.get();
  std::vector<std::vector<Literal>> arguments;
  for (const std::vector<Literal>& leaves : request_.arguments) {
    HLOCTS_ASSIGN_OR_RETURN(std::vector<Literal> nested, NestArguments(module_, leaves));
    arguments.push_back(std::move(nested));
  }
  return reference::AcceptanceOfDevices(module_, arguments, judge);
}

absl::StatusOr<const std::vector<ModuleAcceptance>*> Differ::Sets(
    const std::vector<std::string>& facts, Kind kind) {
  std::string key = absl::StrCat(static_cast<int>(kind), " ", absl::StrJoin(facts, " "));
  auto found = sets_.find(key);
  if (found == sets_.end()) found = sets_.emplace(key, ComputeSets(facts, kind, nullptr)).first;
  HLOCTS_RETURN_IF_ERROR(found->second.status());
  return &*found->second;
}

absl::StatusOr<const ModuleAcceptance*> Differ::Acceptance(int64_t device,
                                                           const std::vector<std::string>& facts) {
  HLOCTS_ASSIGN_OR_RETURN(const std::vector<ModuleAcceptance>* sets, Sets(facts, Kind::kUsual));
  if (device < 0 || device >= static_cast<int64_t>(sets->size())) {
    return InvalidInput("device ", device, ": expected one of ", sets->size());
  }
  return &(*sets)[device];
}

// The outputs of one device as judged by acceptance sets.
struct Differ::Judged {
  const ModuleAcceptance* accepted;
  JudgeResult result;
  std::vector<std::string> facts;  // narrowing facts without which the outputs do not fail
};

// Judges outputs by the usual sets and, if they fail, by the rigorous sets, which alone prove a
// failure. If the outputs also fail without the facts that narrow sets, reports that failure.
absl::StatusOr<Differ::Judged> Differ::JudgeDevice(const std::vector<Literal>& outputs,
                                                   size_t device,
                                                   const std::vector<std::string>& facts) {
  auto by = [&](const std::vector<std::string>& some, Kind kind) -> absl::StatusOr<Judged> {
    HLOCTS_ASSIGN_OR_RETURN(const std::vector<ModuleAcceptance>* sets, Sets(some, kind));
    return Judged{&(*sets)[device], JudgeLeaves((*sets)[device], outputs), {}};
  };
  HLOCTS_ASSIGN_OR_RETURN(Judged judged, by(facts, Kind::kUsual));
  if (judged.result.outcome != Outcome::kFail) return judged;
  HLOCTS_ASSIGN_OR_RETURN(judged, by(facts, Kind::kRigorous));
  std::vector<std::string> narrowing, kept;
  for (const std::string& fact : facts) {
    const FactRow* row = FindFact(fact);
    (row != nullptr && !row->grants ? narrowing : kept).push_back(fact);
  }
  if (judged.result.outcome != Outcome::kFail || narrowing.empty()) return judged;
  auto without = by(kept, Kind::kRigorous);
  if (!without.ok()) return judged;
  if (without->result.outcome == Outcome::kFail) {
    if (!SameElement(judged.result.first_failure, without->result.first_failure)) {
      judged.result.first_failure = without->result.first_failure;
      judged.result.reason = without->result.reason;
    }
    return judged;
  }
  // Drops each fact that the failure does not need.
  for (size_t i = 0; i < narrowing.size(); ++i) {
    std::vector<std::string> others = kept;
    others.insert(others.end(), judged.facts.begin(), judged.facts.end());
    others.insert(others.end(), narrowing.begin() + i + 1, narrowing.end());
    without = by(others, Kind::kRigorous);
    if (!without.ok() || without->result.outcome != Outcome::kFail)
      judged.facts.push_back(narrowing[i]);
  }
  return judged;
}

reports::Verdict Differ::JudgeBySets(const std::vector<std::vector<Literal>>& outputs,
                                     const std::vector<std::string>& facts) {
  auto sets = Sets(facts, Kind::kUsual);
  if (!sets.ok()) return FromStatus(sets.status());
  if (outputs.size() != (*sets)->size()) {
    reports::Verdict verdict;
    verdict.kind = Outcome::kFail;
    verdict.reason =
        absl::StrCat("expected outputs of ", (*sets)->size(), " devices, found ", outputs.size());
    return verdict;
  }
  reports::Verdict merged;
  for (size_t d = 0; d < outputs.size(); ++d) {
    int64_t replica = static_cast<int64_t>(d) / options_.load.partitions;
    auto judged = JudgeDevice(outputs[d], d, facts);
    if (!judged.ok()) return FromStatus(judged.status());
    reports::Verdict verdict = FromJudge(judged->result, replica, options_.profile);
    if (verdict.first_failure) {
      verdict.first_failure->facts = std::move(judged->facts);
      AddDetails(module_, request_, options_, *judged->accepted, outputs[d],
                 *verdict.first_failure);
      if (options_.describe) NoteFactsThatPermit(outputs[d], d, facts, verdict);
      verdict.freedoms = FreedomsAt(*judged->accepted, *verdict.first_failure);
    }
    merged = d == 0 ? std::move(verdict) : Merge(merged, verdict);
  }
  merged.profile = std::string(ProfileName(options_.profile));
  return merged;
}

reports::Verdict Differ::JudgeOutputs(const std::vector<std::vector<Literal>>& outputs,
                                      const std::vector<std::string>& facts) {
  const std::string unequal = IsSharded(module_) ? MismatchedReplicas(outputs) : "";
  if (!unequal.empty()) {
    reports::Verdict verdict = JudgeOutputs({outputs[0]}, facts);
    // If a module has no result (ruling 0124), the copies of an output need not be equal.
    if (verdict.kind == Outcome::kUnsupported || verdict.kind == Outcome::kError) return verdict;
    verdict.kind = Outcome::kFail;
    verdict.notes.push_back(unequal);
    return verdict;
  }
  const auto start = HardLimit::Clock::now();
  reports::Verdict verdict = JudgeBySets(outputs, facts);
  const std::chrono::duration<double> spent = HardLimit::Clock::now() - start;
  if (options_.describe && options_.profile == Profile::kStrict && verdict.kind == Outcome::kFail) {
    DiffOptions usual = options_;
    usual.profile = Profile::kDefault;
    usual.describe = usual.blame = usual.unusual = false;
    if (Differ(module_, request_, usual).JudgeBySets(outputs, facts).kind != Outcome::kFail)
      verdict.notes.emplace_back(kOnlyStrict);
  }
  if (options_.describe && verdict.first_failure &&
      ViolatesOnlyStability(module_, request_, options_, outputs, facts, *verdict.first_failure))
    verdict.first_failure->tie = true;
  const bool inside = verdict.kind == Outcome::kPass || verdict.kind == Outcome::kInconclusive;
  if (inside && (options_.describe || !options_.printed_result.empty()))
    NoteDepartures(outputs, facts, spent.count(), verdict);
  if (inside) AddStatistical(outputs, facts, verdict);
  if (options_.unusual && inside) {
    verdict.unusual = FindUnusual(outputs, facts).text;
  }
  if (const auto sets = Sets(facts, Kind::kUsual);
      options_.describe && options_.blame && inside && sets.ok())
    AddNanNote(
        module_, request_, options_.load, outputs, **sets,
        [&](const reference::SetWatch& watch) {
          ComputeSets(facts, Kind::kUsual, watch).status().IgnoreError();
        },
        verdict);
  ApplyPrintedResult(options_.printed_result, outputs, verdict);
  return verdict;
}

reports::Verdict Differ::Diff(Backend& backend) {
  RunOutcome outcome = RunModule(backend, module_, options_.load, request_);
  return DiffOutcome(outcome, backend);
}

reports::Verdict Differ::DiffOutcome(const RunOutcome& outcome, Backend& backend) {
  BackendInfo info = backend.info();
  reports::Verdict verdict =
      outcome.has_values() ? JudgeOutputs(outcome.result.outputs, info.facts) : VerdictOf(outcome);
  if (outcome.has_values()) {
    JudgeArguments(module_, request_, outcome.result, verdict);
    JudgeOutfeed(options_.expected_outfeed, outcome.result, verdict);
    if (options_.ulps) AddUlps(outcome.result.outputs, info.facts, verdict);
  }
  MarkUnevenShardsUnsupported(module_, verdict);
  if (verdict.kind == Outcome::kCrash && module_.is_scheduled)
    verdict.notes.emplace_back(kCompiled);
  // An engine may reject a module that has no result on these devices or for these run-time sizes.
  if (verdict.kind == Outcome::kRejected) {
    const absl::Status sets = Sets(info.facts, Kind::kUsual).status();
    if (absl::IsInvalidArgument(sets)) {
      verdict.kind = Outcome::kError;
      verdict.notes.push_back(absl::StrCat("the reference has no result either: ", sets.message()));
    }
  }
  const bool acquitted = DismissIfConversionIsAtFault(info, verdict);
  verdict.profile = std::string(ProfileName(options_.profile));
  verdict.backend = info.name;
  verdict.backend_version = info.version;
  verdict.seconds = outcome.load_seconds + outcome.result.seconds;
  if (acquitted) return verdict;
  absl::Span<const ModuleAcceptance> sets;
  if (verdict.kind == Outcome::kPass) {
    if (auto known = Sets(info.facts, Kind::kUsual); known.ok()) sets = **known;
  }
  verdict = WithPieces(std::move(verdict), outcome.result.outputs, sets, module_, request_,
                       options_, backend);
  verdict.localisation.compiled_form =
      verdict.kind == Outcome::kFail && absl::c_linear_search(info.capabilities, "compiled-form");
  AddPartitioning(module_, request_, options_, backend, verdict);
  return verdict;
}

reports::Verdict VerdictOf(const RunOutcome& outcome) {
  reports::Verdict verdict;
  verdict.kind = outcome.failure.value_or(Outcome::kError);
  verdict.error = outcome.error;
  verdict.reason = outcome.error.Text();
  return verdict;
}

reports::Verdict DiffInvalidModule(const Module& module, Backend& backend,
                                   const DiffOptions& options) {
  BackendInfo info = backend.info();
  reports::Verdict verdict;
  verdict.profile = std::string(ProfileName(options.profile));
  verdict.backend = info.name;
  verdict.backend_version = info.version;
  auto executable = backend.Load(module, options.load);
  if (executable.ok()) {
    verdict.kind = Outcome::kAccepted;
    verdict.reason = "the engine took an invalid module";
    return verdict;
  }
  const Outcome outcome = OutcomeOf(executable.status());
  verdict.kind = outcome == Outcome::kRejected ? Outcome::kPass : outcome;
  verdict.error = ErrorOf(executable.status());
  verdict.reason = verdict.error.Text();
  return verdict;
}

reports::Verdict DiffUnreadableModule(const absl::Status& refusal, Backend& backend) {
  BackendInfo info = backend.info();
  bool ours = std::find(info.capabilities.begin(), info.capabilities.end(), "our-parser") !=
              info.capabilities.end();
  reports::Verdict verdict;
  verdict.kind = ours ? Outcome::kPass : Outcome::kUnsupported;
  verdict.reason = std::string(refusal.message());
  if (!ours) verdict.error.kind = ErrorKind::kNotEncodable;
  verdict.backend = info.name;
  verdict.backend_version = info.version;
  return verdict;
}

}  // namespace hlocts::backends
