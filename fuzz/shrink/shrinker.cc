// SPDX-License-Identifier: Apache-2.0
#include "fuzz/shrink/shrinker.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "fuzz/shrink/shrink_shardings.h"
#include "fuzz/triage/bucket.h"
#include "fuzz/triage/faulty_instructions.h"
#include "spec/infer/verifier.h"
#include "spec/ir/opcode.h"
#include "spec/ir/surgery.h"
#include "spec/ops/partitions.h"
#include "spec/text/printer.h"

namespace hlocts::fuzz {
namespace {

class Oracle {
 public:
  Oracle(backends::Backend& engine, backends::Backend& reference, const ShrinkOptions& options,
         const TrialResult& first, const Module& module, std::string rule)
      : engine_(engine),
        reference_(reference),
        options_(options),
        identity_(first, module, std::move(rule), options.trial.invalid),
        last_(first),
        end_(std::chrono::steady_clock::now() +
             std::chrono::milliseconds(static_cast<int64_t>(options.seconds_max * 1000))) {}

  bool operator()(const Sample& candidate) {
    const Difference difference = DifferenceOf(candidate);
    options_.compared(difference);
    return difference == Difference::kSame;
  }
  // From now on, candidates must be defined if this sample is, and may take about as many steps.
  void AllowStepsOf(const Sample& sample) {
    if (options_.trial.invalid) return;
    identity_.RequireDefined(EndsWithin(sample, kStepsMax));
    if (!Loops(*sample.module)) return;
    for (int64_t steps = 100; steps < kStepsMax; steps *= 2) {
      if (!EndsWithin(sample, steps)) continue;
      steps_max_ = 2 * steps;
      return;
    }
  }
  void RequireErrorMagnitude(bool slight) { identity_.RequireErrorMagnitude(slight); }
  // From now on, candidates must fail in the same way as this sample.
  void Settle(const Sample& faulty) {
    if (options_.trial.invalid) return;
    const TrialResult result = RunTrial(faulty, engine_, options_.trial, false);
    if (!identity_.Looks(FailureSignatureOf(result.verdict))) return;
    const bool permutes = AnyPermutations(*faulty.module) && !FailsWithoutPermutations(faulty);
    identity_.Settle(result, permutes, !HasWrongCarrier(faulty));
  }
  // Returns true if the same operation is to blame, or if no operation was known.
  bool Blames(const Sample& candidate) {
    if (!identity_.knows_operations() || options_.trial.invalid) return true;
    ++evaluations_;
    reports::Verdict verdict = RunTrial(candidate, engine_, options_.trial, true).verdict;
    Difference difference = Difference::kSignature;
    if (identity_.Looks(FailureSignatureOf(verdict)))
      difference = identity_.OfBlame(BlamedOpcode(verdict, *candidate.module));
    if (difference != Difference::kSame) options_.compared(difference);
    return difference == Difference::kSame;
  }
  const FailureIdentity& identity() const { return identity_; }
  const TrialResult& last() const { return last_; }  // the latest result with the same failure
  int evaluations() const { return evaluations_; }
  bool Spent() const {
    return evaluations_ >= options_.evaluations_max || options_.stop() ||
           std::chrono::steady_clock::now() > end_;
  }

 private:
  // The cheapest checks come first.
  Difference DifferenceOf(const Sample& candidate) {
    if (Spent()) return Difference::kBudgetExhausted;
    const Difference of_module = identity_.OfModule(*candidate.module);
    if (of_module != Difference::kSame) return of_module;
    std::string text = PrintModule(*candidate.module);
    for (const Literal& argument : candidate.arguments)
      absl::StrAppend(&text, PrintLiteralWithShape(argument));
    if (!asked_.insert(text).second) return Difference::kRepeated;
    if (!Ends(candidate)) return Difference::kSteps;
    ++evaluations_;
    TrialResult result = RunTrial(candidate, engine_, options_.trial, false);
    const Difference of_result = identity_.OfResult(result);
    if (of_result == Difference::kSame) last_ = std::move(result);
    if (of_result == Difference::kSignature) return of_result;
    if (identity_.must_be_defined() && !EndsWithin(candidate, kStepsMax))
      return Difference::kUndefined;
    if (of_result != Difference::kSame || !identity_.settled()) return of_result;
    if (identity_.carried() && HasWrongCarrier(candidate)) return Difference::kWrongInput;
    const bool permutes = !identity_.permutes() || !FailsWithoutPermutations(candidate);
    return permutes ? Difference::kSame : Difference::kNoPermutation;
  }

  bool HasWrongCarrier(const Sample& sample) {
    return WrongSource(sample, engine_, options_.trial, &evaluations_).module != nullptr;
  }

