// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/pjrt/compiled_form.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"
#include "spec/ir/shape.h"
#include "spec/ir/surgery.h"

namespace hlocts::backends {
namespace {

using Dimensions = std::vector<int64_t>;
using Names = std::set<std::string>;

// Returns the dimension numbers from the outermost in memory to the innermost.
Dimensions MajorToMinor(const Shape& shape) {
  Dimensions order = shape.layout() ? shape.layout()->minor_to_major : Dimensions();
  if (static_cast<int64_t>(order.size()) != shape.rank()) order = MajorToMinorOrder(shape.rank());
  std::reverse(order.begin(), order.end());
  return order;
}

Dimensions Permuted(const Dimensions& dimensions, const Dimensions& order) {
  Dimensions permuted;
  for (const int64_t d : order) permuted.push_back(dimensions[d]);
  return permuted;
}

// Returns the size of an element in memory, in bits; a pred occupies a byte.
int64_t BitsOf(PrimitiveType type) { return type == PrimitiveType::kPred ? 8 : BitWidth(type); }

bool IsPlain(const Shape& shape) {
  return shape.IsArray() && !shape.is_dynamic() &&
         (!shape.layout() || shape.layout()->tiles.empty());
}

bool CanBeUndone(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::kBitcast || instruction.operand_count() != 1) return false;
  const Shape &from = instruction.operand(0).shape(), &to = instruction.shape();
  return IsPlain(from) && IsPlain(to) &&
         from.ElementCount() * BitsOf(from.element_type()) ==
             to.ElementCount() * BitsOf(to.element_type());
}

struct Step {
  Opcode opcode;
  Shape shape;
  Dimensions order;  // the permutation of a transpose
};

// Writes a bitcast as operations that are independent of layouts: they put the operand into memory
// order, read its bytes as the new element type and dimensions, and transpose to the layout of the
// result.
class BitcastSteps {
 public:
  BitcastSteps(const Shape& from, const Shape& to) : shape_(from) {
    const Dimensions to_order = MajorToMinor(to);
    Transpose(MajorToMinor(from));
    if (from.element_type() != to.element_type()) ConvertTo(to.element_type());
    Reshape(Permuted(to.dimensions(), to_order));
    Dimensions back(to_order.size());
    for (size_t i = 0; i < to_order.size(); ++i) back[to_order[i]] = static_cast<int64_t>(i);
    Transpose(back);
    if (steps_.empty()) Add(Opcode::kCopy, to.element_type(), to.dimensions());
  }
  const std::vector<Step>& steps() const { return steps_; }

 private:
  void Add(Opcode opcode, PrimitiveType type, Dimensions dimensions, Dimensions order = {}) {
    shape_ = Shape(type, std::move(dimensions)).WithDefaultLayout();
    steps_.push_back({opcode, shape_, std::move(order)});
  }

  void Transpose(const Dimensions& order) {
    if (std::is_sorted(order.begin(), order.end())) return;
    Add(Opcode::kTranspose, shape_.element_type(), Permuted(shape_.dimensions(), order), order);
  }

  void Reshape(Dimensions dimensions) {
    if (dimensions == shape_.dimensions()) return;
    Add(Opcode::kReshape, shape_.element_type(), std::move(dimensions));
  }

  // Changes the element type. If the width changes, a dimension is added or removed.
  void ConvertTo(PrimitiveType to) {
    const int64_t from_bits = BitsOf(shape_.element_type()), to_bits = BitsOf(to);
    if (from_bits < to_bits) {
      const int64_t ratio = to_bits / from_bits;
      Reshape({shape_.ElementCount() / ratio, ratio});
    }
    Dimensions dimensions = shape_.dimensions();
    if (from_bits < to_bits) dimensions.pop_back();
    if (from_bits > to_bits) dimensions.push_back(from_bits / to_bits);
    Add(Opcode::kBitcastConvert, to, std::move(dimensions));
  }

  Shape shape_;  // the shape after the steps so far
  std::vector<Step> steps_;
};

// Replaces the bitcast by the steps. The bitcast instruction itself becomes the last step, so its
// users need no change.
void Undo(Instruction& bitcast, Names& names) {
  Instruction* value = bitcast.mutable_operands()[0];
  const BitcastSteps steps(value->shape(), bitcast.shape());
  for (size_t i = 0; i + 1 < steps.steps().size(); ++i) {
    const Step& step = steps.steps()[i];
    const std::string stem = absl::StrCat(bitcast.name(), ".", OpcodeName(step.opcode));
    std::string name = stem;
    for (int n = 1; !names.insert(name).second; ++n) name = absl::StrCat(stem, ".", n);
    auto made = std::make_unique<Instruction>(name, step.opcode, step.shape);
    made->mutable_operands() = {value};
    if (!step.order.empty()) made->Set(Attr::kDimensions, step.order);
    Instruction* added = bitcast.parent()->Add(std::move(made));
    MoveBehind(value, {added});
    value = added;
  }
  const Step& last = steps.steps().back();
  bitcast.set_opcode(last.opcode);
  bitcast.mutable_operands() = {value};
  if (!last.order.empty()) bitcast.Set(Attr::kDimensions, last.order);
}

bool HasCompiledForm(const Module& module) {
  if (module.is_scheduled) return true;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions())
      if (CanBeUndone(*instruction)) return true;
  }
  return false;
}

Names NamesOf(const Module& module) {
  Names names;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) names.insert(instruction->name());
  }
  return names;
}

}  // namespace

std::unique_ptr<Module> WithoutCompiledForm(const Module& module) {
  if (!HasCompiledForm(module)) return nullptr;
  std::unique_ptr<Module> undone = module.Clone();
  undone->is_scheduled = false;
  Names names = NamesOf(*undone);
  for (const auto& computation : undone->computations()) {
    std::vector<Instruction*> bitcasts;
    for (const auto& instruction : computation->instructions()) {
      if (CanBeUndone(*instruction)) bitcasts.push_back(instruction.get());
    }
    for (Instruction* bitcast : bitcasts) Undo(*bitcast, names);
  }
  return undone;
}

std::unique_ptr<Module> WithoutBackendConfigs(const Module& module) {
  std::unique_ptr<Module> plain = module.Clone();
  bool found = false;
  for (const auto& computation : plain->computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() == Opcode::kCustomCall || !instruction->Has(Attr::kBackendConfig))
        continue;
      found = true;
      instruction->Remove(Attr::kBackendConfig);
      if (instruction->opcode() != Opcode::kFusion) continue;
      instruction->set_opcode(Opcode::kCall);
      instruction->Set(Attr::kToApply, instruction->CalledComputation(Attr::kCalls));
      for (Attr of_fusion : {Attr::kCalls, Attr::kKind, Attr::kOutputToOperandAliasing})
        instruction->Remove(of_fusion);
    }
  }
  return found ? std::move(plain) : nullptr;
}

}  // namespace hlocts::backends
