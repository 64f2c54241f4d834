// SPDX-License-Identifier: Apache-2.0
#include "backends/differ/worst_ulps.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/str_format.h"
#include "backends/differ/differ.h"
#include "backends/differ/failure_details.h"
#include "spec/accuracy/rules.h"
#include "spec/cut/cut.h"
#include "spec/ir/entry_leaves.h"
#include "spec/ir/module.h"
#include "spec/judge/element_text.h"
#include "spec/judge/functions.h"
#include "spec/judge/joint.h"
#include "spec/judge/ulps.h"

namespace hlocts::backends {
namespace {

using reports::WorstUlps;

// An elementwise function and its arguments.
struct Call {
  const Instruction* function = nullptr;
  std::vector<const Literal*> arguments;
};

const Literal* ExactOperand(const Module& module, const Instruction& operand,
                            const std::vector<Literal>& arguments) {
  const CutValue value = ResolveValue(operand);
  if (value.instruction->has_literal() && value.index.empty()) return &value.instruction->literal();
  const int64_t number = value.instruction->parameter_number();
  if (number < 0) return nullptr;
  const int64_t leaf = LeafNumber(module.EntryProgramShape().parameters, number, value.index);
  const bool given = leaf >= 0 && leaf < static_cast<int64_t>(arguments.size());
  return given ? &arguments[static_cast<size_t>(leaf)] : nullptr;
}

std::optional<Call> CallOf(const Module& module, int64_t leaf,
                           const std::vector<Literal>& arguments) {
  const std::optional<CutValue> made = ProducerOf(module, leaf);
  if (!made) return std::nullopt;
  Call call = {made->instruction, {}};
  const Instruction& function = *made->instruction;
  const int count = RealArguments(function.opcode());
  if (count == 0 || !IsFloat(function.shape().element_type()) ||
      function.Has(Attr::kResultAccuracy)) {
    return std::nullopt;
  }
  for (int i = 0; i < count; ++i) {
    const Literal* literal = ExactOperand(module, function.operand(i), arguments);
    if (literal == nullptr || literal->has_runtime_sizes() ||
        literal->element_count() != function.shape().ElementCount()) {
      return std::nullopt;
    }
    call.arguments.push_back(literal);
  }
  return call;
}

std::string PlaceText(const Call& call, int64_t index) {
  std::string text = ElementText(*call.arguments[0], index);
  if (call.arguments.size() > 1) text += ", " + ElementText(*call.arguments[1], index);
  return text;
}

WorstUlps WorstOf(const Call& call, const Literal& actual, const SetArray& set) {
  const FloatFacts& facts = FactsOf(actual.element_type());
  WorstUlps worst;
  int64_t at = -1;
  for (int64_t i = 0; i < actual.element_count(); ++i) {
    if (!Accepts(set.At(i), actual, i)) continue;
    const double x = RealAt(*call.arguments[0], i);
    const double y = call.arguments.size() > 1 ? RealAt(*call.arguments[1], i) : 0;
    const auto ulps =
        UlpsFromExact(call.function->opcode(), x, y, RealAt(actual, i), facts, worst.ulps);
    if (!ulps) continue;
    ++worst.elements;
    if (at >= 0 && *ulps <= worst.ulps) continue;
    worst.ulps = *ulps;
    at = i;
  }
  if (at < 0) return worst;
  worst.argument = PlaceText(call, at);
  worst.value = ElementText(actual, at);
  return worst;
}

}  // namespace

std::vector<WorstUlps> WorstUlpsOf(const Module& module, const std::vector<Literal>& arguments,
                                   const std::vector<Literal>& outputs,
                                   const ModuleAcceptance& accepted, Profile profile,
                                   const TargetFacts& facts) {
  std::vector<WorstUlps> all;
  for (size_t leaf = 0; leaf < std::min(outputs.size(), accepted.leaves.size()); ++leaf) {
    const std::optional<Call> call = CallOf(module, static_cast<int64_t>(leaf), arguments);
    const SetArray& set = accepted.leaves[leaf].set;
    if (!call || outputs[leaf].shape().dimensions() != set.shape().dimensions() ||
        outputs[leaf].element_type() != set.element_type()) {
      continue;
    }
    WorstUlps worst = WorstOf(*call, outputs[leaf], set);
    if (worst.elements == 0) continue;
    const PrimitiveType type = set.element_type();
    worst.function = std::string(OpcodeName(call->function->opcode()));
    worst.type = std::string(PrimitiveTypeName(type));
    worst.rule = RuleText(RuleFor(call->function->opcode(), type, profile, facts));
    reports::AddWorst(worst, all);
  }
  return all;
}

void Differ::AddUlps(const std::vector<std::vector<Literal>>& outputs,
                     const std::vector<std::string>& facts, reports::Verdict& verdict) {
  TargetFacts target;
  for (const std::string& fact : facts) {
    if (!SetTargetFact(fact, target).ok()) return;
  }
  const auto sets = Sets(facts, Kind::kUsual);
  const std::vector<std::vector<Literal>>& given = request_.arguments;
  for (size_t d = 0; sets.ok() && d < std::min({outputs.size(), given.size(), (*sets)->size()});
       ++d) {
    for (const WorstUlps& one :
         WorstUlpsOf(module_, given[d], outputs[d], (**sets)[d], options_.profile, target)) {
      reports::AddWorst(one, verdict.worst_ulps);
    }
  }
}

}  // namespace hlocts::backends
