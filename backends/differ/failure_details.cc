// SPDX-License-Identifier: Apache-2.0
#include "backends/differ/failure_details.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "reference/eval_hook.h"
#include "reference/evaluator.h"
#include "reference/judge/interpreter/set_value.h"
#include "reference/world/world.h"
#include "reference/world_interface.h"
#include "reports/verdict_parts.h"
#include "spec/cut/cut.h"
#include "spec/ir/index_util.h"
#include "spec/ir/opcode.h"
#include "spec/ir/surgery.h"
#include "spec/judge/choices.h"
#include "spec/judge/element_text.h"
#include "spec/judge/joint.h"
#include "spec/judge/real.h"
#include "spec/ops/op_table.h"
#include "spec/text/printer.h"

namespace hlocts::backends {
namespace {

using Index = std::vector<int64_t>;

constexpr size_t kShown = 6;         // the number of elements read to show
constexpr int64_t kPrintedMax = 16;  // size of the largest operand to print

// Returns the distance from `lo` up to `hi` in steps between adjacent numbers of the format.
double StepsBetween(double lo, double hi, const FloatFacts& facts) {
  return static_cast<double>(Int128{facts.Place(hi)} - facts.Place(lo));
}

std::string StepsText(double steps) {
  if (steps < 1e6) return absl::StrFormat("%.0f ulp%s", steps, steps == 1 ? "" : "s");
  return absl::StrFormat("about 2^%.0f ulps", std::log2(steps));
}

Distance IntegerDistance(const AcceptanceSet& set, const AcceptanceSet& actual) {
  Int128 off = actual.ilo > set.ihi ? actual.ilo - set.ihi : actual.ilo - set.ilo;
  const bool above = off > 0;
  return {absl::StrCat("off by ", above ? "+" : "-", static_cast<uint64_t>(above ? off : -off))};
}

Distance FloatDistance(const AcceptanceSet& set, double actual, PrimitiveType type) {
  const bool infinite = set.Has(AcceptanceSet::kPosInf) || set.Has(AcceptanceSet::kNegInf);
  if (std::isnan(actual))
    return {set.Has(AcceptanceSet::kNan) ? "a NaN with other bits than the accepted one"
                                         : "a NaN, where none is accepted",
            true};
  if (!set.finite() && !infinite) return {"a number, where only NaN is accepted", true, true};
  if (std::isinf(actual) && infinite) return {"an infinity of the sign that is not accepted", true};
  if (!set.finite())
    return {absl::StrCat("a finite number, where only an infinity ",
                         set.Has(AcceptanceSet::kNan) ? "or NaN is accepted" : "is accepted"),
            true};
  if (std::isinf(actual)) return {"an infinity, where none is accepted", true};
  // The bounds are rounded inward, because the type may be unable to represent them.
  const FloatFacts& facts = FactsOf(type);
  if (actual > set.hi) {
    return {StepsText(StepsBetween(facts.RoundDown(set.hi), actual, facts)) +
            " above the largest accepted" + (infinite ? " finite value" : " value")};
  }
  if (actual < set.lo) {
    return {StepsText(StepsBetween(actual, facts.RoundUp(set.lo), facts)) +
            " below the least accepted" + (infinite ? " finite value" : " value")};
  }
  if (actual != 0) return {};
  const char* zero = set.Has(AcceptanceSet::kNegZero)   ? "-0"
                     : set.Has(AcceptanceSet::kPosZero) ? "+0"
                                                        : nullptr;
  if (zero == nullptr) return {"zero, which is not accepted", true};
  return {absl::StrCat("the only accepted ", set.lo == set.hi ? "value" : "zero", " is ", zero),
          true};
}

Distance ComponentDistance(const AcceptanceSet& set, const Literal& actual, int64_t index,
                           int component) {
  if (set.unspecified() || Accepts(set, actual, index, component)) return {};
  if (actual.element_type() == PrimitiveType::kPred) return {};
  if (set.integer()) return IntegerDistance(set, PointOf(actual, index, component));
  return FloatDistance(set, RealAt(actual, index, component), ComponentType(actual.element_type()));
}

const Instruction* FindInstruction(const Computation& computation, const std::string& name) {
  for (const auto& instruction : computation.instructions()) {
    if (instruction->name() == name) return instruction.get();
  }
  return nullptr;
}

// Traces the index of the failing output back to the instruction `blamed`, through data movement
// and elementwise instructions. Returns nullopt if that instruction is not on the path.
std::optional<Index> IndexAt(const Instruction& blamed, const Instruction& at, const Index& index,
                             int depth) {
  constexpr int kDepthMax = 64;
  if (&at == &blamed) return index;
  if (depth > kDepthMax || at.opcode() == Opcode::kReduce || at.opcode() == Opcode::kDot)
    return std::nullopt;
  for (size_t i = 0; i < at.operands().size(); ++i) {
    auto read = ElementsRead(at, i, index);
    if (!read || read->size() != 1) continue;
    const Instruction& operand = at.operand(static_cast<int64_t>(i));
    auto found =
        IndexAt(blamed, operand, MultiIndex((*read)[0], operand.shape().dimensions()), depth + 1);
    if (found) return found;
  }
  return std::nullopt;
}

// A device, and the calls and fusions that lead from the entry computation to an instruction.
struct CallPlace {
  int64_t device = 0;
  std::vector<const Instruction*> path = {};
  auto operator<=>(const CallPlace& other) const = default;
};

// Follows the calls of an evaluation, on each device.
class CallHook : public reference::EvalHook {
 public:
  absl::Status BeforeInstruction(reference::EvalContext& context, const Instruction& instruction,
                                 absl::Span<Literal> operands) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    CallPlace& place = PlaceOf(context);
    HLOCTS_RETURN_IF_ERROR(Before(place, instruction, operands));
    if (InlinedBody(instruction) != nullptr) place.path.push_back(&instruction);
    return absl::OkStatus();
  }
  absl::Status AfterInstruction(reference::EvalContext& context, const Instruction& instruction,
                                absl::Span<const Literal>, Literal& value) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    CallPlace& place = PlaceOf(context);
    if (InlinedBody(instruction) != nullptr) place.path.pop_back();
    After(place, instruction, value);
    return absl::OkStatus();
  }

