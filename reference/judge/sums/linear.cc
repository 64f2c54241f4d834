// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/sums/linear.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "spec/accuracy/rules.h"
#include "spec/judge/float_sets.h"
#include "spec/judge/interval_columns.h"

namespace hlocts::reference {
namespace {

constexpr int64_t kFloatBlock = 256;  // the number of f32 values that are examined together

// Updates `linear` by the least set bit of x and its number of significant bits, at most `width`.
void NoteBits(double x, int width, Linear& linear) {
  if (x == 0 || !std::isfinite(x)) return;
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  int exponent = ExponentOf(x);
  // Most numbers of an array change neither the bits nor the quantum.
  if (linear.bits >= width && exponent - (width - 1) >= linear.quantum) return;
  uint64_t mantissa = bits & ((uint64_t{1} << 52) - 1);
  if (exponent == -1023) {
    exponent = -1022;
  } else {
    mantissa |= uint64_t{1} << 52;
  }
  int trailing = __builtin_ctzll(mantissa);
  linear.quantum = std::min(linear.quantum, exponent - 52 + trailing);
  linear.bits = std::max(linear.bits, 53 - trailing);
}

struct Reading {
  double middle = 0, radius = 0;
  bool uncertain = false;
  bool maybe_zero = false;
};

View ViewOf(const AcceptanceSet& s, const FloatFacts& facts, uint32_t permissions, bool read_hull) {
  const bool hull = read_hull || (s.Has(AcceptanceSet::kContractible) && (permissions & kContract));
  return ReadSet(s, facts, permissions, hull);
}

Reading ReadElement(const AcceptanceSet& s, const FloatFacts* facts, uint32_t permissions,
                    bool read_hull) {
  Reading r;
  if (s.unspecified()) {
    r.uncertain = true;
    return r;
  }
  if (s.integer()) {
    r.middle = static_cast<double>(s.ilo) / 2 + static_cast<double>(s.ihi) / 2;
    r.radius = s.ilo == s.ihi ? 0 : static_cast<double>(s.ihi - s.ilo) / 2 + 1;
    return r;
  }
  View v = ViewOf(s, *facts, permissions, read_hull);
  int classes = v.nan + v.pos_inf + v.neg_inf;
  if (classes > 1 || (classes == 1 && v.finite)) {
    r.uncertain = true;
  } else if (classes == 1) {
    r.middle = v.nan ? std::nan("") : v.pos_inf ? HUGE_VAL : -HUGE_VAL;
    return r;
  }
  if (!v.finite) return r;
  if (std::isinf(v.lo) || std::isinf(v.hi)) {
    r.uncertain = true;
    return r;
  }
  r.middle = v.lo == v.hi ? v.lo : v.lo / 2 + v.hi / 2;
  r.maybe_zero = v.lo != v.hi && v.lo <= 0 && v.hi >= 0;
  if (v.lo != v.hi) r.radius = NextUp(std::max(v.hi - r.middle, r.middle - v.lo));
  return r;
}

void Mark(Literal& marks, bool& has_marks, const Shape& shape, int64_t i) {
  if (!has_marks) marks = Literal(shape);
  has_marks = true;
  marks.mutable_data<double>()[i] = 1;
}

// The magnitudes of a block of f32 numbers.
struct FloatScan {
  int32_t least = INT32_MAX, most = 0;  // bit patterns; `least` ignores zeros
  bool ordinary = true;                 // all numbers are zero or normal
};
FloatScan Scan(const float* x, int64_t count) {
  FloatScan scan;
  int32_t other = 0;
  for (int64_t k = 0; k < count; ++k) {
    int32_t bits;
    std::memcpy(&bits, x + k, sizeof(bits));
    bits &= 0x7fffffff;
    scan.least = std::min(scan.least, bits == 0 ? INT32_MAX : bits);
    scan.most = std::max(scan.most, bits);
    other |= (bits != 0) & (bits < 0x800000);
  }
  scan.ordinary = other == 0 && scan.most < 0x7f800000;
  return scan;
}

int FloatExponent(int32_t bits) { return (bits >> 23) - 127; }

// Returns true if all numbers are multiples of 2^linear.quantum and fit in linear.bits bits.
bool AreMultiples(const float* x, int64_t count, int32_t most, const Linear& linear) {
  if (linear.bits == 0 || std::abs(linear.quantum) > 900) return false;
  if (FloatExponent(most) >= linear.quantum + linear.bits) return false;
  const double scale = PowerOfTwo(-linear.quantum);
  constexpr double kWhole = 0x1.8p52;  // adding and subtracting it rounds to an integer
  int other = 0;
  for (int64_t k = 0; k < count; ++k) {
    double y = static_cast<double>(x[k]) * scale;
    other |= (y + kWhole) - kWhole != y;
  }
  return other == 0;
}

// Updates quantum and bits for f32 numbers if all are zero or normal; otherwise returns false.
bool NoteFloats(const float* x, int64_t count, Linear& linear) {
  const FloatScan scan = Scan(x, count);
  if (!scan.ordinary) return false;
  // Most blocks change neither the bits nor the quantum.
  const bool noted = linear.bits >= 24 && FloatExponent(scan.least) - 23 >= linear.quantum;
  if (scan.most == 0 || noted || AreMultiples(x, count, scan.most, linear)) return true;
  for (int64_t k = 0; k < count; ++k) NoteBits(x[k], 24, linear);
  return true;
}

class Linearizer {
 public:
  Linearizer(const SetArray& array, Linear& linear)
      : array_(array), linear_(linear), shape_(linear.middle.shape()) {
    middle_ = linear.middle.mutable_data<double>().data();
    magnitude_ = linear.magnitude.mutable_data<double>().data();
  }
  // Adds numbers that NoteFloats has examined.
  void PutFloats(int64_t i, const float* x, int64_t count) {
    for (int64_t k = 0; k < count; ++k) middle_[i + k] = static_cast<double>(x[k]);
    for (int64_t k = 0; k < count; ++k) magnitude_[i + k] = static_cast<double>(std::fabs(x[k]));
  }
  // `width` is the precision of the number's format.
  void PutPoint(int64_t i, double x, int width = 53) {
    middle_[i] = x;
    magnitude_[i] = std::fabs(x);
    NoteBits(x, width, linear_);
  }
  void Put(int64_t i, const Reading& r, WideningCause cause, uint32_t origin) {
    PutPoint(i, r.middle);
    if (std::isfinite(r.middle)) {
      // Both ends are finite, but the rounded radius may exceed the largest double.
      magnitude_[i] = std::min(magnitude_[i] + r.radius, kLargestDouble);
    } else {
      linear_.non_finite = true;
    }
    if (r.radius > 0) PutRadius(i, r.radius, cause, origin);
    if (r.maybe_zero) Mark(linear_.maybe_zero, linear_.has_maybe_zero, shape_, i);
    if (r.uncertain) {
      Mark(linear_.uncertain, linear_.has_uncertain, shape_, i);
      linear_.cause = cause;
      linear_.origin = origin;
    }
  }

