// Sums and products in any order, bounded: the linear operations (dot, convolution, reduce add,
// ...) are run by the plain evaluator in f64 on middles, magnitudes and radii of the operands'
// sets, and the classical bound does the rest (acceptance-rules 1, 2, 10, 11, 15).
#ifndef HLOCTS_REFERENCE_JUDGE_SUMS_H_
#define HLOCTS_REFERENCE_JUDGE_SUMS_H_

#include <optional>
#include <vector>

#include "reference/judge/set_interpreter.h"
#include "spec/judge/acceptance_set.h"

namespace hlocts {

// The elements of an array as reals with a radius.
struct Linear {
  Literal middle;     // f64; infinities and NaNs that are certain stand here as they are
  Literal magnitude;  // f64: |middle| + radius
  Literal radius;     // f64; not allocated when every element is a point
  bool has_radius = false;
  Literal uncertain;  // f64: 1 where an infinity or NaN is possible but not certain
  bool has_uncertain = false;
  bool non_finite = false;  // some certain infinity or NaN
  Literal maybe_zero;       // f64: 1 where an element may be read as zero and as something else
  bool has_maybe_zero = false;
  // All finite middles are multiples of 2^quantum and take at most `bits` bits; kNoQuantum when
  // there are radii.
  static constexpr int kNoQuantum = -100000;
  int quantum = 100000;
  int bits = 0;
  Term term = Term::kPoint;  // of the widest element
  uint32_t origin = 0;
};
// Component `component` of the array, as an operation with these permissions reads it. Integers are
// read as reals. `read_hull`: unrounded values may be read as well.
Linear Linearize(const SetArray& array, int component, uint32_t permissions, bool read_hull);

// Notes the quantum and the bits of f32 numbers that are all zero or normal; false, with nothing
// noted, if some are not.
bool NoteFloats(const float* x, int64_t count, Linear& linear);

// A copy with infinities and NaNs taken out.
Literal FiniteOnly(const Literal& values);
// Finite values become their signs, infinities and NaNs stay: what an operation makes of these is
// what IEEE 754 says of the certain infinities and NaNs, and cannot overflow.
Literal ClassesOf(const Literal& values);
// The largest finite magnitude.
double LargestFinite(const Literal& values);
// The finite values times 2^-exponent.
Literal ScaledDown(const Literal& values, int exponent);
// Sums of terms below this do not overflow in f64. Others are added scaled down by 2^kSumScale,
// products by 2^kProductScale.
inline constexpr double kLargeTerm = 0x1p900;
inline constexpr int kSumScale = 128, kProductScale = 1152;

// What the evaluator says about all sums of an operation; f64 literals with a value per result.
struct SumParts {
  Literal centre;
  Literal magnitude;  // of the finite terms
  Literal radius;     // only if has_radius
  bool has_radius = false;
  Literal uncertain;  // only if has_uncertain: > 0 where an uncertain infinity or NaN takes part
  bool has_uncertain = false;
  Literal flushed;  // only if has_flushed: > 0 where an infinity meets what may be a zero
  bool has_flushed = false;
  // Only if has_fast: what a fast algorithm adds to the error; infinite: any value.
  Literal fast;
  bool has_fast = false;
  Literal counts;  // terms per result; not allocated: `count` everywhere
  double count = 0;
  int quantum = Linear::kNoQuantum;  // of single terms
  int bits = 0;                      // of the operands
  Literal special;  // only if has_special: NaN or infinite where such a term certainly decides
  bool has_special = false;
  // Not 0: where centre or magnitude are no finite f64, these stand for them times 2^-scale.
  int scale = 0;
  Literal scaled_centre, scaled_magnitude, scaled_radius;
  bool products = false;  // terms are products
  Term term = Term::kPoint;
  uint32_t origin = 0;
};

// How the sum is accumulated.
struct SumRule {
  int precision = 24;                       // of the accumulator
  const FloatFacts* accumulator = nullptr;  // its range
  double factor = 1;                        // 2 when additions may truncate
  double operand_error = 0;                 // relative, of rounding each operand first (TF32, bf16)
  bool additions_only = false;              // n - 1 roundings instead of n
  std::optional<int64_t> height;
};

// The sets of all results.
std::vector<AcceptanceSet> BoundSums(const SumParts& parts, const SumRule& rule,
                                     const SetContext& context);

// Accumulation of contractions and of reductions on `type` under the profile.
SumRule ContractionSumRule(SetInterpreter& interpreter, const Rule& rule, PrimitiveType type);
SumRule ReductionSumRule(SetInterpreter& interpreter, const Rule& rule, PrimitiveType type);

}  // namespace hlocts

#endif  // HLOCTS_REFERENCE_JUDGE_SUMS_H_
