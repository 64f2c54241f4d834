// SPDX-License-Identifier: Apache-2.0
// Compiles graphs to programs. Decides which nodes become one loop, where every array is stored,
// and which function each step calls.
#pragma once

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
  bool guard = false;  // sets Program::guarded
  bool flush = false;  // flush subnormals while the module runs
  int threads = 0;     // 0: the number that the machine has
  int64_t memory_bytes_max = int64_t{8} << 30;
  std::shared_ptr<void> custom_calls;  // the opened library; null if there is none
  // The names of disabled passes, which may include "fusion" and "in-place".
  absl::flat_hash_set<std::string> disabled;
};

// Selects the results that remain in a parameter's buffer (Function::result_source).
enum class AliasMode : uint8_t { kNone, kSameLeaf, kAnyLeaf };

// A step that a factory returned and that is not yet part of a function.
struct StepDraft {
  StepFunction run;
  // Pairs (result, operand). The result may reuse the memory of the operand if no later step reads
  // the operand.
  std::vector<std::pair<int, int>> in_place;
  RowWork rows;  // set if the step can run a few rows at a time
  // Set if the step can run separately on parts of its arrays, such as batch entries.
  PartWorkFactory parts;
  int64_t batch = 0;  // number of batch entries if a group may form around this step; else 0
  // An operand that the step can compute itself, or -1. The loop that computes the operand is then
  // fused into the step, and the operands from `first` on are the arrays that the loop reads.
  int made = -1;
  std::vector<int> unread;  // operands that the step does not read
  // The indices of operands that are also results, unchanged. These results get no memory.
  std::vector<int> forwarded_operands;
  std::shared_ptr<const BoxMove> box;  // set if the step only copies this box
  std::function<StepFunction(std::shared_ptr<const LoopProgram> loop, size_t first)> with_loop;
};

// Returns the names of the passes that only this engine has (backends/engine/plan has the others).
absl::Span<const absl::string_view> OwnPasses();

class Compiler {
 public:
  Compiler(Program& program, const CompileOptions& options) : program_(program), options_(options) {
    program_.guarded = options.guard;
  }

  // Compiles the graph. `aliases` are pairs (parameter, result) of leaves that may share memory.
  absl::StatusOr<Function*> Compile(plan::Graph& graph,
                                    const std::vector<std::pair<int, int>>& aliases,
                                    AliasMode donation_mode);
  absl::StatusOr<std::shared_ptr<const ElementFunction>> CompileElements(plan::Graph& graph);
  // Places all functions' temporaries in the arena. Must be called after the last Compile.
  absl::Status Finish();

  const CompileOptions& options() const { return options_; }
  // Records that the function that is being compiled calls `callee`.
  void NoteCall(const Function& callee) { called_.push_back(callee.index); }

 private:
  absl::StatusOr<std::shared_ptr<const LoopProgram>> StraightLine(const plan::Graph& graph);
  void Simplify(plan::Graph& graph);

  Program& program_;
  CompileOptions options_;
  struct Compiled {
    std::vector<std::pair<int, int>> aliases;
    AliasMode donation_mode;
    Function* function;
  };

  std::vector<int32_t> called_;
  absl::flat_hash_set<const plan::Graph*> simplified_;
  absl::flat_hash_map<const plan::Graph*, std::shared_ptr<const ElementFunction>> elements_;
  absl::flat_hash_map<const plan::Graph*, std::vector<Compiled>> functions_;
};

// Computes the results of a graph without parameters at compile time. The bits are the same as at
// run time.
absl::StatusOr<std::vector<Literal>> Evaluate(plan::Graph& closed, CompileOptions options);

// The inputs of the factory of a step.
struct OpContext {
  Compiler& compiler;
  const plan::Graph& graph;
  const plan::Node& node;
  const FusionPlan& fusion;

  const plan::ArrayType& in(size_t k) const { return graph.type(node.operands[k]); }
  const plan::ArrayType& out(size_t k) const { return graph.type(node.outputs[k]); }
  // Returns the view under which a dot reads operand k. Other operations have dense operands.
  plan::View view(size_t k) const { return fusion.SourceOf(node.operands[k]).view; }
  const Instruction& source() const { return *node.source; }
  const std::string& name() const { return node.source->name(); }
  plan::Graph& called(size_t k) const { return *node.called[k]; }
};

// Makes the step of a node that is not part of a loop.
absl::StatusOr<StepDraft> MakeStep(const OpContext& context);

}  // namespace hlocts::cpu