 private:
  void PutRadius(int64_t i, double radius, WideningCause cause, uint32_t origin) {
    if (radius_ == nullptr) {
      linear_.radius = Literal(shape_);
      radius_ = linear_.radius.mutable_data<double>().data();
      linear_.has_radius = true;
    }
    radius_[i] = radius;
    double relative = radius / std::max(magnitude_[i], 1e-300);
    if (!(relative > widest_)) return;
    widest_ = relative;
    linear_.cause = cause == WideningCause::kPoint ? WideningCause::kContract : cause;
    linear_.origin = origin != 0 ? origin : array_.origin;
  }

  const SetArray& array_;
  Linear& linear_;
  const Shape shape_;
  double *middle_ = nullptr, *magnitude_ = nullptr, *radius_ = nullptr;
  double widest_ = 0;
};

Reading ReadEnds(double lo, double hi) {
  Reading r;
  r.middle = lo == hi ? lo : lo / 2 + hi / 2;
  if (lo != hi) r.radius = NextUp(std::max(hi - r.middle, r.middle - lo));
  return r;
}

// Fills in every element. Fast paths handle ordinary elements of columns and normal f32 numbers.
void LinearizeElements(const SetArray& array, int component, uint32_t permissions, bool read_hull,
                       Linear& linear) {
  Linearizer linearizer(array, linear);
  PrimitiveType type = ComponentType(array.element_type());
  const FloatFacts* facts = IsFloat(type) ? &FactsOf(type) : nullptr;
  const IntervalColumns* columns = array.columns().get();
  bool hull = columns != nullptr && columns->has_pre_rounding() &&
              (read_hull || (columns->contractible() && (permissions & kContract)));
  const float* plain = array.exact() && array.element_type() == PrimitiveType::kF32
                           ? array.literal().data<float>().data()
                           : nullptr;
  const int64_t count = array.element_count();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t block = plain != nullptr ? std::min(kFloatBlock, count - i) : 0;
    if (block > 0 && i % kFloatBlock == 0 && NoteFloats(plain + i, block, linear)) {
      linearizer.PutFloats(i, plain + i, block);
      i += block - 1;
    } else if (plain != nullptr && std::isnormal(plain[i])) {
      linearizer.PutPoint(i, plain[i], 24);
    } else if (columns != nullptr && columns->ordinary(i)) {
      Reading r = hull ? ReadEnds(columns->rlo()[i], columns->rhi()[i])
                       : ReadEnds(columns->lo()[i], columns->hi()[i]);
      uint32_t cause = columns->causes()[i];
      linearizer.Put(i, r, IntervalColumns::TermOf(cause), IntervalColumns::OriginOf(cause));
    } else {
      AcceptanceSet s = array.At(i, component);
      linearizer.Put(i, ReadElement(s, facts, permissions, read_hull), s.cause, s.origin);
    }
  }
}

Literal WithSizesOf(Literal literal, const SetArray& array) {
  for (size_t d = 0; d < array.runtime_sizes.size(); ++d) {
    const Shape& shape = array.shape();
    if (array.runtime_sizes[d] != shape.dimensions()[d] || shape.is_dynamic_dimension(d)) {
      literal.SetRuntimeSize(static_cast<int64_t>(d), array.runtime_sizes[d]);
    }
  }
  return literal;
}

}  // namespace

