// SPDX-License-Identifier: Apache-2.0
#include "fuzz/campaign/coverage.h"

#include <algorithm>

#include "generators/op_generators.h"
#include "spec/ir/module.h"
#include "spec/ir/surgery.h"
#include "spec/ops/op_table.h"

namespace hlocts::fuzz {
namespace {

uint64_t Mix(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2);
  return hash * 0xd1342543de82ef95;
}

uint64_t ClassOf(int64_t number) {
  return number < 0 ? 4 : static_cast<uint64_t>(std::min<int64_t>(number, 3));
}

uint64_t ClassOf(const Window& window) {
  uint64_t flags = 0;
  for (const WindowDimension& d : window.dimensions) {
    flags |= (d.stride > 1 ? 1 : 0) | (d.window_dilation > 1 ? 2 : 0) |
             (d.base_dilation > 1 ? 4 : 0) | (d.window_reversal ? 8 : 0) |
             (d.padding_low > 0 || d.padding_high > 0 ? 16 : 0) |
             (d.padding_low < 0 || d.padding_high < 0 ? 32 : 0) | (d.size > 1 ? 64 : 0);
  }
  return flags;
}

uint64_t ClassOf(const PaddingConfig& padding) {
  uint64_t flags = 0;
  for (const PaddingDimension& d : padding.dimensions) {
    flags |= (d.interior > 0 ? 1 : 0) | (d.low > 0 ? 2 : 0) | (d.high > 0 ? 4 : 0) |
             (d.low < 0 ? 8 : 0) | (d.high < 0 ? 16 : 0);
  }
  return flags;
}

uint64_t ClassOf(const std::string& word) {
  uint64_t hash = 0;
  for (char c : word) hash = Mix(hash, static_cast<uint64_t>(c));
  return hash;
}

uint64_t ClassOf(const AttributeValue& value) {
  if (const bool* b = std::get_if<bool>(&value)) return *b ? 1 : 0;
  if (const int64_t* i = std::get_if<int64_t>(&value)) return ClassOf(*i);
  if (const Word* word = std::get_if<Word>(&value)) return ClassOf(word->text);
  if (const Window* window = std::get_if<Window>(&value)) return ClassOf(*window);
  if (const PaddingConfig* padding = std::get_if<PaddingConfig>(&value)) return ClassOf(*padding);
  if (auto* list = std::get_if<std::vector<int64_t>>(&value)) {
    bool ascending = std::is_sorted(list->begin(), list->end());
    return ClassOf(static_cast<int64_t>(list->size())) * 2 + (ascending ? 1 : 0);
  }
  if (Computation* const* called = std::get_if<Computation*>(&value)) {
    return static_cast<uint64_t>((*called)->root()->opcode());
  }
  return 0;
}

uint64_t MixShape(uint64_t hash, const Shape& shape) {
  for (const Shape& leaf : LeafShapes(shape)) {
    hash = Mix(hash, static_cast<uint64_t>(leaf.element_type()));
    hash = Mix(hash, static_cast<uint64_t>(leaf.rank()));
  }
  return hash;
}

// Returns true for tuples, calls, branches and loops. They pass on arrays of any types, so their
// cell has only the first type and the number of arrays.
bool CarriesMany(const Instruction& instruction) {
  Family family = RowOf(instruction.opcode()).family;
  return family == Family::kTuple || family == Family::kControlFlow;
}

uint64_t CellOfCarrier(uint64_t cell, const Instruction& instruction) {
  std::vector<Shape> leaves = LeafShapes(instruction.shape());
  if (!leaves.empty()) cell = MixShape(cell, leaves[0]);
  cell = Mix(cell, ClassOf(static_cast<int64_t>(leaves.size())));
  return Mix(cell, ClassOf(instruction.operand_count()));
}

constexpr double kKept = 0.75;  // weight of the counts of earlier epochs in the next one
constexpr int kWeightMax = 1000;

// `met` instructions had an opcode or type, and `fresh` of them had a new cell. Returns at least 1.
int WeightOf(double fresh, double met) {
  double share = (fresh + 0.5) / (met + 1);
  return std::clamp(static_cast<int>(kWeightMax * share), 1, kWeightMax);
}

PrimitiveType FirstType(const Shape& shape) {
  std::vector<Shape> leaves = LeafShapes(shape);
  return leaves.empty() ? PrimitiveType::kInvalid : leaves[0].element_type();
}

}  // namespace