 protected:
  virtual absl::Status Before(const CallPlace&, const Instruction&, absl::Span<const Literal>) {
    return absl::OkStatus();
  }
  virtual void After(const CallPlace&, const Instruction&, const Literal&) {}

 private:
  CallPlace& PlaceOf(reference::EvalContext& context) {
    const reference::DeviceEnvironment* world = context.options().world;
    const int64_t device =
        world == nullptr ? 0
                         : world->replica_id() * world->partition_count() + world->partition_id();
    return places_.try_emplace(device, CallPlace{device}).first->second;
  }

  std::mutex mutex_;
  std::map<int64_t, CallPlace> places_;
};

// Keeps the operands of one instruction at a place, and ends the evaluation there.
class OperandCatcher : public CallHook {
 public:
  OperandCatcher(const Instruction& wanted, CallPlace at) : wanted_(wanted), at_(std::move(at)) {}
  std::vector<Literal> caught;

 protected:
  absl::Status Before(const CallPlace& place, const Instruction& instruction,
                      absl::Span<const Literal> operands) override {
    if (&instruction != &wanted_ || place != at_) return absl::OkStatus();
    caught.assign(operands.begin(), operands.end());
    return absl::CancelledError("caught");
  }

 private:
  const Instruction& wanted_;
  const CallPlace at_;
};

// Evaluates the module on all devices with the hook.
void EvaluateFor(CallHook& hook, const Module& module, const ExecuteRequest& request,
                 const LoadOptions& load) {
  std::vector<std::vector<Literal>> arguments;
  for (const std::vector<Literal>& leaves : request.arguments) {
    auto nested = NestArguments(module, leaves);
    if (!nested.ok()) return;
    arguments.push_back(*std::move(nested));
  }
  reference::EvalOptions options{load};
  options.hook = &hook;
  reference::EvaluateReplicated(module, arguments, {load.replicas, load.partitions, request.infeed},
                                options)
      .IgnoreError();
}

