// SPDX-License-Identifier: Apache-2.0
// Builds programs (device/program.h): fused loops and called computations as straight-line code.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "backends/engine/cuda/device/program.h"
#include "backends/engine/plan/graph.h"
#include "backends/engine/plan/view.h"

namespace hlocts::cuda {

inline int TypeNumber(PrimitiveType type) { return static_cast<int>(type); }

// Element numbers below this fit in 31 bits.
constexpr int64_t kNarrowElements = int64_t{1} << 31;

// Returns Unimplemented if the view has more dimensions than a kernel supports.
absl::StatusOr<hl::View> DeviceView(const plan::View& view);

class ProgramBuilder {
 public:
  // These return the index of the value that the instruction computes.
  int Add(hl::Instr instruction);
  int Load(int array, int view, PrimitiveType type);
  int Line(int view, PrimitiveType type);
  int Parameter(int number, PrimitiveType type);
  int Constant(PrimitiveType type, const uint8_t* element);
  // Adds an operation of ops.h that has no attributes. `type` is the operands' type.
  int Apply(hl::Op op, PrimitiveType type, PrimitiveType result, int a, int b = 0);
  // Adds an element-wise instruction. `type` is the operands' type (in a select, of the second).
  absl::StatusOr<int> Operation(const Instruction& source, PrimitiveType type, PrimitiveType result,
                                absl::Span<const int> operands);
  // Adds a called computation on scalars. Returns one value for each result.
  absl::StatusOr<std::vector<int>> Inline(const plan::Graph& graph,
                                          absl::Span<const int> arguments);

  // Returns a program that computes these values as its results. Registers are allocated.
  absl::StatusOr<std::vector<hl::Instr>> Finish(absl::Span<const int> results);

 private:
  std::vector<hl::Instr> code_;  // operands are indices into code_
};

// Returns true if a called computation on scalars can be a program.
bool IsStraightLine(const plan::Graph& graph);

}  // namespace hlocts::cuda
