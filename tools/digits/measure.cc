// SPDX-License-Identifier: Apache-2.0
#include "tools/digits/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "backends/differ/differ.h"
#include "fuzz/triage/sample.h"
#include "generators/input_recipes.h"
#include "reference/eval_hook.h"
#include "reference/evaluator.h"
#include "spec/infer/verifier.h"
#include "spec/ir/float_format.h"
#include "spec/ir/module.h"
#include "spec/ops/custom_calls.h"
#include "spec/ops/groups.h"
#include "spec/ops/op_table.h"
#include "tools/digits/widen.h"

namespace hlocts::tools {
namespace {

using Clock = std::chrono::steady_clock;
using reference::EvalContext;

constexpr int64_t kTraceBytesMax = int64_t{1} << 30;
constexpr double kBoundedElementsMax = 2e5;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Returns true if the instruction computes a floating-point number. Data movement, calls and
// selections (select, maximum) do not. A fold does if its computation does.
bool Computes(const Instruction& instruction) {
  const Computation* body = instruction.CalledComputation(Attr::kToApply);
  if (ops::IsFold(instruction.opcode()) && body != nullptr)
    return absl::c_any_of(body->instructions(), [](const auto& each) { return Computes(*each); });
  bool floats = false;
  ForEachLeaf(instruction.shape(), [&](const Shape& leaf, const ShapeIndex&) {
    floats = floats || (leaf.IsArray() && IsFloat(ComponentType(leaf.element_type())));
  });
  if (!floats) return false;
  if (LapackCallOf(instruction)) return true;
  switch (RowOf(instruction.opcode()).accuracy) {
    case AccuracyRule::kExact:
    case AccuracyRule::kCompare:
    case AccuracyRule::kSignBit:
    case AccuracyRule::kRoundToIntegral:
    case AccuracyRule::kMinMax:
    case AccuracyRule::kOrdering:
    case AccuracyRule::kRandom:
    case AccuracyRule::kRandomBits:
    case AccuracyRule::kCalled:
    case AccuracyRule::kUnknown:
      return false;
    default:
      return true;
  }
}

bool Sums(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  if (ops::IsContraction(opcode)) return true;
  const Computation* body = instruction.CalledComputation(Attr::kToApply);
  return ops::IsFold(opcode) && instruction.shape().IsArray() && body != nullptr &&
         body->root()->opcode() == Opcode::kAdd;
}

absl::Span<double> Numbers(Literal& literal) {
  return {reinterpret_cast<double*>(literal.mutable_raw_data()),
          static_cast<size_t>(generators::ComponentCount(literal))};
}
absl::Span<const double> Numbers(const Literal& literal) {
  return {reinterpret_cast<const double*>(literal.raw_data()),
          static_cast<size_t>(generators::ComponentCount(literal))};
}
bool IsWide(const Literal& literal) {
  return literal.shape().IsArray() && ComponentType(literal.element_type()) == PrimitiveType::kF64;
}

// Returns true if the result is not rounded: a parameter of the entry or a constant, whose elements
// may have been moved. For f64, the rounding is modelled by a change of one ulp at the instruction
// that computes the value, so all other f64 values count as not rounded.
bool IsGiven(const Instruction& instruction) {
  const Instruction* from = &instruction;
  while (ops::MovesElements(from->opcode()) && from->operand_count() > 0)
    from = from->operands()[0];
  const bool in_entry = from->parent() == from->parent()->parent()->entry();
  if (from->IsConstant() || (from->IsParameter() && in_entry)) return true;
  return from->shape().IsArray() && !Computes(*from) &&
         ComponentType(from->shape().element_type()) == PrimitiveType::kF64;
}

bool IsFinite(const Literal& literal) {
  if (!IsWide(literal)) return true;
  const absl::Span<const double> numbers = Numbers(literal);
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

// Returns the error relative to `right`, at most 1. For infinities and NaN: 0 if they are equal.
double RelativeError(double found, double right) {
  if (found == right || (std::isnan(found) && std::isnan(right))) return 0;
  if (!std::isfinite(found) || !std::isfinite(right)) return 1;
  return std::min(1.0, std::fabs(found - right) / std::max(std::fabs(right), 1e-300));
}

// Returns true if r, the f64 result of an operation on a and b (or on a only), is exact.
bool IsExactInF64(Opcode opcode, double a, double b, double r) {
  if (opcode == Opcode::kAdd || opcode == Opcode::kSubtract) {
    const double term = opcode == Opcode::kAdd ? b : -b, rest = r - a;
    return (a - (r - rest)) + (term - rest) == 0;
  }
  if (opcode == Opcode::kMultiply) return std::fma(a, b, -r) == 0;
  if (opcode == Opcode::kDivide) return std::fma(r, b, -a) == 0;
  if (opcode == Opcode::kSqrt) return std::fma(r, r, -a) == 0;
  return (a == 0 || a == 1) && (r == 0 || std::fabs(r) == 1);  // exp(0), log(1), ...
}

// Removes the modelled error from elements of `result` that are exact in f64. `plain` has no error.
void KeepExact(const Instruction& original, absl::Span<const Literal> operands,
               const Literal& plain, Literal& result) {
  if (!IsWide(result) || original.shape().element_type() != PrimitiveType::kF64) return;
  const auto is_small_integer = [](double x) { return std::rint(x) == x && std::fabs(x) < 0x1p20; };
  if (Sums(original) && absl::c_all_of(operands, [&](const Literal& operand) {
        return IsWide(operand) && absl::c_all_of(Numbers(operand), is_small_integer);
      })) {
    result = plain;
  }
  if (!ops::IsElementwiseFamily(original.opcode()) || operands.empty() || operands.size() > 2)
    return;
  for (const Literal& operand : operands) {
    if (!IsWide(operand) || operand.element_count() != result.element_count()) return;
  }
  const absl::Span<double> to = Numbers(result);
  for (size_t i = 0; i < to.size(); ++i) {
    const double r = Numbers(plain)[i];
    if (IsExactInF64(original.opcode(), Numbers(operands[0])[i], Numbers(operands.back())[i], r))
      to[i] = r;
  }
}

// In a sum in f64, the modelled errors of both terms are one unit each and may cancel in some
// elements. Real rounding errors rarely do, so adds the error of the first term to these elements.
void KeepApart(const Instruction& original, absl::Span<const Literal> operands,
               absl::Span<const Literal> right_operands, const Literal& right, Literal& result) {
  if (!ops::IsSum(original.opcode()) || original.shape().element_type() != PrimitiveType::kF64)
    return;
  const absl::Span<double> to = Numbers(result);
  for (size_t i = 0; i < to.size(); ++i) {
    const double error = Numbers(operands[0])[i] - Numbers(right_operands[0])[i];
    if (to[i] == Numbers(right)[i] && std::isfinite(error)) to[i] += error;
  }
}

double MeanError(const Literal& found, const Literal& right) {
  if (!IsWide(found)) {
    if (!found.shape().IsArray()) {
      double most = 0;
      for (size_t i = 0; i < found.shape().tuple_shapes().size(); ++i)
        most = std::max(most, MeanError(found.elements()[i], right.elements()[i]));
      return most;
    }
    return found.BitwiseEqual(right) ? 0 : 1;
  }
  const auto a = Numbers(found), b = Numbers(right);
  if (a.size() != b.size() || a.empty()) return a.size() == b.size() ? 0 : 1;
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += RelativeError(a[i], b[i]);
  return sum / static_cast<double>(a.size());
}

// Returns the errors of all numbers in ascending order; {} if there are no numbers to compare.
std::vector<double> SortedErrors(const Literal& found, const Literal& right) {
  std::vector<double> errors;
  if (!IsWide(found) || found.element_count() != right.element_count()) return errors;
  const auto a = Numbers(found), b = Numbers(right);
  for (size_t i = 0; i < a.size(); ++i) errors.push_back(RelativeError(a[i], b[i]));
  std::sort(errors.begin(), errors.end());
  return errors;
}

// An instruction of the widened module, with its original and its loss.
struct Place {
  size_t loss = 0;
  const Instruction* original = nullptr;
};
using Places = absl::flat_hash_map<const Instruction*, Place>;
// An execution of an instruction without any rounding.
struct RightRun {
  Literal result;
  std::vector<Literal> operands;
};
// The executions of each instruction, as far as memory permits.
using Trace = std::vector<std::vector<RightRun>>;

// Rounds results to the types of the original module: those of all instructions, those of one
// instruction (and its operands), or none.
class Rounding : public reference::EvalHook {
 public:
  static constexpr int kAll = -1, kNone = -2;
  Rounding(const Places& places, Digits& digits, Trace& trace, int which)
      : places_(places), digits_(digits), trace_(trace), which_(which) {
    runs_.resize(digits.losses.size());
    // The highest precision of the module's types. A result with this precision has lost nothing.
    int precision = 0;
    const auto add = [&](const Shape& leaf, const ShapeIndex&) {
      const PrimitiveType type = ComponentType(leaf.element_type());
      if (IsFloat(type)) precision = std::max(precision, FormatOf(type).precision());
    };
    for (const Loss& loss : digits.losses) {
      ForEachLeaf(loss.instruction->shape(), add);
      for (const Instruction* operand : loss.instruction->operands())
        ForEachLeaf(operand->shape(), add);
    }
    unit_ = std::ldexp(1.0, -precision);
  }

  absl::Status BeforeInstruction(EvalContext&, const Instruction& instruction,
                                 absl::Span<Literal> operands) override {
    const auto found = places_.find(&instruction);
    if (which_ < 0 || found == places_.end() || static_cast<int>(found->second.loss) != which_)
      return absl::OkStatus();
    const Instruction& original = *found->second.original;
    for (size_t k = 0; k < operands.size(); ++k) {
      const Instruction& operand = original.operand(static_cast<int64_t>(k));
      const bool away = k == 1 && original.opcode() == Opcode::kSubtract;
      if (!IsGiven(operand)) RoundTo(operand.shape(), 8 * found->second.loss, operands[k], away);
    }
    return absl::OkStatus();
  }

  absl::Status AfterInstruction(EvalContext& context, const Instruction& instruction,
                                absl::Span<const Literal> operands, Literal& result) override {
    const auto found = places_.find(&instruction);
    if (found == places_.end()) return absl::OkStatus();
    const Place& place = found->second;
    const auto run = static_cast<size_t>(runs_[place.loss]++);
    if (which_ == kNone) return Note(context, instruction, place, operands, result);
    if (which_ != kAll && static_cast<int>(place.loss) != which_) return absl::OkStatus();
    Literal exact = result;
    // A modelled error could create or remove an infinity, so it is added only to finite exact
    // sums.
    Literal plain = result;
    RoundTo(place.original->shape(), 8 * place.loss, plain);
    if (IsFinite(plain)) {
      HLOCTS_RETURN_IF_ERROR(AddSumErrors(context, instruction, place, operands, result));
      RoundTo(place.original->shape(), 8 * place.loss, result);
      KeepExact(*place.original, operands, exact, result);
    } else {
      result = plain;
    }
    if (which_ != kAll) return absl::OkStatus();
    NoteNotFinite(place, run, operands, plain);
    Loss& loss = digits_.losses[place.loss];
    if (run >= trace_[place.loss].size()) return absl::OkStatus();
    const RightRun& right = trace_[place.loss][run];
    double worst = 0;
    for (size_t k = 0; k < operands.size(); ++k)
      worst = std::max(worst, MeanError(operands[k], right.operands[k]));
    loss.made += MeanError(result, exact);
    for (Literal* sum : {&exact, &result})
      KeepApart(*place.original, operands, right.operands, right.result, *sum);
    loss.carried += MeanError(exact, right.result);
    loss.operands += worst;
    worst = std::max(worst, unit_);
    const double error = std::max(MeanError(result, right.result), unit_);
    loss.lost += std::log2(error / worst);
    loss.dropped += Dropped(*place.original, result, right, error, worst);
    return absl::OkStatus();
  }

 private:
  // Returns the sum of the magnitudes of all terms; nullopt if the operation is not a sum.
  std::optional<Literal> Magnitudes(EvalContext& context, const Instruction& instruction,
                                    const Place& place, absl::Span<const Literal> operands) {
    if (!Sums(*place.original)) return std::nullopt;
    std::vector<Literal> magnitudes(operands.begin(), operands.end());
    for (Literal& operand : magnitudes) {
      if (!IsWide(operand) || IsComplex(operand.element_type())) return std::nullopt;
      for (double& number : Numbers(operand)) number = std::fabs(number);
    }
    const reference::Evaluator evaluator = reference::EvaluatorOf(instruction.opcode());
    if (evaluator == nullptr) return std::nullopt;
    auto sums = evaluator(context, instruction, absl::MakeSpan(magnitudes));
    return sums.ok() ? std::optional<Literal>(*std::move(sums)) : std::nullopt;
  }

  // A routine of LAPACK is modelled by its exact result for operands with an error of one unit.
  absl::Status MoveOperands(EvalContext& context, const Instruction& instruction,
                            const Place& place, absl::Span<const Literal> operands,
                            Literal& result) {
    std::vector<Literal> moved(operands.begin(), operands.end());
    for (size_t k = 0; k < moved.size(); ++k) {
      if (!IsWide(moved[k])) continue;
      const PrimitiveType type = place.original->operands()[k]->shape().element_type();
      const double unit = std::ldexp(1.0, -FormatOf(ComponentType(type)).precision());
      const absl::Span<double> numbers = Numbers(moved[k]);
      for (size_t i = 0; i < numbers.size(); ++i)
        numbers[i] *= 1 + SignAt(i, 8 * place.loss + k) * unit;
    }
    HLOCTS_ASSIGN_OR_RETURN(result, reference::EvaluatorOf(instruction.opcode())(
                                        context, instruction, absl::MakeSpan(moved)));
    return absl::OkStatus();
  }

  absl::Status AddSumErrors(EvalContext& context, const Instruction& instruction,
                            const Place& place, absl::Span<const Literal> operands,
                            Literal& result) {
    if (LapackCallOf(instruction))
      return MoveOperands(context, instruction, place, operands, result);
    if (!IsWide(result)) return absl::OkStatus();
    const PrimitiveType type = ComponentType(place.original->shape().element_type());
    if (!IsFloat(type)) return absl::OkStatus();
    const auto sums = Magnitudes(context, instruction, place, operands);
    // Contractions of narrow types are accumulated in f32.
    const int precision = ops::IsContraction(instruction.opcode())
                              ? std::max(FormatOf(type).precision(), 24)
                              : FormatOf(type).precision();
    absl::Span<double> to = Numbers(result);
    if (sums) {
      const double terms = std::max<double>(
          1, static_cast<double>(operands[0].element_count()) /
                 static_cast<double>(std::max<int64_t>(1, result.element_count())));
      const double share = std::sqrt(terms) * std::ldexp(1.0, -precision - 1);
      for (size_t i = 0; i < to.size(); ++i)
        to[i] += SignAt(i, 8 * place.loss) * share * Numbers(*sums)[i];
    }
    return absl::OkStatus();
  }

  // Records the unrounded result, and the bits by which its terms exceed it (Loss::cancelled).
  absl::Status Note(EvalContext& context, const Instruction& instruction, const Place& place,
                    absl::Span<const Literal> operands, const Literal& result) {
    Loss& loss = digits_.losses[place.loss];
    ++loss.runs;
    bytes_ += static_cast<int64_t>(result.raw_size());
    for (const Literal& operand : operands) bytes_ += static_cast<int64_t>(operand.raw_size());
    if (bytes_ <= kTraceBytesMax)
      trace_[place.loss].push_back({result, {operands.begin(), operands.end()}});
    if (!IsWide(result) || IsComplex(result.element_type())) return absl::OkStatus();
    std::vector<double> lost;
    const absl::Span<const double> of = Numbers(result);
    const bool sum = ops::IsSum(place.original->opcode()) && !Sums(*place.original);
    std::optional<Literal> sums;
    if (!sum) sums = Magnitudes(context, instruction, place, operands);
    if (!sum && !sums) return absl::OkStatus();
    const size_t step = std::max<size_t>(1, of.size() / 4096);
    for (size_t i = 0; i < of.size(); i += step) {
      const double most =
          sum ? std::max(std::fabs(Numbers(operands[0])[i]), std::fabs(Numbers(operands[1])[i]))
              : std::fabs(Numbers(*sums)[i]);
      if (most == 0 || !std::isfinite(most)) continue;
      lost.push_back(std::min(60.0, std::log2(most / std::max(std::fabs(of[i]), most * 0x1p-60))));
    }
    if (lost.empty()) return absl::OkStatus();
    std::nth_element(lost.begin(), lost.begin() + static_cast<long>(lost.size() / 2), lost.end());
    loss.cancelled = std::max(loss.cancelled, lost[lost.size() / 2]);
    return absl::OkStatus();
  }

  void NoteNotFinite(const Place& place, size_t run, absl::Span<const Literal> operands,
                     const Literal& result) {
    if (digits_.first.instruction != nullptr || !IsWide(result)) return;
    const bool by_element =
        ops::IsElementwiseFamily(place.original->opcode()) && !IsComplex(result.element_type());
    const absl::Span<const double> numbers = Numbers(result);
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (std::isfinite(numbers[i])) continue;
      const bool nan = std::isnan(numbers[i]);
      const auto explains = [&](double x) { return nan ? std::isnan(x) : !std::isfinite(x); };
      std::string read;
      bool explained = false;
      for (const Literal& operand : operands) {
        if (!IsWide(operand)) continue;
        const absl::Span<const double> all = Numbers(operand);
        const bool has_element = all.size() == numbers.size() || all.size() == 1;
        const double number = has_element ? all[all.size() == 1 ? 0 : i] : 0;
        if (has_element) absl::StrAppend(&read, read.empty() ? "" : ", ", number);
        explained = explained ||
                    (by_element && has_element ? explains(number) : absl::c_any_of(all, explains));
      }
      if (explained) continue;
      const std::vector<RightRun>& right = trace_[place.loss];
      digits_.first = {place.original,
                       static_cast<int64_t>(run),
                       static_cast<int64_t>(i),
                       nan              ? "nan"
                       : numbers[i] < 0 ? "-inf"
                                        : "inf",
                       read,
                       "",
                       run < right.size() && std::isfinite(Numbers(right[run].result)[i])};
      return;
    }
  }

  // For a sum, returns log2(e / `error`): e is the error relative to the smallest magnitude among
  // both terms and the result. For a conversion, returns the bits that it lost.
  double Dropped(const Instruction& original, const Literal& result, const RightRun& right,
                 double error, double worst) const {
    if (original.opcode() == Opcode::kConvert) return std::log2(error / worst);
    if (!ops::IsSum(original.opcode()) || !IsWide(result) || IsComplex(result.element_type()))
      return 0;
    const auto a = Numbers(right.operands[0]), b = Numbers(right.operands[1]);
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      const double made = Numbers(result)[i], exact = Numbers(right.result)[i];
      const double least = std::min({std::fabs(a[i]), std::fabs(b[i]), std::fabs(exact)});
      sum += RelativeError(made, exact) == 0 ? 0
             : least == 0                    ? RelativeError(made, exact)
                                             : std::min(1.0, std::fabs(made - exact) / least);
    }
    return std::log2(std::max(sum / static_cast<double>(std::max<size_t>(1, a.size())), error) /
                     error);
  }

