// SPDX-License-Identifier: Apache-2.0
#include "generators/negative.h"

#include <array>

#include "generators/negative_rows.h"
#include "spec/ir/module.h"
#include "spec/ir/needed.h"

namespace hlocts::generators {
namespace {

struct Breaks {
  std::array<std::vector<BreakRow>, kOpcodeCount> rows;
  std::array<std::vector<OperandRow>, kOpcodeCount> operands;
  std::vector<ModuleRow> module;
};

const Breaks& AllBreaks() {
  static const Breaks* const table = [] {
    auto* made = new Breaks();
    for (const std::vector<BreakRow>& rows : {AttributeBreaks(), IndexingBreaks(), RowBreaks()}) {
      for (const BreakRow& row : rows) made->rows[static_cast<size_t>(row.opcode)].push_back(row);
    }
    for (const OperandRow& row : OperandBreaks())
      made->operands[static_cast<size_t>(row.opcode)].push_back(row);
    made->module = ModuleBreaks();
    return made;
  }();
  return *table;
}

// A rule that can be broken, and the instruction to change. The module's results must depend on the
// instruction, because a compiler may remove others before it checks them.
struct Place {
  absl::string_view rule;
  Instruction* instruction = nullptr;
  const BreakRow* row = nullptr;
  const OperandRow* operand = nullptr;
  const ModuleRow* module = nullptr;
};

std::vector<Place> PlacesIn(const Module& module) {
  const Breaks& table = AllBreaks();
  const Needed needed(module);
  std::vector<Place> places;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (!needed.Has(*instruction)) continue;
      size_t opcode = static_cast<size_t>(instruction->opcode());
      for (const BreakRow& row : table.rows[opcode])
        places.push_back({row.rule, instruction.get(), &row});
      for (const OperandRow& row : table.operands[opcode]) {
        places.push_back({row.rule, instruction.get(), nullptr, &row});
      }
    }
  }
  for (const ModuleRow& row : table.module)
    places.push_back({row.rule, nullptr, nullptr, nullptr, &row});
  return places;
}

bool ApplyTo(Instruction& user, const OperandRow& row) {
  int64_t operand = row.operand < 0 ? user.operand_count() + row.operand : row.operand;
  if (operand < 0 || operand >= user.operand_count()) return false;
  std::optional<Shape> shape = row.change(user, user.operand(operand).shape());
  if (shape) ReplaceOperand(user, operand, *shape);
  return shape.has_value();
}

bool Apply(ChoiceSource& choose, Module& module, const Place& place) {
  if (place.row) return place.row->apply(*place.instruction);
  if (place.operand) return ApplyTo(*place.instruction, *place.operand);
  return place.module->apply(choose, module);
}

std::vector<absl::string_view> RulesOf(const std::vector<Place>& places) {
  std::vector<absl::string_view> rules;
  for (const Place& place : places) rules.push_back(place.rule);
  std::sort(rules.begin(), rules.end());
  rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
  return rules;
}

}  // namespace

// Draws the rule first: otherwise rules that fit every instruction would suppress the rare ones.
std::string BreakOneRule(ChoiceSource& choose, Module& module) {
  std::vector<Place> places = PlacesIn(module);
  std::vector<absl::string_view> rules = RulesOf(places);
  size_t first_rule = choose.Below(rules.size());
  size_t first_place = choose.Below(places.size());
  for (size_t r = 0; r < rules.size(); ++r) {
    absl::string_view rule = rules[(first_rule + r) % rules.size()];
    for (size_t i = 0; i < places.size(); ++i) {
      const Place& place = places[(first_place + i) % places.size()];
      if (place.rule == rule && Apply(choose, module, place)) return std::string(rule);
    }
  }
  return "";
}

std::vector<std::string> BreakableRules() {
  const Breaks& table = AllBreaks();
  std::vector<std::string> rules;
  for (size_t opcode = 0; opcode < kOpcodeCount; ++opcode) {
    for (const BreakRow& row : table.rows[opcode]) rules.push_back(row.rule);
    for (const OperandRow& row : table.operands[opcode]) rules.push_back(row.rule);
  }
  for (const ModuleRow& row : table.module) rules.push_back(row.rule);
  std::sort(rules.begin(), rules.end());
  rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
  return rules;
}

}  // namespace hlocts::generators
