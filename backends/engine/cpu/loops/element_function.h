// SPDX-License-Identifier: Apache-2.0
// A called computation that is applied to elements, such as the body of reduce, sort or scatter.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "backends/engine/cpu/base/program.h"
#include "backends/engine/cpu/loops/loop_program.h"
#include "spec/ir/opcode.h"

namespace hlocts::cpu {

// A computation on two scalars that applies one operation to its parameters.
struct SimpleBody {
  Opcode opcode = Opcode::kAdd;
  bool swapped = false;  // the operands are (second, first)
};

class ElementFunction {
 public:
  ElementFunction(std::shared_ptr<const LoopProgram> loop, const plan::Graph& graph);
  ElementFunction(const Function& function, const plan::Graph& graph);

  int result_width(size_t i) const { return result_widths_[i]; }

  // Computes results[r][i] = f(arguments[0][i], arguments[1][i], ...) for i < count. A result may
  // share the memory of an argument with elements of the same width.
  absl::Status Apply(Run& run, const uint8_t* const* arguments, uint8_t* const* results,
                     int64_t count) const;
  // Returns true if the body is straight-line code. It then cannot fail, and needs no Run.
  bool is_straight() const { return loop_ != nullptr; }
  const Function* function() const { return function_; }
  void ApplyStraight(const uint8_t* const* arguments, uint8_t* const* results, int64_t count) const;

 private:
  std::shared_ptr<const LoopProgram> loop_;
  const Function* function_ = nullptr;
  std::vector<const uint8_t*> constants_;
  std::vector<int> argument_widths_, result_widths_;
};

// Returns the operation of a body op(p0, p1) or op(p1, p0) on two scalars, else nullopt.
std::optional<SimpleBody> SimpleBodyOf(const plan::Graph& graph);

// A comparator compare(p, q) of a sort, where p and q are elements of the same operand.
struct SimpleComparator {
  int64_t operand = 0;
  Direction direction = Direction::kLt;
  bool total_order = false;
};
std::optional<SimpleComparator> SimpleComparatorOf(const plan::Graph& graph);

}  // namespace hlocts::cpu