  const Places& places_;
  Digits& digits_;
  Trace& trace_;
  const int which_;
  std::vector<int64_t> runs_;
  double unit_ = 1;
  int64_t bytes_ = 0;
};

class Measuring {
 public:
  Measuring(const Module& module, const DigitsOptions& options)
      : module_(module), options_(options) {}

  absl::StatusOr<Digits> Run(const std::vector<Literal>& leaves) {
    HLOCTS_ASSIGN_OR_RETURN(widened_, Widen(module_));
    HLOCTS_RETURN_IF_ERROR(VerifyModule(*widened_.module));
    HLOCTS_ASSIGN_OR_RETURN(std::vector<Literal> nested, NestArguments(module_, leaves));
    for (const Literal& argument : nested) arguments_.push_back(Wide(argument));
    AddPlaces();
    const Clock::time_point start = Clock::now();
    HLOCTS_RETURN_IF_ERROR(reference::Evaluate(module_, nested, Options(nullptr)).status());
    digits_.evaluation_seconds = SecondsSince(start);
    HLOCTS_ASSIGN_OR_RETURN(const std::vector<Literal> exact, Outputs(Rounding::kNone));
    HLOCTS_ASSIGN_OR_RETURN(const std::vector<Literal> written, Outputs(Rounding::kAll));
    for (size_t i = 0; i < exact.size(); ++i) {
      digits_.outputs.push_back(Error(written, exact, i));
      const std::vector<double> errors = SortedErrors(written[i], exact[i]);
      digits_.worst.push_back(errors.empty() ? digits_.outputs[i] : errors.back());
      digits_.median.push_back(errors.empty() ? digits_.outputs[i] : errors[errors.size() / 2]);
      digits_.not_finite.push_back(0);
      digits_.finite.push_back(0);
      if (!IsWide(written[i])) continue;
      for (double x : Numbers(written[i]))
        ++(std::isfinite(x) ? digits_.finite : digits_.not_finite).back();
    }
    for (const Shape& leaf : OutputLeafShapes(module_)) {
      const PrimitiveType type =
          leaf.IsArray() ? ComponentType(leaf.element_type()) : PrimitiveType::kInvalid;
      digits_.precisions.push_back(IsFloat(type) ? FormatOf(type).precision() : 0);
    }
    for (Loss& loss : digits_.losses) {
      const auto runs = static_cast<double>(std::max<size_t>(1, trace_[Index(loss)].size()));
      loss.made /= runs;
      loss.carried /= runs;
      loss.operands /= runs;
    }
    MoveLossToOrigins();
    HLOCTS_RETURN_IF_ERROR(RunInstructionsInIsolation(exact, start));
    digits_.seconds = SecondsSince(start);
    AddBounds(leaves);
    Rank();
    return std::move(digits_);
  }

