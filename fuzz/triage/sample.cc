// SPDX-License-Identifier: Apache-2.0
#include "fuzz/triage/sample.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "spec/ir/module.h"
#include "spec/ir/needed.h"
#include "spec/ir/opcode.h"
#include "spec/ir/surgery.h"
#include "spec/ops/partitions.h"

namespace hlocts::fuzz {
namespace {

// Returns false, to keep all parameters, if one is a tuple or has an invalid number.
bool ParametersMayGo(const Sample& sample) {
  const Computation& entry = *sample.module->entry();
  return absl::c_all_of(entry.instructions(),
                        [&](const auto& instruction) {
                          return !instruction->IsParameter() ||
                                 DataOf(sample, *instruction) != nullptr;
                        }) &&
         absl::c_none_of(entry.parameters(), [](const Instruction* parameter) {
           return parameter && parameter->shape().IsTuple();
         });
}

void RenumberParameters(Sample& sample) {
  std::vector<Literal> arguments;
  int64_t number = 0;
  std::vector<Instruction*> parameters;
  for (const auto& instruction : sample.module->entry()->instructions()) {
    if (instruction->IsParameter()) parameters.push_back(instruction.get());
  }
  std::sort(parameters.begin(), parameters.end(), [](const Instruction* a, const Instruction* b) {
    return a->parameter_number() < b->parameter_number();
  });
  for (Instruction* parameter : parameters) {
    const int64_t before = parameter->parameter_number();
    arguments.push_back(sample.arguments[before]);
    for (InputOutputAlias& alias : sample.module->input_output_alias) {
      if (alias.parameter_number == before) alias.parameter_number = number;
    }
    parameter->set_parameter_number(number++);
  }
  sample.arguments = std::move(arguments);
}

bool IsAliased(const Instruction& parameter, const Module& module) {
  return absl::c_any_of(module.input_output_alias, [&](const InputOutputAlias& alias) {
    return alias.parameter_number == parameter.parameter_number();
  });
}

}  // namespace

Sample Sample::Clone() const { return {module->Clone(), arguments, keeps_aliases}; }

backends::ExecuteRequest Sample::Request() const {
  backends::ExecuteRequest request;
  request.arguments.assign(static_cast<size_t>(module->replica_count * ArgumentPartitions(*module)),
                           arguments);
  return request;
}

void RemoveDeadCode(Sample& sample) {
  Module& module = *sample.module;
  const bool sharded = IsSharded(module);
  // Aliases may refer to parameters and outputs that are removed here.
  if (!sample.keeps_aliases) module.input_output_alias.clear();
  const Needed needed(module);
  const bool parameters_go = ParametersMayGo(sample);
  module.RemoveIf([&](const Computation& computation) { return !needed.Has(computation); });
  for (const auto& computation : module.computations()) {
    // Parameters of called computations remain: they are part of the signature of the computation.
    const bool keep = computation.get() != module.entry() || !parameters_go;
    computation->RemoveIf([&](const Instruction& instruction) {
      const bool stays = instruction.IsParameter() && (keep || IsAliased(instruction, module));
      return !needed.Has(instruction) && !stays;
    });
  }
  if (parameters_go) RenumberParameters(sample);
  if (sharded && !HasShardings(module)) module.num_partitions = 1;
  module.entry_computation_layout.reset();
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
  if (!leaf.IsParameter() || !of_entry) return nullptr;
  const size_t number = static_cast<size_t>(leaf.parameter_number());
  return number < sample.arguments.size() ? &sample.arguments[number] : nullptr;
}

bool ChangeData(Sample& sample, Instruction& leaf,
                const std::function<Literal(const Literal&)>& changed) {
  const Literal* data = DataOf(sample, leaf);
  if (data == nullptr) return false;
  Literal made = changed(*data);
  if (leaf.has_literal()) {
    leaf.set_literal(std::move(made));
  } else {
    sample.arguments[static_cast<size_t>(leaf.parameter_number())] = std::move(made);
  }
  return true;
}

Instruction* EntryInstruction(const Sample& sample, int64_t index) {
  return sample.module->entry()->instructions()[index].get();
}

Sample WithAllValues(const Sample& sample, std::vector<int64_t>* indices, bool data) {
  Sample all = sample.Clone();
  Computation* entry = all.module->entry();
  std::vector<Instruction*> values;
  std::vector<Shape> shapes;
  for (const auto& instruction : entry->instructions()) {
    if ((IsCarrier(*instruction) && !data) || !instruction->shape().IsArray()) continue;
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

std::map<int64_t, Literal> EntryValues(const Sample& sample, backends::Backend& engine,
                                       bool last_device, const backends::LoadOptions& limits,
                                       bool data) {
  std::vector<int64_t> indices;
  Sample all = WithAllValues(sample, &indices, data);
  backends::LoadOptions options = limits;
  options.replicas = all.module->replica_count;
  options.partitions = ArgumentPartitions(*all.module);
  backends::RunOutcome outcome = backends::RunModule(engine, *all.module, options, all.Request());
  std::map<int64_t, Literal> result;
  if (!outcome.has_values()) return result;
  auto& outputs = outcome.result.outputs;
  for (size_t i = 0; i < indices.size(); ++i)
    result.emplace(indices[i], (last_device ? outputs.back() : outputs.front())[i]);
  return result;
}

bool HaveSameSignature(const Computation& one, const Computation& other) {
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

}  // namespace hlocts::fuzz
