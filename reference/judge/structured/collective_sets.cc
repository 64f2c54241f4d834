// SPDX-License-Identifier: Apache-2.0
// Computes the sets of collectives. Reductions combine the group's operands. Operations that only
// move data run on element numbers, on all devices together, to trace each element to its source.
#include <algorithm>
#include <map>

#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/sums/reductions.h"
#include "reference/ops/collective.h"
#include "reference/world/device_world.h"
#include "reference/world/world.h"
#include "spec/ir/module.h"
#include "spec/ops/groups.h"

namespace hlocts::reference {
namespace {

using DeviceOperands = std::vector<std::vector<SetValue>>;

DeviceGrid GridOf(const SetInterpreter& interpreter) {
  return {interpreter.options().replicas, interpreter.options().partitions};
}

// Combines operand `k` of the group's devices in any order (results of replicas may differ).
absl::StatusOr<SetArray> ReduceOverGroup(SetInterpreter& interpreter,
                                         const Instruction& instruction,
                                         const DeviceOperands& operands,
                                         const std::vector<int64_t>& group, size_t k) {
  const SetArray& first = operands[group[0]][k].array;
  std::vector<RecognizedReducer> reducers =
      RecognizeEach(*instruction.CalledComputation(Attr::kToApply), 1);
  if (group.size() == 1) return first;
  if (reducers.empty()) {
    return UnspecifiedResult(interpreter, instruction, first.shape(), WideningCause::kFreedom)
        .array;
  }
  PrimitiveType type = first.element_type();
  SetContext context;
  if (IsFloat(type) || IsComplex(type)) {
    context = interpreter.ContextOf(instruction, type, type);
  } else {
    context.origin =
        interpreter.OriginOf(instruction, interpreter.RuleOf(instruction.opcode(), type));
  }
  std::vector<AcceptanceSet> sets, terms;
  for (int64_t i = 0; i < first.element_count(); ++i) {
    for (int c = 0; c < first.components(); ++c) {
      terms.clear();
      for (int64_t device : group) terms.push_back(operands[device][k].array.At(i, c));
      sets.push_back(CombineTerms(interpreter, context, type, reducers[0], terms));
    }
  }
  SetArray result(first.shape(), std::move(sets));
  result.runtime_sizes = first.runtime_sizes;
  result.origin = context.origin;
  return Compress(std::move(result));
}

// Returns the part of `whole` along dimension `d` for the device at `position` in the group.
SetArray ShardOf(const SetArray& whole, const Shape& shape, int64_t d, int64_t position) {
  int64_t inner = 1, outer = 1, size = whole.shape().dimension(d), part = shape.dimension(d);
  for (int64_t k = 0; k < whole.shape().rank(); ++k) {
    (k < d ? outer : inner) *= k == d ? 1 : whole.shape().dimension(k);
  }
  std::vector<AcceptanceSet> sets;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t x = 0; x < part * inner; ++x) {
      int64_t at = (o * size + position * part) * inner + x;
      for (int c = 0; c < whole.components(); ++c) sets.push_back(whole.At(at, c));
    }
  }
  SetArray result(shape, std::move(sets));
  result.origin = whole.origin;
  return Compress(std::move(result));
}

absl::StatusOr<SetValue> ReduceOnDevice(SetInterpreter& interpreter, const Instruction& instruction,
                                        const DeviceOperands& operands, int64_t device) {
  HLOCTS_ASSIGN_OR_RETURN(std::vector<int64_t> group,
                          GroupOf(instruction, GridOf(interpreter), device));
  int64_t position = std::find(group.begin(), group.end(), device) - group.begin();
  const Shape& shape = instruction.shape();
  const std::vector<int64_t>& dimensions = instruction.IntList(Attr::kDimensions);
  std::vector<SetValue> results;
  for (size_t k = 0; k < operands[device].size(); ++k) {
    HLOCTS_ASSIGN_OR_RETURN(SetArray whole,
                            ReduceOverGroup(interpreter, instruction, operands, group, k));
    if (instruction.opcode() == Opcode::kReduceScatter) {
      const Shape& leaf = shape.IsTuple() ? shape.tuple_shapes()[k] : shape;
      const int64_t d = dimensions.empty() ? 0 : dimensions[0];
      const int64_t size = whole.shape().dimension(d), members = static_cast<int64_t>(group.size());
      if (leaf.dimension(d) * members != size) {
        return InvalidInput(instruction.name(), ": a group of ", members, " members yields size ",
                            size / members, " in dimension ", d, ", expected ", leaf.ToString());
      }
      if (members > 1 && !whole.runtime_sizes.empty()) {
        return Unsupported(instruction.name(), ": reduce-scatter of an operand with run-time ",
                           "sizes is not supported");
      }
      if (members > 1) whole = ShardOf(whole, leaf, d, position);
    }
    results.emplace_back(std::move(whole));
  }
  return shape.IsTuple() ? SetValue::Tuple(std::move(results)) : results[0];
}

