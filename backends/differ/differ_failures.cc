// SPDX-License-Identifier: Apache-2.0
// Adds details to failures, and removes failures for which the engine is not responsible.
#include <chrono>
#include <tuple>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "backends/backend_list.h"
#include "backends/differ/differ.h"
#include "backends/differ/failure_details.h"
#include "reports/sentences.h"
#include "spec/accuracy/rules.h"
#include "spec/accuracy/target_facts.h"
#include "spec/base/hard_limit.h"
#include "spec/ir/index_util.h"
#include "spec/ir/module.h"
#include "spec/judge/effective_bits.h"

namespace hlocts::backends {
namespace {

// Returns ENGINE if the engine reports "via:ENGINE", which means that it gets the module in another
// form and that ENGINE evaluates that form.
std::string ReferenceEngineOf(const BackendInfo& info) {
  for (absl::string_view word : info.capabilities) {
    if (absl::ConsumePrefix(&word, "via:")) return std::string(word);
  }
  return "";
}

// Returns the range of a real function, "[-1, 1]", if it does not contain the number, but the set;
// otherwise "". Without kNoRangeGuard, the range excludes numbers regardless of the ulps.
std::string RangeLeft(const std::string& operation, const AcceptanceSet& number,
                      const AcceptanceSet& set) {
  const auto opcode = OpcodeFromName(operation);
  if (!opcode || !number.finite() || !set.finite()) return "";
  const auto [lo, hi] = RangeGuardOf(*opcode);
  const bool inside = number.lo >= lo && number.lo <= hi;
  return inside || set.lo < lo || set.hi > hi ? "" : absl::StrFormat("[%g, %g]", lo, hi);
}

// Returns true if the fact changes the rule of an instruction of the module, or is named after its
// operation ("barrier.crossed": opt-barrier). Other facts have no effect on the module's sets.
bool Concerns(const std::string& fact, const Module& module, Profile profile) {
  TargetFacts facts;
  if (!SetTargetFact(fact, facts).ok()) return false;
  const auto numbers = [](const Rule& rule) {
    return std::tuple(rule.permissions, rule.ulps, rule.absolute, rule.backward,
                      rule.overflow_exponent);
  };
  return absl::c_any_of(module.computations(), [&](const auto& computation) {
    return absl::c_any_of(computation->instructions(), [&](const auto& one) {
      const Shape& shape = one->operands().empty() ? one->shape() : one->operand(0).shape();
      return absl::EndsWith(OpcodeName(one->opcode()), fact.substr(0, fact.find('.'))) ||
             (shape.IsArray() &&
              numbers(RuleFor(one->opcode(), shape.element_type(), profile, facts)) !=
                  numbers(RuleFor(one->opcode(), shape.element_type(), profile)));
    });
  });
}

double SecondsSince(HardLimit::Clock::time_point start) {
  return std::chrono::duration<double>(HardLimit::Clock::now() - start).count();
}

// Returns true if the sets accept the element of the failure, or all elements if they are judged
// together.
bool Permits(const ModuleAcceptance& accepted, const std::vector<Literal>& outputs,
             const reports::VerdictFailure& failure) {
  const size_t leaf = static_cast<size_t>(failure.output);
  if (leaf >= accepted.leaves.size() || leaf >= outputs.size()) return false;
  if (accepted.leaves[leaf].set.joint != nullptr)
    return JudgeLeaves(accepted, outputs).outcome != Outcome::kFail;
  const PrimitiveType type = outputs[leaf].element_type();
  const FloatFacts* const facts = IsFloat(type) || IsComplex(type) ? &FactsOf(type) : nullptr;
  const std::vector<int64_t> strides = RowMajorStrides(outputs[leaf].shape().dimensions());
  Tally tally;
  JudgeElement(accepted, failure.output, outputs[leaf], LinearIndex(failure.index, strides), facts,
               0, tally);
  return !tally.first || tally.first_is_nan_bits;
}

}  // namespace

bool ViolatesOnlyStability(const Module& module, const ExecuteRequest& request, DiffOptions options,
                           const std::vector<std::vector<Literal>>& outputs,
                           const std::vector<std::string>& facts,
                           const reports::VerdictFailure& failure) {
  const std::unique_ptr<Module> unstable = module.Clone();
  auto* sort =
      const_cast<Instruction*>(FindInstruction(*unstable, failure.instruction, failure.operation));
  if (sort == nullptr || sort->opcode() != Opcode::kSort || !sort->BoolOr(Attr::kIsStable, false))
    return false;
  sort->Set(Attr::kIsStable, false);
  options.describe = options.blame = options.unusual = false;
  return Differ(*unstable, request, options).JudgeOutputs(outputs, facts).kind != Outcome::kFail;
}

// Makes a failure inconclusive if the engine receives a converted module whose meaning the
// conversion has changed.
bool Differ::DismissIfConversionIsAtFault(const BackendInfo& info, reports::Verdict& verdict) {
  const std::string road = ReferenceEngineOf(info);
  if (verdict.kind != Outcome::kFail || road.empty()) return false;
  absl::StatusOr<std::unique_ptr<Backend>> converted = MakeBackend(road);
  RunOutcome outcome =
      converted.ok() ? RunModule(**converted, module_, options_.load, request_)
                     : OutcomeFrom(WithCode(absl::StatusCode::kUnavailable, converted.status()));
  const reports::Verdict meant =
      outcome.has_values() ? JudgeOutputs(outcome.result.outputs, info.facts) : VerdictOf(outcome);
  if (meant.kind == Outcome::kPass) return false;
  verdict.kind = Outcome::kInconclusive;
  verdict.first_failure.reset();
  verdict.reason = absl::StrCat("not judged: the module as converted by ", road, " is also wrong (",
                                OutcomeName(meant.kind), ": ", reports::ReasonText(meant), ")");
  return true;
}

void Differ::NoteFactsThatPermit(const std::vector<Literal>& outputs, size_t device,
                                 const std::vector<std::string>& facts, reports::Verdict& verdict) {
  constexpr double kSecondsMax = 10;  // each test takes an evaluation
  const auto start = HardLimit::Clock::now();
  for (const FactRow& row : AllFacts()) {
    const std::string fact(row.name);
    // Skips a fact that requires a value, because it is not obvious which value to test.
    if (!row.grants || absl::c_linear_search(facts, fact) ||
        !Concerns(fact, module_, options_.profile) || SecondsSince(start) > kSecondsMax)
      continue;
    std::vector<std::string> more = facts;
    more.push_back(fact);
    const auto sets = Sets(more, Kind::kRigorous);
    if (!sets.ok()) continue;
    if (!Permits((**sets)[device], outputs, *verdict.first_failure)) continue;
    verdict.first_failure->permitted_by.push_back(fact);
    verdict.notes.push_back(
        absl::StrCat("permitted if the engine declares the fact ", reports::FactText(fact, "")));
  }
}

void Differ::NoteDepartures(const std::vector<std::vector<Literal>>& outputs,
                            const std::vector<std::string>& facts, double seconds,
                            reports::Verdict& verdict) {
  constexpr double kSecondsMax = 240;
  const double given = options_.load.reference_seconds_max;
  const double limit = given > 0 ? given : kSecondsMax;
  // Two more evaluations must fit into the time limit.
  if (options_.profile == Profile::kStrict || 4 * seconds > limit) return;
  std::vector<std::string> kept, widening;
  for (const std::string& fact : facts) {
    const FactRow* row = FindFact(fact);
    const bool widens =
        (row == nullptr || row->grants) && Concerns(fact, module_, options_.profile);
    (widens ? widening : kept).push_back(fact);
  }
  DiffOptions brief = options_;
  brief.describe = brief.blame = brief.unusual = false;
  Differ without(module_, request_, brief);
  const auto fails = [&] { return without.JudgeBySets(outputs, kept).kind == Outcome::kFail; };
  if (widening.empty() || !fails()) return;
  const auto start = HardLimit::Clock::now();
  verdict.departures = widening;
  // Drops each fact that the pass does not need.
  for (const std::string& fact : widening) {
    if (verdict.departures.size() == 1 || 4 * SecondsSince(start) > limit) break;
    std::vector<std::string> others = verdict.departures;
    std::erase(others, fact);
    const size_t size = kept.size();
    kept.insert(kept.end(), others.begin(), others.end());
    if (!fails()) verdict.departures = others;
    kept.resize(size);
  }
  for (const std::string& fact : verdict.departures)
    verdict.notes.push_back(absl::StrCat("accepted only because the engine declares the fact ",
                                         reports::FactText(fact, "")));
}

void AddDetails(const Module& module, const ExecuteRequest& request, const DiffOptions& options,
                const ModuleAcceptance& accepted, const std::vector<Literal>& outputs,
                reports::VerdictFailure& failure) {
  // A set of one value names no instruction; the instruction that computes the output is used.
  std::string operation = failure.clause;
  if (failure.instruction.empty()) {
    if (const auto producer = ProducerOf(module, failure.output)) {
      failure.instruction = producer->instruction->name();
      operation = std::string(OpcodeName(producer->instruction->opcode()));
      failure.rule = "exact";
    }
  }
  failure.operation = OperationOf(module, failure.instruction, operation);
  failure.type = TypeOf(module, failure.instruction, operation);
  failure.source = SourceOf(module, failure.instruction, operation);
  const Instruction* found = FindInstruction(module, failure.instruction, operation);
  failure.to_integer = found != nullptr && found->opcode() == Opcode::kConvert &&
                       IsFloat(found->operand(0).shape().element_type()) &&
                       IsInteger(found->shape().element_type());
  size_t leaf = static_cast<size_t>(failure.output);
  if (leaf < accepted.leaves.size() && leaf < outputs.size() && outputs[leaf].shape().IsArray()) {
    const Shape& shape = accepted.leaves[leaf].shape;
    if (shape.rank() == static_cast<int64_t>(failure.index.size()) &&
        shape.dimensions() == outputs[leaf].shape().dimensions()) {
      int64_t index = LinearIndex(failure.index, RowMajorStrides(shape.dimensions()));
      Distance distance = DistanceOf(accepted.leaves[leaf].set, outputs[leaf], index);
      failure.distance = std::move(distance.text);
      failure.categorical = distance.categorical;
      failure.only_nan = distance.only_nan;
      const AcceptanceSet set = accepted.leaves[leaf].set.At(index);
      const AcceptanceSet got = PointOf(outputs[leaf], index);
      if (accepted.leaves[leaf].set.components() == 1 && options.profile != Profile::kRelaxed)
        failure.range = RangeLeft(failure.operation, got, set);
      if (!failure.range.empty())
        absl::StrAppend(&failure.distance, "; outside of ", failure.range, ", the range of ",
                        failure.operation);
      failure.tie =
          set.integer() && IsTie(module, request, options.load, failure,
                                 static_cast<int64_t>(got.ilo), static_cast<int64_t>(set.ilo));
    }
  }
  if (options.describe) failure.operands = OperandsOf(module, request, options.load, failure);
}

}  // namespace hlocts::backends