uint64_t CellOf(const Instruction& instruction) {
  uint64_t cell = Mix(0, static_cast<uint64_t>(instruction.opcode()));
  if (CarriesMany(instruction)) {
    cell = CellOfCarrier(cell, instruction);
  } else {
    cell = MixShape(cell, instruction.shape());
    for (const Instruction* operand : instruction.operands())
      cell = MixShape(Mix(cell, 1), operand->shape());
  }
  for (const auto& [attr, value] : instruction.attributes()) {
    cell = Mix(Mix(cell, static_cast<uint64_t>(attr)), ClassOf(value));
  }
  return cell;
}

void AddCells(const Module& module, Cells& cells) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      Opcode opcode = instruction->opcode();
      if (opcode != Opcode::kParameter && opcode != Opcode::kConstant)
        cells.insert(CellOf(*instruction));
    }
  }
}

Guide::Guide(const CampaignOptions& options)
    : options_(options),
      weights_{std::make_shared<generators::DrawWeights>(generators::PlainWeights())} {}

generators::Generated Guide::Make(int64_t number) {
  generators::Generated made = MakeWith(number, WeightsFor(number));
  std::lock_guard<std::mutex> lock(mutex_);
  if (number == observed_) Observe(made);
  return made;
}

int64_t Guide::cells() {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int64_t>(cells_.size());
}

std::shared_ptr<const generators::DrawWeights> Guide::WeightsFor(int64_t number) {
  std::lock_guard<std::mutex> lock(mutex_);
  const size_t epoch = static_cast<size_t>(number / kEpoch);
  while (weights_.size() <= epoch) Observe(MakeWith(observed_, weights_.back()));
  return weights_[epoch];
}

generators::Generated Guide::MakeWith(
    int64_t number, std::shared_ptr<const generators::DrawWeights> weights) const {
  CampaignOptions options = options_;
  options.generator.weights = std::move(weights);
  return CampaignModule(options, number);
}

void Guide::Observe(const generators::Generated& made) {
  for (const auto& computation : made.module->computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (IsCarrier(*instruction) || !made.broken_rule.empty()) continue;
      bool fresh = cells_.insert(CellOf(*instruction)).second;
      Yield& opcode = opcodes_[static_cast<size_t>(instruction->opcode())];
      Yield& type = types_[static_cast<size_t>(FirstType(instruction->shape()))];
      for (Yield* yield : {&opcode, &type}) {
        yield->met += 1;
        yield->fresh += fresh;
      }
    }
  }
  if (++observed_ % kEpoch == 0) EndEpoch();
}

void Guide::EndEpoch() {
  auto weights = std::make_shared<generators::DrawWeights>();
  for (Opcode opcode : generators::GeneratedOpcodes()) {
    Yield& yield = opcodes_[static_cast<size_t>(opcode)];
    weights->opcodes[static_cast<size_t>(opcode)] = WeightOf(yield.fresh, yield.met);
  }
  for (size_t type = 0; type < types_.size(); ++type)
    weights->types[type] = WeightOf(types_[type].fresh, types_[type].met);
  for (Yield& yield : opcodes_) yield.met *= kKept, yield.fresh *= kKept;
  for (Yield& yield : types_) yield.met *= kKept, yield.fresh *= kKept;
  weights_.push_back(std::move(weights));
}

}  // namespace hlocts::fuzz