 private:
  size_t Index(const Loss& loss) const {
    return static_cast<size_t>(&loss - digits_.losses.data());
  }

  void AddPlaces() {
    for (const auto& computation : widened_.module->computations()) {
      for (const auto& instruction : computation->instructions()) {
        const auto original = widened_.original.find(instruction.get());
        if (original == widened_.original.end() || !Computes(*original->second)) continue;
        places_[instruction.get()] = {digits_.losses.size(), original->second};
        digits_.losses.push_back({original->second});
        digits_.losses.back().modelled =
            Sums(*original->second) || LapackCallOf(*original->second).has_value();
      }
    }
    trace_.resize(digits_.losses.size());
  }

  reference::EvalOptions Options(reference::EvalHook* hook) const {
    reference::EvalOptions options{options_};
    options.hook = hook;
    options.deadline = options_.deadline;
    return options;
  }

  absl::StatusOr<std::vector<Literal>> Outputs(int which) {
    Rounding rounding(places_, digits_, trace_, which);
    HLOCTS_ASSIGN_OR_RETURN(const Literal root,
                            reference::Evaluate(*widened_.module, arguments_, Options(&rounding)));
    return FlattenLeaves(root);
  }

  static double Error(const std::vector<Literal>& found, const std::vector<Literal>& right,
                      size_t i) {
    return found[i].element_count() == right[i].element_count() ? MeanError(found[i], right[i]) : 1;
  }

