// SPDX-License-Identifier: Apache-2.0
// Compiles a computation over scalars into a ScalarFunction.
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "reference/scalar_function.h"
#include "spec/ir/module.h"
#include "spec/ir/surgery.h"
#include "spec/ops/kinds.h"
#include "spec/ops/op_table.h"

namespace hlocts::reference {

namespace {

constexpr size_t kStepsMax = 4096;
constexpr int kInliningMax = 64;

bool IsScalarTree(const Shape& shape) {
  if (!shape.IsTuple()) return shape.IsScalar();
  for (const Shape& element : shape.tuple_shapes()) {
    if (!IsScalarTree(element)) return false;
  }
  return true;
}

// Returns true for opcodes that forward a scalar unchanged because it has only one element to move.
bool IsMove(Opcode opcode) {
  return ops::IsOneOf(opcode, {Opcode::kCopy, Opcode::kOptBarrier, Opcode::kDomain,
                               Opcode::kReshape, Opcode::kBroadcast, Opcode::kTranspose});
}

// Returns true for a bitcast that keeps a scalar's stored bytes; types below a byte may be extended
// differently. Compilers rewrite a comparison in total order to a comparison of such bits.
bool KeepsBytes(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::kBitcast) return false;
  const PrimitiveType from = instruction.operand(0).shape().element_type();
  const PrimitiveType to = instruction.shape().element_type();
  return BitWidth(from) == BitWidth(to) && (BitWidth(to) >= 8 || from == to);
}

}  // namespace

class ScalarCompiler {
 public:
  using Slots = std::vector<int32_t>;  // slots of the leaves of a value

  // Returns false if the computation is not a scalar function.
  absl::StatusOr<bool> Compile(const Computation& computation) {
    Slots arguments;
    for (const Instruction* parameter : computation.parameters()) {
      if (parameter == nullptr || !IsScalarTree(parameter->shape())) return false;
      ForEachLeaf(parameter->shape(), [&](const Shape& leaf, const ShapeIndex&) {
        arguments.push_back(NewSlot(leaf.element_type()));
        function_->argument_types_.push_back(leaf.element_type());
      });
    }
    if (computation.root() == nullptr || !IsScalarTree(computation.root()->shape())) return false;
    CountConstants(computation, 0);
    if (too_long_) return false;
    next_constant_ = static_cast<int32_t>(function_->slot_widths_.size());
    function_->slot_widths_.resize(next_constant_ + constant_count_);
    function_->constants_.resize(constant_count_);
    HLOCTS_ASSIGN_OR_RETURN(bool done, Inline(computation, arguments, 0));
    if (!done) return false;
    function_->result_slots_ = result_;
    for (const Shape& leaf : LeafShapes(computation.root()->shape())) {
      function_->result_types_.push_back(leaf.element_type());
    }
    return true;
  }

  std::unique_ptr<ScalarFunction> Take() { return std::move(function_); }

 private:
  int32_t NewSlot(PrimitiveType type) {
    function_->slot_widths_.push_back(StorageBytes(type));
    return static_cast<int32_t>(function_->slot_widths_.size()) - 1;
  }

  // Finds an upper bound of the number of constants, whose slots precede the slots of temporaries.
  void CountConstants(const Computation& computation, int depth) {
    if (depth > kInliningMax) too_long_ = true;
    for (const auto& instruction : computation.instructions()) {
      if (too_long_ || ++visited_ > kStepsMax) too_long_ = true;
      if (too_long_) return;
      if (instruction->IsConstant()) {
        constant_count_ += static_cast<int32_t>(LeafShapes(instruction->shape()).size());
      }
      if (const Computation* callee = InlinedBody(*instruction)) CountConstants(*callee, depth + 1);
    }
  }

