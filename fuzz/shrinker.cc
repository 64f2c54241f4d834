#include "fuzz/shrinker.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/infer/verifier.h"
#include "spec/ir/surgery.h"
#include "spec/text/printer.h"

namespace hlocts {
namespace {

class Oracle {
 public:
  Oracle(Backend& engine, Backend& reference, const ShrinkOptions& options, Symptom wanted,
         std::set<std::string> operations, std::string rule)
      : engine_(engine),
        reference_(reference),
        options_(options),
        wanted_(std::move(wanted)),
        operations_(std::move(operations)),
        rule_(std::move(rule)),
        end_(std::chrono::steady_clock::now() +
             std::chrono::milliseconds(static_cast<int64_t>(options.seconds_max * 1000))) {}

  bool operator()(const Sample& candidate) {
    absl::Status verified = VerifyModule(*candidate.module);
    if (Spent() || verified.ok() == options_.trial.invalid || RuleOf(verified) != rule_)
      return false;
    if (!HasOperation(*candidate.module)) return false;
    std::string text = PrintModule(*candidate.module);
    for (const Literal& argument : candidate.arguments)
      absl::StrAppend(&text, PrintLiteralWithShape(argument));
    if (!asked_.insert(text).second || !Ends(candidate)) return false;
    ++evaluations_;
    return Alike(SymptomOf(RunTrial(candidate, engine_, options_.trial, false).verdict), wanted_);
  }
  // The same operation is to blame, where one was.
  bool Blames(const Sample& candidate) {
    if (operations_.empty() || options_.trial.invalid) return true;
    ++evaluations_;
    Verdict verdict = RunTrial(candidate, engine_, options_.trial, true).verdict;
    return Alike(SymptomOf(verdict), wanted_) &&
           operations_.count(BlamedOpcode(verdict, *candidate.module)) > 0;
  }
  int evaluations() const { return evaluations_; }
  bool Spent() const {
    return evaluations_ >= options_.evaluations_max || options_.stop() ||
           std::chrono::steady_clock::now() > end_;
  }

 private:
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

  // A loop that lost its counter would keep the engine until its time is over.
  bool Ends(const Sample& candidate) const {
    constexpr int64_t kStepsMax = 20'000;
    bool loops = false;
    for (const auto& computation : candidate.module->computations()) {
      for (const auto& instruction : computation->instructions()) {
        loops = loops || instruction->opcode() == Opcode::kWhile;
      }
    }
    if (!loops || options_.trial.invalid) return true;
    LoadOptions load;
    load.replicas = candidate.module->replica_count;
    load.partitions = candidate.module->num_partitions;
    load.steps_max = kStepsMax;
    return RunModule(reference_, *candidate.module, load, candidate.Request()).kind ==
           OutcomeKind::kValues;
  }

  Backend& engine_;
  Backend& reference_;
  const ShrinkOptions& options_;
  Symptom wanted_;
  std::set<std::string> operations_;  // one of them is to blame; none: nothing is known
  std::string rule_;                  // that an invalid module breaks; of a valid one empty
  std::chrono::steady_clock::time_point end_;
  absl::flat_hash_set<std::string> asked_;
  int evaluations_ = 0;
};

// A constant or an argument that is wrong where it is returned as it is: what computes with it is
// not to blame. The module that returns it; an empty one where there is none.
Sample WrongByItself(const Sample& sample, Backend& engine, const ShrinkOptions& options,
                     int& evaluations) {
  if (options.trial.invalid || IsCarrier(*sample.module->entry()->root())) return {};
  for (const auto& instruction : sample.module->entry()->instructions()) {
    if (!IsCarrier(*instruction) || !instruction->shape().IsArray()) continue;
    Sample candidate = sample.Clone();
    candidate.module->entry()->set_root(EntryInstruction(candidate, instruction->index()));
    RemoveDeadCode(candidate);
    ++evaluations;
    bool valid = VerifyModule(*candidate.module).ok();
    if (valid &&
        RunTrial(candidate, engine, options.trial, false).verdict.kind == VerdictKind::kFail)
      return candidate;
  }
  return {};
}

// A smaller module that takes this long hangs: few candidates can be waited for a whole minute.
constexpr double kHangSeconds = 5;

}  // namespace

bool KeepIfFails(Sample& sample, Sample candidate, const StillFails& still_fails) {
  if (!still_fails(candidate)) return false;
  sample = std::move(candidate);
  return true;
}

ShrinkResult Shrink(const Sample& sample, Backend& engine, Backend& values,
                    const ShrinkOptions& given) {
  ShrinkOptions options = given;
  ShrinkResult shrunk;
  shrunk.sample = sample.Clone();
  shrunk.result = RunTrial(sample, engine, options.trial, true);
  shrunk.reproduced = CountsAsFinding(shrunk.result.verdict.kind);
  shrunk.signature = SignatureOf(shrunk.result.verdict, *sample.module);
  if (!shrunk.reproduced) return shrunk;
  if (shrunk.result.verdict.kind == VerdictKind::kTimeout) {
    double& seconds = options.trial.load.timeout_seconds;
    seconds = std::min(seconds, kHangSeconds);
  }
  Oracle oracle(engine, values, options, SymptomOf(shrunk.result.verdict),
                BlamableOpcodes(shrunk.result.verdict, *sample.module),
                RuleOf(VerifyModule(*sample.module)));
  StillFails still_fails = [&](const Sample& candidate) { return oracle(candidate); };
  const ShrinkPass passes[] = {
      {"unused", true, ReturnUnused},
      {"outputs", true, KeepOneOutput},
      {"parameters", false,
       [&](Sample& s, const StillFails& f) { return CutAtParameters(s, f, values); }},
      {"regions", true, PeelRegions},
      {"computations", false, OneForAnother},
      {"instructions", true, DropInstructions},
      {"constants", false, ConstantsInRegions},
      {"types", false, SimplerTypes},
      // One element everywhere, then sizes: the literals' pass would leave it alone at its place.
      {"counting", false, CountUp},
      {"elements", false, RepeatOneElement},
      {"dimensions", false, ShrinkDimensions},
      {"numbers", false, ShrinkNumbers},
      {"attributes", false, DefaultAttributes},
      {"layouts", false, DefaultLayouts},
      {"sizes", true, ShrinkSizesAsWritten},
      {"literals", true, SimplifyLiterals},
  };
  for (bool progress = true; progress && !oracle.Spent();) {
    progress = false;
    for (const ShrinkPass& pass : passes) {
      if (options.trial.invalid && !pass.of_invalid) continue;
      Sample before = shrunk.sample.Clone();
      if (!pass.run(shrunk.sample, still_fails)) continue;
      // Smaller, but another operation is to blame: another failure.
      if (oracle.Blames(shrunk.sample)) {
        progress = true;
      } else {
        shrunk.sample = std::move(before);
      }
    }
  }
  shrunk.evaluations = oracle.evaluations();
  bool fails = shrunk.result.verdict.kind == VerdictKind::kFail;
  Sample source =
      fails ? WrongByItself(shrunk.sample, engine, options, shrunk.evaluations) : Sample();
  if (source.module) {
    ShrinkResult of_source = Shrink(source, engine, values, options);
    of_source.evaluations += shrunk.evaluations;
    if (of_source.reproduced) return of_source;
  }
  shrunk.result = RunTrial(shrunk.sample, engine, options.trial, true);
  shrunk.reproduced = CountsAsFinding(shrunk.result.verdict.kind);
  shrunk.signature = SignatureOf(shrunk.result.verdict, *shrunk.sample.module);
  return shrunk;
}

}  // namespace hlocts
