// SPDX-License-Identifier: Apache-2.0
// Shape rules: the shape of an instruction, given its operands and attributes, and all constraints
// that its clauses state about them.
#ifndef HLOCTS_SPEC_INFER_INFER_H_
#define HLOCTS_SPEC_INFER_INFER_H_

#include <memory>

#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/shape.h"

namespace hlocts {

class Signatures;

// Infers shapes of one module's instructions. Reuse it for a module that does not change: it caches
// the signatures of called computations.
class ShapeInference {
 public:
  ShapeInference();
  ~ShapeInference();

  // The shape that operands and attributes give the instruction, without layouts. Opcodes whose
  // shape only the text states (parameter, constant, iota, broadcast, reshape, convert, rng,
  // custom-call, infeed, recv, ...) have their stated shape checked and returned. The error says
  // "%name = opcode: expected ..., found ..." and carries the id of the broken rule. Does not look
  // at the operands' own operands: operands must have their shapes.
  absl::StatusOr<Shape> Infer(const Instruction& instruction);

  // Infers the shape and compares it with the stated one, ignoring layouts and dynamic flags.
  absl::Status Verify(const Instruction& instruction);

 private:
  std::unique_ptr<Signatures> signatures_;
};

absl::StatusOr<Shape> InferShape(const Instruction& instruction);

// Returns true if the opcode has a rule, its own or that of its family.
bool HasShapeRule(Opcode opcode);

// Checks for valid element types, nonnegative sizes, fewer than 2^63 bytes, layouts that are
// permutations (layouts.7), and tokens and tuples without dimensions.
absl::Status VerifyShape(const Shape& shape);

// Returns true if element types and sizes agree; layouts and dynamic flags are ignored, "?" agrees
// with any size.
bool Compatible(const Shape& a, const Shape& b);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_INFER_INFER_H_
