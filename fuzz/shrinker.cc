#include "fuzz/shrinker.h"

#include <chrono>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/infer/verifier.h"
#include "spec/text/printer.h"
#include "absl/container/flat_hash_set.h"

namespace hlocts {
namespace {

class Oracle {
 public:
  Oracle(Backend& engine, const ShrinkOptions& options, Symptom wanted, std::string operation)
      : engine_(engine),
        options_(options),
        wanted_(std::move(wanted)),
        operation_(std::move(operation)),
        end_(std::chrono::steady_clock::now() +
             std::chrono::milliseconds(static_cast<int64_t>(options.seconds_max * 1000))) {}

  bool operator()(const Sample& candidate) {
    if (Spent() || !VerifyModule(*candidate.module).ok() != options_.trial.invalid) return false;
    if (!HasOperation(*candidate.module)) return false;
    std::string text = PrintModule(*candidate.module);
    for (const Literal& argument : candidate.arguments) absl::StrAppend(&text, PrintLiteralWithShape(argument));
    if (!asked_.insert(text).second) return false;
    ++evaluations_;
    return SymptomOf(RunTrial(candidate, engine_, options_.trial, false).verdict) == wanted_;
  }
  int evaluations() const { return evaluations_; }
  bool Spent() const {
    return evaluations_ >= options_.evaluations_max || options_.stop() ||
           std::chrono::steady_clock::now() > end_;
  }

 private:
  // A candidate without the blamed operation fails for another reason.
  bool HasOperation(const Module& module) const {
    if (operation_.empty()) return true;
    for (const auto& computation : module.computations()) {
      for (const auto& instruction : computation->instructions()) {
        if (OpcodeName(instruction->opcode()) == operation_) return true;
      }
    }
    return false;
  }

  Backend& engine_;
  const ShrinkOptions& options_;
  Symptom wanted_;
  std::string operation_;
  std::chrono::steady_clock::time_point end_;
  absl::flat_hash_set<std::string> asked_;
  int evaluations_ = 0;
};

// "tanh" of "tanh f32", where the verdict names an instruction.
std::string BlamedOpcode(const Verdict& verdict, const Module& module) {
  if (!verdict.first_failure || verdict.first_failure->instruction.empty()) return "";
  std::string operation = BlamedOperation(verdict, module);
  std::string opcode = operation.substr(0, operation.find(' '));
  return absl::StrContains(opcode, ",") ? "" : opcode;
}

}  // namespace

ShrinkResult Shrink(const Sample& sample, Backend& engine, Backend& values, const ShrinkOptions& options) {
  ShrinkResult shrunk;
  shrunk.sample = sample.Clone();
  shrunk.result = RunTrial(sample, engine, options.trial, true);
  shrunk.reproduced = IsFinding(shrunk.result.verdict.kind);
  shrunk.signature = SignatureOf(shrunk.result.verdict, *sample.module);
  if (!shrunk.reproduced) return shrunk;
  Oracle oracle(engine, options, SymptomOf(shrunk.result.verdict),
                BlamedOpcode(shrunk.result.verdict, *sample.module));
  StillFails still_fails = [&](const Sample& candidate) { return oracle(candidate); };
  const ShrinkPass passes[] = {
      {"outputs", KeepOneOutput},
      {"parameters", [&](Sample& s, const StillFails& f) { return CutAtParameters(s, f, values); }},
      {"instructions", DropInstructions},
      {"regions", PeelRegions},
      {"dimensions", ShrinkDimensions},
      {"attributes", DefaultAttributes},
      {"literals", SimplifyLiterals},
  };
  for (bool progress = true; progress && !oracle.Spent();) {
    progress = false;
    for (const ShrinkPass& pass : passes) progress = pass.run(shrunk.sample, still_fails) || progress;
  }
  shrunk.evaluations = oracle.evaluations();
  shrunk.result = RunTrial(shrunk.sample, engine, options.trial, true);
  shrunk.reproduced = IsFinding(shrunk.result.verdict.kind);
  shrunk.signature = SignatureOf(shrunk.result.verdict, *shrunk.sample.module);
  return shrunk;
}

}  // namespace hlocts
