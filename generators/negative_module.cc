// SPDX-License-Identifier: Apache-2.0
// Breaks rules about the header, and about the relations of instructions and computations. Does not
// make names equal, which breaks no rule in the proto form.

#include "generators/negative_rows.h"
#include "spec/ir/attributes.h"
#include "spec/ir/module.h"
#include "spec/ir/needed.h"
#include "spec/ir/surgery.h"

namespace hlocts::generators {
namespace {

Computation* DrawComputation(ChoiceSource& choose, const Module& module) {
  return choose.Pick(module.computations()).get();
}
// Draws an instruction on which the results depend and for which `fits` is true, else nullptr.
template <typename Fits>
Instruction* DrawInstruction(ChoiceSource& choose, const Module& module,
                             const Computation& computation, const Fits& fits) {
  const Needed needed(module);
  size_t count = computation.instructions().size(), first = choose.Below(count);
  for (size_t i = 0; i < count; ++i) {
    Instruction* instruction = computation.instructions()[(first + i) % count].get();
    if (needed.Has(*instruction) && fits(*instruction)) return instruction;
  }
  return nullptr;
}
bool HasOperand(const Instruction& instruction) { return instruction.operand_count() > 0; }

bool OperandOfAnotherComputation(ChoiceSource& choose, Module& module) {
  Computation *here = DrawComputation(choose, module), *there = DrawComputation(choose, module);
  Instruction* user = here == there ? nullptr : DrawInstruction(choose, module, *here, HasOperand);
  if (!user) return false;
  user->mutable_operands()[choose.Below(user->operands().size())] =
      choose.Pick(there->instructions()).get();
  return true;
}

bool UsedBeforeDefined(ChoiceSource& choose, Module& module) {
  Instruction* user = DrawInstruction(choose, module, *DrawComputation(choose, module), HasOperand);
  if (!user) return false;
  MoveBehind(user, {user->operands()[choose.Below(user->operands().size())]});
  return true;
}

// Leaves a gap in the parameter numbers of a called computation. Excludes the entry, whose
// parameter numbers define the arguments.
bool NumberLeftOut(ChoiceSource& choose, Module& module) {
  Computation* computation = DrawComputation(choose, module);
  if (computation == module.entry()) return false;
  Instruction* parameter = DrawInstruction(choose, module, *computation,
                                           [](const Instruction& i) { return i.IsParameter(); });
  if (!parameter) return false;
  parameter->set_parameter_number(static_cast<int64_t>(computation->parameters().size()));
  return true;
}

bool CallsItself(ChoiceSource& choose, Module& module) {
  static constexpr Attr kCalls[] = {Attr::kToApply, Attr::kCalls, Attr::kBody, Attr::kCondition,
                                    Attr::kTrueComputation};
  Computation* computation = DrawComputation(choose, module);
  Instruction* caller = DrawInstruction(choose, module, *computation, [](const Instruction& i) {
    return !i.called_computations().empty();
  });
  for (Attr attr : kCalls) {
    if (!caller || !caller->CalledComputation(attr)) continue;
    caller->Set(attr, computation);
    return true;
  }
  return false;
}

bool DeviceTwice(ChoiceSource& choose, Module& module) {
  Instruction* instruction =
      DrawInstruction(choose, module, *module.entry(), [](const Instruction& i) {
        return i.shape().IsArray() && i.shape().rank() == 1 && !i.IsConstant();
      });
  if (!instruction) return false;
  Sharding sharding;
  sharding.type = Sharding::Type::kOther;
  sharding.tile_assignment_dimensions = {2};
  sharding.tile_assignment_devices = {0, 0};
  instruction->Set(Attr::kSharding, sharding);
  return true;
}

bool LayoutOfAnotherResult(ChoiceSource&, Module& module) {
  ProgramShape stated = module.entry()->ComputeProgramShape();
  if (!Grow(stated.result)) return false;
  module.entry_computation_layout = std::move(stated);
  return true;
}

bool DonatedTwice(ChoiceSource&, Module& module) {
  if (module.entry()->parameters().empty()) return false;
  module.buffer_donor = {{0, {}}, {0, {}}};
  return true;
}
bool AliasOfNoParameter(ChoiceSource&, Module& module) {
  int64_t count = static_cast<int64_t>(module.entry()->parameters().size());
  module.input_output_alias = {{{}, count, {}, false}};
  return true;
}
bool AliasOfNoOutput(ChoiceSource&, Module& module) {
  if (module.entry()->parameters().empty()) return false;
  module.input_output_alias = {{{99}, 0, {}, false}};
  return true;
}
bool AliasOfAnotherSize(ChoiceSource&, Module& module) {
  const Shape& root = module.entry()->root()->shape();
  if (root.IsTuple() && root.tuple_shapes().empty()) return false;
  const Shape& result = root.IsTuple() ? root.tuple_shapes()[0] : root;
  const std::vector<int64_t> index(root.IsTuple() ? 1 : 0, 0);
  for (const Instruction* parameter : module.entry()->parameters()) {
    if (!result.IsArray() || parameter->shape().StorageSizeBytes() == result.StorageSizeBytes())
      continue;
    module.input_output_alias = {{index, parameter->parameter_number(), {}, false}};
    return true;
  }
  return false;
}

}  // namespace

std::vector<ModuleRow> ModuleBreaks() {
  return {
      {"hlo.operand", OperandOfAnotherComputation},
      {"hlo.order", UsedBeforeDefined},
      {"hlo.parameter_number", NumberLeftOut},
      {"hlo.recursion", CallsItself},
      {"hlo.sharding", DeviceTwice},
      {"hlo.entry_computation_layout", LayoutOfAnotherResult},
      {"hlo.buffer_donor", DonatedTwice},
      {"aliasing.9", AliasOfNoParameter},
      {"aliasing.8", AliasOfNoOutput},
      {"aliasing.6", AliasOfAnotherSize},
  };
}

}  // namespace hlocts::generators
