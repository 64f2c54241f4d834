// SPDX-License-Identifier: Apache-2.0
#include "spec/ir/instruction.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "spec/ir/opcode.h"

namespace hlocts {

bool Instruction::IsParameter() const { return opcode_ == Opcode::kParameter; }
bool Instruction::IsConstant() const { return opcode_ == Opcode::kConstant; }

bool Instruction::Has(Attr attr) const {
  return std::any_of(attributes_.begin(), attributes_.end(),
                     [&](const auto& entry) { return entry.first == attr; });
}

void Instruction::Set(Attr attr, AttributeValue value) {
  for (auto& [name, old] : attributes_) {
    if (name == attr) {
      old = std::move(value);
      return;
    }
  }
  attributes_.emplace_back(attr, std::move(value));
}

void Instruction::Remove(Attr attr) {
  attributes_.erase(std::remove_if(attributes_.begin(), attributes_.end(),
                                   [&](const auto& entry) { return entry.first == attr; }),
                    attributes_.end());
}

bool Instruction::BoolOr(Attr attr, bool otherwise) const {
  const bool* value = Get<bool>(attr);
  return value ? *value : otherwise;
}

int64_t Instruction::IntOr(Attr attr, int64_t otherwise) const {
  const int64_t* value = Get<int64_t>(attr);
  return value ? *value : otherwise;
}

double Instruction::FloatOr(Attr attr, double otherwise) const {
  const double* value = Get<double>(attr);
  return value ? *value : otherwise;
}

absl::string_view Instruction::WordOr(Attr attr, absl::string_view otherwise) const {
  const Word* value = Get<Word>(attr);
  return value ? absl::string_view(value->text) : otherwise;
}

const std::vector<int64_t>& Instruction::IntList(Attr attr) const {
  static const std::vector<int64_t>* const kEmpty = new std::vector<int64_t>();
  const std::vector<int64_t>* value = Get<std::vector<int64_t>>(attr);
  return value ? *value : *kEmpty;
}

Computation* Instruction::CalledComputation(Attr attr) const {
  Computation* const* value = Get<Computation*>(attr);
  return value ? *value : nullptr;
}

std::vector<Computation*> Instruction::called_computations() const {
  std::vector<Computation*> result;
  for (const auto& [name, value] : attributes_) {
    if (auto* one = std::get_if<Computation*>(&value)) result.push_back(*one);
    if (auto* list = std::get_if<std::vector<Computation*>>(&value)) {
      result.insert(result.end(), list->begin(), list->end());
    }
  }
  return result;
}

std::vector<Computation*> Instruction::branches() const {
  if (auto* list = Get<std::vector<Computation*>>(Attr::kBranchComputations)) return *list;
  return {CalledComputation(Attr::kTrueComputation), CalledComputation(Attr::kFalseComputation)};
}

}  // namespace hlocts