Linear Linearize(const SetArray& array, int component, uint32_t permissions, bool read_hull) {
  Linear linear;
  Shape shape = array.shape().WithElementType(PrimitiveType::kF64);
  linear.origin = array.origin;
  if (component == 1 && array.components() == 1) {  // the imaginary part of a real operand
    linear.middle = Literal(shape);
    linear.magnitude = Literal(shape);
    return linear;
  }
  linear.middle = Literal::Uninitialized(shape);
  linear.magnitude = Literal::Uninitialized(shape);
  LinearizeElements(array, component, permissions, read_hull, linear);
  if (linear.has_radius) linear.quantum = Linear::kNoQuantum;
  if (array.runtime_sizes.empty()) return linear;
  for (Literal* literal :
       {&linear.middle, &linear.magnitude, &linear.radius, &linear.uncertain, &linear.maybe_zero}) {
    if (literal->raw_size() != 0) *literal = WithSizesOf(std::move(*literal), array);
  }
  return linear;
}

UncertainElements UncertainElementsOf(const SetArray& array, uint32_t permissions, bool read_hull,
                                      const Literal& marks) {
  UncertainElements found{marks, {marks, marks, marks}};
  const FloatFacts& facts = FactsOf(array.element_type());
  for (int64_t i = 0; i < marks.element_count(); ++i) {
    if (marks.data<double>()[i] == 0) continue;
    const AcceptanceSet s = array.At(i, 0);
    const View v = s.unspecified() ? View() : ViewOf(s, facts, permissions, read_hull);
    const bool never = !v.finite && !s.unspecified();  // an infinity or a NaN; the number is 0
    const bool bounded = never || (v.finite && std::isfinite(v.lo) && std::isfinite(v.hi));
    found.open.mutable_data<double>()[i] = !bounded;
    const bool may_be[] = {v.pos_inf, v.neg_inf, v.nan};
    for (int k = 0; k < 3; ++k) found.possible[k].mutable_data<double>()[i] = bounded && may_be[k];
  }
  return found;
}

Literal FiniteOnly(const Literal& values) {
  Literal finite = values;
  for (double& x : finite.mutable_data<double>()) {
    if (!std::isfinite(x)) x = 0;
  }
  return finite;
}

Literal ClassesOf(const Literal& values) {
  Literal classes = values;
  for (double& x : classes.mutable_data<double>()) {
    if (std::isfinite(x)) x = SignOf(x);
  }
  return classes;
}

double LargestFinite(const Literal& values) {
  double largest = 0;
  for (double x : values.data<double>()) {
    double magnitude = std::fabs(x);
    if (magnitude > largest && magnitude <= kLargestDouble) largest = magnitude;
  }
  return largest;
}

Literal ScaledDown(const Literal& values, int exponent) {
  Literal scaled = FiniteOnly(values);
  for (double& x : scaled.mutable_data<double>()) x = std::ldexp(x, -exponent);
  return scaled;
}

}  // namespace hlocts::reference
