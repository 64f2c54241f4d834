// SPDX-License-Identifier: Apache-2.0
// Compiles graphs to programs: decides which nodes become one loop, where every array is, and which
// function is called.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_COMPILE_COMPILER_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_COMPILE_COMPILER_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "backends/engine/cpu/base/part_work.h"
#include "backends/engine/cpu/base/program.h"
#include "backends/engine/cpu/groups/row_work.h"
#include "backends/engine/cpu/loops/element_function.h"
#include "backends/engine/plan/fusion.h"
#include "backends/engine/plan/graph.h"

namespace hlocts::cpu {

using plan::FusionPlan;
using plan::KindOf;
using plan::NodeKind;
using plan::Source;

struct CompileOptions {
  MathOptions math;
  bool guard = false;  // see Program::guarded
  bool flush = false;  // subnormals, while the module runs
  int threads = 0;     // 0: as many as the machine has
  int64_t memory_bytes_max = int64_t{8} << 30;
  std::shared_ptr<void> custom_calls;         // handle of the library, null for none
  absl::flat_hash_set<std::string> disabled;  // passes, "fusion" and "in-place" among them
};

// Which results that are parameters are left in place (Function::result_source).
enum class AliasMode : uint8_t { kNone, kSameLeaf, kAnyLeaf };

// A loop that reads result 0 of a step, element by element, as its array `array`; its arrays are
// the combined step's operands from `first` on, its result is result 0 of the combined step.
struct Epilogue {
  std::shared_ptr<const LoopProgram> loop;
  size_t first = 0, arrays = 0, array = 0;
  bool apart = false;  // the loop's input has other users: it is result 1 of the whole
};

// The step that a factory of a structured operation returns, to be put into a function.
struct StepDraft {
  StepFunction run;
  // (result, operand): the result may reuse the operand's memory if nothing reads the operand
  // later.
  std::vector<std::pair<int, int>> in_place;
  RowWork rows;  // for steps that can work a few rows at a time
  // For steps that can work on one entry of a batch at a time.
  PartWorkFactory parts;
  int64_t batch = 0;  // entries of a step around which others are gathered
  // Operand `made`, if it is not -1, may be computed as the step needs it, unless the pass
  // `made_by` is disabled: the step then has the loop's arrays from operand `first` on.
  int made = -1;
  absl::string_view made_by;
  std::vector<int> unread;  // operands that the step does not read
  // Results that are unchanged operands of these numbers: they get no memory of their own.
  std::vector<int> handed_on;
  std::shared_ptr<const BoxMove> box;  // when this is all that the step does
  std::function<StepFunction(std::shared_ptr<const LoopProgram> loop, size_t first)> with_loop;
  // The step with a loop over its result, part by part as parts are completed; null: it has no
  // parts.
  std::function<StepFunction(const Epilogue& epilogue)> with_epilogue;
};

// Passes of this engine, in addition to those of backends/engine/plan.
absl::Span<const absl::string_view> OwnPasses();

class Compiler {
 public:
  Compiler(Program& program, const CompileOptions& options) : program_(program), options_(options) {
    program_.guarded = options.guard;
  }

  // `aliases`: pairs (parameter, result) of leaves; the result may share the parameter's memory.
  absl::StatusOr<Function*> Compile(plan::Graph& graph,
                                    const std::vector<std::pair<int, int>>& aliases,
                                    AliasMode handover);
  absl::StatusOr<std::shared_ptr<const ElementFunction>> CompileElements(plan::Graph& graph);
  // Places the functions' temporaries in the arena; after everything is compiled.
  absl::Status Finish();

  const CompileOptions& options() const { return options_; }
  // Records a function that a step of the function being compiled calls.
  void NoteCall(const Function& callee) { called_.push_back(callee.index); }

 private:
  absl::StatusOr<std::shared_ptr<const LoopProgram>> StraightLine(const plan::Graph& graph);
  void Simplify(plan::Graph& graph);

  Program& program_;
  CompileOptions options_;
  struct Compiled {
    std::vector<std::pair<int, int>> aliases;
    AliasMode handover;
    Function* function;
  };

  std::vector<int32_t> called_;
  absl::flat_hash_set<const plan::Graph*> simplified_;
  absl::flat_hash_map<const plan::Graph*, std::shared_ptr<const ElementFunction>> elements_;
  absl::flat_hash_map<const plan::Graph*, std::vector<Compiled>> functions_;
};

// The results of a graph without parameters, computed now exactly as the module would.
absl::StatusOr<std::vector<Literal>> Evaluate(plan::Graph& closed, CompileOptions options);

// The inputs of a factory of a structured operation.
struct OpContext {
  Compiler& compiler;
  const plan::Graph& graph;
  const plan::Node& node;
  const FusionPlan& fusion;

  const plan::ArrayType& in(size_t k) const { return graph.type(node.operands[k]); }
  const plan::ArrayType& out(size_t k) const { return graph.type(node.outputs[k]); }
  // The view through which a dot reads its operand; that of other operations is dense.
  plan::View view(size_t k) const { return fusion.SourceOf(node.operands[k]).view; }
  const Instruction& source() const { return *node.source; }
  const std::string& name() const { return node.source->name(); }
  plan::Graph& called(size_t k) const { return *node.called[k]; }
};

// The step of a node that is no part of a loop.
absl::StatusOr<StepDraft> MakeStep(const OpContext& context);

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_COMPILE_COMPILER_H_