  // Returns true if the sample also fails after its permutations are undone.
  bool FailsWithoutPermutations(const Sample& sample) {
    Sample without = sample.Clone();
    UndoPermutations(*without.module);
    if (!Ends(without)) return false;
    ++evaluations_;
    return RunTrial(without, engine_, options_.trial, false).verdict.kind == Outcome::kFail;
  }

  // Returns true if the candidate terminates within about as many steps as the module. A loop
  // without its counter would run until the engine's time limit.
  bool Ends(const Sample& candidate) const {
    return !Loops(*candidate.module) || options_.trial.invalid || EndsWithin(candidate, steps_max_);
  }

  static bool Loops(const Module& module) {
    for (const auto& computation : module.computations()) {
      for (const auto& instruction : computation->instructions()) {
        if (instruction->opcode() == Opcode::kWhile) return true;
      }
    }
    return false;
  }

  bool EndsWithin(const Sample& sample, int64_t steps) const {
    backends::LoadOptions load = DevicesOf(sample, options_.trial);
    load.steps_max = std::min(load.steps_max, steps);
    return backends::RunModule(reference_, *sample.module, load, sample.Request()).has_values();
  }

  backends::Backend& engine_;
  backends::Backend& reference_;
  const ShrinkOptions& options_;
  FailureIdentity identity_;
  TrialResult last_;
  std::chrono::steady_clock::time_point end_;
  static constexpr int64_t kStepsMax = 20'000;
  int64_t steps_max_ = kStepsMax;
  absl::flat_hash_set<std::string> asked_;
  int evaluations_ = 0;
};

// A smaller module that takes this long also hangs. A longer limit would allow fewer tries.
constexpr double kHangSeconds = 5;

// Returns true if a change was kept. Undoes the pass if another operation is to blame after it.
bool RunPass(const ShrinkPass& pass, const StillFails& still_fails, Oracle& oracle,
             Sample& sample) {
  Sample before = sample.Clone();
  if (!pass.run(sample, still_fails)) return false;
  if (oracle.Blames(sample)) return true;
  sample = std::move(before);
  return false;
}

// Continues with an instruction that is wrong in isolation in the same way, if one exists.
void ContinueWithFaultyInstruction(Sample& sample, bool slight, backends::Backend& engine,
                                   const TrialOptions& trial, Oracle& oracle,
                                   const StillFails& still_fails) {
  for (FaultyInstruction& faulty : FaultyInstructionsOf(sample, engine, trial)) {
    if (!still_fails(faulty.sample) || !oracle.Blames(faulty.sample)) continue;
    sample = std::move(faulty.sample);
    slight = faulty.result.slight;
    break;
  }
  if (trial.invalid) return;
  oracle.RequireErrorMagnitude(slight);
  // Simplifies types first: some lack values that distinguish failures (NaN, signs, nonzeros).
  RunPass({"types", false, SimplerTypes}, still_fails, oracle, sample);
  RunPass({"counting", false, IotaInsteadOfConstants}, still_fails, oracle, sample);
  oracle.Settle(sample);
}

std::vector<ShrinkPass> PassesWith(backends::Backend& values, const backends::LoadOptions& limits) {
  return {
      {"unused", true, ReturnUnused},
      {"entry", true, PromoteCalledToEntry},
      {"outputs", true, KeepOneOutput},
      {"parameters", false,
       [&](Sample& s, const StillFails& f) { return CutAtParameters(s, f, values, limits); }},
      {"shardings", false, DropShardings},
      {"devices", false, FewerDevices},
      {"regions", true, InlineRegions},
      {"computations", false, ReplaceComputations},
      {"instructions", true, DropInstructions},
      {"constants", false, ConstantsInRegions},
      {"types", false, SimplerTypes},
      {"pieces", false, WholeInsteadOfConcatenate},
      // This pass precedes those that reduce sizes. An index that is in bounds in a large array may
      // be out of bounds in a smaller one. The smaller module would then fail for another reason.
      {"indices", false, SimplifyIndices},
      // Elements are made equal before sizes are reduced. SimplifyLiterals does not suffice: it
      // keeps special values in place, which prevents the removal of other elements.
      {"counting", false, IotaInsteadOfConstants},
      {"elements", false, RepeatOneElement},
      {"dimensions", true, ShrinkDimensions},
      {"together", true, ShrinkTogether},
      {"rank", false, ShrinkRank},
      {"length", false, OneLongDimension},
      {"numbers", true, ShrinkNumbers},
      {"attributes", true, DefaultAttributes},
      {"layouts", false, DefaultLayouts},
      {"sizes", true, ShrinkSizesAsWritten},
      {"literals", true, SimplifyLiterals},
  };
}

// Runs all passes until none makes progress.
void RunPasses(backends::Backend& values, const TrialOptions& trial, const StillFails& still_fails,
               Oracle& oracle, Sample& sample) {
  const std::vector<ShrinkPass> passes = PassesWith(values, trial.load);
  for (bool progress = true; progress && !oracle.Spent();) {
    progress = false;
    for (const ShrinkPass& pass : passes) {
      if (trial.invalid && !pass.of_invalid) continue;
      progress = RunPass(pass, still_fails, oracle, sample) || progress;
    }
  }
}

// Returns an argument or constant that is wrong in isolation, in the module or a piece of it.
Sample SourceOf(const Sample& sample, backends::Backend& engine, const TrialOptions& trial,
                int& evaluations) {
  if (IsCarrier(*sample.module->entry()->root())) return {};  // the root itself is the source
  Sample source = WrongSource(sample, engine, trial, &evaluations);
  if (source.module) return source;
  for (FaultyInstruction& faulty : FaultyInstructionsOf(sample, engine, trial)) {
    if (IsCarrier(*faulty.sample.module->entry()->root())) return std::move(faulty.sample);
  }
  return {};
}

void Judge(backends::Backend& engine, const TrialOptions& trial, ShrinkResult& shrunk) {
  shrunk.result = RunTrial(shrunk.sample, engine, trial, true);
  shrunk.reproduced = IsWanted(trial, shrunk.result.verdict);
  shrunk.signature = SignatureOf(shrunk.result.verdict, *shrunk.sample.module);
}

}  // namespace

absl::string_view ReasonText(Difference difference) {
  constexpr absl::string_view kTexts[] = {
      // in the order of the enumerators
      "the same failure",
      "the limit of time or of evaluations was reached",
      "it is valid and the original is not, or vice versa",
      "it breaks another rule",
      "it has no operation that may be responsible",
      "it has no loop that permutes",
      "it was tried before",
      "it might not terminate",
      "it has no failure, or another one",
      "the reference can evaluate the original, but not this candidate",
      "its error is slight and was large, or vice versa",
      "the engine changes its constants or arguments",
      "it also fails without its permutations",
      "another operation is responsible",
      "it violates only a fact of the engine",
      "its failure is one of integers and the original's is not, or vice versa"};
  static_assert(std::size(kTexts) == static_cast<size_t>(Difference::kType) + 1);
  return kTexts[static_cast<size_t>(difference)];
}

namespace {

bool NeedsFacts(const reports::Verdict& verdict) {
  return verdict.first_failure && !verdict.first_failure->facts.empty();
}

std::string TypeOf(const reports::Verdict& verdict) {
  return verdict.first_failure ? verdict.first_failure->type : "";
}

bool IsOfIntegers(const std::string& type) {
  const auto found = PrimitiveTypeFromName(type);
  return found && IsInteger(*found);
}

}  // namespace

FailureIdentity::FailureIdentity(const TrialResult& first, const Module& module, std::string rule,
                                 bool invalid)
    : wanted_(FailureSignatureOf(first.verdict)),
      operations_(HasMessage(wanted_) ? std::set<std::string>()
                                      : BlamableOpcodes(first.verdict, module)),
      rule_(std::move(rule)),
      invalid_(invalid),
      moves_(OnlyMoves({operations_.begin(), operations_.end()})),
      orders_(OnlyOrders({operations_.begin(), operations_.end()})),
      coarse_(LacksSpecials(first.verdict, module)),
      by_documents_(!NeedsFacts(first.verdict)),
      type_(moves_ || orders_ ? "" : TypeOf(first.verdict)) {}

// Requires an operation that may be to blame: a candidate without it would fail for another reason.
Difference FailureIdentity::OfModule(const Module& candidate) const {
  const absl::Status verified = VerifyModule(candidate);
  if (verified.ok() == invalid_) return Difference::kValidity;
  if (RuleOf(verified) != rule_) return Difference::kRule;
  bool has_operation = operations_.empty();
  for (const auto& computation : candidate.computations()) {
    for (const auto& instruction : computation->instructions()) {
      has_operation =
          has_operation || operations_.count(std::string(OpcodeName(instruction->opcode()))) > 0;
    }
  }
  if (!has_operation) return Difference::kOperation;
  return permutes_ && !AnyPermutations(candidate) ? Difference::kPermutation : Difference::kSame;
}

Difference FailureIdentity::OfResult(const TrialResult& result) const {
  if (!Looks(FailureSignatureOf(result.verdict))) return Difference::kSignature;
  if (by_documents_ && NeedsFacts(result.verdict)) return Difference::kFact;
  if (!type_.empty() && IsOfIntegers(type_) != IsOfIntegers(TypeOf(result.verdict)))
    return Difference::kType;
  // An error that is slight in a precise type can be large in a coarse one.
  const bool size_matters = settled_ || (small_error_.has_value() && !coarse_);
  return size_matters && result.slight != small_error_ ? Difference::kSize : Difference::kSame;
}

Difference FailureIdentity::OfBlame(const std::string& opcode) const {
  return operations_.count(opcode) > 0 ? Difference::kSame : Difference::kBlame;
}

void FailureIdentity::Settle(const TrialResult& result, bool permutes, bool carried) {
  wanted_ = FailureSignatureOf(result.verdict);
  small_error_ = result.slight;
  settled_ = true;
  permutes_ = permutes;
  inputs_were_correct_ = carried;
}

// For orderings and, before Settle, for moves and coarse types, a NaN may become a wrong number.
bool FailureIdentity::Looks(const FailureSignature& signature) const {
  if (orders_ || (!settled_ && (moves_ || coarse_)))
    return SameFailureIgnoringNan(signature, wanted_);
  return moves_ ? SameFailureOfMove(signature, wanted_) : SameFailure(signature, wanted_);
}

std::vector<std::string> FailureIdentity::Lines() const {
  std::vector<std::string> lines = {
      absl::StrCat("the verdict is ", OutcomeName(wanted_.kind),
                   wanted_.mismatch.empty() ? "" : absl::StrCat(" (", wanted_.mismatch, ")"),
                   wanted_.only_nan ? ", where only NaN is accepted" : "")};
  if (!rule_.empty()) lines.push_back(absl::StrCat("the module breaks the rule ", rule_));
  if (!operations_.empty())
    lines.push_back(absl::StrCat("possibly responsible: ", absl::StrJoin(operations_, ", ")));
  if (by_documents_ && wanted_.kind == Outcome::kFail)
    lines.push_back("it fails by the documents, without facts of the engine");
  if (!type_.empty())
    lines.push_back(IsOfIntegers(type_) ? "the operands are integers"
                                        : "the operands are not integers");
  if (moves_) lines.push_back("the responsible operation only moves elements");
  if (orders_) lines.push_back("the responsible operation sorts elements");
  if (coarse_) lines.push_back("the type of the wrong element has no NaN or no infinity");
  if (small_error_.has_value())
    lines.push_back(*small_error_ ? "the error is slight" : "the error is large");
  if (permutes_) lines.push_back("it fails only with its permutations");
  if (inputs_were_correct_)
    lines.push_back("the engine returns its constants and arguments unchanged");
  if (must_be_defined()) lines.push_back("the reference can evaluate it");
  return lines;
}

ShrinkResult Shrink(const Sample& sample, backends::Backend& engine, backends::Backend& values,
                    const ShrinkOptions& given) {
  ShrinkOptions options = given;
  ShrinkResult shrunk;
  shrunk.sample = sample.Clone();
  shrunk.sample.keeps_aliases = options.trial.invalid;
  Judge(engine, options.trial, shrunk);
  if (!shrunk.reproduced) return shrunk;
  // A nondeterministic crash may have several messages.
  const FailureSignature signature = FailureSignatureOf(shrunk.result.verdict);
  if (options.trial.runs_max > 1 && HasMessage(signature)) options.trial.wanted = signature;
  if (shrunk.result.verdict.kind == Outcome::kTimeout) {
    double& seconds = options.trial.load.timeout_seconds;
    seconds = std::min(seconds, kHangSeconds);
  }
  Oracle oracle(engine, values, options, shrunk.result, *sample.module,
                RuleOf(VerifyModule(*sample.module)));
  oracle.AllowStepsOf(sample);
  const StillFails still_fails = [&](const Sample& candidate) {
    const bool fails = oracle(candidate);
    options.progress(candidate, oracle.evaluations(), fails ? &oracle.last() : nullptr);
    return fails;
  };
  ContinueWithFaultyInstruction(shrunk.sample, shrunk.result.slight, engine, options.trial, oracle,
                                still_fails);
  RunPasses(values, options.trial, still_fails, oracle, shrunk.sample);
  if (shrunk.result.verdict.kind != Outcome::kFail && !options.trial.invalid)
    MakeArgumentsDistinct(shrunk.sample, still_fails);
  shrunk.evaluations = oracle.evaluations();
  shrunk.identity = oracle.identity().Lines();
  Sample source = shrunk.result.verdict.kind == Outcome::kFail
                      ? SourceOf(shrunk.sample, engine, options.trial, shrunk.evaluations)
                      : Sample();
  if (source.module) {
    ShrinkResult of_source = Shrink(source, engine, values, options);
    of_source.evaluations += shrunk.evaluations;
    if (of_source.reproduced) return of_source;
  }
  Judge(engine, options.trial, shrunk);
  if (shrunk.reproduced || !options.trial.wanted) return shrunk;
  // The failure is nondeterministic, but it occurred while the module was shrunk.
  shrunk.result = oracle.last();
  shrunk.signature = SignatureOf(shrunk.result.verdict, *shrunk.sample.module);
  shrunk.reproduced = true;
  return shrunk;
}

}  // namespace hlocts::fuzz