std::string ElementsText(const Literal& operand, const std::vector<int64_t>& elements) {
  std::vector<std::string> shown;
  for (size_t i = 0; i < elements.size() && i < kShown; ++i)
    shown.push_back(ElementText(operand, elements[i]));
  if (elements.size() > kShown) shown.push_back(absl::StrCat("... ", elements.size(), " in all"));
  return absl::StrCat("{", absl::StrJoin(shown, ", "), "}");
}

reports::FailureOperand Describe(const Instruction& instruction, size_t number,
                                 const Literal& value, const Index* index) {
  const Instruction& operand = instruction.operand(static_cast<int64_t>(number));
  reports::FailureOperand text{operand.name(), ""};
  if (!value.shape().IsArray()) {
    text.value = value.shape().ToString(false);
    return text;
  }
  const auto& dimensions = value.shape().dimensions();
  std::optional<std::vector<int64_t>> read;
  if (dimensions.empty()) read = std::vector<int64_t>{0};
  if (!read && index != nullptr && !value.has_runtime_sizes())
    read = ElementsRead(instruction, number, *index);
  if (!read) {
    bool small = value.element_count() <= kPrintedMax;
    text.value = small ? PrintLiteralWithShape(value) : value.shape().ToString(false);
  } else if (read->size() == 1) {
    if (!dimensions.empty())
      absl::StrAppend(&text.name, "[", absl::StrJoin(MultiIndex((*read)[0], dimensions), ","), "]");
    text.value = ElementText(value, (*read)[0]);
  } else if (!read->empty()) {
    text.value = ElementsText(value, *read);
  }
  return text;
}

// Returns the reference's values of the operands of an instruction; none if they are unknown.
std::vector<Literal> OperandValues(const Instruction& instruction, const CallPlace& place,
                                   const Module& module, const ExecuteRequest& request,
                                   const LoadOptions& load) {
  OperandCatcher catcher(instruction, place);
  EvaluateFor(catcher, module, request, load);
  return std::move(catcher.caught);
}

// Returns the operands of an instruction that affect its element at `index`.
std::vector<reports::FailureOperand> OperandsAt(const Instruction& instruction,
                                                const CallPlace& place, const Index* index,
                                                const Module& module, const ExecuteRequest& request,
                                                const LoadOptions& load) {
  const std::vector<Literal> values = OperandValues(instruction, place, module, request, load);
  std::vector<reports::FailureOperand> operands;
  for (size_t i = 0; i < values.size() && i < kShown; ++i) {
    operands.push_back(Describe(instruction, i, values[i], index));
    if (operands.back().value.empty()) operands.pop_back();
  }
  return operands;
}

}  // namespace

std::optional<CutValue> ProducerOf(const Module& module, int64_t number) {
  const Instruction& root = *module.entry()->root();
  std::optional<CutValue> found;
  int64_t leaf = 0;
  ForEachLeaf(root.shape(), [&](const Shape&, const ShapeIndex& path) {
    if (leaf++ == number) found = ResolveValue(root, path);
  });
  return found;
}

Distance DistanceOf(const SetArray& set, const Literal& actual, int64_t index) {
  if (set.joint != nullptr || index >= actual.element_count()) return {};
  Distance distance;
  for (int c = 0; c < set.components(); ++c) {
    const Distance one = ComponentDistance(set.At(index, c), actual, index, c);
    if (one.text.empty()) continue;
    const bool first = distance.text.empty();
    distance.categorical = one.categorical && (first || distance.categorical);
    distance.only_nan = one.only_nan && (first || distance.only_nan);
    absl::StrAppend(&distance.text, first ? "" : "; ",
                    set.components() == 1 ? ""
                    : c == 0              ? "real part "
                                          : "imaginary part ",
                    one.text);
  }
  return distance;
}

namespace {

// Returns the entry of a table whose ids begin at 1.
template <typename T>
const T* EntryOf(const std::vector<T>& table, int64_t id) {
  return id >= 1 && id <= static_cast<int64_t>(table.size()) ? &table[static_cast<size_t>(id - 1)]
                                                             : nullptr;
}

std::string SourceOf(const StackFrameIndex& tables, const OpMetadata& metadata) {
  if (const auto* frame = EntryOf(tables.stack_frames, metadata.stack_frame_id)) {
    if (const auto* location = EntryOf(tables.file_locations, frame->file_location_id)) {
      const std::string* file = EntryOf(tables.file_names, location->file_name_id);
      const std::string* function = EntryOf(tables.function_names, location->function_name_id);
      if (file != nullptr) {
        return absl::StrCat(*file, ":", location->line,
                            function == nullptr ? "" : absl::StrCat(" (", *function, ")"));
      }
    }
  }
  if (!metadata.source_file.empty())
    return absl::StrCat(metadata.source_file, ":", metadata.source_line);
  return metadata.op_name;
}

}  // namespace

