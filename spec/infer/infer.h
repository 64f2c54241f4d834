// SPDX-License-Identifier: Apache-2.0
// Shape rules: what shape an instruction has, given its operands and attributes, and every rule its
// own clause states about them.
#ifndef HLOCTS_SPEC_INFER_INFER_H_
#define HLOCTS_SPEC_INFER_INFER_H_

#include <memory>

#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/shape.h"

namespace hlocts {

class Signatures;

// Infers shapes of one module's instructions. Reuse it over a module that does not change: it
// remembers the signatures of called computations.
class ShapeInference {
 public:
  ShapeInference();
  ~ShapeInference();

  // The shape that operands and attributes give the instruction, without layouts. Opcodes whose
  // shape only the text states (parameter, constant, iota, broadcast, reshape, convert, rng,
  // custom-call, infeed, recv, ...) have their stated shape checked and returned. The error says
  // "%name = opcode: expected ..., found ..." and carries the id of the broken rule. Looks at no
  // operand's own operands: operands must have their shapes.
  absl::StatusOr<Shape> Infer(const Instruction& instruction);

  // Infer, and the stated shape is that one (layouts and dynamic flags aside).
  absl::Status Verify(const Instruction& instruction);

 private:
  std::unique_ptr<Signatures> signatures_;
};

absl::StatusOr<Shape> InferShape(const Instruction& instruction);

// Whether there is a rule for the opcode, of its own or of its family.
bool HasShapeRule(Opcode opcode);

// No invalid element type, no negative size, fewer than 2^63 bytes, layouts that are permutations
// (layouts.7), tokens and tuples without dimensions.
absl::Status VerifyShape(const Shape& shape);

// Element types and sizes agree; layouts and dynamic flags are ignored, "?" agrees with any size.
bool Compatible(const Shape& a, const Shape& b);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_INFER_INFER_H_