// Element numbers start at 1; number 0 is the zero that devices without a source receive.
Shape NumberShape(const Shape& shape) {
  if (shape.IsTuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.tuple_shapes()) elements.push_back(NumberShape(element));
    return Shape::Tuple(std::move(elements));
  }
  return shape.WithElementType(PrimitiveType::kS64);
}

std::unique_ptr<Module> CollectiveModule(const Instruction& instruction, const DeviceGrid& grid,
                                         const std::vector<Literal>& arguments) {
  auto module = std::make_unique<Module>("collective");
  module->replica_count = grid.replicas;
  module->num_partitions = grid.partitions;
  auto entry = std::make_unique<Computation>("entry");
  auto root = std::make_unique<Instruction>(instruction.name(), instruction.opcode(),
                                            NumberShape(instruction.shape()));
  root->mutable_attributes() = instruction.attributes();
  root->Remove(Attr::kControlPredecessors);
  for (size_t k = 0; k < arguments.size(); ++k) {
    auto parameter = std::make_unique<Instruction>("p" + std::to_string(k), Opcode::kParameter,
                                                   arguments[k].shape());
    parameter->set_parameter_number(static_cast<int64_t>(k));
    root->mutable_operands().push_back(entry->Add(std::move(parameter)));
  }
  entry->set_root(entry->Add(std::move(root)));
  module->set_entry(module->Add(std::move(entry)));
  return module;
}

// The zero, which has number 0, and then the operands of one element type on all devices.
struct Sources {
  explicit Sources(PrimitiveType type) : zero(Literal(Shape::Scalar(type))) {}

  SetArray zero;
  std::vector<const SetArray*> operands;
  int64_t next = 1;
};
using SourcesByType = std::map<PrimitiveType, Sources>;

SetValue PickTree(const Literal& numbers, const Shape& shape, const SourcesByType& sources,
                  uint32_t origin) {
  if (!numbers.shape().IsTuple()) {
    // The context of an asynchronous start (u32[]) contains no element of the operands.
    const auto found = sources.find(shape.element_type());
    if (found == sources.end()) return UnspecifiedValue(shape, WideningCause::kUnknown, origin);
    std::vector<const SetArray*> all = {&found->second.zero};
    all.insert(all.end(), found->second.operands.begin(), found->second.operands.end());
    return SetValue(PickElements(numbers, shape, all, origin));
  }
  std::vector<SetValue> elements;
  for (size_t i = 0; i < numbers.elements().size(); ++i) {
    elements.push_back(PickTree(numbers.elements()[i], shape.tuple_shapes()[i], sources, origin));
  }
  return SetValue::Tuple(std::move(elements));
}

absl::StatusOr<std::vector<SetValue>> TraceTogether(SetInterpreter& interpreter,
                                                    const Instruction& instruction,
                                                    const DeviceOperands& operands) {
  DeviceGrid grid = GridOf(interpreter);
  // A ragged-all-to-all moves elements of two operands. The others are offsets and sizes.
  const bool ragged = instruction.opcode() == Opcode::kRaggedAllToAll;
  const size_t moved = ragged ? 2 : instruction.operands().size();
  std::vector<std::vector<Literal>> arguments;
  SourcesByType sources;
  for (const auto& device : operands) {
    arguments.emplace_back();
    for (size_t k = 0; k < device.size(); ++k) {
      const SetValue& operand = device[k];
      if (k >= moved && !IsExact(operand)) {
        return std::vector<SetValue>(
            operands.size(), UnspecifiedResult(interpreter, instruction, instruction.shape(),
                                               WideningCause::kUnknown));
      }
      if (k >= moved) {
        arguments.back().push_back(operand.array.literal());
        continue;
      }
      const PrimitiveType type = operand.array.element_type();
      Sources& of_type = sources.try_emplace(type, type).first->second;
      arguments.back().push_back(ElementNumbers(operand.array, of_type.next));
      of_type.operands.push_back(&operand.array);
      of_type.next += operand.array.element_count();
    }
  }
  auto module = CollectiveModule(instruction, grid, arguments[0]);
  ReplicatedRunOptions world{.replicas = grid.replicas, .partitions = grid.partitions};
  HLOCTS_ASSIGN_OR_RETURN(ReplicatedRunResult numbers,
                          EvaluateReplicated(*module, arguments, world));
  uint32_t origin = interpreter.OriginOf(
      instruction, interpreter.RuleOf(instruction.opcode(), operands[0][0].array.element_type()));
  std::vector<SetValue> results;
  for (const Literal& of_device : numbers.outputs) {
    results.push_back(PickTree(of_device, instruction.shape(), sources, origin));
  }
  return results;
}