std::string SourceOf(const Module& module, const std::string& instruction,
                     absl::string_view operation) {
  const Instruction* found = FindInstruction(module, instruction, operation);
  const OpMetadata* metadata = found ? found->Get<OpMetadata>(Attr::kMetadata) : nullptr;
  return metadata ? SourceOf(module.stack_frame_index, *metadata) : "";
}

const Instruction* FindInstruction(const Module& module, const std::string& name,
                                   absl::string_view operation) {
  const Instruction* first = nullptr;
  for (const auto& computation : module.computations()) {
    const Instruction* found = FindInstruction(*computation, name);
    if (found == nullptr) continue;
    if (OpcodeName(found->opcode()) == operation.substr(0, operation.find(':')) ||
        RowOf(found->opcode()).clauses == operation)
      return found;
    if (first == nullptr) first = found;
  }
  return first;
}

std::string OperationOf(const Module& module, const std::string& instruction,
                        absl::string_view operation) {
  const Instruction* found = FindInstruction(module, instruction, operation);
  if (found == nullptr) return "";
  std::string key(OpcodeName(found->opcode()));
  for (Attr variant : {Attr::kDirection, Attr::kFftType, Attr::kDistribution}) {
    absl::string_view word = found->WordOr(variant, "");
    if (!word.empty()) absl::StrAppend(&key, ":", word);
  }
  const bool is_float = !found->operands().empty() && found->operand(0).shape().IsArray() &&
                        IsFloat(found->operand(0).shape().element_type());
  if (is_float && found->WordOr(Attr::kType, "") == "TOTALORDER") key += ":TOTALORDER";
  return key;
}

std::string TypeOf(const Module& module, const std::string& instruction,
                   absl::string_view operation) {
  const Instruction* found = FindInstruction(module, instruction, operation);
  if (found == nullptr) return "";
  const Shape& shape = found->operands().empty() ? found->shape() : found->operand(0).shape();
  return shape.IsArray() ? std::string(PrimitiveTypeName(shape.element_type())) : "";
}

namespace {

bool IsNanAt(const Literal& value, int64_t element) {
  for (int c = 0; c < (IsComplex(value.element_type()) ? 2 : 1); ++c)
    if (std::isnan(RealAt(value, element, c))) return true;
  return false;
}

std::optional<int64_t> FirstNan(const Literal& value) {
  if (!value.shape().IsArray() || !IsFloat(ComponentType(value.element_type())))
    return std::nullopt;
  for (int64_t i = 0; i < value.element_count(); ++i)
    if (IsNanAt(value, i)) return i;
  return std::nullopt;
}

// Keeps the values that contain a NaN, by the place of their instruction.
class NanCatcher : public CallHook {
 public:
  std::map<std::pair<CallPlace, const Instruction*>, Literal> caught;

  const Literal* Find(const CallPlace& place, const Instruction* instruction) const {
    const auto found = caught.find({place, instruction});
    return found == caught.end() ? nullptr : &found->second;
  }