  // Sets result_ to the slots of the root. Visits operands before users, starting from the root, so
  // that dead code costs nothing and never makes the compilation fail.
  absl::StatusOr<bool> Inline(const Computation& computation, const Slots& arguments, int depth) {
    absl::flat_hash_map<const Instruction*, Slots> values;
    std::vector<int64_t> offsets;
    int64_t offset = 0;
    for (const Instruction* parameter : computation.parameters()) {
      offsets.push_back(offset);
      if (parameter) offset += static_cast<int64_t>(LeafShapes(parameter->shape()).size());
    }
    std::vector<std::pair<const Instruction*, bool>> stack = {{computation.root(), false}};
    while (!stack.empty()) {
      auto [instruction, ready] = stack.back();
      stack.pop_back();
      if (values.contains(instruction)) continue;
      if (!IsScalarTree(instruction->shape())) return false;
      if (!ready) {
        stack.push_back({instruction, true});
        for (const Instruction* operand : instruction->operands())
          stack.push_back({operand, false});
        continue;
      }
      if (instruction->IsParameter()) {
        int64_t first = offsets[instruction->parameter_number()];
        size_t leaves = LeafShapes(instruction->shape()).size();
        values[instruction] = Slots(arguments.begin() + first, arguments.begin() + first + leaves);
        continue;
      }
      HLOCTS_ASSIGN_OR_RETURN(bool done, One(*instruction, values, depth));
      if (!done) return false;
    }
    result_ = values[computation.root()];
    return true;
  }

  absl::StatusOr<bool> One(const Instruction& instruction,
                           absl::flat_hash_map<const Instruction*, Slots>& values, int depth) {
    Slots own;
    if (const Computation* callee = InlinedBody(instruction)) {
      Slots arguments;
      for (const Instruction* operand : instruction.operands()) Append(values[operand], arguments);
      HLOCTS_ASSIGN_OR_RETURN(bool done, Inline(*callee, arguments, depth + 1));
      if (!done) return false;
      own = result_;
    } else if (instruction.IsConstant()) {
      AddConstant(instruction.literal(), own);
    } else if (instruction.opcode() == Opcode::kTuple) {
      for (const Instruction* operand : instruction.operands()) Append(values[operand], own);
    } else if (instruction.opcode() == Opcode::kGetTupleElement) {
      own = Element(instruction, values[&instruction.operand(0)]);
    } else if ((IsMove(instruction.opcode()) && instruction.operand_count() == 1) ||
               KeepsBytes(instruction)) {
      own = values[&instruction.operand(0)];
    } else if (IsElementwise(instruction.opcode())) {
      HLOCTS_ASSIGN_OR_RETURN(int32_t slot, AddStep(instruction, values));
      own.push_back(slot);
    } else {
      return false;
    }
    values[&instruction] = std::move(own);
    return true;
  }

  static void Append(const Slots& from, Slots& to) {
    to.insert(to.end(), from.begin(), from.end());
  }

  void AddConstant(const Literal& literal, Slots& own) {
    for (const Literal& leaf : FlattenLeaves(literal)) {
      int width = StorageBytes(leaf.element_type());
      Slot& slot = function_->constants_[next_constant_ - function_->argument_types_.size()];
      slot.Load(leaf.raw_data(), width);
      function_->slot_widths_[next_constant_] = width;
      own.push_back(next_constant_++);
    }
  }

  static Slots Element(const Instruction& get, const Slots& tuple) {
    const std::vector<Shape>& shapes = get.operand(0).shape().tuple_shapes();
    int64_t index = get.IntOr(Attr::kIndex, 0);
    size_t first = 0;
    for (int64_t i = 0; i < index; ++i) first += LeafShapes(shapes[i]).size();
    return Slots(tuple.begin() + first, tuple.begin() + first + LeafShapes(shapes[index]).size());
  }

  absl::StatusOr<int32_t> AddStep(const Instruction& instruction,
                                  absl::flat_hash_map<const Instruction*, Slots>& values) {
    ScalarFunction::Step step{};
    HLOCTS_ASSIGN_OR_RETURN(step.op, ResolveElementwise(instruction));
    step.operand_count = static_cast<int32_t>(instruction.operand_count());
    for (int i = 0; i < step.operand_count; ++i) {
      step.operands[i] = values[&instruction.operand(i)][0];
    }
    step.result = NewSlot(instruction.shape().element_type());
    function_->steps_.push_back(step);
    return step.result;
  }

  std::unique_ptr<ScalarFunction> function_ = std::make_unique<ScalarFunction>();
  Slots result_;
  int32_t constant_count_ = 0, next_constant_ = 0;
  size_t visited_ = 0;
  bool too_long_ = false;
};

absl::StatusOr<std::unique_ptr<ScalarFunction>> ScalarFunction::Compile(
    const Computation& computation) {
  ScalarCompiler compiler;
  HLOCTS_ASSIGN_OR_RETURN(bool done, compiler.Compile(computation));
  if (!done) return std::unique_ptr<ScalarFunction>();
  return compiler.Take();
}

}  // namespace hlocts::reference
