// SPDX-License-Identifier: Apache-2.0
// Resolves element-wise operations to kernels. A kernel is chosen once per instruction from the
// opcode and the element types, then runs over arrays, or over one element in ScalarFunction.
#pragma once

#include <cstdint>

#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::reference {

struct ElementwiseOp {
  // Computes result[i] = f(operands[0][i], ...) for i < count on elements as Literal stores them.
  // The result may be one of the operands if the element widths are equal.
  using Run = void (*)(const ElementwiseOp& op, const void* const* operands, void* result,
                       int64_t count);
  Run run = nullptr;
  // Parameters of kernels that serve several types or attributes.
  PrimitiveType operand_type = PrimitiveType::kInvalid;
  PrimitiveType result_type = PrimitiveType::kInvalid;
  int operand_count = 0;
  Run inner = nullptr;  // the kernel that `run` applies to decoded operands
  int64_t parameters[2] = {0, 0};

  void operator()(const void* const* operands, void* result, int64_t count) const {
    run(*this, operands, result, count);
  }
};

// Returns true for element-wise opcodes, which ResolveElementwise supports.
bool IsElementwise(Opcode opcode);
// Returns the kernel for the opcode, the element types of operands and result, and the attributes.
// Returns Unimplemented, with the instruction's name, if the operation does not allow the type.
absl::StatusOr<ElementwiseOp> ResolveElementwise(const Instruction& instruction);
// Returns the operation on operands and result of `type`; `run` is null if it is not allowed.
ElementwiseOp BinaryOp(Opcode opcode, PrimitiveType type);

}  // namespace hlocts::reference
