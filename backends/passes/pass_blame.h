// SPDX-License-Identifier: Apache-2.0
// Finds the pass of a compiler at fault, by proof: the reference evaluates the module after each
// pass on the same inputs. The first text whose values leave the acceptance sets of the compiler's
// input names the pass. Needs the dumps of XLA, and no other cooperation.
//
// XLA writes the module after each pass to a dump directory; each distinct text is evaluated.
//
// Answers. Pass P: the text before P is right and the text after it is wrong, or the compiler
// crashed or refused the module in P. Code generation: all texts are right, also where the engine
// crashes after the last one. After pass P: right after P, and later texts cannot be evaluated; the
// later passes are disabled one by one. Before
// the passes: refused before any pass ran. Unknown: no dumps, or none that can be evaluated. New
// answer: conclude.cc, with its stages in passes_test.cc.
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
// Stops after the first stage that fails. `given` is the compiler's input, which `differ` judges.
// Stages after the partitioner are evaluated on all devices of `given`.
absl::StatusOr<std::vector<JudgedStage>> JudgeStages(const Module& given, std::vector<Stage> stages,
                                                     Differ& differ, const ExecuteRequest& request,
                                                     const LoadOptions& options,
                                                     const std::vector<std::string>& facts);

enum class Guilty : uint8_t {
  kPass,            // `pass` changes values, or crashes or refuses the module in its turn
  kCodeGeneration,  // every text is right, including the last: the code is wrong
  kAfterPass,       // right after `pass`, later texts are unknown
  kBeforePasses,    // refused, crashed or changed before any pass ran
  kUnknown,         // the engine leaves no dumps, or none can be evaluated
};
absl::string_view GuiltyName(Guilty guilty);

struct PassBlame {
  Guilty guilty = Guilty::kUnknown;
  std::string pass, pipeline;
  std::vector<std::string> suspects;  // with kAfterPass: the passes that changed the text later
  std::string reason;                 // for users: why nothing, or nothing more, is known
  reports::Verdict verdict;           // of the engine
  std::vector<JudgedStage> stages;
  int64_t dumps = 0;
  // With the pass disabled: another verdict than the failure's confirms the blame.
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

// Makes the engine anew: XLA_FLAGS takes effect when its worker starts.
using EngineFactory = std::function<absl::StatusOr<std::unique_ptr<Backend>>()>;

// `folder`: an empty directory for the dumps. Errors: the engine cannot be started.
absl::StatusOr<PassBlame> BlamePass(const BlameSubject& subject, const EngineFactory& engine,
                                    const std::string& folder);

// The same by the module from which the engine made its code (Executable::OptimizedModule): kPass
// without a name, or kCodeGeneration; kUnknown where it does not report it, or has made no code.
absl::StatusOr<PassBlame> BlameInOneStep(const BlameSubject& subject, const EngineFactory& engine);

// Draws the conclusion from the dumps and verdicts; the part of BlamePass that runs nothing.
void Conclude(const DumpedModule& dumped, bool has_values, PassBlame& blame);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_PASSES_PASS_BLAME_H_
