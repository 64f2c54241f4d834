// SPDX-License-Identifier: Apache-2.0
#include "fuzz/shrink/shrinker.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "fuzz/triage/bucket.h"
#include "fuzz/triage/culprits.h"
#include "fuzz/triage/loop_permutations.h"
#include "spec/infer/verifier.h"
#include "spec/ir/surgery.h"
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
        wanted_(FailureSignatureOf(first.verdict)),
        operations_(HasMessage(wanted_) ? std::set<std::string>()
                                        : BlamableOpcodes(first.verdict, module)),
        moves_(OnlyMoves({operations_.begin(), operations_.end()})),
        orders_(OnlyOrders({operations_.begin(), operations_.end()})),
        coarse_(LacksSpecials(first.verdict, module)),
        rule_(std::move(rule)),
        end_(std::chrono::steady_clock::now() +
             std::chrono::milliseconds(static_cast<int64_t>(options.seconds_max * 1000))) {}

  bool operator()(const Sample& candidate) {
    absl::Status verified = VerifyModule(*candidate.module);
    if (Spent() || verified.ok() == options_.trial.invalid || RuleOf(verified) != rule_)
      return false;
    if (!HasOperation(*candidate.module)) return false;
    if (needs_permutations_ && !AnyPermutations(*candidate.module)) return false;
    std::string text = PrintModule(*candidate.module);
    for (const Literal& argument : candidate.arguments)
      absl::StrAppend(&text, PrintLiteralWithShape(argument));
    if (!asked_.insert(text).second || !Ends(candidate)) return false;
    ++evaluations_;
    const TrialResult result = RunTrial(candidate, engine_, options_.trial, false);
    if (!IsWanted(FailureSignatureOf(result.verdict)) || IsUndefined(candidate)) return false;
    // Where types are coarse, what is slight in others is large.
    if (!settled_) return !slight_ || coarse_ || result.slight == slight_;
    return result.slight == slight_ && !(right_data_ && HasWrongCarrier(candidate)) &&
           !(needs_permutations_ && FailsWithoutPermutations(candidate));
  }
  // Candidates are as defined as this module, and may take about as many steps if it ends.
  void AllowStepsOf(const Sample& sample) {
    if (options_.trial.invalid) return;
    defined_ = EndsWithin(sample, kStepsMax);
    if (!Loops(*sample.module)) return;
    for (int64_t steps = 100; steps < kStepsMax; steps *= 2) {
      if (!EndsWithin(sample, steps)) continue;
      steps_max_ = 2 * steps;
      return;
    }
  }
  // From now on a large error stays large, and a slight one slight.
  void Begin(bool slight) { slight_ = slight; }
  // From now on candidates must be wrong as this one is.
  void Settle(const Sample& culprit) {
    if (options_.trial.invalid) return;
    const TrialResult result = RunTrial(culprit, engine_, options_.trial, false);
    if (!IsWanted(FailureSignatureOf(result.verdict))) return;
    wanted_ = FailureSignatureOf(result.verdict);
    slight_ = result.slight;
    settled_ = true;
    needs_permutations_ = AnyPermutations(*culprit.module) && !FailsWithoutPermutations(culprit);
    right_data_ = !HasWrongCarrier(culprit);
  }
  // The same operation is to blame, where one was.
  bool Blames(const Sample& candidate) {
    if (operations_.empty() || options_.trial.invalid) return true;
    ++evaluations_;
    reports::Verdict verdict = RunTrial(candidate, engine_, options_.trial, true).verdict;
    return IsWanted(FailureSignatureOf(verdict)) &&
           operations_.count(BlamedOpcode(verdict, *candidate.module)) > 0;
  }
  int evaluations() const { return evaluations_; }
  bool Spent() const {
    return evaluations_ >= options_.evaluations_max || options_.stop() ||
           std::chrono::steady_clock::now() > end_;
  }

 private:
  // Until it is settled what data show it, a wrong element may be a NaN or none.
  bool IsWanted(const FailureSignature& signature) const {
    if (orders_ || (!settled_ && (moves_ || coarse_))) return AlikeInAnyData(signature, wanted_);
    return moves_ ? AlikeMoved(signature, wanted_) : SameFailure(signature, wanted_);
  }

  bool HasWrongCarrier(const Sample& sample) {
    return WrongSource(sample, engine_, options_.trial, &evaluations_).module != nullptr;
  }

  // What fails no more without them fails because of them.
  bool FailsWithoutPermutations(const Sample& sample) {
    Sample without = sample.Clone();
    UndoPermutations(*without.module);
    if (!Ends(without)) return false;
    ++evaluations_;
    return RunTrial(without, engine_, options_.trial, false).verdict.kind ==
           reports::VerdictKind::kFail;
  }

  // What an engine makes of a size beyond its bound says nothing; a wrong value was judged.
  bool IsUndefined(const Sample& candidate) const {
    return defined_ && wanted_.kind != reports::VerdictKind::kFail &&
           !EndsWithin(candidate, kStepsMax);
  }

  // A candidate without the blamed operation fails for another reason.
  bool HasOperation(const Module& module) const {
    if (operations_.empty()) return true;
    for (const auto& computation : module.computations()) {
      for (const auto& instruction : computation->instructions()) {
        if (operations_.count(std::string(OpcodeName(instruction->opcode()))) > 0) return true;
      }
    }
    return false;
  }

  // A loop that lost its counter would keep the engine until its time is over. A smaller module
  // should not need more steps than the first.
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
    backends::LoadOptions load;
    load.replicas = sample.module->replica_count;
    load.partitions = sample.module->num_partitions;
    load.steps_max = steps;
    return backends::RunModule(reference_, *sample.module, load, sample.Request()).kind ==
           backends::OutcomeKind::kValues;
  }

  backends::Backend& engine_;
  backends::Backend& reference_;
  const ShrinkOptions& options_;
  FailureSignature wanted_;
  bool defined_ = false;  // the reference could evaluate the first module
  // Of the culprit, once there is one: a large error is another fault's, and so is an element from
  // elsewhere in the place of none, or data that the engine carries wrongly.
  bool settled_ = false, needs_permutations_ = false, right_data_ = false;
  std::optional<bool> slight_;
  std::set<std::string> operations_;  // one of them is to blame; none: nothing is known
  // What is to blame only moves elements, or puts them in order; is in a type without NaN.
  const bool moves_, orders_, coarse_;
  std::string rule_;  // that an invalid module breaks; of a valid one empty
  std::chrono::steady_clock::time_point end_;
  static constexpr int64_t kStepsMax = 20'000;
  int64_t steps_max_ = kStepsMax;
  absl::flat_hash_set<std::string> asked_;
  int evaluations_ = 0;
};

