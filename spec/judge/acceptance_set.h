// SPDX-License-Identifier: Apache-2.0
// Defines AcceptanceSet, the values that a conforming engine may return for one element, and
// SetArray, the acceptance sets of a whole array.
//
// The set of a float has an interval [lo,hi] of stored values, flags for the values that no
// interval contains (NaN, infinities, signed zeros), and a second interval [rlo,rhi], the
// pre-rounding interval. The latter contains the unrounded values that a consumer may read if it
// skips the rounding. Its exponent is unbounded: the f32 product 3e38*2 is stored as {inf}, but its
// pre-rounding interval is 6e38. The set of an integer or pred is an interval [lo,hi] of 128-bit
// integers. A complex element has two sets: the real part comes first.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "spec/base/int128.h"
#include "spec/ir/literal.h"
#include "spec/ir/primitive_type.h"

namespace hlocts {

// The main cause of the width of a set.
enum class WideningCause : uint8_t {
  kPoint,        // none: the set has one value
  kUlps,         // the ulps of a function's rule
  kSum,          // additions in any order
  kProduct,      // multiplications in any order
  kUnderflow,    // flushed subnormals
  kContract,     // a skipped rounding
  kDoubleRound,  // rounding to a wider type first
  kOverflow,     // overflow to the largest finite value or to infinity
  kZeroSign,
  kNan,      // NaN accepted in addition to numbers
  kJump,     // a comparison or rounding that may go either way
  kInit,     // the number of times that a reduction uses init
  kJoint,    // the bound of a joint predicate, applied to each element
  kFreedom,  // a choice that the documents leave to the engine
  kUnknown,  // a result that the sets cannot express
  kFormat,   // a zero or a sign that the type does not have
  kReading,  // operands of a contraction that are read with fewer bits
  kParts,    // operands of a contraction that are split into parts
};
inline constexpr WideningCause kLastWideningCause = WideningCause::kParts;
absl::string_view WideningCauseName(WideningCause cause);
// Returns the lemma that bounds the width; 0 if there is none or if it differs by instruction.
int LemmaOf(WideningCause cause);

struct AcceptanceSet {
  enum Flag : uint16_t {
    kFinite = 1 << 0,  // [lo,hi] is present
    kNan = 1 << 1,
    kPosInf = 1 << 2,
    kNegInf = 1 << 3,
    kPosZero = 1 << 4,  // +0 is accepted; [lo,hi] contains 0
    kNegZero = 1 << 5,
    kIntegral = 1 << 6,            // only the integral values of [lo,hi] are accepted
    kBitsKnown = 1 << 7,           // the only value is the NaN with the bits nan_bits
    kUnspecified = 1 << 8,         // any value is accepted
    kPreRounding = 1 << 9,         // [rlo,rhi] is present and differs from [lo,hi]
    kContractible = 1 << 10,       // an add or subtract may read [rlo,rhi]
    kScaledPreRounding = 1 << 11,  // the pre-rounding interval is [rlo,rhi] * 2^512
    kInteger = 1 << 12,            // the interval is [ilo,ihi], not [lo,hi]
  };

  union {
    struct {
      double lo, hi;    // stored values
      double rlo, rhi;  // pre-rounding interval; contains [lo,hi] if present
    };
    struct {
      Int128 ilo, ihi;
    };
    uint64_t nan_bits;  // valid if kBitsKnown
  };
  uint16_t flags = 0;
  WideningCause cause = WideningCause::kPoint;
  uint32_t origin = 0;  // last instruction that widened the set (index in the module's origins)

  AcceptanceSet() : lo(0), hi(0), rlo(0), rhi(0) {}

  static AcceptanceSet Unspecified(WideningCause cause = WideningCause::kUnknown,
                                   uint32_t origin = 0);
  static AcceptanceSet Float(double value);  // a number, an infinity, or a NaN of unknown bits
  static AcceptanceSet NanWithBits(uint64_t bits);
  static AcceptanceSet Interval(double lo, double hi);  // contains both zeros if it contains 0
  static AcceptanceSet Integers(Int128 lo, Int128 hi);

