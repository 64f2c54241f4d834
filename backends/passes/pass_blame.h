// SPDX-License-Identifier: Apache-2.0
// Which pass of a compiler is guilty, by proof: the reference evaluates what the compiler had after
// each pass, on the same inputs. The first text whose values leave the acceptance sets of the
// module that the compiler was given names the pass. Needs the dumps of XLA, and no cooperation
// else.
//
// XLA writes the module after each pass to a dump directory. The reference evaluates each distinct
// text on the same inputs; the first whose values leave the sets of the original module names the
// pass.
//
// Answers. Pass P: the text before P is right and the text after it is wrong, or the compiler
// crashed or refused the module in P. Code generation: all texts are right. After pass P: right
// after P, and what follows cannot be evaluated; the later passes are switched off one by one.
// Before the passes: refused before any pass ran. Unknown: no dumps, or none that can be evaluated.
// New answer: conclude.cc, with its stages in passes_test.cc.
#ifndef HLOCTS_BACKENDS_PASSES_PASS_BLAME_H_
#define HLOCTS_BACKENDS_PASSES_PASS_BLAME_H_

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

// One stage, evaluated. `verdict` is kUnsupported where the reference cannot evaluate it (a library
// call, an instruction of the compiler's own).
struct JudgedStage {
  Stage stage;
  reports::Verdict verdict;
  std::vector<std::vector<Literal>> outputs;  // [device][leaf]
};
// Stops behind the first stage that fails. `given` is the module as the compiler got it, and what
// `differ` judges. Stages behind the partitioner are evaluated on all devices of `given`.
absl::StatusOr<std::vector<JudgedStage>> JudgeStages(const Module& given, std::vector<Stage> stages,
                                                     Differ& differ, const ExecuteRequest& request,
                                                     const LoadOptions& options,
                                                     const std::vector<std::string>& facts);

enum class Guilty : uint8_t {
  kPass,            // `pass` changes values, or crashes or refuses the module in its turn
  kCodeGeneration,  // every text is right up to the one that code is made of: what runs is wrong
  kAfterPass,       // right after `pass`, and nothing can be said of what comes behind it
  kBeforePasses,    // refused, crashed or changed before any pass ran
  kUnknown,         // the engine leaves no dumps, or not one of them can be evaluated
};
absl::string_view GuiltyName(Guilty guilty);

struct PassBlame {
  Guilty guilty = Guilty::kUnknown;
  std::string pass, pipeline;
  std::vector<std::string> suspects;  // with kAfterPass: the passes that changed the text later
  std::string reason;                 // for people: why it is not known, or why not more
  reports::Verdict verdict;           // of the engine
  std::vector<JudgedStage> stages;
  int64_t dumps = 0;
  // With the pass switched off: another verdict than the failure's confirms the blame.
  std::optional<reports::Verdict> without;
  bool confirmed = false;
  std::string actual, actual_without;  // the failing element, or the first, in both runs
};

struct BlameSubject {
  const Module* module = nullptr;
  const ExecuteRequest* request = nullptr;
  DiffOptions options;
  bool invalid = false;  // the module breaks a rule: nothing is evaluated
};

// Makes the engine anew: what XLA_FLAGS says counts when its worker starts.
using EngineFactory = std::function<absl::StatusOr<std::unique_ptr<Backend>>()>;

// `folder`: an empty folder for the dumps. Errors: the engine cannot be started.
absl::StatusOr<PassBlame> BlamePass(const BlameSubject& subject, const EngineFactory& engine,
                                    const std::string& folder);

// The same by what the engine says that its code was made of (Executable::OptimizedModule): kPass
// without a name, or kCodeGeneration; kUnknown where it does not say, or has made no code.
absl::StatusOr<PassBlame> BlameInOneStep(const BlameSubject& subject, const EngineFactory& engine);

// What the dumps and verdicts come to; the part of BlamePass that runs nothing.
void Conclude(const DumpedModule& dumped, bool has_values, PassBlame& blame);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_PASSES_PASS_BLAME_H_
