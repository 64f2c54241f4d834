// SPDX-License-Identifier: Apache-2.0
#include "fuzz/campaign/guide.h"

#include <algorithm>

#include "generators/op_generators.h"
#include "spec/ir/module.h"
#include "spec/ir/surgery.h"

namespace hlocts::fuzz {
namespace {

constexpr double kKept = 0.75;  // weight of earlier counts in the next epoch
constexpr int kWeightMax = 1000;

// The weight is positive even for choices that rarely reach new cells, since they still can.
int WeightOf(double fresh, double met) {
  double share = (fresh + 0.5) / (met + 1);
  return std::clamp(static_cast<int>(kWeightMax * share), 1, kWeightMax);
}

PrimitiveType FirstType(const Shape& shape) {
  std::vector<Shape> leaves = LeafShapes(shape);
  return leaves.empty() ? PrimitiveType::kInvalid : leaves[0].element_type();
}

}  // namespace

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