  bool Has(uint16_t flag) const { return (flags & flag) != 0; }
  bool unspecified() const { return Has(kUnspecified); }
  bool integer() const { return Has(kInteger); }
  bool finite() const { return Has(kFinite); }
  // Returns true if the set has exactly one value. A NaN of unknown bits is one value, since
  // only its class is checked.
  bool IsPoint() const;
};
static_assert(sizeof(AcceptanceSet) <= 64);

// Marks the set of a product, quotient, power or sum, whose unrounded value an addition may read
// (lemma 5), unless the set is one number that needed no rounding. An interval without a
// pre-rounding interval is marked because it results from a rounding; it contains the unrounded
// values.
inline void MarkContractible(AcceptanceSet& s) {
  if (s.Has(AcceptanceSet::kPreRounding) || (s.finite() && s.lo < s.hi)) {
    s.flags |= AcceptanceSet::kContractible;
  }
}

// Returns the smallest set of this representation that contains `a` and `b`.
AcceptanceSet Join(const AcceptanceSet& a, const AcceptanceSet& b);
// Returns true if inner ⊆ outer as sets of stored values. Used by lints and tests.
bool IsSubset(const AcceptanceSet& inner, const AcceptanceSet& outer);

// Returns the set whose only value is element `index` of the literal (component 1: imaginary part).
AcceptanceSet PointOf(const Literal& literal, int64_t index, int component = 0);
// Returns true if the set accepts the component `component` of the element. Integers and NaNs of
// known bits are compared exactly, other floats by value and flags.
bool Accepts(const AcceptanceSet& set, const Literal& literal, int64_t index, int component = 0);
// Returns log2 of the number of values of `type` in the set: from 0 to the width of the type in
// bits.
double Log2Count(const AcceptanceSet& set, PrimitiveType type);
// Returns the set as text: "[1.5, 1.75] or nan", "{3}", "any value", "{-0, +0}".
std::string SetText(const AcceptanceSet& set, PrimitiveType type);

class JointPredicate;   // spec/judge/joint.h
struct MovedJoint;      // spec/judge/joint.h
class ChoiceMap;        // spec/judge/choices.h
class IntervalColumns;  // spec/judge/interval_columns.h

// The acceptance sets of an array (never of a tuple). They are stored as a literal if every element
// has one value, otherwise as a vector of sets, or as columns that are converted on demand.
class SetArray {
 public:
  SetArray() = default;
  // Constructs an array in which each element has one value; the bits of NaNs are known.
  explicit SetArray(Literal exact) : exact_(std::move(exact)) {}
  // Constructs an array from one set per element (complex: two), in row-major order of the bounds.
  SetArray(Shape shape, std::vector<AcceptanceSet> sets)
      : shape_(std::make_shared<const Shape>(std::move(shape))),
        sets_(std::make_shared<std::vector<AcceptanceSet>>(std::move(sets))) {}
  // Constructs an array of real floats that is stored in columns.
  SetArray(Shape shape, std::shared_ptr<const IntervalColumns> columns)
      : shape_(std::make_shared<const Shape>(std::move(shape))), columns_(std::move(columns)) {}
  static SetArray Unspecified(const Shape& shape, WideningCause cause, uint32_t origin);

  const Shape& shape() const { return shape_ ? *shape_ : exact_.shape(); }  // invalid by default
  PrimitiveType element_type() const { return shape().element_type(); }
  int64_t element_count() const { return shape().ElementCount(); }
  int components() const { return IsComplex(element_type()) ? 2 : 1; }
  bool exact() const { return sets_ == nullptr && columns_ == nullptr; }
  const Literal& literal() const { return exact_; }  // valid if exact()
  absl::Span<const AcceptanceSet> sets() const;      // valid unless exact()
  // Returns nullptr if the array is not stored in columns.
  const std::shared_ptr<const IntervalColumns>& columns() const { return columns_; }
  std::vector<AcceptanceSet>& mutable_sets();
  // Returns the set of one component, whatever the representation, with the flags below applied.
  AcceptanceSet At(int64_t index, int component = 0) const;
  std::vector<AcceptanceSet> AsSets() const;

  // Flags of exact arrays. nan_bits_free: every NaN was computed, so its payload and sign are free.
  // zero_sign_free: every zero may have either sign.
  bool nan_bits_free = false;
  bool zero_sign_free = false;
  // The elements that have a few alternative sets, exactly one of which holds (lemma 31). At()
  // returns the join of the alternatives. nullptr if there are none; mutable_sets() resets it.
  std::shared_ptr<const ChoiceMap> choices;
  // Run-time sizes of the dynamic dimensions. Empty if they equal the bounds.
  std::vector<int64_t> runtime_sizes;
  // A predicate over whole arrays, which reads this array as value `joint_slot`. It is checked if
  // the array is an output. Consumers may assume that each element is in its own set.
  std::shared_ptr<const JointPredicate> joint;
  int joint_slot = 0;
  // The positions of the predicate's elements in this array; nullptr if none was moved.
  std::shared_ptr<const MovedJoint> joint_moved;
  uint32_t origin = 0;  // index of the instruction that created the array
  // The array's number in the judge's record of computed arrays (reference/judge/centred). -1 if
  // the array has no number or its sets were changed since.
  int32_t node = -1;

 private:
  std::shared_ptr<const Shape> shape_;  // shared by copies; nullptr for exact arrays
  Literal exact_;
  mutable std::shared_ptr<std::vector<AcceptanceSet>> sets_;  // from columns_, on demand
  std::shared_ptr<const IntervalColumns> columns_;
};

}  // namespace hlocts
