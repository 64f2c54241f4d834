// SPDX-License-Identifier: Apache-2.0
// Element-wise operations as kernels: resolved once per instruction from opcode and element types,
// then run over whole arrays (or one element, by ScalarFunction) without any further dispatch.
#ifndef HLOCTS_REFERENCE_ELEMENTWISE_H_
#define HLOCTS_REFERENCE_ELEMENTWISE_H_

#include <cstdint>

#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::reference {

struct ElementwiseOp {
  // result[i] = f(operands[0][i], ...) for i < count, elements as Literal stores them. The result
  // may be one of the operands when the element widths are equal.
  using Run = void (*)(const ElementwiseOp& op, const void* const* operands, void* result,
                       int64_t count);
  Run run = nullptr;
  // Parameters of kernels that serve several types or attributes.
  PrimitiveType operand_type = PrimitiveType::kInvalid;
  PrimitiveType result_type = PrimitiveType::kInvalid;
  int operand_count = 0;
  Run inner = nullptr;  // of kernels that decode, run another kernel and encode
  int64_t parameters[2] = {0, 0};

  void operator()(const void* const* operands, void* result, int64_t count) const {
    run(*this, operands, result, count);
  }
};

// True for the opcodes ResolveElementwise knows: one result element from the elements at its index.
bool IsElementwise(Opcode opcode);
// The kernel for the opcode, the element types of operands and result, and the attributes.
// Unimplemented for a type that the operation does not allow, naming the instruction.
absl::StatusOr<ElementwiseOp> ResolveElementwise(const Instruction& instruction);
// A binary operation on two operands and a result of one type; run is null where it is not allowed.
ElementwiseOp BinaryOp(Opcode opcode, PrimitiveType type);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_ELEMENTWISE_H_