  // Returns the sum or conversion whose result, perhaps scaled or moved, is the worst operand of
  // `function`; nullptr if that operand is something else.
  Loss* OriginOf(const Instruction& function) {
    const Instruction* at = &function;
    while (true) {
      Loss* worst = nullptr;
      for (const Instruction* operand : at->operands()) {
        while (operand->operand_count() > 0 &&
               (ops::MovesElements(operand->opcode()) || ops::IsSignChange(operand->opcode()))) {
          operand = operand->operands()[0];
        }
        const auto loss = absl::c_find_if(
            digits_.losses, [&](const Loss& each) { return each.instruction == operand; });
        if (loss == digits_.losses.end()) continue;
        if (worst == nullptr || loss->made + loss->carried > worst->made + worst->carried)
          worst = &*loss;
      }
      if (worst == nullptr) return nullptr;
      at = worst->instruction;
      if (ops::IsSum(at->opcode()) || at->opcode() == Opcode::kConvert) return worst;
      if (!ops::IsScaling(at->opcode())) return nullptr;
    }
  }

  // A function may lack bits that an earlier sum or conversion rounded away, like 1 + x in log(1 +
  // x). Attributes the loss to the sum or conversion.
  void MoveLossToOrigins() {
    for (Loss& loss : digits_.losses) {
      const Opcode opcode = loss.instruction->opcode();
      if (loss.lost <= 0 || !ops::IsElementwiseFamily(opcode) || ops::IsFieldOperation(opcode) ||
          opcode == Opcode::kConvert) {
        continue;
      }
      Loss* origin = OriginOf(*loss.instruction);
      const double moved = origin == nullptr ? 0 : std::clamp(origin->dropped, 0.0, loss.lost);
      if (moved <= 0) continue;
      loss.lost -= moved;
      origin->lost += moved;
    }
  }

