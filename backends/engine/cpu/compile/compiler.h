// SPDX-License-Identifier: Apache-2.0
// Compiles graphs to programs: decides which nodes become one loop, where every array is stored,
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
  bool guard = false;  // see Program::guarded
  bool flush = false;  // flush subnormals while the module runs
  int threads = 0;     // 0: as many as the machine has
  int64_t memory_bytes_max = int64_t{8} << 30;
  std::shared_ptr<void> custom_calls;  // handle of the library; null for none
  // Passes to disable, possibly including "fusion" and "in-place".
  absl::flat_hash_set<std::string> disabled;
};

// Selects the results that stay in a parameter's buffer (Function::result_source).
enum class AliasMode : uint8_t { kNone, kSameLeaf, kAnyLeaf };

// A step as returned by the factory of its opcode, before it is added to a function.
struct StepDraft {
  StepFunction run;
  // Pairs (result, operand): the result may reuse the operand's memory if no later step reads the
  // operand.
  std::vector<std::pair<int, int>> in_place;
  RowWork rows;  // set if the step can run a few rows at a time
  // Set if the step can run on one entry of a batch at a time.
  PartWorkFactory parts;
  int64_t batch = 0;  // batch entries, if this step can be the anchor of a group; else 0
  // An operand that the step can compute on the fly, or -1. The loop that computes this operand is
  // fused into the step. The fused step's operands from `first` on are then the loop's arrays.
  int made = -1;
  std::vector<int> unread;  // operands that the step does not read
  // Indices of operands that are also results of the step, unchanged. These results get no memory.
  std::vector<int> forwarded_operands;
  std::shared_ptr<const BoxMove> box;  // set if the step only moves this box
  std::function<StepFunction(std::shared_ptr<const LoopProgram> loop, size_t first)> with_loop;
};

// Names of this engine's passes, in addition to those of backends/engine/plan.
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
  // Places the functions' temporaries in the arena. Call it after everything is compiled.
  absl::Status Finish();

  const CompileOptions& options() const { return options_; }
  // Records that a step of the function being compiled calls `callee`.
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

// Computes the results of a graph without parameters at compile time. The bits are those that the
// module would compute at run time.
absl::StatusOr<std::vector<Literal>> Evaluate(plan::Graph& closed, CompileOptions options);

// The inputs of a step factory.
struct OpContext {
  Compiler& compiler;
  const plan::Graph& graph;
  const plan::Node& node;
  const FusionPlan& fusion;

  const plan::ArrayType& in(size_t k) const { return graph.type(node.operands[k]); }
  const plan::ArrayType& out(size_t k) const { return graph.type(node.outputs[k]); }
  // Returns the view through which a dot reads its operand. Other operations have dense operands.
  plan::View view(size_t k) const { return fusion.SourceOf(node.operands[k]).view; }
  const Instruction& source() const { return *node.source; }
  const std::string& name() const { return node.source->name(); }
  plan::Graph& called(size_t k) const { return *node.called[k]; }
};

// Returns the step of a node that is not part of a loop.
absl::StatusOr<StepDraft> MakeStep(const OpContext& context);

}  // namespace hlocts::cpu
