// SPDX-License-Identifier: Apache-2.0
// AcceptanceSet: the values that a conforming engine may return for one element. SetArray: those of
// a whole array.
//
// A float's set is an interval of stored values [lo,hi], flags for values outside of any interval
// (NaN, infinities, which zero), and a second interval [rlo,rhi], the pre-rounding interval: the
// unrounded values that a consumer that skips the rounding may read. Its exponent is unbounded:
// 3e38*2 stores {inf}, but its pre-rounding interval is 6e38. Integers and preds are [lo,hi] in 128
// bits. A complex element is two sets, real then imaginary.
#ifndef HLOCTS_SPEC_JUDGE_ACCEPTANCE_SET_H_
#define HLOCTS_SPEC_JUDGE_ACCEPTANCE_SET_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "spec/base/int128.h"
#include "spec/ir/literal.h"
#include "spec/ir/primitive_type.h"

namespace hlocts {

// The cause of the set's width (the widest cause so far).
enum class WideningCause : uint8_t {
  kPoint,        // none: the set is a point
  kUlps,         // a function's ulps
  kSum,          // any order of additions
  kProduct,      // any order of multiplications
  kUnderflow,    // flushed subnormals
  kContract,     // a skipped rounding
  kDoubleRound,  // a conversion through a wider type
  kOverflow,     // largest finite value or infinity
  kZeroSign,
  kNan,      // NaN accepted in addition to numbers
  kJump,     // a comparison or rounding that may go either way
  kInit,     // how often init enters a reduction
  kJoint,    // bound of a joint predicate, applied per element
  kFreedom,  // left open by the documents
  kUnknown,  // the sets cannot express it
  kFormat,   // a zero or sign in a type that has none
};
absl::string_view WideningCauseName(WideningCause cause);

struct AcceptanceSet {
  enum Flag : uint16_t {
    kFinite = 1 << 0,  // [lo,hi] is present
    kNan = 1 << 1,
    kPosInf = 1 << 2,
    kNegInf = 1 << 3,
    kPosZero = 1 << 4,  // +0 is accepted; then [lo,hi] contains 0
    kNegZero = 1 << 5,
    kIntegral = 1 << 6,       // only integral values of [lo,hi]
    kBitsKnown = 1 << 7,      // NaN only, with exactly these bits (nan_bits)
    kUnspecified = 1 << 8,    // any value at all
    kHull = 1 << 9,           // [rlo,rhi] is present and differs from [lo,hi]
    kContractible = 1 << 10,  // an add or subtract may read [rlo,rhi]
    kScaledHull = 1 << 11,    // the interval is [rlo,rhi] * 2^512
    kInteger = 1 << 12,       // ilo, ihi instead of the doubles
  };

  union {
    struct {
      double lo, hi;    // stored values
      double rlo, rhi;  // pre-rounding interval, contains [lo,hi] where finite
    };
    struct {
      Int128 ilo, ihi;
    };
    uint64_t nan_bits;  // kBitsKnown
  };
  uint16_t flags = 0;
  WideningCause cause = WideningCause::kPoint;
  uint32_t origin = 0;  // last instruction that widened it: index into the module's origins

  AcceptanceSet() : lo(0), hi(0), rlo(0), rhi(0) {}

  static AcceptanceSet Unspecified(WideningCause cause = WideningCause::kUnknown,
                                   uint32_t origin = 0);
  static AcceptanceSet Float(double value);  // a finite or infinite point; NaN: bits unknown
  static AcceptanceSet NanWithBits(uint64_t bits);
  static AcceptanceSet Interval(double lo, double hi);  // zeros of both signs where it holds 0
  static AcceptanceSet Integers(Int128 lo, Int128 hi);