  // Runs each instruction alone; those whose rounding may matter most come first.
  absl::Status RunInstructionsInIsolation(const std::vector<Literal>& exact,
                                          Clock::time_point start) {
    const double most =
        std::max(options_.seconds_min, options_.evaluations_max * digits_.evaluation_seconds);
    std::vector<size_t> order;
    for (size_t i = 0; i < digits_.losses.size(); ++i) {
      if (digits_.losses[i].runs > 0) order.push_back(i);
    }
    const auto weight = [&](size_t i) {
      const Loss& loss = digits_.losses[i];
      return std::log2(loss.made + 0x1p-60) + loss.cancelled +
             std::log2(loss.carried + 0x1p-60) / 2;
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return weight(a) > weight(b); });
    for (size_t k = 0; k < order.size(); ++k) {
      if (SecondsSince(start) > most || (options_.stop && options_.stop()) ||
          Clock::now() > options_.deadline) {
        digits_.left_out = static_cast<int64_t>(order.size() - k);
        break;
      }
      if (options_.progress)
        options_.progress(static_cast<int64_t>(k), static_cast<int64_t>(order.size()));
      const auto outputs = Outputs(static_cast<int>(order[k]));
      if (absl::IsDeadlineExceeded(outputs.status()) && Clock::now() > options_.deadline) {
        digits_.left_out = static_cast<int64_t>(order.size() - k);
        break;
      }
      HLOCTS_RETURN_IF_ERROR(outputs.status());
      Loss& loss = digits_.losses[order[k]];
      for (size_t i = 0; i < exact.size(); ++i) loss.reaches.push_back(Error(*outputs, exact, i));
    }
    return absl::OkStatus();
  }