// Computes the sets of send and recv between devices. The devices advance together, so if a value
// has not been sent when its recv-done runs, it is never sent.

absl::Status NotTheHost(const Instruction& instruction) {
  if (!instruction.BoolOr(Attr::kIsHostTransfer, false)) return absl::OkStatus();
  return Unsupported(instruction.name(), ": host transfers by channel are not supported");
}

int64_t ChannelOf(const Instruction& instruction) { return instruction.IntOr(Attr::kChannelId, 0); }

// Returns (data, u32[], token[]), which send and recv pass to their *-done.
SetValue ContextOf(SetValue data, int64_t channel) {
  SetValue number =
      ExactValue(Literal::Scalar<uint32_t>(PrimitiveType::kU32, static_cast<uint32_t>(channel)));
  return SetValue::Tuple({std::move(data), std::move(number), SetValue::Token()});
}

}  // namespace

absl::StatusOr<std::vector<SetValue>> CollectiveSets(SetInterpreter& interpreter,
                                                     const Instruction& instruction,
                                                     const DeviceOperands& operands,
                                                     const std::vector<int64_t>& devices) {
  if (static_cast<int64_t>(devices.size()) != interpreter.device_count()) {
    return Unsupported(instruction.name(), ": only some devices reach this collective");
  }
  if (!ops::IsReducingCollective(instruction.opcode()))
    return TraceTogether(interpreter, instruction, operands);
  std::vector<SetValue> results;
  for (int64_t device : devices) {
    HLOCTS_ASSIGN_OR_RETURN(SetValue result,
                            ReduceOnDevice(interpreter, instruction, operands, device));
    results.push_back(std::move(result));
  }
  return results;
}

absl::StatusOr<SetValue> DeviceIdSets(SetInterpreter& interpreter, const Instruction& instruction,
                                      const Shape&, absl::Span<const SetValue>) {
  int64_t partitions = interpreter.options().partitions;
  int64_t device = interpreter.current_device();
  int64_t id =
      instruction.opcode() == Opcode::kReplicaId ? device / partitions : device % partitions;
  return ExactValue(Literal::Scalar<uint32_t>(PrimitiveType::kU32, static_cast<uint32_t>(id)));
}

// Returns the result in a *-start's value: the second element of its tuple, or the whole value.
absl::StatusOr<SetValue> CollectiveDoneSets(SetInterpreter&, const Instruction& instruction,
                                            const Shape&, absl::Span<const SetValue> operands) {
  bool wraps = instruction.opcode() != Opcode::kAllReduceDone && operands[0].tuple &&
               operands[0].elements.size() >= 2;
  return wraps ? operands[0].elements[1] : operands[0];
}

// Sends to this device, or to the devices that the source-target pairs name (send.4-10).
absl::StatusOr<SetValue> SendSets(SetInterpreter& interpreter, const Instruction& instruction,
                                  const Shape&, absl::Span<const SetValue> operands) {
  HLOCTS_RETURN_IF_ERROR(NotTheHost(instruction));
  for (int64_t target :
       TargetsOf(instruction, interpreter.current_device(), interpreter.device_count())) {
    interpreter.PendingMessages(target, ChannelOf(instruction)).push_back(operands[0]);
  }
  return ContextOf(operands[0], ChannelOf(instruction));
}

absl::StatusOr<SetValue> RecvSets(SetInterpreter&, const Instruction& instruction, const Shape&,
                                  absl::Span<const SetValue>) {
  HLOCTS_RETURN_IF_ERROR(NotTheHost(instruction));
  return ContextOf(ExactValue(Literal(instruction.shape().tuple_shapes()[0])),
                   ChannelOf(instruction));
}

// Receives the value (recv.4-5, .14). A device that is not a target in any pair gets zeros.
absl::StatusOr<SetValue> RecvDoneSets(SetInterpreter& interpreter, const Instruction& instruction,
                                      const Shape&, absl::Span<const SetValue>) {
  HLOCTS_RETURN_IF_ERROR(NotTheHost(instruction));
  const int64_t device = interpreter.current_device();
  if (!IsTarget(instruction, device)) {
    Literal zeros(instruction.shape().tuple_shapes()[0]);
    return SetValue::Tuple({ExactValue(zeros), SetValue::Token()});
  }
  std::deque<SetValue>& mail = interpreter.PendingMessages(device, ChannelOf(instruction));
  if (mail.empty()) {
    return Unsupported(instruction.name(), ": nothing was sent on channel ", ChannelOf(instruction),
                       " before this instruction");
  }
  SetValue data = std::move(mail.front());
  mail.pop_front();
  return SetValue::Tuple({std::move(data), SetValue::Token()});
}

}  // namespace hlocts::reference
