// SPDX-License-Identifier: Apache-2.0
// Proves which compiler pass is at fault: the reference evaluates the module after each pass on the
// same inputs. The first text whose values are outside the acceptance sets of the compiler's input,
// or whose own sets contain the engine's wrong outputs, names the pass. Only the dumps of XLA are
// needed: XLA writes the module after each pass to a dump directory, and each distinct text is
// evaluated.
//
// A pass is confirmed if the module does not fail without it, in enough runs to exclude chance. If
// the failure remains, another pass or the code generation is wrong too; a pass whose text has
// correct values and only wider sets is then not named, and the stages are judged by values alone.
// A partitioner cannot be switched off: the module without shardings runs in its place.
//
// The possible answers are:
//   pass P           the text before P is correct, the text after it is wrong, or the compiler
//                    crashed in P or rejected the module there
//   code generation  all texts are correct, also if the engine crashes after the last one
//   after pass P     the text after P is correct; later texts cannot be evaluated; the later
//                    passes are disabled one at a time
//   before passes    the module was rejected before any pass ran
//   unknown          there are no dumps, or none can be evaluated
// To add an answer, change conclude.cc and add its stages to passes_test.cc.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/differ/differ.h"
#include "backends/passes/dump_folder.h"
#include "reports/verdict.h"

namespace hlocts::backends {

// An evaluated stage. `verdict` is kUnsupported if the reference cannot evaluate the stage, e.g.
// because of a library call or an instruction that only the compiler knows.
struct JudgedStage {
  Stage stage;
  reports::Verdict verdict;
  bool by_sets = false;  // fails only because its own sets contain the engine's wrong outputs
};

enum class FailurePhase : uint8_t {
  kPass,            // `pass` changes values, crashes or rejects the module
  kCodeGeneration,  // every text is right, including the last: the code is wrong
  kAfterPass,       // the text after `pass` is right, later texts are unknown
  kBeforePasses,    // rejected, crashed or changed before any pass ran
  kUnknown,         // the engine writes no dumps, or none can be evaluated
};
absl::string_view FailurePhaseName(FailurePhase failing_phase);

inline constexpr char kShardings[] = "shardings";  // in place of the name of a partitioner

struct PassBlame {
  FailurePhase failing_phase = FailurePhase::kUnknown;
  std::string pass, pipeline;
  std::vector<std::string> suspects;  // with kAfterPass: the later passes that changed the text
  std::string reason;                 // for users: why the answer is unknown or imprecise
  reports::Verdict verdict;           // the verdict on the engine
  std::vector<JudgedStage> stages;
  int64_t dumps = 0;
  int64_t failed = 0, runs = 0;  // failures and runs of the unchanged module; 0: not repeated
  // The verdict on runs with the pass `switched_off` disabled, or without kShardings. The blame is
  // confirmed if none of these runs fails and their number excludes chance.
  std::optional<reports::Verdict> without;
  std::string switched_off;
  int64_t failed_without = 0, runs_without = 0, runs_needed = 0;
  bool confirmed = false;
  bool deterministic() const { return failed == runs; }
  std::string actual, actual_without;  // the failing (or first) element with and without the pass
};

std::string AnswerText(const PassBlame& blame);  // "pass dce", "code generation"

// Returns the names of passes. A name in both spellings, with "-" and with "_", occurs once.
std::string SuspectsText(std::vector<std::string> suspects);

struct BlameSubject {
  const Module* module = nullptr;
  const ExecuteRequest* request = nullptr;
  DiffOptions options;
  bool invalid = false;  // the module is invalid: nothing is evaluated
  int64_t runs = 10;     // of the unchanged module, to learn whether the failure is deterministic
  int64_t tries = 1;     // the number of runs within which the module is expected to fail
};

// Makes a new engine, since XLA_FLAGS takes effect only when a worker starts.
using EngineFactory = std::function<absl::StatusOr<std::unique_ptr<Backend>>()>;

struct Ran {
  reports::Verdict verdict;
  RunOutcome outcome;
  std::vector<std::string> facts;
};
// Judges stages up to the first failure. `differ` judges the compiler's input, the subject's
// module. A stage fails if the values of the reference are outside the acceptance sets of the
// input. It also fails if its own sets contain the outputs of `ran` (if any), which are wrong, e.g.
// if only the stage's result changes when the engine flushes a subnormal. Stages after the
// partitioner are evaluated on all devices of the subject.
absl::StatusOr<std::vector<JudgedStage>> JudgeStages(const BlameSubject& subject,
                                                     std::vector<Stage> stages, Differ& differ,
                                                     const Ran& ran);

// Finds the pass at fault. `folder` is an empty directory for the dumps. Returns an error if the
// engine cannot be started or a dump cannot be read.
absl::StatusOr<PassBlame> BlamePass(const BlameSubject& subject, const EngineFactory& engine,
                                    const std::string& folder);

// Finds only the kind of fault, by judging the module from which the engine made its code
// (Executable::OptimizedModule): kPass without a name, or kCodeGeneration. The result is kUnknown
// if the engine does not report that module or made no code.
absl::StatusOr<PassBlame> BlameInOneStep(const BlameSubject& subject, const EngineFactory& engine);

// Draws the conclusion from the dumps and verdicts. This part of BlamePass runs nothing.
void Conclude(const DumpedModule& dumped, bool has_values, PassBlame& blame);

// Extends XLA_FLAGS during its lifetime; a worker that starts meanwhile inherits the flags.
class MoreXlaFlags {
 public:
  explicit MoreXlaFlags(const std::string& flags);
  ~MoreXlaFlags();
  MoreXlaFlags(const MoreXlaFlags&) = delete;

 private:
  std::optional<std::string> before_;
};

// Runs and judges the module. Returns an error if the engine cannot be started.
absl::StatusOr<Ran> RunOnce(const BlameSubject& subject, Differ& differ, Backend& engine);
absl::StatusOr<Ran> RunWithFlags(const BlameSubject& subject, Differ& differ,
                                 const EngineFactory& factory, const std::string& flags);

// Returns the value, in the outputs of any run, of the element that `failure` reports as wrong.
std::string ElementOf(const Ran& ran, const reports::Verdict& failure);
bool IsWrong(const reports::Verdict& verdict);

}  // namespace hlocts::backends