  // Adds the widths of the acceptance sets of the entry's values, if these are cheap to compute.
  void AddBounds(const std::vector<Literal>& leaves) {
    fuzz::Sample sample{module_.Clone(), leaves, false};
    if (static_cast<double>(fuzz::CountElements(module_)) *
            static_cast<double>(fuzz::CountInstructions(module_)) >
        kBoundedElementsMax) {
      return;
    }
    std::vector<int64_t> places;
    const fuzz::Sample all = fuzz::WithAllValues(sample, &places);
    const backends::ExecuteRequest request = all.Request();
    backends::DiffOptions diff;
    diff.load.reference_seconds_max = std::max(2.0, 50 * digits_.evaluation_seconds);
    const std::chrono::duration<double> left = options_.deadline - Clock::now();
    if (left.count() <= 0) return;
    diff.load.reference_seconds_max = std::min(diff.load.reference_seconds_max, left.count());
    backends::Differ differ(*all.module, request, diff);
    auto accepted = differ.Acceptance(0);
    if (!accepted.ok() || (*accepted)->leaves.size() != places.size()) return;
    digits_.bounded = true;
    const auto& entry = module_.entry()->instructions();
    for (size_t i = 0; i < places.size(); ++i) {
      const SetArray& set = (*accepted)->leaves[i].set;
      const Instruction* instruction = entry[static_cast<size_t>(places[i])].get();
      if (instruction == digits_.first.instruction) NoteEngines(set);
      for (Loss& loss : digits_.losses) {
        if (loss.instruction == instruction) loss.bound = MedianWidth(set);
      }
    }
  }

