// SPDX-License-Identifier: Apache-2.0
// Compiles one graph to one function. Emits its loops and structured steps in order, and determines
// the lifetime of each array.
#pragma once

#include <vector>

#include "backends/engine/cuda/compile/compiler.h"
#include "backends/engine/cuda/compile/copy_plan.h"
#include "backends/engine/cuda/compile/load_fusion.h"
#include "backends/engine/cuda/compile/reduce_fusion.h"
#include "backends/engine/cuda/compile/row_group.h"

namespace hlocts::cuda {

struct ReduceRun;  // see reduce_step.cc

class FunctionBuilder {
 public:
  FunctionBuilder(Compiler& compiler, const plan::Graph& graph, Function& function, bool fuses)
      : compiler_(compiler),
        graph_(graph),
        function_(function),
        fusion_(graph, {.loops = fuses}),
        reductions_(graph, fusion_, fuses),
        loads_(graph, fusion_, fuses),
        slot_of_(graph.values.size(), -1) {}

  absl::Status Build();

 private:
  absl::Status EmitNode(plan::NodeId id);
  absl::Status EmitLeaf(const plan::Node& node);
  absl::Status EmitLoop(plan::NodeId root);
  absl::Status EmitMap(const plan::Node& node);
  // The slots of a step that copies bytes.
  struct Move {
    int32_t from, to;
    int64_t bytes;  // size of the result
  };
  template <typename Args>
  void AddMove(hl::Kernel kernel, const Args& args, int64_t count, const Move& move);
  void AddTranspose(const TransposePlan& plan, const Move& move);
  absl::Status EmitCopy(plan::ValueId value, const plan::Source& source);
  absl::Status EmitLine(plan::ValueId value, const plan::View& view);
  absl::Status EmitStructured(plan::NodeId id);
  // Emits a reduction with the loops fused into it (reduce_step.cc).
  absl::Status EmitReduce(plan::NodeId id);
  int32_t NewSlot(plan::ValueId value);

  // The loop under construction: its inputs, their views, and the index of each value in `program`.
  struct Loop {
    ProgramBuilder program;
    std::vector<int32_t> arrays;
    std::vector<hl::View> views;
    std::vector<bool> dense;       // true if element i is read only to compute element i
    std::vector<int> widths;       // bytes of an array's element
    std::vector<int> array_views;  // see StepCandidate
    bool is_reduction_epilogue = false;
    bool turns = false;  // copies transposed inputs first (TransposedCopySlot)
    absl::flat_hash_map<plan::ValueId, int> values;
  };
  absl::StatusOr<int> OperandOf(plan::ValueId operand, int64_t elements, Loop& loop);
  absl::StatusOr<int> LoadOf(const plan::Source& source, const plan::View& view,
                             const plan::ArrayType& type, bool many, Loop& loop);
  // Adds a load of the array in `slot` under view `number` of the loop, or in order if -1.
  int LoadFrom(int32_t slot, int number, const plan::ArrayType& type, Loop& loop);
  // Returns the slot of a dense copy of a large view that permutes dimensions. Returns -1 if the
  // view needs no copy. Without a copy, a loop would load an entire memory sector for each element.
  absl::StatusOr<int32_t> TransposedCopySlot(const plan::Source& source, const plan::View& view,
                                             const plan::ArrayType& type);
  // Returns the index in `loop` of an array that is not read in order.
  int ScatteredArray(int32_t slot, int width, Loop& loop);
  // Adds the load of an element of a pad or gather that is fused into the loop.
  absl::StatusOr<int> FusedLoad(const plan::Node& node, Loop& loop);
  // Adds the nodes of a loop to its program. Returns the index of the last node's value.
  absl::StatusOr<int> AddMembers(plan::NodeId root, Loop& loop);
  absl::StatusOr<hl::ReduceBlockArgs> ReduceArgsOf(const plan::Node& node);
  absl::StatusOr<std::vector<hl::Instr>> TermsOf(const plan::Node& node, Loop& loop);
  absl::StatusOr<std::shared_ptr<const Body>> CombiningOf(const plan::Node& node);
  absl::StatusOr<std::vector<hl::Instr>> EpilogueOf(const plan::Node& node, plan::NodeId ending,
                                                    Loop& loop);
  absl::Status AddReducePrograms(const plan::Node& node, plan::NodeId ending, Loop& loop,
                                 ReduceRun& job);
  Step ReduceSlots(const plan::Node& node, absl::Span<const plan::ValueId> outputs,
                   const Loop& loop, hl::ReduceBlockArgs& args);
  StepCandidate LoopCandidate(Loop& loop, const plan::ArrayType& type,
                              const std::shared_ptr<const Body>& body, const Buffer& views);
  absl::Status FinishUngroupedLoop(const std::shared_ptr<const Body>& body, const Buffer& views,
                                   absl::Span<const hl::View> places, size_t arrays, int type,
                                   int64_t elements, Step& step);
  absl::Status FinishLoop(Loop& loop, int result, plan::ValueId value);
  void AddStep(Step step, std::optional<StepCandidate> sketch = std::nullopt);
  void FindLastUses();

  Compiler& compiler_;
  const plan::Graph& graph_;
  Function& function_;
  plan::FusionPlan fusion_;
  ReduceFusion reductions_;
  LoadFusion loads_;
  std::string step_name_;         // the name of the node that is being emitted
  std::vector<int32_t> slot_of_;  // indexed by value
  struct TransposedCopy {
    plan::ValueId base;
    plan::View view;
    int32_t slot;
  };
  std::vector<TransposedCopy> transposed_copies_;
  std::vector<std::optional<StepCandidate>> sketches_;  // one for each step of the function
};

}  // namespace hlocts::cuda
