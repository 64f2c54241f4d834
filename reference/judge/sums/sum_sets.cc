// SPDX-License-Identifier: Apache-2.0
// Computes the sets of dot, ragged-dot and convolution.
#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/interpreter/set_interpreter.h"
#include "reference/judge/sums/contraction.h"
#include "reference/judge/sums/dot_precision.h"
#include "reference/judge/sums/linear.h"
#include "reference/judge/sums/sums.h"
#include "spec/ir/index_util.h"
#include "spec/ir/instruction.h"
#include "spec/judge/bounds.h"
#include "spec/judge/integer_sets.h"

namespace hlocts::reference {
namespace {

// Finds the results of a convolution in which a zero that fills padding, holes of a dilation or the
// space between groups may multiply an infinity or a NaN (lemma 10).

// Returns 1 for each element that is or may be an infinity or a NaN. Sets `any` if one exists.
Literal NonFiniteMarks(absl::Span<const Linear* const> parts, bool& any) {
  Literal marks = parts[0]->middle;  // copies the run-time sizes
  auto out = marks.mutable_data<double>();
  for (double& mark : out) mark = 0;
  for (const Linear* part : parts) {
    for (size_t i = 0; i < out.size(); ++i) {
      const bool uncertain = part->has_uncertain && part->uncertain.data<double>()[i] != 0;
      if (uncertain || !std::isfinite(part->middle.data<double>()[i])) out[i] = 1;
    }
  }
  any = false;
  for (double mark : out) any = any || mark != 0;
  return marks;
}

Literal OnesLike(Literal ones) {
  for (double& x : ones.mutable_data<double>()) x = 1;
  return ones;
}

void AddNan(AcceptanceSet& s) {
  if (s.unspecified()) return;
  s.flags = (s.flags & ~AcceptanceSet::kBitsKnown) | AcceptanceSet::kNan;
}

struct Holes {
  SetInterpreter& interpreter;
  const Instruction& instruction;
  const Window& window;
  const ConvolutionDimensionNumbers& numbers;
  Shape result;  // f64
  std::vector<AcceptanceSet>& sets;