  static double MedianWidth(const SetArray& set) {
    std::vector<double> widths;
    for (int64_t i = 0; i < set.element_count(); ++i) {
      const AcceptanceSet one = set.At(i);
      const bool number = one.finite() && !one.integer() &&
                          !one.Has(AcceptanceSet::Flag::kNan | AcceptanceSet::Flag::kUnspecified);
      const double middle = std::max(std::fabs(one.lo), std::fabs(one.hi));
      widths.push_back(!number       ? 1
                       : middle == 0 ? 0
                                     : std::min(1.0, (one.hi - one.lo) / middle / 2));
    }
    if (widths.empty()) return -1;
    std::nth_element(widths.begin(), widths.begin() + static_cast<long>(widths.size() / 2),
                     widths.end());
    return widths[widths.size() / 2];
  }

  void NoteEngines(const SetArray& set) {
    if (digits_.first.element >= set.element_count()) return;
    const AcceptanceSet one = set.At(digits_.first.element);
    digits_.first.engines = one.finite() ? "may" : "must";
  }

  // Sorts by the bits lost in each instruction, with less weight if the effect on outputs is small.
  // If an instruction rounds nothing, uses the effect of its operands, whose errors it passes on.
  void Rank() {
    absl::flat_hash_map<const Instruction*, double> reach;
    double most = 0x1p-200;
    for (Loss& loss : digits_.losses) {
      double& own = reach[loss.instruction];
      for (double one : loss.reaches) own = std::max(own, one);
      most = std::max(most, own);
      if (!LapackCallOf(*loss.instruction) || own == 0) continue;
      // In LAPACK, other pivots or signs change all factors: only the loss in outputs counts.
      const PrimitiveType type = loss.instruction->operand(0).shape().element_type();
      loss.lost = std::min(
          loss.lost, std::max(0.0, std::log2(own) + FormatOf(ComponentType(type)).precision()));
    }
    for (const auto& computation : module_.computations()) {
      for (const auto& each : computation->instructions()) {
        double before = 0x1p-200;
        for (const Instruction* operand : each->operands())
          before = std::max(before, reach[operand]);
        double& own = reach[each.get()];
        own = own > 0 ? own : before;
      }
    }
    const auto score = [&](const Loss& loss) {
      return loss.lost + std::log2(reach[loss.instruction] / most) / 2;
    };
    std::stable_sort(digits_.losses.begin(), digits_.losses.end(),
                     [&](const Loss& a, const Loss& b) { return score(a) > score(b); });
  }

  const Module& module_;
  const DigitsOptions& options_;
  Widened widened_;
  std::vector<Literal> arguments_;
  Places places_;
  Trace trace_;
  Digits digits_;
};

}  // namespace

absl::StatusOr<Digits> MeasureDigits(const Module& module, const std::vector<Literal>& leaves,
                                     const DigitsOptions& options) {
  return Measuring(module, options).Run(leaves);
}

}  // namespace hlocts::tools