// A smaller module that takes this long hangs: few candidates can be waited for a whole minute.
constexpr double kHangSeconds = 5;

// Whether anything was kept. Smaller, but with another operation to blame, is another failure.
bool RunPass(const ShrinkPass& pass, const StillFails& still_fails, Oracle& oracle,
             Sample& sample) {
  Sample before = sample.Clone();
  if (!pass.run(sample, still_fails)) return false;
  if (oracle.Blames(sample)) return true;
  sample = std::move(before);
  return false;
}

// An instruction that is wrong by itself, if it is wrong in the same way, with data that show it.
void TakeCulprit(Sample& sample, bool slight, backends::Backend& engine, const TrialOptions& trial,
                 Oracle& oracle, const StillFails& still_fails) {
  for (Culprit& culprit : CulpritsOf(sample, engine, trial)) {
    if (!still_fails(culprit.sample) || !oracle.Blames(culprit.sample)) continue;
    sample = std::move(culprit.sample);
    slight = culprit.result.slight;
    break;
  }
  if (trial.invalid) return;
  oracle.Begin(slight);
  // Some types lack what tells a failure from another: NaN, signs, elements that are no zeros.
  RunPass({"types", false, SimplerTypes}, still_fails, oracle, sample);
  RunPass({"counting", false, IotaInsteadOfConstants}, still_fails, oracle, sample);
  oracle.Settle(sample);
}

