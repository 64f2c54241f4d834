// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <vector>

#include "backends/selftest/elements.h"
#include "backends/selftest/legal_noise/noise_fast_convolution.h"
#include "backends/selftest/legal_noise/noise_hook.h"
#include "reference/kernels/convolution.h"
#include "reference/kernels/dot.h"
#include "reference/kernels/gather_scatter.h"
#include "reference/kernels/index_values.h"
#include "reference/kernels/reduce.h"
#include "reference/kernels/reduce_window.h"
#include "reference/number_system.h"
#include "reference/recognized.h"
#include "reference/scalar_function.h"
#include "spec/ir/attributes.h"
#include "spec/ir/index_util.h"
#include "spec/ops/groups.h"

namespace hlocts::backends {
namespace {

// The rounding of an f32 operand of a contraction: to nearest, in place, or with the given error.
struct Rounding {
  void (*to_nearest)(Literal& operand);
  FactorReading reading;
};

// Returns a dilated kernel with zeros in its holes. Adjusts `window` to the larger kernel.
template <typename T>
Literal ZeroDilationGaps(const Literal& kernel, const ConvolutionDimensionNumbers& numbers,
                         Window& window) {
  Shape shape = kernel.shape();
  std::vector<int64_t> steps(shape.rank(), 1);
  for (size_t d = 0; d < window.dimensions.size(); ++d) {
    WindowDimension& dimension = window.dimensions[d];
    steps[numbers.kernel_spatial[d]] = dimension.window_dilation;
    dimension.size = (dimension.size - 1) * dimension.window_dilation + 1;
    dimension.window_dilation = 1;
    shape.set_dimension(numbers.kernel_spatial[d], dimension.size);
  }
  Literal filled(shape);
  const std::vector<int64_t> strides = RowMajorStrides(shape.dimensions());
  std::vector<int64_t> index(shape.rank(), 0);
  for (int64_t i = 0; i < kernel.element_count(); ++i) {
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d) at += index[d] * steps[d] * strides[d];
    filled.template mutable_data<T>()[at] = kernel.template data<T>()[i];
    NextIndex(kernel.shape().dimensions(), absl::MakeSpan(index));
  }
  return filled;
}

// Rounds to the nearest TF32 numbers; keeps infinities and NaNs.
void RoundToTf32(Literal& operand) {
  for (int64_t i = 0; i < operand.element_count(); ++i) {
    float value = operand.data<float>()[i];
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    if ((bits & 0x7f800000) == 0x7f800000) continue;
    bits = (bits + 0xfff + ((bits >> 13) & 1)) & ~uint32_t{0x1fff};
    std::memcpy(&operand.mutable_data<float>()[i], &bits, 4);
  }
}

void RoundToBf16(Literal& operand) {
  operand = reference::ToSystem(reference::FromSystem(operand, PrimitiveType::kBF16),
                                PrimitiveType::kF32);
}

constexpr Rounding kTf32 = {RoundToTf32, {11, 0x1p-11}};
constexpr Rounding kDroppedTf32 = {RoundToTf32, {11, 0x1p-10}};
constexpr Rounding kBf16 = {RoundToBf16, {8, 0x1p-8}};

// Returns the rounding of operands that the algorithm prescribes; nullptr if the algorithm does not
// round each operand once.
const Rounding* RoundingOf(absl::string_view algorithm) {
  if (algorithm == "dot_tf32_tf32_f32") return &kDroppedTf32;
  if (algorithm == "dot_bf16_bf16_f32") return &kBf16;
  return nullptr;
}

// Returns the rounding that is allowed for f32 operands whose precision is not HIGHEST.
const Rounding* GrantedRounding(const NoiseJob& job) {
  if (job.profile == Profile::kStrict) return nullptr;
  const TargetFacts& facts = job.facts;
  const bool bf16 = facts.dot_f32 == DotPasses::kBf16x1 || job.rule.Allows(kSplitDot);
  if (bf16 && job.state.Once(2)) return &kBf16;
  const bool tf32 = facts.dot_tf32 || facts.dot_f32 == DotPasses::kTf32;
  return tf32 || job.rule.Allows(kSplitDot) ? &kTf32 : nullptr;
}

// Rounds f32 operands as the algorithm prescribes. Without an algorithm, rounds those operands
// whose precision allows it.
void RoundOperands(NoiseJob& job, Literal& lhs, Literal& rhs) {
  if (job.operands[0].element_type() != PrimitiveType::kF32) return;
  const Rounding* prescribed = RoundingOf(job.instruction.WordOr(Attr::kAlgorithm, ""));
  const Rounding* round = prescribed != nullptr ? prescribed : GrantedRounding(job);
  if (round == nullptr || (prescribed == nullptr && !job.state.Once(2))) return;
  const auto* precisions = job.instruction.Get<std::vector<std::string>>(Attr::kOperandPrecision);
  // HIGH requires three passes of bf16; a single rounding to bf16 is less precise.
  auto kept = [&](size_t i) {
    if (prescribed != nullptr || precisions == nullptr || i >= precisions->size()) return false;
    return (*precisions)[i] == "highest" || (round == &kBf16 && (*precisions)[i] == "high");
  };
  const bool one_sided = !job.typical && job.state.Once(2);
  auto read = [&](Literal& operand, FactorReading& reading) {
    if (one_sided) {
      reading = round->reading;
    } else {
      round->to_nearest(operand);
    }
  };
  if (!kept(0)) read(lhs, job.left);
  if (!kept(1)) read(rhs, job.right);
}

// Returns the number of bf16 passes (3, 6 or 9) in which the algorithm computes an f32 dot; 0 for
// other algorithms.
int PassesOf(absl::string_view algorithm) {
  if (algorithm == "dot_bf16_bf16_f32_x3") return 3;
  if (algorithm == "dot_bf16_bf16_f32_x6") return 6;
  return algorithm == "dot_bf16_bf16_f32_x9" ? 9 : 0;
}

// Returns three bf16 parts whose sum is nearly the operand.
std::vector<Literal> SplitInThree(const Literal& operand) {
  std::vector<Literal> parts;
  Literal rest = operand;
  for (int k = 0; k < 3; ++k) {
    Literal part = rest;
    RoundToBf16(part);
    for (int64_t i = 0; i < rest.element_count(); ++i) {
      rest.mutable_data<float>()[i] -= part.data<float>()[i];
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

SumStyle DrawStyle(const NoiseJob& job, PrimitiveType type, bool contraction) {
  SumStyle style;
  generators::SplitMix64& random = job.random();
  const bool narrow = BitWidth(type) <= 16;
  style.step = narrow ? PrimitiveType::kF32 : type;
  // Reductions of 16-bit types accumulate in their own type unless a wider one is allowed.
  bool wider = contraction || (job.rule.Allows(kWiderSum) && random.Below(2) == 0);
  if (narrow && !wider) style.step = type;
  // f32 sums may use f64, which makes every partial sum more exact than any order requires.
  if (type == PrimitiveType::kF32 && job.rule.Allows(kWiderSum) && random.Below(4) == 0) {
    style.step = PrimitiveType::kF64;
  }
  style.contract = job.rule.Allows(kContract) && random.Below(2) == 0;
  style.flush = job.rule.Allows(kFlushResult) && random.Below(2) == 0;
  const bool truncates = contraction ? job.rule.Allows(kTruncate)
                                     : job.rule.Allows(kTruncateSum) && type == PrimitiveType::kF32;
  style.truncate = truncates && !job.typical && random.Below(4) == 0;
  // Contractions of f8 accumulate in about 14 bits on some hardware. Contractions of types of at
  // most 16 bits may accumulate in the result's type.
  if (contraction && job.rule.Allows(kNarrowSum) && !job.typical && random.Below(4) == 0) {
    if (BitWidth(type) == 8) style.bits = 14;
    if (job.type() == type && job.rule.Allows(kOwnSum) && !job.facts.dot_f32_sums &&
        random.Below(2) == 0) {
      style.step = type;
    }
  }
  style.order = static_cast<SumOrder>(random.Below(kSumOrders));
  style.lanes = 1 << (1 + random.Below(5));
  style.left = job.left;
  style.right = job.right;
  return style;
}

template <typename T>
NoiseSystem<T> DrawSystem(NoiseJob& job, PrimitiveType type, bool contraction) {
  NoiseSystem<T> system;
  system.style = DrawStyle(job, type, contraction);
  system.random = &job.random();
  return system;
}

// Returns the type that decides how products are accumulated.
PrimitiveType TermType(const NoiseJob& job) {
  const PrimitiveType type = job.operands[0].element_type();
  return IsFloat(type) ? type : job.type();
}

template <typename T>
Literal NoisyDot(NoiseJob& job, const Literal& lhs, const Literal& rhs, PrimitiveType system) {
  reference::DotGeometry geometry = reference::DotGeometryOf(
      DotDimensionsOf(job.instruction), lhs.shape().dimensions(), rhs.shape().dimensions());
  Literal out(Shape(system, job.result.shape().dimensions()));
  reference::DotKernel(DrawSystem<T>(job, TermType(job), true), geometry, lhs.data<T>(),
                       rhs.data<T>(), out.mutable_data<T>());
  return out;
}

template <typename T>
Literal ConvolveWith(NoiseJob& job, const Instruction& instruction, const Literal& lhs,
                     const Literal& rhs, PrimitiveType system);

// Computes a convolution. May also multiply the holes of a dilated kernel, as some engines do.
template <typename T>
Literal NoisyConvolution(NoiseJob& job, const Literal& lhs, const Literal& rhs,
                         PrimitiveType system) {
  const auto* numbers = job.instruction.Get<ConvolutionDimensionNumbers>(Attr::kDimLabels);
  const auto* window = job.instruction.Get<Window>(Attr::kWindow);
  bool dilated = false;
  for (size_t d = 0; window != nullptr && d < window->dimensions.size(); ++d) {
    const WindowDimension& dimension = window->dimensions[d];
    dilated = dilated || (dimension.window_dilation > 1 && dimension.size > 1);
  }
  if (!dilated || numbers == nullptr || rhs.element_count() == 0 || !job.state.Once(2)) {
    return ConvolveWith<T>(job, job.instruction, lhs, rhs, system);
  }
  Window filled_window = *window;
  const Literal filled = ZeroDilationGaps<T>(rhs, *numbers, filled_window);
  Instruction dense(job.instruction.name(), Opcode::kConvolution, job.instruction.shape());
  dense.mutable_attributes() = job.instruction.attributes();
  dense.Set(Attr::kWindow, filled_window);
  return ConvolveWith<T>(job, dense, lhs, filled, system);
}

template <typename T>
Literal ConvolveWith(NoiseJob& job, const Instruction& instruction, const Literal& lhs,
                     const Literal& rhs, PrimitiveType system) {
  reference::ConvolutionGeometry geometry = reference::ConvolutionGeometryOf(
      instruction, lhs.shape().dimensions(), rhs.shape().dimensions());
  std::vector<T> in(geometry.lhs_size), kernel(geometry.rhs_size), sums(geometry.out_size);
  reference::CopyKernel<T>(geometry.lhs, lhs.data<T>(), absl::MakeSpan(in));
  reference::CopyKernel<T>(geometry.rhs, rhs.data<T>(), absl::MakeSpan(kernel));
  const Window* window = instruction.Get<Window>(Attr::kWindow);
  // Without a fact, only the `relaxed` profile assumes that an engine has fast convolutions.
  const bool fast = job.rule.Allows(kFastConvolution) &&
                    (job.profile == Profile::kRelaxed || job.facts.convolution_fast) &&
                    window != nullptr && job.random().Below(2) == 0;
  if (!fast || !FastConvolution(geometry, *window, in, kernel, sums)) {
    reference::ConvolutionKernel(DrawSystem<T>(job, TermType(job), true), geometry, in.data(),
                                 kernel.data(), sums.data());
  }
  Literal out(Shape(system, job.result.shape().dimensions()));
  reference::CopyKernel<T>(geometry.out, absl::MakeConstSpan(sums), out.mutable_data<T>());
  return out;
}

// Adds the products of the parts, the smallest first.
Literal DotInPasses(NoiseJob& job, const Literal& lhs, const Literal& rhs, int passes) {
  constexpr int kOrder[9][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 2},
                                {2, 0}, {1, 2}, {2, 1}, {2, 2}};
  const std::vector<Literal> a = SplitInThree(lhs), b = SplitInThree(rhs);
  Literal out(Shape(PrimitiveType::kF32, job.result.shape().dimensions()));
  for (int p = passes - 1; p >= 0; --p) {
    const Literal sums =
        NoisyDot<float>(job, a[kOrder[p][0]], b[kOrder[p][1]], PrimitiveType::kF32);
    for (int64_t i = 0; i < out.element_count(); ++i) {
      out.mutable_data<float>()[i] += sums.data<float>()[i];
    }
  }
  return out;
}

template <typename T>
Literal NoisyContraction(NoiseJob& job, PrimitiveType system) {
  Literal lhs = reference::ToSystem(job.operands[0], system),
          rhs = reference::ToSystem(job.operands[1], system);
  const int passes = PassesOf(job.instruction.WordOr(Attr::kAlgorithm, ""));
  const bool split = passes > 0 && job.operands[0].element_type() == PrimitiveType::kF32;
  const bool dot = job.opcode() == Opcode::kDot;
  if (split && dot) return DotInPasses(job, lhs, rhs, passes);
  if (system == PrimitiveType::kF32) RoundOperands(job, lhs, rhs);
  return dot ? NoisyDot<T>(job, lhs, rhs, system) : NoisyConvolution<T>(job, lhs, rhs, system);
}

bool SameRealTypes(const NoiseJob& job) {
  for (const Literal& operand : job.operands) {
    if (!IsFloat(operand.element_type())) return false;
    if (reference::SystemType(operand.element_type()) != reference::SystemType(job.type()))
      return false;
  }
  return IsFloat(job.type());
}

// Returns true if integers whose sum is a float are converted before they are summed (ruling 0102).
bool ConvertsIntegers(const NoiseJob& job) {
  return job.operands.size() == 2 && IsFloat(job.type()) &&
         IsInteger(job.operands[0].element_type()) && IsInteger(job.operands[1].element_type()) &&
         job.state.Once(2);
}

bool Contraction(NoiseJob& job) {
  if (!SameRealTypes(job) && !ConvertsIntegers(job)) return false;
  // An algorithm that the module names determines how the result is computed.
  const absl::string_view algorithm = job.instruction.WordOr(Attr::kAlgorithm, "dot_unset");
  const bool passes = PassesOf(algorithm) > 0 && job.opcode() == Opcode::kDot &&
                      job.operands[0].element_type() == PrimitiveType::kF32;
  if (algorithm != "dot_unset" && RoundingOf(algorithm) == nullptr && !passes) return false;
  PrimitiveType system = reference::SystemType(job.type());
  Literal wide = system == PrimitiveType::kF64 ? NoisyContraction<double>(job, system)
                                               : NoisyContraction<float>(job, system);
  job.result = reference::FromSystem(wide, job.type());
  if (BitWidth(job.type()) == 16)
    job.state.exact[&job.instruction] = reference::ToSystem(wide, PrimitiveType::kF64);
  return true;
}

// An accumulator for the kernels of reduce and reduce-window. Adds init first, then the elements.
template <typename T>
struct Started {
  typename NoiseSystem<T>::Sum sum;
  void Add(const T& x) { sum.Add(x); }
  T Finish() const { return sum.Finish(); }
};

template <typename T>
Literal NoisyReduce(NoiseJob& job, PrimitiveType system, bool multiply) {
  Literal operand = reference::ToSystem(job.operands[0], system),
          init = reference::ToSystem(job.operands[1], system);
  Literal out(Shape(system, job.result.shape().dimensions()));
  NoiseSystem<T> noise = DrawSystem<T>(job, job.type(), false);
  noise.style.multiply = multiply;
  auto start = [&] {
    Started<T> started{noise.NewSum()};
    started.Add(init.template data<T>()[0]);
    return started;
  };
  const std::vector<int64_t>& sizes = operand.shape().dimensions();
  if (job.opcode() == Opcode::kReduce) {
    reference::ReduceKernel<T>(
        reference::ReduceGeometryOf(sizes, job.instruction.IntList(Attr::kDimensions)),
        operand.data<T>(), start, out.mutable_data<T>());
  } else {
    const Window* window = job.instruction.Get<Window>(Attr::kWindow);
    reference::ReduceWindowKernel<T>(reference::MakeWindowGeometry(sizes, *window),
                                     operand.data<T>(), start, out.mutable_data<T>());
  }
  return out;
}

bool Reduction(NoiseJob& job) {
  const Computation* body = job.instruction.CalledComputation(Attr::kToApply);
  if (job.operands.size() != 2 || body == nullptr || !SameRealTypes(job)) return false;
  if (job.operands[0].element_type() != job.type()) return false;
  if (job.opcode() == Opcode::kReduceWindow && !job.instruction.Has(Attr::kWindow)) return false;
  reference::RecognizedReducer reducer = reference::Recognize(*body);
  bool multiply = reducer == reference::RecognizedReducer::kMultiply;
  if (reducer != reference::RecognizedReducer::kAdd && !multiply) return false;
  PrimitiveType system = reference::SystemType(job.type());
  Literal wide = system == PrimitiveType::kF64 ? NoisyReduce<double>(job, system, multiply)
                                               : NoisyReduce<float>(job, system, multiply);
  job.result = reference::FromSystem(wide, job.type());
  return true;
}

// Adds the updates of each element in any order.
bool ScatterAdd(NoiseJob& job) {
  const Computation* body = job.instruction.CalledComputation(Attr::kToApply);
  if (job.operands.size() != 3 || body == nullptr || !IsFloat(job.type())) return false;
  if (reference::Recognize(*body) != reference::RecognizedReducer::kAdd) return false;
  if (job.operands[2].element_type() != job.type()) return false;
  const Literal &operand = job.operands[0], &indices = job.operands[1], &updates = job.operands[2];
  const reference::WindowsGeometry geometry =
      reference::ScatterGeometryOf(job.instruction, operand.shape().dimensions(),
                                   indices.shape().dimensions(), updates.shape().dimensions());
  std::vector<std::vector<SumTerm>> terms(static_cast<size_t>(operand.element_count()));
  auto gather = [&](int64_t at, int64_t update) {
    if (terms[at].empty()) terms[at].push_back({ReadNumber(operand, at), 1});
    terms[at].push_back({ReadNumber(updates, update), 1});
    return true;
  };
  reference::ForEachPlace(geometry, reference::IndexReader(indices), /*clamp=*/false,
                          [&](const reference::WindowPlace& place) {
                            return reference::ForEachUpdate(geometry, place, gather);
                          });
  SumStyle style = DrawStyle(job, job.type(), false);
  for (size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].empty()) continue;
    WriteNumber(job.result, static_cast<int64_t>(i), NoisySum(style, terms[i], job.random()));
  }
  return true;
}

}  // namespace

bool NoisyReduction(NoiseJob& job) {
  if (job.result.element_count() == 0) return false;
  if (ops::IsContraction(job.opcode())) return Contraction(job);
  if (ops::IsFold(job.opcode())) return Reduction(job);
  return job.opcode() == Opcode::kScatter && ScatterAdd(job);
}

}  // namespace hlocts::backends
