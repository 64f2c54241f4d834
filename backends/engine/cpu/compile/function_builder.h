// SPDX-License-Identifier: Apache-2.0
// Compiles one graph to one function. Emits the steps in order, then assigns memory to their
// results.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "backends/engine/cpu/compile/compiler.h"
#include "backends/engine/plan/fusion.h"

namespace hlocts::cpu {

class FunctionBuilder {
 public:
  FunctionBuilder(Compiler& compiler, const plan::Graph& graph, Function& function)
      : compiler_(compiler),
        graph_(graph),
        function_(function),
        fusion_(graph, FusionOptionsOf(compiler.options())),
        buffer_of_(graph.values.size(), -1),
        line_of_(graph.values.size(), -1) {}

  absl::Status Build(const std::vector<std::pair<int, int>>& aliases, AliasMode donation_mode);

 private:
  struct Buffer {
    enum class Kind : uint8_t { kParameter, kConstant, kWritten };
    Kind kind = Kind::kWritten;
    int64_t bytes = 0;
    const uint8_t* data = nullptr;  // if kConstant: its elements
    int32_t parameter = -1;
    int32_t result = -1;
    int32_t storage = -1;  // the buffer whose memory this one reuses
    int32_t first = -1, last = -1;
  };
  struct Draft {
    StepDraft step;
    std::vector<int32_t> in, out;  // buffers
    bool is_copy = false;
  };

  absl::Status EmitNode(plan::NodeId id);
  void EmitLeaf(const plan::Node& node);
  static plan::FusionOptions FusionOptionsOf(const CompileOptions& options);
  absl::Status EmitLoop(plan::NodeId root);
  const plan::Node* ShiftOf(plan::ValueId value, Opcode opcode) const;
  bool AddUpToWidth(plan::ValueId left, plan::ValueId right) const;
  bool AddRotation(const plan::Node& node, LoopProgram& loop, std::vector<int32_t>& arrays);
  absl::Status AddMembers(plan::NodeId root, LoopProgram& loop, std::vector<int32_t>& arrays);
  std::vector<plan::ValueId> ResultsOf(plan::NodeId root) const;
  absl::Status EmitStructured(const plan::Node& node);
  void EmitLine(plan::ValueId value);
  void EmitCopy(plan::ValueId value, const Source& source);
  int32_t NewBuffer(const plan::ArrayType& type);
  int32_t BufferOf(const Source& source);
  int PiecesRegister(plan::ValueId value, LoopProgram& loop, std::vector<int32_t>& arrays);
  int OperandRegister(plan::ValueId operand, int64_t elements, LoopProgram& loop,
                      std::vector<int32_t>& arrays);

  void DropUnread();
  void FuseComputedOperands();
  bool FuseComputedOperandsOf(size_t d);
  // The arrays that the members of a group read and write. OperandLocation::number is an index into
  // `in`, `out` or `internal`, whose elements are buffers.
  struct BufferMapping {
    struct Member {
      std::vector<OperandLocation> in, out;
    };
    std::vector<Member> members;
    std::vector<int32_t> in, out, internal;
  };
  BufferMapping BufferMappingOf(size_t first, size_t end) const;
  bool IsReadOutside(int32_t buffer, size_t first, size_t end) const;

  // A rule by which consecutive drafts are merged into one group around one of them, the anchor.
  // `pieces` returns into how many pieces an anchor is split, or 0 if the draft cannot be an
  // anchor. Each member must support this number of pieces (`works`), and read only its own piece
  // of other members' results (`reads_own`). `group` builds the merged draft, or returns nullopt.
  struct GroupingRule {
    absl::FunctionRef<int64_t(size_t anchor)> pieces;
    absl::FunctionRef<bool(size_t d, int64_t pieces)> works;
    absl::FunctionRef<bool(size_t d, size_t operand, int64_t pieces)> reads_own;
    absl::FunctionRef<std::optional<Draft>(size_t first, size_t end, int64_t pieces)> group;
  };
  void Gather(const GroupingRule& how);
  bool Joins(const GroupingRule& how, size_t first, size_t d, int64_t pieces) const;

  void GroupRows();
  int64_t ElementsOf(int32_t buffer, const RowWork& work, size_t operand) const;
  bool ReadsOwnRows(const Draft& draft, size_t operand, int64_t rows) const;
  Draft GroupOf(size_t first, size_t end, int64_t rows);

  using PartWorks = std::vector<std::optional<PartitionedStep>>;  // one for each draft
  void GroupBatches();
  std::optional<PartitionedStep> PartWorkOf(const Draft& draft, int64_t parts) const;
  std::optional<Draft> BatchOf(size_t first, size_t end, int64_t parts,
                               const PartWorks& works) const;

  void PlaceResults(AliasMode donation_mode);
  void FindLifetimes();
  void ReuseInPlace(const std::vector<std::pair<int, int>>& aliases);
  bool ReuseInputBuffer(int32_t out, int32_t in, int32_t step,
                        const std::vector<std::pair<int, int>>& aliases);
  absl::Status PlaceTemporaries();
  void NumberSlots();
  int32_t StorageOf(int32_t buffer) const;
  int32_t SlotOf(int32_t buffer);

  Compiler& compiler_;
  const plan::Graph& graph_;
  Function& function_;
  FusionPlan fusion_;
  std::vector<Buffer> buffers_;
  std::vector<Draft> drafts_;
  std::vector<int32_t> buffer_of_, line_of_;  // indexed by value
  std::vector<int> register_of_;              // indexed by value, of the current loop
  std::vector<int32_t> slot_of_;              // indexed by buffer (StorageOf)
};

}  // namespace hlocts::cpu
