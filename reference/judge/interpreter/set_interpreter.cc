// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/interpreter/set_interpreter.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "reference/judge/interpreter/handlers.h"
#include "reference/ops/collective.h"
#include "reference/plan.h"
#include "spec/ir/module.h"
#include "spec/ops/custom_calls.h"
#include "spec/ops/partitions.h"

namespace hlocts::reference {
namespace {

// Exceeds the call depth that deep_stack.cc accepts, so only a cycle of calls reaches it.
constexpr int kDepthMax = 20'000;

struct HandlerRow {
  Opcode opcode;
  SetHandler handler;
  int lemma = 0;
};
constexpr HandlerRow kHandlers[] = {
#define HLOCTS_SET_HANDLER(Name, ...) {Opcode::k##Name, __VA_ARGS__},
#include "reference/judge/interpreter/set_handlers.def"
#undef HLOCTS_SET_HANDLER
};

// Returns the lemma of the instruction's sums and joint predicates.
int LemmaOf(const Instruction& instruction) {
  for (const HandlerRow& row : kHandlers) {
    if (row.opcode == instruction.opcode() && row.lemma != 0) return row.lemma;
  }
  for (Attr attr : {Attr::kToApply, Attr::kScatter}) {
    const Computation* combiner = instruction.CalledComputation(attr);
    if (combiner != nullptr && combiner->root()->opcode() != Opcode::kAdd) return 12;
  }
  const Shape& shape = instruction.shape();
  const bool narrow = shape.IsArray() && BitWidth(ComponentType(shape.element_type())) <= 16;
  return narrow ? 2 : 1;
}

}  // namespace

SetHandler SetHandlerOf(Opcode opcode) {
  for (const HandlerRow& row : kHandlers) {
    if (row.opcode == opcode) return row.handler;
  }
  return IsElementwiseSetOpcode(opcode) ? ElementwiseSets : nullptr;
}

SetInterpreter::SetInterpreter(const Module& module, const JudgeOptions& options)
    : module_(module),
      options_(options),
      sum_devices_(SumDevices(module)),
      runner_(options),
      remainders_(module) {
  origins_.push_back({});
  infeed_used_.resize(options.replicas * options.partitions);
}

uint32_t SetInterpreter::OriginOf(const Instruction& instruction, const Rule& rule) {
  auto [found, inserted] =
      origin_of_.try_emplace(&instruction, static_cast<uint32_t>(origins_.size()));
  if (inserted) {
    const OpRow& row = RowOf(instruction.opcode());
    origins_.push_back({instruction.name(), std::string(OpcodeName(instruction.opcode())),
                        RuleText(rule), std::string(row.clauses), LemmaOf(instruction),
                        rule.rule_class != RuleClass::kUnknown});
  }
  return found->second;
}

SetContext SetInterpreter::ContextOf(const Instruction& instruction, PrimitiveType operand,
                                     PrimitiveType result) {
  SetContext context;
  if (IsFloat(operand) || IsComplex(operand)) context.operand = &FactsOf(operand);
  if (IsFloat(result) || IsComplex(result)) context.result = &FactsOf(result);
  if (context.operand == nullptr) context.operand = context.result;
  context.rule = instruction.opcode() == Opcode::kConvert ? ConversionRule(operand, result)
                                                          : RuleOf(instruction.opcode(), operand);
  if (const auto* demanded = instruction.Get<RawText>(Attr::kResultAccuracy)) {
    const Rule by_default = TableRule(instruction.opcode(), operand, Profile::kDefault);
    HonourResultAccuracy(demanded->text, operand, profile(), by_default, context.rule);
  }
  context.guard = RangeGuardOf(instruction.opcode());
  context.origin = OriginOf(instruction, context.rule);
  context.rigorous = rigorous();
  context.bounds = options_.bounds;
  return context;
}

absl::Status SetInterpreter::CheckDeadline() {
  using Clock = std::chrono::steady_clock;
  if (options_.deadline == Clock::time_point::max() || ++instructions_run_ % 64 != 0 ||
      Clock::now() <= options_.deadline) {
    return absl::OkStatus();
  }
  return absl::DeadlineExceededError("the sets were not computed within the time limit");
}

absl::Status SetInterpreter::ChargeStep() {
  if (++steps_ <= options_.steps_max) return absl::OkStatus();
  return absl::DeadlineExceededError(
      absl::StrCat("the loop budget of ", options_.steps_max, " trips is exceeded"));
}

const Literal* SetInterpreter::PeekInfeed() const {
  size_t device = static_cast<size_t>(current_device_);
  if (device >= options_.infeed.size()) return nullptr;
  size_t next = infeed_used_[device];
  return next < options_.infeed[device].size() ? &options_.infeed[device][next] : nullptr;
}

const Literal* SetInterpreter::NextInfeed() {
  const Literal* next = PeekInfeed();
  if (next != nullptr) ++infeed_used_[static_cast<size_t>(current_device_)];
  return next;
}

// Counts the uses of each value: by instructions, by rewrites, and as the computation's result.
std::vector<int64_t> SetInterpreter::CountUses(const Computation& computation) {
  std::vector<int64_t> uses(computation.instructions().size(), 0);
  for (const auto& instruction : computation.instructions()) {
    for (const Instruction* operand : instruction->operands()) ++uses[operand->index()];
  }
  ++uses[computation.root()->index()];
  for (const RewriteMatch& match : RewritesOf(computation)) {
    for (const Instruction* operand : match.operands) ++uses[operand->index()];
  }
  return uses;
}

std::vector<int64_t> SetInterpreter::UsesOf(const Computation& computation) {
  if (computation.parent() != &module_) return CountUses(computation);
  auto [found, inserted] = uses_.try_emplace(&computation);
  if (inserted) found->second = CountUses(computation);
  return found->second;
}

namespace {

// Returns the operands by device. A value that has no further uses is moved.
std::vector<std::vector<SetValue>> TakeOperands(const Instruction& instruction, size_t devices,
                                                std::vector<int64_t>& uses,
                                                std::vector<std::vector<SetValue>>& values) {
  std::vector<std::vector<SetValue>> operands(devices);
  for (auto& device : operands) device.reserve(instruction.operands().size());
  for (const Instruction* operand : instruction.operands()) {
    bool last = --uses[operand->index()] == 0;
    for (size_t d = 0; d < devices; ++d) {
      SetValue& from = values[operand->index()][d];
      operands[d].push_back(last ? std::move(from) : from);
    }
    if (last) values[operand->index()].clear();
  }
  return operands;
}

}  // namespace

void SetInterpreter::Show(const Instruction& instruction, const Walk& walk,
                          const std::vector<std::vector<SetValue>>& operands,
                          const std::vector<SetValue>* results) {
  for (size_t d = 0; options_.watch && d < walk.devices.size(); ++d)
    options_.watch(instruction, walk.devices[d], operands[d],
                   results == nullptr ? nullptr : &(*results)[d]);
}

absl::StatusOr<std::vector<SetValue>> SetInterpreter::Run(
    const Computation& computation, std::vector<std::vector<SetValue>> arguments,
    const Walk& walk) {
  if (++depth_ > kDepthMax) {
    --depth_;
    return absl::ResourceExhaustedError("calls are nested too deep for the judge");
  }
  const auto& instructions = computation.instructions();
  std::vector<std::vector<SetValue>> values(instructions.size());
  std::vector<int64_t> uses = UsesOf(computation);
  const bool rewritten = !RewritesOf(computation).empty();
  for (const auto& instruction : instructions) {
    std::vector<SetValue>& out = values[instruction->index()];
    if (instruction->IsParameter()) {
      for (auto& device : arguments) out.push_back(device[instruction->parameter_number()]);
      Show(*instruction, walk, arguments, &out);
      continue;
    }
    const auto operands = TakeOperands(*instruction, walk.devices.size(), uses, values);
    Show(*instruction, walk, operands, nullptr);
    absl::Status status = CheckDeadline();
    auto result = status.ok() ? RunInstruction(*instruction, operands, walk) : status;
    status = result.status();
    if (status.ok() && rewritten) status = JoinRewrites(*instruction, values, walk, *result);
    if (!status.ok()) {
      --depth_;
      return status;
    }
    out = *std::move(result);
    Show(*instruction, walk, operands, &out);
  }
  --depth_;
  return std::move(values[computation.root()->index()]);
}

absl::StatusOr<SetValue> SetInterpreter::Call(const Computation& computation,
                                              std::vector<SetValue> arguments) {
  std::vector<std::vector<SetValue>> one;
  one.push_back(std::move(arguments));
  HLOCTS_ASSIGN_OR_RETURN(std::vector<SetValue> results,
                          Run(computation, std::move(one), {{current_device_}}));
  return std::move(results[0]);
}

absl::StatusOr<std::vector<SetValue>> SetInterpreter::RunCaller(
    ops::Caller caller, const Instruction& instruction,
    const std::vector<std::vector<SetValue>>& operands, const Walk& walk) {
  switch (caller) {
    case ops::Caller::kCall:
      return Run(*instruction.CalledComputation(Attr::kToApply), operands, walk);
    case ops::Caller::kFusion:
      return Run(*instruction.CalledComputation(Attr::kCalls), operands, walk);
    case ops::Caller::kConditional:
      return RunConditional(instruction, operands, walk);
    case ops::Caller::kWhile:
      return RunWhile(instruction, operands, walk);
  }
  HLOCTS_UNREACHABLE();
}

// The start step computes the result; the other steps return their operand.
absl::StatusOr<std::vector<SetValue>> SetInterpreter::RunAsync(
    ops::AsyncStep step, const Instruction& instruction,
    const std::vector<std::vector<SetValue>>& operands, const Walk& walk) {
  if (step == ops::AsyncStep::kAsyncStart)
    return Run(*instruction.CalledComputation(Attr::kCalls), operands, walk);
  std::vector<SetValue> results;
  for (const auto& device : operands) results.push_back(device[0]);
  return results;
}

absl::StatusOr<std::vector<SetValue>> SetInterpreter::RunHandler(
    const Instruction& instruction, const std::vector<std::vector<SetValue>>& operands,
    const Walk& walk) {
  SetHandler handler = SetHandlerOf(instruction.opcode());
  if (handler == nullptr) {
    return Unsupported(instruction.name(), ": no acceptance sets for opcode ",
                       OpcodeName(instruction.opcode()));
  }
  std::vector<SetValue> results;
  for (size_t d = 0; d < walk.devices.size(); ++d) {
    current_device_ = walk.devices[d];
    HLOCTS_ASSIGN_OR_RETURN(SetValue result,
                            handler(*this, instruction, instruction.shape(), operands[d]));
    if (remainders_.Concerns(instruction))
      remainders_.Pass(*this, instruction, operands[d], result);
    const AccumulatedSums sums = std::exchange(result.sums, {});
    if (walk.observer != nullptr) walk.observer->Record(instruction, operands[d], sums, result);
    results.push_back(std::move(result));
  }
  KeepConstant(instruction, results);
  return results;
}

// Keeps the result of a constant, and of a movement of few constant elements.
void SetInterpreter::KeepConstant(const Instruction& instruction,
                                  const std::vector<SetValue>& results) {
  constexpr int64_t kKept = 1024;
  const Family family = RowOf(instruction.opcode()).family;
  const bool moves = family == Family::kMovement && instruction.operand_count() > 0;
  if (!moves && instruction.opcode() != Opcode::kConstant) return;
  const Computation* parent = instruction.parent();
  if (parent == nullptr || parent->parent() != &module_ || !RewritesOf(*parent).empty()) return;
  for (const Instruction* operand : instruction.operands()) {
    if (!constants_.contains(operand)) return;
  }
  const SetValue& value = results[0];
  if (!value.IsArray() || value.array.element_count() > kKept) return;
  constants_.emplace(&instruction, value);
}

absl::StatusOr<std::vector<SetValue>> SetInterpreter::RunInstruction(
    const Instruction& instruction, const std::vector<std::vector<SetValue>>& operands,
    const Walk& walk) {
  const auto kept = constants_.find(&instruction);
  if (kept != constants_.end()) return std::vector<SetValue>(walk.devices.size(), kept->second);
  bool calls = RowOf(instruction.opcode()).family == Family::kControlFlow &&
               instruction.opcode() != Opcode::kCustomCall && IsPlain(instruction);
  if (calls && walk.devices.size() == 1 &&
      std::all_of(operands[0].begin(), operands[0].end(), IsFullyKnown)) {
    HLOCTS_ASSIGN_OR_RETURN(Literal plain,
                            runner_.Run(instruction, instruction.shape(), Literals(operands[0])));
    return std::vector<SetValue>{ExactValue(plain)};
  }
  const Opcode opcode = instruction.opcode();
  if (const std::optional<ops::Caller> caller = ops::CallerOf(opcode))
    return RunCaller(*caller, instruction, operands, walk);
  if (const std::optional<ops::AsyncStep> step = ops::AsyncStepOf(opcode))
    return RunAsync(*step, instruction, operands, walk);
  if (IsCollective(instruction.opcode())) {
    return CollectiveSets(*this, instruction, operands, walk.devices);
  }
  if (ShardingCallOf(instruction)) {
    return ShardingCallSets(*this, instruction, operands, walk.devices);
  }
  if (NothingToCompute(instruction)) {
    return std::vector<SetValue>(walk.devices.size(),
                                 ExactValue(Literal::Uninitialized(instruction.shape())));
  }
  return RunHandler(instruction, operands, walk);
}

}  // namespace hlocts::reference