  bool Has(uint16_t flag) const { return (flags & flag) != 0; }
  bool unspecified() const { return Has(kUnspecified); }
  bool integer() const { return Has(kInteger); }
  bool finite() const { return Has(kFinite); }
  // Exactly one value. A single NaN with unknown bits counts as a point: only its class is checked.
  bool IsPoint() const;
};
static_assert(sizeof(AcceptanceSet) <= 64);

// The smallest set of this representation that contains both.
AcceptanceSet Join(const AcceptanceSet& a, const AcceptanceSet& b);
// inner ⊆ outer as sets of stored values (for lints and tests).
bool IsSubset(const AcceptanceSet& inner, const AcceptanceSet& outer);

// Element `index` of a literal (component 1: the imaginary part) as a point.
AcceptanceSet PointOf(const Literal& literal, int64_t index, int component = 0);
// Returns true if that component of the element is an accepted value: floats by value and flags,
// known NaN bits exactly, integers exactly.
bool Accepts(const AcceptanceSet& set, const Literal& literal, int64_t index, int component = 0);
// log2 of the number of values of `type` that the set accepts; 0 for a point, at most the type's
// width.
double Log2Count(const AcceptanceSet& set, PrimitiveType type);
// "[1.5, 1.75] or nan", "{3}", "any value", "{-0, +0}".
std::string SetText(const AcceptanceSet& set, PrimitiveType type);

class JointPredicate;   // spec/judge/joint.h
struct MovedJoint;      // spec/judge/joint.h
class ChoiceMap;        // spec/judge/choices.h
class IntervalColumns;  // spec/judge/interval_columns.h

// Acceptance of an array (never of a tuple). If every element is a point, only a literal; otherwise
// a vector of sets, or columns that are converted to such a vector on demand.
class SetArray {
 public:
  SetArray() = default;
  // Points, with known NaN bits.
  explicit SetArray(Literal exact) : exact_(std::move(exact)) {}
  // One set per element (two per complex element), in row-major order of the bounds.
  SetArray(Shape shape, std::vector<AcceptanceSet> sets)
      : shape_(std::make_shared<const Shape>(std::move(shape))),
        sets_(std::make_shared<std::vector<AcceptanceSet>>(std::move(sets))) {}
  // The same in columns, for real floats.
  SetArray(Shape shape, std::shared_ptr<const IntervalColumns> columns)
      : shape_(std::make_shared<const Shape>(std::move(shape))), columns_(std::move(columns)) {}
  static SetArray Unspecified(const Shape& shape, WideningCause cause, uint32_t origin);

  const Shape& shape() const { return shape_ ? *shape_ : exact_.shape(); }  // or invalid
  PrimitiveType element_type() const { return shape().element_type(); }
  int64_t element_count() const { return shape().ElementCount(); }
  int components() const { return IsComplex(element_type()) ? 2 : 1; }
  bool exact() const { return sets_ == nullptr && columns_ == nullptr; }
  const Literal& literal() const { return exact_; }  // exact only
  absl::Span<const AcceptanceSet> sets() const;      // not exact
  // nullptr: not stored in columns.
  const std::shared_ptr<const IntervalColumns>& columns() const { return columns_; }
  std::vector<AcceptanceSet>& mutable_sets();
  // The set of element i, component c, in any representation (the flags below included).
  AcceptanceSet At(int64_t index, int component = 0) const;
  // The whole array as sets.
  std::vector<AcceptanceSet> AsSets() const;

  // Exact arrays: every NaN was computed (payload and sign free); every zero may have either sign.
  bool nan_bits_free = false;
  bool zero_sign_free = false;
  // Elements for which exactly one of a few sets holds (RULES 31); At() returns their join.
  // nullptr: none. mutable_sets() clears them.
  std::shared_ptr<const ChoiceMap> choices;
  // Run-time sizes of dynamic dimensions; empty: the bounds.
  std::vector<int64_t> runtime_sizes;
  // The leaf is value `joint_slot` of a predicate over whole tensors, which is checked if the leaf
  // is an output; consumers may assume the sets above for single elements.
  std::shared_ptr<const JointPredicate> joint;
  int joint_slot = 0;
  // nullptr: the predicate reads the array as it is.
  std::shared_ptr<const MovedJoint> joint_moved;
  uint32_t origin = 0;  // the instruction that created the array
  // The array's number in the judge's record of the walk (reference/judge/centred); -1: none, or
  // its sets were changed.
  int32_t node = -1;

 private:
  std::shared_ptr<const Shape> shape_;  // shared by copies; for sets and columns
  Literal exact_;
  mutable std::shared_ptr<std::vector<AcceptanceSet>> sets_;  // for columns: created on demand
  std::shared_ptr<const IntervalColumns> columns_;
};

}  // namespace hlocts

#endif  // HLOCTS_SPEC_JUDGE_ACCEPTANCE_SET_H_