 protected:
  void After(const CallPlace& place, const Instruction& instruction,
             const Literal& value) override {
    if (FirstNan(value)) caught.insert_or_assign({place, &instruction}, value);
  }
};

// Returns an array with NaN where the sets permit one; nullopt if they permit none.
std::optional<Literal> PermittedNans(const SetArray& set) {
  if (!IsFloat(ComponentType(set.element_type()))) return std::nullopt;
  Literal nans(Shape(PrimitiveType::kF32, set.shape().dimensions()));
  for (int64_t i = 0; i < set.element_count(); ++i) {
    for (int c = 0; c < set.components(); ++c)
      if (set.At(i, c).Has(AcceptanceSet::kNan | AcceptanceSet::kUnspecified))
        nans.mutable_data<float>()[i] = std::nanf("");
  }
  if (!FirstNan(nans)) return std::nullopt;
  return nans;
}

struct NanElement {
  const Instruction* instruction;
  int64_t element;
  CallPlace place = {};
};

// Returns `at`, an element of `value`, as an element of the instruction that computed it. A part of
// a tuple may have been computed in a called computation.
std::optional<NanElement> ElementOf(CutValue value, NanElement at) {
  while (!value.index.empty()) {
    const Computation* callee = InlinedBody(*value.instruction);
    if (callee == nullptr) return std::nullopt;
    at.place.path.push_back(value.instruction);
    value = ResolveValue(*callee->root(), value.index);
  }
  at.instruction = value.instruction;
  return at;
}

// Returns the operand element that is NaN and determines this element.
std::optional<NanElement> NanOperand(const NanElement& at, const NanCatcher& values,
                                     const reference::DeviceGrid& devices) {
  const DeviceElement result{at.instruction, at.element, at.place.device};
  for (size_t i = 0; i < at.instruction->operands().size(); ++i) {
    const Instruction* operand = at.instruction->operands()[i];
    for (const auto& [device, elements] : ReadsOf(result, i, devices)) {
      const CallPlace place{device, at.place.path};
      const Literal* value = values.Find(place, operand);
      if (value == nullptr) continue;
      if (!elements) return NanElement{operand, *FirstNan(*value), place};
      for (const int64_t element : *elements) {
        if (IsNanAt(*value, element)) return NanElement{operand, element, place};
      }
    }
  }
  return std::nullopt;
}

// Returns the NaN from which this one was computed or copied: in the called computation, in the
// argument of a call, or in an operand.
std::optional<NanElement> NanBefore(const NanElement& at, const NanCatcher& values,
                                    const reference::DeviceGrid& devices) {
  if (const Computation* callee = InlinedBody(*at.instruction)) {
    NanElement inside{callee->root(), at.element, at.place};
    inside.place.path.push_back(at.instruction);
    if (values.Find(inside.place, inside.instruction)) return inside;
  }
  if (at.instruction->IsParameter() && !at.place.path.empty()) {
    NanElement outside{at.place.path.back()->operands()[at.instruction->parameter_number()],
                       at.element, at.place};
    outside.place.path.pop_back();
    if (values.Find(outside.place, outside.instruction)) return outside;
  }
  if (at.instruction->opcode() == Opcode::kGetTupleElement) {
    auto part = ElementOf(ResolveValue(*at.instruction), at);
    if (part && values.Find(part->place, part->instruction)) return part;
  }
  return NanOperand(at, values, devices);
}

// Calls `see` with each instruction that runs in a walk with sets, its place, operands and result.
void WalkSets(const SetWalk& walk, const std::function<void(const CallPlace&, const Instruction&,
                                                            absl::Span<const reference::SetValue>,
                                                            const reference::SetValue&)>& see) {
  std::map<int64_t, CallPlace> places;
  walk([&](const Instruction& instruction, int64_t device,
           absl::Span<const reference::SetValue> operands, const reference::SetValue* result) {
    CallPlace& place = places.try_emplace(device, CallPlace{device}).first->second;
    const bool calls = InlinedBody(instruction) != nullptr;
    if (calls && result == nullptr) place.path.push_back(&instruction);
    if (calls && result != nullptr) place.path.pop_back();
    if (result != nullptr) see(place, instruction, operands, *result);
  });
}

// Returns the operands that affect the element `where`, with their sets.
std::vector<reports::FailureOperand> SetOperandsAt(const NanElement& at, const Index& where,
                                                   const SetWalk& walk) {
  std::vector<reports::FailureOperand> found;
  WalkSets(walk, [&](const CallPlace& place, const Instruction& one,
                     absl::Span<const reference::SetValue> operands, const reference::SetValue&) {
    if (&one != at.instruction || place != at.place) return;
    found.clear();
    for (size_t i = 0; i < operands.size() && i < kShown; ++i) {
      const auto read = ElementsRead(one, i, where);
      if (!operands[i].IsArray() || !read || read->size() != 1) continue;
      const SetArray& array = operands[i].array;
      const AcceptanceSet set = array.At((*read)[0]);
      const bool is_float = set.finite() && IsFloat(ComponentType(array.element_type()));
      const bool subnormal = is_float && (set.lo > 0 || set.hi < 0) &&
                             std::min(std::fabs(set.lo), std::fabs(set.hi)) <
                                 FactsOf(ComponentType(array.element_type())).min_normal;
      const auto& dimensions = array.shape().dimensions();
      found.push_back({absl::StrCat(one.operands()[i]->name(), "[",
                                    absl::StrJoin(MultiIndex((*read)[0], dimensions), ","), "]"),
                       absl::StrCat(ElementSetText(array, (*read)[0]),
                                    subnormal ? " (may be flushed to 0)" : "")});
    }
  });
  return found;
}

// Returns ", operands a[1] = 0, b[1] = inf".
std::string OperandsText(const std::vector<reports::FailureOperand>& operands) {
  std::string text;
  for (const auto& one : operands)
    absl::StrAppend(&text, text.empty() ? ", operands " : ", ", one.name, " = ", one.value);
  return text;
}

// Returns the first element with NaN where only NaN is permitted or, if there is none, the first
// with NaN.
std::optional<reports::OutputElement> NanToName(const std::vector<std::vector<Literal>>& outputs,
                                                const std::vector<ModuleAcceptance>& sets) {
  constexpr uint16_t kOthers = AcceptanceSet::kFinite | AcceptanceSet::kPosInf |
                               AcceptanceSet::kNegInf | AcceptanceSet::kUnspecified;
  std::optional<reports::OutputElement> first;
  for (size_t d = 0; d < std::min(outputs.size(), sets.size()); ++d) {
    for (size_t o = 0; o < std::min(outputs[d].size(), sets[d].leaves.size()); ++o) {
      const Literal& value = outputs[d][o];
      const SetArray& set = sets[d].leaves[o].set;
      for (int64_t i = FirstNan(value).value_or(value.element_count()); i < value.element_count();
           ++i) {
        if (!IsNanAt(value, i) || i >= set.element_count()) continue;
        reports::OutputElement at{static_cast<int64_t>(o), i, static_cast<int64_t>(d)};
        for (int c = 0; c < set.components(); ++c)
          at.certain |= std::isnan(RealAt(value, i, c)) && !set.At(i, c).Has(kOthers);
        if (at.certain) return at;
        if (!first) first = at;
      }
    }
  }
  return first;
}

}  // namespace

