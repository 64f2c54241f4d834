#include "reference/judge/set_interpreter.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "reference/judge/handlers.h"
#include "reference/ops/collective.h"

namespace hlocts {
namespace {

// Deeper than any module a stack is made for (deep_stack.h): only a cycle of calls gets there.
constexpr int kDepthMax = 20'000;
constexpr int kUncertainTrips = 16;

struct HandlerRow {
  Opcode opcode;
  SetHandler handler;
};
constexpr HandlerRow kHandlers[] = {
#define HLOCTS_SET_HANDLER(Name, function) {Opcode::k##Name, function},
#include "reference/judge/set_handlers.def"
#undef HLOCTS_SET_HANDLER
};

EvalOptions RunnerOptions(const JudgeOptions& options) {
  EvalOptions eval;
  eval.steps_max = options.steps_max;
  eval.memory_bytes_max = options.memory_bytes_max;
  eval.rng_seed = options.rng_seed;
  eval.custom_calls = options.custom_calls;
  return eval;
}

// Values pass through these without arithmetic, hull and all.
bool PassesHull(const Instruction& user) {
  const OpRow& row = RowOf(user.opcode());
  switch (row.family) {
    case Family::kMovement:
    case Family::kTuple:
    case Family::kIndexing:
    case Family::kControlFlow:
    case Family::kCollective:
    case Family::kDynamicSize:
    case Family::kAsync:
    case Family::kReduction:
      return true;
    default:
      return user.opcode() == Opcode::kSelect || user.opcode() == Opcode::kNegate ||
             user.opcode() == Opcode::kComplex || user.opcode() == Opcode::kReal ||
             user.opcode() == Opcode::kImag || user.opcode() == Opcode::kConvert;
  }
}

uint8_t DirectUse(const Instruction& user) {
  switch (RowOf(user.opcode()).accuracy) {
    case AccuracyRule::kAddSubtract:
    case AccuracyRule::kReduction:
    case AccuracyRule::kScatter:
    case AccuracyRule::kSelectAndScatter:
    case AccuracyRule::kCollectiveReduction:
    case AccuracyRule::kBatchNorm:
      return kHullContract;
    case AccuracyRule::kConvert:
      return kHullWiden;
    default:
      return kHullUnused;
  }
}

}  // namespace

SetHandler SetHandlerOf(Opcode opcode) {
  for (const HandlerRow& row : kHandlers) {
    if (row.opcode == opcode) return row.handler;
  }
  return IsElementwiseSetOpcode(opcode) ? ElementwiseSets : nullptr;
}

SetInterpreter::SetInterpreter(const Module& module, const JudgeOptions& options)
    : module_(module), options_(options), runner_(RunnerOptions(options)) {
  origins_.push_back({});
  infeed_used_.resize(options.replicas * options.partitions);
}

uint32_t SetInterpreter::OriginOf(const Instruction& instruction, const Rule& rule) {
  auto [found, inserted] =
      origin_of_.try_emplace(&instruction, static_cast<uint32_t>(origins_.size()));
  if (inserted) {
    const OpRow& row = RowOf(instruction.opcode());
    origins_.push_back({instruction.name(), std::string(OpcodeName(instruction.opcode())),
                        RuleText(rule), std::string(row.clauses)});
  }
  return found->second;
}

SetContext SetInterpreter::ContextOf(const Instruction& instruction, PrimitiveType operand,
                                     PrimitiveType result) {
  SetContext context;
  if (IsFloat(operand) || IsComplex(operand)) context.operand = &FactsOf(operand);
  if (IsFloat(result) || IsComplex(result)) context.result = &FactsOf(result);
  if (context.operand == nullptr) context.operand = context.result;
  context.rule = instruction.opcode() == Opcode::kConvert
                     ? ConvertRule(operand, result, profile())
                     : RuleFor(instruction.opcode(), operand, profile());
  context.guard = RangeGuardOf(instruction.opcode());
  context.origin = OriginOf(instruction, context.rule);
  context.rigorous = rigorous();
  return context;
}

void SetInterpreter::AnalyzeHulls(const Computation& computation) {
  const auto& instructions = computation.instructions();
  bool entry = &computation == module_.entry();
  for (const auto& instruction : instructions) hull_use_[instruction.get()] = kHullUnused;
  if (!entry && computation.root() != nullptr) hull_use_[computation.root()] = kHullAny;
  for (auto it = instructions.rbegin(); it != instructions.rend(); ++it) {
    const Instruction& user = **it;
    uint8_t use = DirectUse(user) | (PassesHull(user) ? hull_use_[&user] : 0);
    // What a called computation does with its parameters is not looked into.
    if (!user.called_computations().empty()) use = kHullAny;
    for (const Instruction* operand : user.operands()) hull_use_[operand] |= use;
  }
}

HullUse SetInterpreter::HullUseOf(const Instruction& instruction) {
  if (profile() == Profile::kRelaxed) return kHullAny;
  if (profile() == Profile::kStrict) return kHullUnused;
  auto found = hull_use_.find(&instruction);
  if (found == hull_use_.end()) {
    if (instruction.parent() == nullptr) return kHullAny;
    AnalyzeHulls(*instruction.parent());
    found = hull_use_.find(&instruction);
    if (found == hull_use_.end()) return kHullAny;
  }
  return static_cast<HullUse>(found->second);
}

absl::Status SetInterpreter::ChargeStep() {
  if (++steps_ <= options_.steps_max) return absl::OkStatus();
  return absl::DeadlineExceededError(
      absl::StrCat("the loop budget of ", options_.steps_max, " trips is used up"));
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

absl::StatusOr<std::vector<SetValue>> SetInterpreter::Run(
    const Computation& computation, std::vector<std::vector<SetValue>> arguments,
    const std::vector<int64_t>& devices) {
  if (++depth_ > kDepthMax) {
    --depth_;
    return absl::ResourceExhaustedError("calls nested too deep for the judge");
  }
  const auto& instructions = computation.instructions();
  std::vector<std::vector<SetValue>> values(instructions.size());
  std::vector<int64_t> uses(instructions.size(), 0);
  for (const auto& instruction : instructions) {
    for (const Instruction* operand : instruction->operands()) ++uses[operand->index()];
  }
  ++uses[computation.root()->index()];
  for (const RewriteMatch& match : RewritesOf(computation)) {
    for (const Instruction* operand : match.operands) ++uses[operand->index()];
  }
  for (const auto& instruction : instructions) {
    std::vector<SetValue>& out = values[instruction->index()];
    if (instruction->opcode() == Opcode::kParameter) {
      for (auto& device : arguments) out.push_back(device[instruction->parameter_number()]);
      continue;
    }
    std::vector<std::vector<SetValue>> operands(devices.size());
    for (const Instruction* operand : instruction->operands()) {
      bool last = --uses[operand->index()] == 0;
      for (size_t d = 0; d < devices.size(); ++d) {
        SetValue& from = values[operand->index()][d];
        operands[d].push_back(last ? std::move(from) : from);
      }
      if (last) values[operand->index()].clear();
    }
    auto result = RunInstruction(*instruction, operands, devices);
    absl::Status status = result.status();
    if (status.ok()) status = JoinRewrites(*instruction, values, devices, *result);
    if (!status.ok()) {
      --depth_;
      return status;
    }
    out = *std::move(result);
  }
  --depth_;
  return std::move(values[computation.root()->index()]);
}

namespace {

bool Certain(PrimitiveType type) { return !IsFloat(type) && !IsComplex(type); }

// Moves of any type, and integer operations without a freedom.
bool CertainOperation(const Instruction& instruction) {
  const OpRow& row = RowOf(instruction.opcode());
  bool sorted = instruction.BoolOr(Attr::kIndicesAreSorted, false);
  switch (row.family) {
    case Family::kMovement:
    case Family::kTuple:
      return true;
    case Family::kIndexing:
      return instruction.opcode() != Opcode::kScatter && !sorted;
    case Family::kLeaf:
      return true;
    case Family::kElementwiseUnary:
    case Family::kElementwiseBinary:
    case Family::kElementwiseOther:
      break;
    default:
      return false;
  }
  if (instruction.opcode() == Opcode::kSelect) return true;
  bool open = row.freedom != Freedom::kNone && instruction.opcode() != Opcode::kConvert;
  if (open || !Certain(instruction.shape().element_type())) return false;
  for (const Instruction* operand : instruction.operands()) {
    if (!Certain(operand->shape().element_type())) return false;
  }
  return true;
}

}  // namespace

bool SetInterpreter::IsPlain(const Computation& computation) {
  auto [found, inserted] = plain_.try_emplace(&computation, true);
  if (!inserted) return found->second;
  bool plain = true;
  for (const auto& instruction : computation.instructions()) {
    plain = plain && IsPlain(*instruction);
  }
  plain_[&computation] = plain;
  return plain;
}

bool SetInterpreter::IsPlain(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kCall:
    case Opcode::kFusion:
    case Opcode::kWhile:
    case Opcode::kConditional:
      break;
    default:
      return CertainOperation(instruction);
  }
  for (const Computation* called : instruction.called_computations()) {
    if (!IsPlain(*called)) return false;
  }
  return true;
}

absl::StatusOr<Literal> SetInterpreter::RunElementwise(const Instruction& instruction,
                                                       const Shape& shape,
                                                       absl::Span<const SetValue> operands) {
  bool direct = IsElementwise(instruction.opcode());
  int64_t count = shape.ElementCount();
  const void* data[3] = {};
  for (size_t i = 0; i < operands.size() && direct; ++i) {
    const SetArray& array = operands[i].array;
    direct = i < 3 && array.runtime_sizes.empty() && array.element_count() == count;
    if (direct) data[i] = array.literal().raw_data();
  }
  if (!direct || count == 0) return runner_.Run(instruction, shape, Literals(operands));
  auto found = kernels_.find(&instruction);
  if (found == kernels_.end()) {
    HLOCTS_ASSIGN_OR_RETURN(ElementwiseOp kernel, ResolveElementwise(instruction));
    found = kernels_.emplace(&instruction, kernel).first;
  }
  Literal result(shape);
  found->second(data, result.mutable_raw_data(), count);
  return result;
}

absl::StatusOr<SetValue> SetInterpreter::Call(const Computation& computation,
                                              std::vector<SetValue> arguments) {
  std::vector<std::vector<SetValue>> one;
  one.push_back(std::move(arguments));
  HLOCTS_ASSIGN_OR_RETURN(std::vector<SetValue> results,
                          Run(computation, std::move(one), {current_device_}));
  return std::move(results[0]);
}

absl::StatusOr<std::vector<SetValue>> SetInterpreter::RunInstruction(
    const Instruction& instruction, const std::vector<std::vector<SetValue>>& operands,
    const std::vector<int64_t>& devices) {
  bool calls = RowOf(instruction.opcode()).family == Family::kControlFlow &&
               instruction.opcode() != Opcode::kCustomCall && IsPlain(instruction);
  if (calls && devices.size() == 1 &&
      std::all_of(operands[0].begin(), operands[0].end(), IsFullyKnown)) {
    HLOCTS_ASSIGN_OR_RETURN(Literal plain,
                            runner_.Run(instruction, instruction.shape(), Literals(operands[0])));
    return std::vector<SetValue>{ExactValue(plain)};
  }
  switch (instruction.opcode()) {
    case Opcode::kCall:
      return Run(*instruction.CalledComputation(Attr::kToApply), operands, devices);
    case Opcode::kFusion:
    case Opcode::kAsyncStart:
      return Run(*instruction.CalledComputation(Attr::kCalls), operands, devices);
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone: {
      std::vector<SetValue> results;
      for (const auto& device : operands) results.push_back(device[0]);
      return results;
    }
    case Opcode::kConditional:
      return RunConditional(instruction, operands, devices);
    case Opcode::kWhile:
      return RunWhile(instruction, operands, devices);
    default:
      break;
  }
  if (IsCollective(instruction.opcode())) {
    return CollectiveSets(*this, instruction, operands, devices);
  }
  SetHandler handler = SetHandlerOf(instruction.opcode());
  if (handler == nullptr) {
    return Unsupported(instruction.name(), ": no acceptance sets for opcode ",
                       OpcodeName(instruction.opcode()));
  }
  std::vector<SetValue> results;
  for (size_t d = 0; d < devices.size(); ++d) {
    current_device_ = devices[d];
    HLOCTS_ASSIGN_OR_RETURN(SetValue result,
                            handler(*this, instruction, instruction.shape(), operands[d]));
    results.push_back(std::move(result));
  }
  return results;
}

namespace {

// Branches that the index may select, clamped to the last one as the clause says.
std::vector<int64_t> PossibleBranches(const Instruction& instruction, const SetValue& selector,
                                      int64_t branches) {
  AcceptanceSet s = selector.array.At(0);
  bool pred = selector.array.element_type() == PrimitiveType::kPred;
  std::vector<int64_t> possible;
  for (int64_t b = 0; b < branches; ++b) {
    Int128 value = pred ? 1 - b : b;  // true_computation is branch 0
    bool chosen = s.unspecified() || (s.ilo <= value && value <= s.ihi);
    if (!pred && b == branches - 1) chosen = chosen || s.ilo < 0 || s.ihi >= branches;
    if (chosen) possible.push_back(b);
  }
  return possible;
}

std::vector<Computation*> BranchesOf(const Instruction& instruction) {
  if (const auto* list = instruction.Get<std::vector<Computation*>>(Attr::kBranchComputations)) {
    return *list;
  }
  return {instruction.CalledComputation(Attr::kTrueComputation),
          instruction.CalledComputation(Attr::kFalseComputation)};
}

bool HasSideEffects(const Computation& computation) {
  for (const auto& instruction : computation.instructions()) {
    Opcode opcode = instruction->opcode();
    if (IsCollective(opcode) || opcode == Opcode::kInfeed || opcode == Opcode::kOutfeed ||
        opcode == Opcode::kSend || opcode == Opcode::kRecvDone) {
      return true;
    }
    for (const Computation* called : instruction->called_computations()) {
      if (HasSideEffects(*called)) return true;
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<std::vector<SetValue>> SetInterpreter::RunConditional(
    const Instruction& instruction, const std::vector<std::vector<SetValue>>& operands,
    const std::vector<int64_t>& devices) {
  std::vector<Computation*> branches = BranchesOf(instruction);
  std::vector<SetValue> results(devices.size());
  std::vector<bool> done(devices.size(), false);
  for (size_t d = 0; d < devices.size(); ++d) {
    if (done[d]) continue;
    auto possible = PossibleBranches(instruction, operands[d][0], branches.size());
    // Devices that take the same branch take it together.
    std::vector<int64_t> together;
    std::vector<size_t> places;
    for (size_t e = d; e < devices.size(); ++e) {
      if (PossibleBranches(instruction, operands[e][0], branches.size()) != possible) continue;
      together.push_back(devices[e]);
      places.push_back(e);
      done[e] = true;
    }
    bool first = true;
    for (int64_t b : possible) {
      if (possible.size() > 1 && HasSideEffects(*branches[b])) {
        return Unsupported(instruction.name(), ": an uncertain branch has side effects");
      }
      std::vector<std::vector<SetValue>> arguments;
      for (size_t place : places) arguments.push_back({operands[place][1 + b]});
      HLOCTS_ASSIGN_OR_RETURN(std::vector<SetValue> values,
                              Run(*branches[b], std::move(arguments), together));
      for (size_t k = 0; k < places.size(); ++k) {
        results[places[k]] = first ? values[k] : JoinValues(results[places[k]], values[k]);
      }
      first = false;
    }
  }
  return results;
}

absl::StatusOr<SetValue> SetInterpreter::WhileOneDevice(const Instruction& instruction,
                                                        SetValue state) {
  const Computation& condition = *instruction.CalledComputation(Attr::kCondition);
  const Computation& body = *instruction.CalledComputation(Attr::kBody);
  bool left = false;
  SetValue exits;
  for (int uncertain = 0;;) {
    HLOCTS_RETURN_IF_ERROR(ChargeStep());
    HLOCTS_ASSIGN_OR_RETURN(SetValue again, Call(condition, {state}));
    AcceptanceSet s = again.array.At(0);
    bool may_stop = s.unspecified() || s.ilo == 0, may_go = s.unspecified() || s.ihi == 1;
    if (may_stop) {
      exits = left ? JoinValues(exits, state) : state;
      left = true;
    }
    if (!may_go) return exits;
    if (may_stop && (++uncertain > kUncertainTrips || HasSideEffects(body))) {
      return UnspecifiedResult(*this, instruction, instruction.shape(), Term::kJump);
    }
    HLOCTS_ASSIGN_OR_RETURN(state, Call(body, {std::move(state)}));
  }
}

absl::StatusOr<std::vector<SetValue>> SetInterpreter::RunWhile(
    const Instruction& instruction, std::vector<std::vector<SetValue>> operands,
    const std::vector<int64_t>& devices) {
  const Computation& condition = *instruction.CalledComputation(Attr::kCondition);
  const Computation& body = *instruction.CalledComputation(Attr::kBody);
  std::vector<SetValue> results;
  if (devices.size() == 1 || !(HasSideEffects(body) || HasSideEffects(condition))) {
    for (size_t d = 0; d < devices.size(); ++d) {
      current_device_ = devices[d];
      HLOCTS_ASSIGN_OR_RETURN(SetValue result,
                              WhileOneDevice(instruction, std::move(operands[d][0])));
      results.push_back(std::move(result));
    }
    return results;
  }
  // Devices that talk to each other inside the loop have to make the same number of trips.
  while (true) {
    HLOCTS_RETURN_IF_ERROR(ChargeStep());
    HLOCTS_ASSIGN_OR_RETURN(std::vector<SetValue> again, Run(condition, operands, devices));
    int64_t going = 0;
    for (const SetValue& value : again) {
      AcceptanceSet s = value.array.At(0);
      if (s.unspecified() || s.ilo != s.ihi) {
        return Unsupported(instruction.name(), ": an uncertain loop has side effects");
      }
      going += s.ilo == 1;
    }
    if (going != 0 && going != static_cast<int64_t>(devices.size())) {
      return Unsupported(instruction.name(), ": devices leave a loop with side effects apart");
    }
    if (going == 0) break;
    HLOCTS_ASSIGN_OR_RETURN(std::vector<SetValue> next, Run(body, std::move(operands), devices));
    operands.clear();
    for (SetValue& value : next) operands.push_back({std::move(value)});
  }
  for (auto& device : operands) results.push_back(std::move(device[0]));
  return results;
}

namespace {

// A scalar value as an array of `lanes`, the same in each.
SetValue Spread(const SetValue& scalar, const Shape& lanes) {
  const SetArray& array = scalar.array;
  Shape shape(array.element_type(), lanes.dimensions());
  std::vector<AcceptanceSet> sets;
  for (int64_t i = 0; i < shape.ElementCount(); ++i) {
    for (int c = 0; c < array.components(); ++c) sets.push_back(array.At(0, c));
  }
  return Compress(SetArray(shape, std::move(sets)));
}

Shape LaneShape(const Shape& shape, const Shape& lanes) {
  if (!shape.IsTuple()) return Shape(shape.element_type(), lanes.dimensions());
  std::vector<Shape> elements;
  for (const Shape& element : shape.tuple_shapes()) elements.push_back(LaneShape(element, lanes));
  return Shape::Tuple(std::move(elements));
}

}  // namespace

absl::StatusOr<SetValue> SetInterpreter::CallLanes(const Computation& computation,
                                                   absl::Span<const SetValue> arguments,
                                                   const Shape& lanes) {
  std::vector<SetValue> values(computation.instructions().size());
  for (const auto& instruction : computation.instructions()) {
    SetValue& out = values[instruction->index()];
    std::vector<SetValue> operands;
    for (const Instruction* operand : instruction->operands()) {
      operands.push_back(values[operand->index()]);
    }
    Shape shape = LaneShape(instruction->shape(), lanes);
    Opcode opcode = instruction->opcode();
    if (opcode == Opcode::kParameter) {
      out = arguments[instruction->parameter_number()];
    } else if (opcode == Opcode::kConstant || opcode == Opcode::kIota) {
      HLOCTS_ASSIGN_OR_RETURN(SetValue scalar,
                              SetHandlerOf(opcode)(*this, *instruction, instruction->shape(), {}));
      out = Spread(scalar, lanes);
    } else if (opcode == Opcode::kCall || opcode == Opcode::kFusion) {
      Attr attr = opcode == Opcode::kCall ? Attr::kToApply : Attr::kCalls;
      HLOCTS_ASSIGN_OR_RETURN(out,
                              CallLanes(*instruction->CalledComputation(attr), operands, lanes));
    } else if (IsElementwiseSetOpcode(opcode) || opcode == Opcode::kTuple ||
               opcode == Opcode::kGetTupleElement || opcode == Opcode::kCopy) {
      HLOCTS_ASSIGN_OR_RETURN(out, SetHandlerOf(opcode)(*this, *instruction, shape, operands));
    } else if (opcode == Opcode::kReshape || opcode == Opcode::kBroadcast) {
      out = operands[0];  // of scalars, to a scalar
    } else {
      return UnspecifiedResult(*this, *computation.root(),
                               LaneShape(computation.root()->shape(), lanes), Term::kUnknown);
    }
  }
  return values[computation.root()->index()];
}

}  // namespace hlocts