std::vector<ShrinkPass> PassesWith(backends::Backend& values) {
  return {
      {"unused", true, ReturnUnused},
      {"entry", true, EnterCalled},
      {"outputs", true, KeepOneOutput},
      {"parameters", false,
       [&values](Sample& s, const StillFails& f) { return CutAtParameters(s, f, values); }},
      {"regions", true, PeelRegions},
      {"computations", false, ExchangeOperands},
      {"instructions", true, DropInstructions},
      {"constants", false, ConstantsInRegions},
      {"types", false, SimplerTypes},
      {"pieces", false, WholeInsteadOfConcatenate},
      // Before the sizes: an index inside a large array lies outside a smaller one, and fails for
      // another reason.
      {"indices", false, SimplifyIndices},
      // One element everywhere, then sizes: the literals' pass would leave it alone at its place.
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

// All passes until none finds anything.
void RunPasses(backends::Backend& values, bool invalid, const StillFails& still_fails,
               Oracle& oracle, Sample& sample) {
  const std::vector<ShrinkPass> passes = PassesWith(values);
  for (bool progress = true; progress && !oracle.Spent();) {
    progress = false;
    for (const ShrinkPass& pass : passes) {
      if (invalid && !pass.of_invalid) continue;
      progress = RunPass(pass, still_fails, oracle, sample) || progress;
    }
  }
}

// An argument or what is made of constants, wrong by itself: of the module, or of a piece that is
// fed one.
Sample SourceOf(const Sample& sample, backends::Backend& engine, const TrialOptions& trial,
                int& evaluations) {
  if (IsCarrier(*sample.module->entry()->root())) return {};  // it is the source
  Sample source = WrongSource(sample, engine, trial, &evaluations);
  if (source.module) return source;
  for (Culprit& culprit : CulpritsOf(sample, engine, trial)) {
    if (IsCarrier(*culprit.sample.module->entry()->root())) return std::move(culprit.sample);
  }
  return {};
}

void Judge(backends::Backend& engine, const TrialOptions& trial, ShrinkResult& shrunk) {
  shrunk.result = RunTrial(shrunk.sample, engine, trial, true);
  shrunk.reproduced = CountsAsFinding(shrunk.result.verdict.kind);
  shrunk.signature = SignatureOf(shrunk.result.verdict, *shrunk.sample.module);
}

}  // namespace

ShrinkResult Shrink(const Sample& sample, backends::Backend& engine, backends::Backend& values,
                    const ShrinkOptions& given) {
  ShrinkOptions options = given;
  ShrinkResult shrunk;
  shrunk.sample = sample.Clone();
  shrunk.sample.keeps_aliases = options.trial.invalid;
  Judge(engine, options.trial, shrunk);
  if (!shrunk.reproduced) return shrunk;
  if (shrunk.result.verdict.kind == reports::VerdictKind::kTimeout) {
    double& seconds = options.trial.load.timeout_seconds;
    seconds = std::min(seconds, kHangSeconds);
  }
  Oracle oracle(engine, values, options, shrunk.result, *sample.module,
                RuleOf(VerifyModule(*sample.module)));
  oracle.AllowStepsOf(sample);
  const StillFails still_fails = [&](const Sample& candidate) {
    const bool fails = oracle(candidate);
    options.progress(candidate, oracle.evaluations(), fails);
    return fails;
  };
  TakeCulprit(shrunk.sample, shrunk.result.slight, engine, options.trial, oracle, still_fails);
  RunPasses(values, options.trial.invalid, still_fails, oracle, shrunk.sample);
  shrunk.evaluations = oracle.evaluations();
  Sample source = shrunk.result.verdict.kind == reports::VerdictKind::kFail
                      ? SourceOf(shrunk.sample, engine, options.trial, shrunk.evaluations)
                      : Sample();
  if (source.module) {
    ShrinkResult of_source = Shrink(source, engine, values, options);
    of_source.evaluations += shrunk.evaluations;
    if (of_source.reproduced) return of_source;
  }
  Judge(engine, options.trial, shrunk);
  return shrunk;
}

}  // namespace hlocts::fuzz