NanOrigin NanOriginOf(const Module& module, const ExecuteRequest& request, const LoadOptions& load,
                      const reports::OutputElement& output, const SetWalk& walk) {
  const reference::DeviceGrid devices{load.replicas, load.partitions};
  const auto producer = ProducerOf(module, output.output);
  if (!producer) return {};
  NanCatcher values;
  for (int64_t d = 0; d < devices.size(); ++d) {
    auto arguments =
        NestArguments(module, request.arguments[request.arguments.size() == 1 ? 0 : d]);
    if (!arguments.ok()) return {};
    for (const Instruction* parameter : module.entry()->parameters()) {
      const Literal& value = (*arguments)[parameter->parameter_number()];
      if (FirstNan(value)) values.caught.insert_or_assign({CallPlace{d}, parameter}, value);
    }
  }
  if (walk == nullptr) {
    EvaluateFor(values, module, request, load);
  } else {
    WalkSets(walk, [&](const CallPlace& place, const Instruction& one,
                       absl::Span<const reference::SetValue>, const reference::SetValue& result) {
      if (!result.IsArray()) return;
      if (auto nans = PermittedNans(result.array))
        values.caught.insert_or_assign({place, &one}, *std::move(nans));
    });
  }
  auto found = ElementOf(*producer, {nullptr, output.index, {output.device}});
  const Literal* value = found ? values.Find(found->place, found->instruction) : nullptr;
  if (value == nullptr || !IsNanAt(*value, found->element)) return {};
  NanElement at = *found;
  while (auto before = NanBefore(at, values, devices)) at = *std::move(before);
  std::string constant;  // of a program that tests this input for NaN
  for (const Instruction* input : module.entry()->parameters()) {
    const Literal* nan = values.Find(CallPlace{at.place.device}, input);
    if (nan == nullptr || at.instruction->opcode() != Opcode::kConstant) continue;
    constant = absl::StrCat(at.instruction->name(), "; ");
    at = {input, *FirstNan(*nan), CallPlace{at.place.device}};
  }
  const Index where = MultiIndex(at.element, at.instruction->shape().dimensions());
  const std::string device =
      devices.size() == 1 ? "" : absl::StrCat(" on device ", at.place.device);
  const bool in_entry = at.place.path.empty();
  const DeviceElement place{in_entry ? at.instruction : at.place.path.front(), at.element,
                            at.place.device};
  if (at.instruction->IsParameter() && in_entry)
    return {absl::StrCat(constant, "input ", at.instruction->name(), "[", absl::StrJoin(where, ","),
                         "]", device, " is NaN"),
            /*is_an_input=*/true, place, ""};
  const std::string source = SourceOf(module, at.instruction->name());
  const auto operands = walk == nullptr
                            ? OperandsAt(*at.instruction, at.place, &where, module, request, load)
                            : SetOperandsAt(at, where, walk);
  return {absl::StrCat(at.instruction->name(), device, OperandsText(operands),
                       source.empty() ? "" : "; source ", source),
          /*is_an_input=*/false, place, source};
}

