// SPDX-License-Identifier: Apache-2.0
#include "spec/ir/module.h"

#include <algorithm>
#include <type_traits>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "spec/base/status.h"

namespace hlocts {

Instruction* Computation::Add(std::unique_ptr<Instruction> instruction) {
  instruction->parent_ = this;
  instruction->index_ = static_cast<int64_t>(instructions_.size());
  instructions_.push_back(std::move(instruction));
  return instructions_.back().get();
}

void Computation::Reorder(const std::vector<Instruction*>& order) {
  HLOCTS_CHECK(order.size() == instructions_.size());
  std::vector<std::unique_ptr<Instruction>> reordered(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    reordered[i] = std::move(instructions_[order[i]->index_]);
    HLOCTS_CHECK(reordered[i] != nullptr);
  }
  for (size_t i = 0; i < order.size(); ++i) reordered[i]->index_ = static_cast<int64_t>(i);
  instructions_ = std::move(reordered);
}

void Computation::RemoveIf(const std::function<bool(const Instruction&)>& remove) {
  instructions_.erase(std::remove_if(instructions_.begin(), instructions_.end(),
                                     [&](const auto& i) { return remove(*i); }),
                      instructions_.end());
  for (size_t i = 0; i < instructions_.size(); ++i) {
    instructions_[i]->index_ = static_cast<int64_t>(i);
  }
}

std::vector<Instruction*> Computation::parameters() const {
  std::vector<Instruction*> result;
  for (const auto& instruction : instructions_) {
    if (!instruction->IsParameter()) continue;
    int64_t number = instruction->parameter_number();
    if (number < 0 || number >= static_cast<int64_t>(instructions_.size())) continue;
    if (static_cast<int64_t>(result.size()) <= number) result.resize(number + 1, nullptr);
    result[number] = instruction.get();
  }
  return result;
}

ProgramShape Computation::ComputeProgramShape() const {
  ProgramShape program;
  const std::vector<Instruction*> numbered = parameters();
  program.parameters.reserve(numbered.size());
  program.parameter_names.reserve(numbered.size());
  for (const Instruction* parameter : numbered) {
    program.parameters.push_back(parameter ? parameter->shape() : Shape());
    program.parameter_names.push_back(parameter ? parameter->name() : "");
  }
  if (root_) program.result = root_->shape();
  return program;
}

Computation* Module::Add(std::unique_ptr<Computation> computation) {
  computation->parent_ = this;
  computations_.push_back(std::move(computation));
  return computations_.back().get();
}

void Module::Reorder(const std::vector<Computation*>& order) {
  HLOCTS_CHECK(order.size() == computations_.size());
  std::vector<std::unique_ptr<Computation>> reordered;
  for (Computation* wanted : order) {
    for (auto& owned : computations_) {
      if (owned.get() == wanted) reordered.push_back(std::move(owned));
    }
  }
  HLOCTS_CHECK(reordered.size() == order.size());
  computations_ = std::move(reordered);
}

void Module::RemoveIf(const std::function<bool(const Computation&)>& remove) {
  computations_.erase(std::remove_if(computations_.begin(), computations_.end(),
                                     [&](const auto& c) { return remove(*c); }),
                      computations_.end());
}

std::vector<Computation*> Module::CallOrder() const {
  if (computations_.size() == 1) return {computations_[0].get()};
  // Uses an explicit stack, because calls in a module may nest deeper than the C++ stack allows.
  std::vector<Computation*> order;
  absl::flat_hash_set<const Computation*> started, finished;
  for (const auto& start : computations_) {
    std::vector<std::pair<Computation*, bool>> stack = {{start.get(), false}};
    while (!stack.empty()) {
      auto [computation, callees_done] = stack.back();
      stack.pop_back();
      if (callees_done) {
        if (finished.insert(computation).second) order.push_back(computation);
        continue;
      }
      if (!started.insert(computation).second) continue;
      stack.push_back({computation, true});
      for (const auto& instruction : computation->instructions()) {
        for (Computation* callee : instruction->called_computations()) {
          if (callee && !started.contains(callee)) stack.push_back({callee, false});
        }
      }
    }
  }
  return order;
}

namespace {

struct CloneMaps {
  absl::flat_hash_map<const Computation*, Computation*> computations;
  absl::flat_hash_map<const Instruction*, Instruction*> instructions;
};

void RedirectAttribute(const CloneMaps& maps, AttributeValue& value) {
  if (auto* one = std::get_if<Computation*>(&value)) {
    if (*one) *one = maps.computations.at(*one);
  } else if (auto* list = std::get_if<std::vector<Computation*>>(&value)) {
    for (Computation*& c : *list) c = maps.computations.at(c);
  } else if (auto* instructions = std::get_if<std::vector<Instruction*>>(&value)) {
    for (Instruction*& i : *instructions) i = maps.instructions.at(i);
  }
}

}  // namespace

std::unique_ptr<Module> Module::Clone() const {
  auto copy = std::make_unique<Module>(name_);
  copy->is_scheduled = is_scheduled;
  copy->replica_count = replica_count;
  copy->num_partitions = num_partitions;
  copy->entry_computation_layout = entry_computation_layout;
  copy->input_output_alias = input_output_alias;
  copy->buffer_donor = buffer_donor;
  copy->stack_frame_index = stack_frame_index;
  copy->frontend_attributes = frontend_attributes;
  copy->extra_attributes = extra_attributes;
  copy->proto_id = proto_id;
  copy->unknown_fields = unknown_fields;
  CloneMaps maps;
  for (const auto& computation : computations_) {
    auto* copied = copy->Add(std::make_unique<Computation>(computation->name()));
    copied->execution_thread = computation->execution_thread;
    copied->extra_attributes = computation->extra_attributes;
    copied->proto_id = computation->proto_id;
    copied->unknown_fields = computation->unknown_fields;
    maps.computations[computation.get()] = copied;
    for (const auto& instruction : computation->instructions()) {
      maps.instructions[instruction.get()] =
          copied->Add(std::make_unique<Instruction>(*instruction));
    }
    if (computation->root()) copied->set_root(maps.instructions.at(computation->root()));
  }
  for (const auto& computation : copy->computations_) {
    for (const auto& instruction : computation->instructions()) {
      for (Instruction*& operand : instruction->mutable_operands()) {
        operand = maps.instructions.at(operand);
      }
      for (auto& [name, value] : instruction->mutable_attributes()) RedirectAttribute(maps, value);
    }
  }
  if (entry_) copy->entry_ = maps.computations.at(entry_);
  return copy;
}

ProgramShape Module::EntryProgramShape() const {
  if (entry_computation_layout) return *entry_computation_layout;
  return entry_ ? entry_->ComputeProgramShape() : ProgramShape();
}

}  // namespace hlocts
