#include "fuzz/sample.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "spec/ir/surgery.h"

namespace hlocts {
namespace {

using InstructionSet = absl::flat_hash_set<const Instruction*>;

InstructionSet NeededBy(const Instruction* root) {
  InstructionSet needed = {root};
  std::vector<const Instruction*> open = {root};
  while (!open.empty()) {
    const Instruction* next = open.back();
    open.pop_back();
    for (const Instruction* operand : next->operands()) {
      if (needed.insert(operand).second) open.push_back(operand);
    }
  }
  return needed;
}

// Parameters of called computations are part of their signature; those of the entry may go.
void RemoveFrom(Computation* computation, bool is_entry) {
  InstructionSet needed = NeededBy(computation->root());
  computation->RemoveIf([&](const Instruction& instruction) {
    bool fixed =
        instruction.opcode() == Opcode::kParameter && (!is_entry || instruction.shape().IsTuple());
    return !fixed && !needed.contains(&instruction);
  });
}

bool HasTupleParameter(const Module& module) {
  for (const Instruction* parameter : module.entry()->parameters()) {
    if (parameter && parameter->shape().IsTuple()) return true;
  }
  return false;
}

std::vector<Computation*> CalledFrom(Computation* entry) {
  std::vector<Computation*> called = {entry};
  for (size_t next = 0; next < called.size(); ++next) {
    for (const auto& instruction : called[next]->instructions()) {
      for (Computation* computation : instruction->called_computations()) {
        if (std::find(called.begin(), called.end(), computation) == called.end())
          called.push_back(computation);
      }
    }
  }
  return called;
}

void RenumberParameters(Sample& sample) {
  std::vector<Literal> arguments;
  int64_t number = 0;
  std::vector<Instruction*> parameters;
  for (const auto& instruction : sample.module->entry()->instructions()) {
    if (instruction->opcode() == Opcode::kParameter) parameters.push_back(instruction.get());
  }
  std::sort(parameters.begin(), parameters.end(), [](const Instruction* a, const Instruction* b) {
    return a->parameter_number() < b->parameter_number();
  });
  for (Instruction* parameter : parameters) {
    arguments.push_back(sample.arguments[parameter->parameter_number()]);
    parameter->set_parameter_number(number++);
  }
  sample.arguments = std::move(arguments);
}

// A module that breaks a rule may take operands from elsewhere, which nothing there needs, or none.
bool OperandsCross(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      for (const Instruction* operand : instruction->operands())
        if (operand == nullptr || operand->parent() != computation.get()) return true;
    }
  }
  return false;
}

}  // namespace

ExecuteRequest Sample::Request() const {
  ExecuteRequest request;
  request.arguments.assign(static_cast<size_t>(module->replica_count * module->num_partitions),
                           arguments);
  return request;
}

void RemoveDeadCode(Sample& sample) {
  Module& module = *sample.module;
  if (OperandsCross(module)) return;
  bool tuples = HasTupleParameter(module);
  for (Computation* computation : module.CallOrder()) {
    if (computation != module.entry()) RemoveFrom(computation, false);
  }
  RemoveFrom(module.entry(), !tuples);
  if (!tuples) RenumberParameters(sample);
  std::vector<Computation*> called = CalledFrom(module.entry());
  module.RemoveIf([&](const Computation& computation) {
    return std::find(called.begin(), called.end(), &computation) == called.end();
  });
  module.entry_computation_layout.reset();
  module.input_output_alias.clear();  // of parameters and outputs that may be gone
}

void ReplaceByParameter(Sample& sample, Instruction* from, Literal value) {
  Computation* entry = sample.module->entry();
  auto owned = std::make_unique<Instruction>(absl::StrCat("arg.", from->name()), Opcode::kParameter,
                                             from->shape());
  owned->set_parameter_number(static_cast<int64_t>(entry->parameters().size()));
  sample.arguments.push_back(std::move(value));
  Instruction* parameter = entry->Add(std::move(owned));
  ReplaceUses(from, parameter);
  MoveToFront(parameter);
}

const Literal* DataOf(const Sample& sample, const Instruction& leaf) {
  if (leaf.has_literal()) return &leaf.literal();
  const bool of_entry = leaf.parent() == sample.module->entry();
  if (leaf.opcode() != Opcode::kParameter || !of_entry) return nullptr;
  const size_t number = static_cast<size_t>(leaf.parameter_number());
  return number < sample.arguments.size() ? &sample.arguments[number] : nullptr;
}

Instruction* EntryInstruction(const Sample& sample, int64_t index) {
  return sample.module->entry()->instructions()[index].get();
}

Sample WithAllValues(const Sample& sample, std::vector<int64_t>* indices) {
  Sample all = sample.Clone();
  Computation* entry = all.module->entry();
  std::vector<Instruction*> values;
  std::vector<Shape> shapes;
  for (const auto& instruction : entry->instructions()) {
    if (IsCarrier(*instruction) || !instruction->shape().IsArray()) continue;
    values.push_back(instruction.get());
    shapes.push_back(instruction->shape());
    if (indices) indices->push_back(instruction->index());
  }
  auto tuple = std::make_unique<Instruction>("all.values", Opcode::kTuple, Shape::Tuple(shapes));
  tuple->mutable_operands() = values;
  entry->set_root(entry->Add(std::move(tuple)));
  all.module->entry_computation_layout.reset();
  all.module->input_output_alias.clear();
  return all;
}

std::map<int64_t, Literal> EntryValues(const Sample& sample, Backend& engine) {
  std::vector<int64_t> indices;
  Sample all = WithAllValues(sample, &indices);
  LoadOptions options;
  options.replicas = all.module->replica_count;
  options.partitions = all.module->num_partitions;
  RunOutcome outcome = RunModule(engine, *all.module, options, all.Request());
  std::map<int64_t, Literal> result;
  if (outcome.kind != OutcomeKind::kValues) return result;
  for (size_t i = 0; i < indices.size(); ++i) {
    result.emplace(indices[i], outcome.result.outputs[0][i]);
  }
  return result;
}

bool MayStandFor(const Computation& one, const Computation& other) {
  std::vector<Instruction*> taken = one.parameters(), others = other.parameters();
  if (taken.size() != others.size()) return false;
  for (size_t i = 0; i < taken.size(); ++i) {
    if (!taken[i]->shape().CompatibleWith(others[i]->shape())) return false;
  }
  return one.root()->shape().CompatibleWith(other.root()->shape());
}

int64_t CountInstructions(const Module& module) {
  int64_t count = 0;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      count += !IsCarrier(*instruction);
    }
  }
  return count;
}

int64_t CountElements(const Module& module) {
  int64_t largest = 0;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      for (const Shape& leaf : LeafShapes(instruction->shape())) {
        if (leaf.IsArray()) largest = std::max(largest, leaf.ElementCount());
      }
    }
  }
  return largest;
}

}  // namespace hlocts