void AddNanNote(const Module& module, const ExecuteRequest& request, const LoadOptions& load,
                const std::vector<std::vector<Literal>>& outputs,
                const std::vector<ModuleAcceptance>& sets, const SetWalk& walk,
                reports::Verdict& verdict) {
  std::optional<reports::OutputElement> at = NanToName(outputs, sets);
  if (!at) return;
  NanOrigin origin = NanOriginOf(module, request, load, *at);
  if (origin.text.empty()) origin = NanOriginOf(module, request, load, *at, walk);
  if (origin.text.empty()) return;
  const Shape& shape = outputs[at->device][at->output].shape();
  verdict.notes.push_back(absl::StrCat(
      at->certain ? "HLO itself gives" : "HLO permits", " NaN at output ", at->output, " [",
      absl::StrJoin(MultiIndex(at->index, shape.dimensions()), ","), "]",
      at->device == 0 ? "" : absl::StrCat(" of device ", at->device), ": ", origin.text));
  at->origin = origin.text, at->source = origin.source;
  at->is_an_input = origin.is_an_input;
  verdict.nan = *at;
}

bool IsTie(const Module& module, const ExecuteRequest& request, const LoadOptions& load,
           const reports::VerdictFailure& failure, int64_t returned, int64_t accepted) {
  const auto producer = ProducerOf(module, failure.output);
  if (!producer || producer->instruction->opcode() != Opcode::kTopk ||
      producer->index != ShapeIndex{1} || request.arguments.size() != 1)
    return false;
  const auto operands = OperandValues(*producer->instruction, {}, module, request, load);
  if (operands.empty()) return false;
  const std::vector<int64_t>& dimensions = operands[0].shape().dimensions();
  auto element = [&](int64_t in_row) {
    Index index = failure.index;
    index.back() = in_row;
    return ElementText(operands[0], LinearIndex(index, RowMajorStrides(dimensions)));
  };
  return returned >= 0 && returned < dimensions.back() && element(returned) == element(accepted);
}

std::optional<Index> TracedIndex(const Module& module, const reports::VerdictFailure& failure,
                                 const std::string& instruction) {
  const Instruction* found = FindInstruction(*module.entry(), instruction);
  const auto producer = ProducerOf(module, failure.output);
  if (found == nullptr || !producer) return std::nullopt;
  return IndexAt(*found, *producer->instruction, failure.index, 0);
}

std::vector<reports::FailureOperand> OperandsOf(const Module& module, const ExecuteRequest& request,
                                                const LoadOptions& load,
                                                const reports::VerdictFailure& failure) {
  const Instruction* blamed = FindInstruction(*module.entry(), failure.instruction);
  if (blamed == nullptr || blamed->operands().empty() || request.arguments.size() != 1) return {};
  const std::optional<Index> index = TracedIndex(module, failure, failure.instruction);
  return OperandsAt(*blamed, {}, index ? &*index : nullptr, module, request, load);
}

}  // namespace hlocts::backends