  absl::StatusOr<Literal> Run(const Instruction& like, const Literal& lhs,
                              const Literal& rhs) const {
    return interpreter.runner().Run(like, result, {lhs, rhs});
  }
};

// Adds NaN to results in which a zero of the image's padding or holes may multiply a marked element
// of the kernel. In such a result, some marked element is multiplied by no element of the image.
absl::Status ZerosOfImage(const Holes& holes, const Literal& image, const Literal& marks) {
  HLOCTS_ASSIGN_OR_RETURN(const Literal met, holes.Run(holes.instruction, OnesLike(image), marks));
  const std::vector<int64_t>& sizes = marks.shape().dimensions();
  const int64_t feature = holes.numbers.kernel_output_feature;
  const int64_t stride = RowMajorStrides(sizes)[feature];
  std::vector<double> marked(static_cast<size_t>(sizes[feature]), 0);
  for (int64_t i = 0; i < marks.element_count(); ++i) {
    marked[static_cast<size_t>(i / stride % sizes[feature])] += marks.data<double>()[i];
  }
  const int64_t out = holes.numbers.output_feature;
  const int64_t out_stride = RowMajorStrides(holes.result.dimensions())[out];
  for (size_t i = 0; i < holes.sets.size(); ++i) {
    const int64_t at = static_cast<int64_t>(i) / out_stride % holes.result.dimension(out);
    if (met.data<double>()[i] < marked[static_cast<size_t>(at)]) AddNan(holes.sets[i]);
  }
  return absl::OkStatus();
}

// The largest number of elements of a kernel whose holes are filled with zeros.
constexpr int64_t kFilledMax = int64_t{1} << 26;
bool MayZeroFillDilation(const Window& window, const Literal& kernel) {
  double elements = static_cast<double>(kernel.element_count());
  for (const WindowDimension& dimension : window.dimensions) {
    if (dimension.size > 1) elements *= static_cast<double>(dimension.window_dilation);
  }
  return elements <= static_cast<double>(kFilledMax);
}

// Adds NaN to results in which a zero in a hole of a dilated kernel may multiply a marked element
// of the image: the kernel with filled holes covers more marked elements than the dilated kernel.
absl::Status ZerosOfKernel(const Holes& holes, const Literal& marks, const Literal& kernel) {
  if (!MayZeroFillDilation(holes.window, kernel)) {
    for (AcceptanceSet& s : holes.sets) AddNan(s);
    return absl::OkStatus();
  }
  Window dense = holes.window;
  Shape filled = kernel.shape();
  bool dilated = false;
  for (size_t d = 0; d < dense.dimensions.size(); ++d) {
    WindowDimension& dimension = dense.dimensions[d];
    dilated = dilated || (dimension.window_dilation > 1 && dimension.size > 1);
    if (dimension.size > 0) dimension.size = (dimension.size - 1) * dimension.window_dilation + 1;
    dimension.window_dilation = 1;
    filled.set_dimension(holes.numbers.kernel_spatial[d], dimension.size);
  }
  if (!dilated) return absl::OkStatus();
  Instruction like(holes.instruction.name(), Opcode::kConvolution, holes.result);
  like.mutable_attributes() = holes.instruction.attributes();
  like.Set(Attr::kWindow, dense);
  HLOCTS_ASSIGN_OR_RETURN(const Literal whole, holes.Run(like, marks, OnesLike(Literal(filled))));
  HLOCTS_ASSIGN_OR_RETURN(const Literal met, holes.Run(holes.instruction, marks, OnesLike(kernel)));
  for (size_t i = 0; i < holes.sets.size(); ++i) {
    if (whole.data<double>()[i] > met.data<double>()[i]) AddNan(holes.sets[i]);
  }
  return absl::OkStatus();
}

bool IsGrouped(const Instruction& instruction) {
  return instruction.IntOr(Attr::kFeatureGroupCount, 1) > 1 ||
         instruction.IntOr(Attr::kBatchGroupCount, 1) > 1;
}

// Adds NaN to the sets of results in which a zero that fills padding, a hole or the space between
// groups may multiply an infinity or a NaN. `lhs` and `rhs` are the components of the image and of
// the kernel (two for complex elements).
absl::Status AddHoleNans(SetInterpreter& interpreter, const Instruction& instruction,
                         const Shape& result, absl::Span<const Linear* const> lhs,
                         absl::Span<const Linear* const> rhs, std::vector<AcceptanceSet>& sets) {
  const auto* numbers = instruction.Get<ConvolutionDimensionNumbers>(Attr::kDimLabels);
  const auto* window = instruction.Get<Window>(Attr::kWindow);
  if (numbers == nullptr || sets.empty()) return absl::OkStatus();
  auto some = [](absl::Span<const Linear* const> parts) {
    for (const Linear* part : parts) {
      if (part->non_finite || part->has_uncertain) return true;
    }
    return false;
  };
  if (!some(lhs) && !some(rhs)) return absl::OkStatus();
  bool in_image = false, in_kernel = false;
  const Literal image = NonFiniteMarks(lhs, in_image), kernel = NonFiniteMarks(rhs, in_kernel);
  // Outside the strict profile, an engine may compute a grouped convolution as a dense one with
  // zeros between the groups, like XLA:CPU.
  if (IsGrouped(instruction) && interpreter.profile() != Profile::kStrict) {
    for (AcceptanceSet& s : sets) AddNan(s);
    return absl::OkStatus();
  }
  Holes holes{interpreter,
              instruction,
              window == nullptr ? Window() : *window,
              *numbers,
              result.WithElementType(PrimitiveType::kF64),
              sets};
  if (in_kernel) HLOCTS_RETURN_IF_ERROR(ZerosOfImage(holes, image, kernel));
  if (in_image) HLOCTS_RETURN_IF_ERROR(ZerosOfKernel(holes, image, kernel));
  return absl::OkStatus();
}

// Bounds convolutions by fast algorithms (lemma 19). Transforms combine all elements of an image,
// so the error depends on the norms of image and kernel, not on the terms of one window.

// Returns an upper bound of the number of points of a transform. Each of at most three dimensions
// grows to less than twice its size. If padding by the window adds more, there are at most 2^16.
double PointsOf(double terms) {
  constexpr double kLengthened = 8, kPadded = 0x1p16;
  return std::max(kLengthened * terms, kPadded);
}

// Returns 2-norms of elements by index in `dimension`; infinity if an element may be non-finite.
std::vector<double> NormsAlong(const Linear& array, int64_t dimension) {
  const std::vector<int64_t>& sizes = array.middle.shape().dimensions();
  // A long double represents the square of any double.
  std::vector<long double> squares(static_cast<size_t>(sizes[dimension]), 0);
  int64_t stride = RowMajorStrides(sizes)[dimension];
  auto middle = array.middle.data<double>(), magnitude = array.magnitude.data<double>();
  for (int64_t i = 0; i < array.middle.element_count(); ++i) {
    long double& square = squares[static_cast<size_t>(i / stride % sizes[dimension])];
    bool open = array.has_uncertain && array.uncertain.data<double>()[i] != 0;
    const long double size = magnitude[i];
    square += open || !std::isfinite(middle[i]) ? HUGE_VALL : size * size;
  }
  std::vector<double> norms;
  for (long double square : squares) norms.push_back(static_cast<double>(std::sqrt(square)));
  return norms;
}

// Returns true if the engine may use a fast algorithm for this instruction.
bool MayBeFast(SetInterpreter& interpreter, const Instruction& instruction, const Rule& rule) {
  if (instruction.opcode() != Opcode::kConvolution || !rule.Allows(kFastConvolution)) return false;
  return interpreter.profile() == Profile::kRelaxed || interpreter.options().facts.convolution_fast;
}

// Returns the error of results that are computed from an image and a kernel with these 2-norms.
// `terms` is the number of elements of the larger array.
double ErrorOf(double image, double kernel, double terms, const SumRule& rule,
               const Bounds& bounds) {
  if (std::isinf(image) || std::isinf(kernel)) return HUGE_VAL;
  // The transforms of image and kernel must not overflow.
  if (!(std::max(image, kernel) * terms < rule.accumulator->max)) return HUGE_VAL;
  if (image == 0 || kernel == 0) return 0;
  // A point of a spectrum is at most the sum of magnitudes, which is at most sqrt(terms) times the
  // 2-norm. The inverse transform divides sums of products by the number of points only at the end.
  if (!(image * kernel * terms * PointsOf(terms) < rule.accumulator->max)) return HUGE_VAL;
  double lost = bounds.FastConvolutionFlushes() * PointsOf(terms) * rule.accumulator->min_normal *
                (1 + image + kernel);
  // Winograd's larger tiles lose up to about nine bits, a transform of n points log2 n (lemma 19).
  return bounds.FastConvolutionUnits() * std::ldexp(image * kernel, -rule.precision) + lost;
}

// Returns the error that the algorithm adds to each result, as f64. It is infinite if a non-finite
// value of the image or kernel, or an overflow, may affect the result.
Literal FastConvolutionErrors(const Instruction& instruction, const Shape& result,
                              const Linear& lhs, const Linear& rhs, const SumRule& rule,
                              const Bounds& bounds) {
  Literal errors(result.WithElementType(PrimitiveType::kF64));
  const auto* numbers = instruction.Get<ConvolutionDimensionNumbers>(Attr::kDimLabels);
  if (numbers == nullptr || errors.element_count() == 0) return errors;
  std::vector<double> images = NormsAlong(lhs, numbers->input_batch);
  std::vector<double> kernels = NormsAlong(rhs, numbers->kernel_output_feature);
  const std::vector<int64_t>& sizes = result.dimensions();
  std::vector<int64_t> strides = RowMajorStrides(sizes);
  int64_t batch = strides[numbers->output_batch], feature = strides[numbers->output_feature];
  double all = 0;
  for (double image : images) all = std::hypot(all, image);
  bool grouped = images.size() != static_cast<size_t>(sizes[numbers->output_batch]);
  const double terms =
      static_cast<double>(std::max(lhs.middle.element_count(), rhs.middle.element_count()));
  auto out = errors.mutable_data<double>();
  for (int64_t i = 0; i < errors.element_count(); ++i) {
    double image = grouped ? all : images[i / batch % sizes[numbers->output_batch]];
    double kernel = kernels[i / feature % sizes[numbers->output_feature]];
    out[i] = ErrorOf(image, kernel, terms, rule, bounds);
  }
  return errors;
}

// Returns the accumulator's type: the operands' common float or complex type, else the result's.
PrimitiveType SumType(const SetArray& a, const SetArray& b, const Shape& shape) {
  bool same = a.element_type() == b.element_type() &&
              (IsFloat(a.element_type()) || IsComplex(a.element_type()));
  return same ? a.element_type() : shape.element_type();
}

absl::StatusOr<SetValue> RealContraction(SetInterpreter& interpreter,
                                         const Instruction& instruction, const Shape& shape,
                                         absl::Span<const SetValue> operands) {
  const SetArray &a = operands[0].array, &b = operands[1].array;
  PrimitiveType type = SumType(a, b, shape);
  SetContext context = interpreter.ContextOf(instruction, type, shape.element_type());
  bool hull = context.rule.Allows(kSkipRounding);
  uint32_t permissions = context.rule.permissions & ~uint32_t{kContract};
  Linear lhs = Linearize(a, 0, permissions, hull), rhs = Linearize(b, 0, permissions, hull);
  SumRule rule = ContractionSumRule(interpreter, instruction, context.rule, type);
  for (Linear* operand : {&lhs, &rhs}) RoundFirst(rule, *operand);
  ConvertFirst(a.element_type(), FactsOf(type), lhs);
  ConvertFirst(b.element_type(), FactsOf(type), rhs);
  Contraction contraction{interpreter, instruction, shape.WithElementType(PrimitiveType::kF64), {}};
  for (size_t i = 2; i < operands.size(); ++i) contraction.more.push_back(ToLiteral(operands[i]));
  SumParts parts;
  parts.products = true;
  if (FactsOf(type).is_f64 && MayLeaveRange(lhs, rhs)) parts.scale = kProductScale;
  HLOCTS_RETURN_IF_ERROR(AddProducts(contraction, lhs, rhs, 1, true, parts));
  HLOCTS_RETURN_IF_ERROR(CountTerms(contraction, lhs, rhs, parts));
  if (MayBeFast(interpreter, instruction, context.rule)) {
    parts.fast = FastConvolutionErrors(instruction, shape, lhs, rhs, rule, *context.bounds);
    parts.has_fast = true;
  }
  std::vector<double> errors;
  std::vector<AcceptanceSet> sets = BoundSums(parts, rule, context, &errors);
  if (instruction.opcode() == Opcode::kConvolution) {
    HLOCTS_RETURN_IF_ERROR(AddHoleNans(interpreter, instruction, shape, {&lhs}, {&rhs}, sets));
  }
  SetArray result(shape, std::move(sets));
  if (parts.centre.has_runtime_sizes()) result.runtime_sizes = parts.centre.runtime_sizes();
  result.origin = context.origin;
  SetValue value(std::move(result));
  const auto sums = parts.centre.data<double>();
  value.sums = {{sums.begin(), sums.end()}, std::move(errors)};
  return value;
}

// The parts of (ar + i ai)(br + i bi), which is computed by four products.
struct ComplexOperands {
  Linear ar, ai, br, bi;
};

absl::Status AddComplexProducts(const Contraction& contraction, const ComplexOperands& x,
                                SumParts& re, SumParts& im) {
  HLOCTS_RETURN_IF_ERROR(AddProducts(contraction, x.ar, x.br, 1, true, re));
  HLOCTS_RETURN_IF_ERROR(AddProducts(contraction, x.ai, x.bi, -1, false, re));
  HLOCTS_RETURN_IF_ERROR(AddProducts(contraction, x.ar, x.bi, 1, true, im));
  HLOCTS_RETURN_IF_ERROR(AddProducts(contraction, x.ai, x.br, 1, false, im));
  HLOCTS_RETURN_IF_ERROR(CountTerms(contraction, x.ar, x.br, re));
  re.count *= 2;  // two products per term
  for (double& count : re.counts.mutable_data<double>()) count *= 2;
  im.count = re.count;
  im.counts = re.counts;
  return absl::OkStatus();
}

// Makes complex elements unspecified if they may contain an infinity or a NaN, since an engine may
// use the naive formula or that of C's Annex G. A possible overflow is treated as a certain one.
void OpenSpecials(std::vector<AcceptanceSet>& re, std::vector<AcceptanceSet>& im, uint32_t origin) {
  constexpr uint16_t kSpecial =
      AcceptanceSet::kNan | AcceptanceSet::kPosInf | AcceptanceSet::kNegInf;
  for (size_t i = 0; i < re.size(); ++i) {
    const bool special = re[i].Has(kSpecial) || im[i].Has(kSpecial);
    if (re[i].finite() && im[i].finite() && !special) continue;
    re[i] = im[i] = AcceptanceSet::Unspecified(WideningCause::kFreedom, origin);
  }
}

absl::StatusOr<SetValue> ComplexContraction(SetInterpreter& interpreter,
                                            const Instruction& instruction, const Shape& shape,
                                            absl::Span<const SetValue> operands) {
  const SetArray &a = operands[0].array, &b = operands[1].array;
  PrimitiveType type = SumType(a, b, shape);
  SetContext context = interpreter.ContextOf(instruction, type, shape.element_type());
  uint32_t permissions = context.rule.permissions & ~uint32_t{kContract};
  bool hull = context.rule.Allows(kSkipRounding);
  ComplexOperands x = {Linearize(a, 0, permissions, hull), Linearize(a, 1, permissions, hull),
                       Linearize(b, 0, permissions, hull), Linearize(b, 1, permissions, hull)};
  SumRule rule = ContractionSumRule(interpreter, instruction, context.rule, type);
  for (Linear* part : {&x.ar, &x.ai, &x.br, &x.bi}) RoundFirst(rule, *part);
  ConvertFirst(a.element_type(), FactsOf(type), x.ar);
  ConvertFirst(b.element_type(), FactsOf(type), x.br);
  Contraction contraction{interpreter, instruction, shape.WithElementType(PrimitiveType::kF64), {}};
  for (size_t i = 2; i < operands.size(); ++i) contraction.more.push_back(ToLiteral(operands[i]));
  SumParts re, im;
  re.products = im.products = true;
  bool wide = FactsOf(type).is_f64 && (MayLeaveRange(x.ar, x.br) || MayLeaveRange(x.ai, x.bi) ||
                                       MayLeaveRange(x.ar, x.bi) || MayLeaveRange(x.ai, x.br));
  if (wide) re.scale = im.scale = kProductScale;
  HLOCTS_RETURN_IF_ERROR(AddComplexProducts(contraction, x, re, im));
  std::vector<AcceptanceSet> re_sets = BoundSums(re, rule, context);
  std::vector<AcceptanceSet> im_sets = BoundSums(im, rule, context);
  OpenSpecials(re_sets, im_sets, context.origin);
  if (instruction.opcode() == Opcode::kConvolution) {
    for (std::vector<AcceptanceSet>* part : {&re_sets, &im_sets}) {
      HLOCTS_RETURN_IF_ERROR(
          AddHoleNans(interpreter, instruction, shape, {&x.ar, &x.ai}, {&x.br, &x.bi}, *part));
    }
  }
  SetArray result(shape, Interleaved(re_sets, im_sets));
  result.origin = context.origin;
  return SetValue(std::move(result));
}

// Returns element `i` of a sum of integers within [least, most].
AcceptanceSet IntegerSum(const SumParts& parts, int64_t i, Int128 least, Int128 most) {
  if (parts.has_uncertain && parts.uncertain.data<double>()[i] > 0)
    return AcceptanceSet::Unspecified(parts.cause, parts.origin);
  const double centre = parts.centre.data<double>()[i];
  const double magnitude = parts.magnitude.data<double>()[i];
  const double radius = parts.has_radius ? parts.radius.data<double>()[i] + 2 : 0;
  const bool small = magnitude < 0x1p52 && centre - radius >= static_cast<double>(least) &&
                     centre + radius <= static_cast<double>(most);
  if (!small) return AcceptanceSet::Integers(least, most);
  return AcceptanceSet::Integers(static_cast<Int128>(std::floor(centre - radius)),
                                 static_cast<Int128>(std::ceil(centre + radius)));
}

// Computes integer contractions: exactly modulo 2^width, or as intervals if nothing can wrap.
absl::StatusOr<SetValue> IntegerContraction(SetInterpreter& interpreter,
                                            const Instruction& instruction, const Shape& shape,
                                            absl::Span<const SetValue> operands) {
  if (IsExact(operands[0]) && IsExact(operands[1])) {
    return PlainResult(interpreter, instruction, shape, operands);
  }
  Rule rule = interpreter.RuleOf(instruction.opcode(), operands[0].array.element_type());
  uint32_t origin = interpreter.OriginOf(instruction, rule);
  if (shape.element_type() == PrimitiveType::kPred) {
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kUnknown);
  }
  Linear lhs = Linearize(operands[0].array, 0, 0, false);
  Linear rhs = Linearize(operands[1].array, 0, 0, false);
  Contraction contraction{interpreter, instruction, shape.WithElementType(PrimitiveType::kF64), {}};
  for (size_t i = 2; i < operands.size(); ++i) contraction.more.push_back(ToLiteral(operands[i]));
  SumParts parts;
  HLOCTS_RETURN_IF_ERROR(AddProducts(contraction, lhs, rhs, 1, true, parts));
  Int128 least, most;
  IntegerLimits(shape.element_type(), least, most);
  std::vector<AcceptanceSet> sets;
  for (int64_t i = 0; i < parts.centre.element_count(); ++i) {
    AcceptanceSet s = IntegerSum(parts, i, least, most);
    s.cause = parts.cause;
    s.origin = parts.origin != 0 ? parts.origin : origin;
    sets.push_back(s);
  }
  SetArray result(shape, std::move(sets));
  result.origin = origin;
  return SetValue(std::move(result));
}

}  // namespace

absl::StatusOr<SetValue> DotSets(SetInterpreter& interpreter, const Instruction& instruction,
                                 const Shape& shape, absl::Span<const SetValue> operands) {
  for (size_t i = 2; i < operands.size(); ++i) {
    if (!IsExact(operands[i])) {
      return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kUnknown);
    }
  }
  PrimitiveType type = shape.element_type();
  auto integral = [](const SetValue& operand) {
    return !IsFloat(operand.array.element_type()) && !IsComplex(operand.array.element_type());
  };
  bool integers = integral(operands[0]) && integral(operands[1]);
  if (integers && !IsFloat(type)) {
    return IntegerContraction(interpreter, instruction, shape, operands);
  }
  if (!IsFloat(type) && !IsComplex(type)) {
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kUnknown);
  }
  auto result = IsComplex(type) ? ComplexContraction(interpreter, instruction, shape, operands)
                                : RealContraction(interpreter, instruction, shape, operands);
  if (!result.ok()) return result.status();
  result->array = Compress(std::move(result->array));
  return result;
}

}  // namespace hlocts::reference
