// SPDX-License-Identifier: Apache-2.0
#include "spec/cut/loop_block.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"
#include "spec/ops/kinds.h"

namespace hlocts {
namespace {

// Adds instructions to a computation, under names that are unused in the module.
class Writer {
 public:
  explicit Writer(std::string name)
      : owned_(std::make_unique<Computation>(absl::StrCat("block.", name))), name_(name) {}

  Instruction* Add(Opcode opcode, const Shape& shape, std::vector<Instruction*> operands) {
    auto added = std::make_unique<Instruction>(absl::StrCat("block.", name_, ".", next_++), opcode,
                                               shape.WithDefaultLayout());
    added->mutable_operands() = std::move(operands);
    return owned_->Add(std::move(added));
  }
  Instruction* Parameter(int64_t number, const Shape& shape) {
    Instruction* parameter = Add(Opcode::kParameter, shape, {});
    parameter->set_parameter_number(number);
    return parameter;
  }
  Instruction* Constant(int32_t value) {
    Literal literal(Shape::Scalar(PrimitiveType::kS32));
    literal.mutable_data<int32_t>()[0] = value;
    Instruction* constant = Add(Opcode::kConstant, literal.shape(), {});
    constant->set_literal(std::move(literal));
    return constant;
  }
  Instruction* Element(Instruction* tuple, int64_t index) {
    Instruction* element =
        Add(Opcode::kGetTupleElement, tuple->shape().tuple_shapes()[index], {tuple});
    element->Set(Attr::kIndex, index);
    return element;
  }
  Instruction* Tuple(std::vector<Instruction*> elements) {
    std::vector<Shape> shapes;
    for (const Instruction* element : elements) shapes.push_back(element->shape());
    return Add(Opcode::kTuple, Shape::Tuple(std::move(shapes)), std::move(elements));
  }
  Instruction* Call(Computation* callee, Instruction* argument) {
    Instruction* call = Add(Opcode::kCall, callee->root()->shape(), {argument});
    call->Set(Attr::kToApply, callee);
    return call;
  }
  // Adds a parameter for each leaf of the shape, numbered from `next` on.
  Instruction* OfParameters(const Shape& shape, int64_t& next) {
    if (!shape.IsTuple()) return Parameter(next++, shape);
    std::vector<Instruction*> elements;
    for (const Shape& element : shape.tuple_shapes())
      elements.push_back(OfParameters(element, next));
    return Tuple(std::move(elements));
  }
  void AppendLeaves(Instruction* value, std::vector<Instruction*>& leaves) {
    if (!value->shape().IsTuple()) return leaves.push_back(value);
    for (size_t i = 0; i < value->shape().tuple_shapes().size(); ++i)
      AppendLeaves(Element(value, static_cast<int64_t>(i)), leaves);
  }
  Computation* Finish(Instruction* root, Module& module) {
    owned_->set_root(root);
    return module.Add(std::move(owned_));
  }

 private:
  std::unique_ptr<Computation> owned_;
  std::string name_;
  int64_t next_ = 0;
};

Instruction* FindLoop(Module& module, const std::string& name) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->name() == name) return instruction.get();
    }
  }
  return nullptr;
}

void Keep(const Computation& computation, absl::flat_hash_set<const Computation*>& kept) {
  if (!kept.insert(&computation).second) return;
  for (const auto& instruction : computation.instructions()) {
    for (const Computation* callee : instruction->called_computations())
      if (callee != nullptr) Keep(*callee, kept);
  }
}

// Writes the condition of the block. The state of the block is the state of the loop, the number of
// trips done, and the maximum number of trips.
Computation* WriteCondition(Computation* condition, const Shape& shape, Module& module) {
  Writer w("condition");
  Instruction* state = w.Parameter(0, shape);
  const Shape pred = Shape::Scalar(PrimitiveType::kPred);
  Instruction* again = w.Call(condition, w.Element(state, 0));
  Instruction* left = w.Add(Opcode::kCompare, pred, {w.Element(state, 1), w.Element(state, 2)});
  left->Set(Attr::kDirection, Word{"LT"});
  return w.Finish(w.Add(Opcode::kAnd, pred, {again, left}), module);
}

Computation* WriteBody(Computation* body, const Shape& shape, Module& module) {
  Writer w("body");
  Instruction* state = w.Parameter(0, shape);
  Instruction* next = w.Call(body, w.Element(state, 0));
  Instruction* done =
      w.Add(Opcode::kAdd, Shape::Scalar(PrimitiveType::kS32), {w.Element(state, 1), w.Constant(1)});
  return w.Finish(w.Tuple({next, done, w.Element(state, 2)}), module);
}

Computation* WriteEntry(const Shape& state, Computation* test, Computation* condition,
                        Computation* body, Module& module) {
  Writer w("entry");
  int64_t parameters = 0;
  Instruction* first = w.OfParameters(state, parameters);
  Instruction* most = w.Parameter(parameters, Shape::Scalar(PrimitiveType::kS32));
  Instruction* begin = w.Tuple({first, w.Constant(0), most});
  Instruction* loop = w.Add(Opcode::kWhile, begin->shape(), {begin});
  loop->Set(Attr::kCondition, condition);
  loop->Set(Attr::kBody, body);
  Instruction* last = w.Element(loop, 0);
  std::vector<Instruction*> outputs;
  w.AppendLeaves(last, outputs);
  outputs.push_back(w.Call(test, last));
  return w.Finish(w.Tuple(std::move(outputs)), module);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Module>> LoopBlock(const Module& module, const Instruction& loop) {
  bool arrays = true;
  ForEachLeaf(loop.shape(), [&](const Shape& leaf, const ShapeIndex&) {
    arrays = arrays && leaf.IsArray() && !leaf.is_dynamic();
  });
  if (!arrays)
    return Unsupported(loop.name(), ": expected arrays of static sizes as the state of the loop");
  std::unique_ptr<Module> block = module.Clone();
  const Instruction* copy = FindLoop(*block, loop.name());
  const Shape& state = loop.shape();
  const Shape count = Shape::Scalar(PrimitiveType::kS32);
  const Shape shape = Shape::Tuple({state, count, count});
  Computation* test = copy->CalledComputation(Attr::kCondition);
  Computation* condition = WriteCondition(test, shape, *block);
  Computation* body = WriteBody(copy->CalledComputation(Attr::kBody), shape, *block);
  block->set_entry(WriteEntry(state, test, condition, body, *block));
  block->set_name(absl::StrCat(module.name(), "_block"));
  block->entry_computation_layout.reset();
  block->input_output_alias.clear();
  block->buffer_donor.clear();
  absl::flat_hash_set<const Computation*> kept;
  Keep(*block->entry(), kept);
  block->RemoveIf([&](const Computation& one) { return !kept.contains(&one); });
  return block;
}

}  // namespace hlocts
