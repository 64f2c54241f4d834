// SPDX-License-Identifier: Apache-2.0
// Shape inference: the shape of an instruction, given its operands and attributes, and all
// constraints that its clauses state about them.
#pragma once

#include <memory>

#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/shape.h"

namespace hlocts {

class Signatures;

// Infers shapes of the instructions of one module. It caches the signatures of called computations,
// so an object is valid as long as the module does not change.
class ShapeInference {
 public:
  ShapeInference();
  ~ShapeInference();

  // Returns the shape that operands and attributes determine, without layouts. If only the text
  // states the shape (parameter, constant, iota, broadcast, reshape, convert, rng, custom-call,
  // infeed, recv, ...), that shape is checked and returned. An error reads "%name = opcode:
  // expected ..., found ..." and has the id of the broken rule. The shapes of the operands must be
  // set; their own operands are not read.
  absl::StatusOr<Shape> Infer(const Instruction& instruction);

  // Infers the shape and compares it with the stated one, ignoring layouts and dynamic flags.
  absl::Status Verify(const Instruction& instruction);

 private:
  std::unique_ptr<Signatures> signatures_;
};

absl::StatusOr<Shape> InferShape(const Instruction& instruction);

// Returns true if the opcode or its family has a rule.
bool HasShapeRule(Opcode opcode);

// Checks that element types are valid, sizes are not negative, the array has fewer than 2^63 bytes,
// layouts are permutations (layouts.7), and tokens and tuples have no dimensions.
absl::Status VerifyShape(const Shape& shape);

// Returns true if element types and sizes agree (unknown: any). Ignores layouts and dynamic flags.
bool Compatible(const Shape& a, const Shape& b);

}  // namespace hlocts
