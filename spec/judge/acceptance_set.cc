// SPDX-License-Identifier: Apache-2.0
#include "spec/judge/acceptance_set.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "spec/ir/element_width.h"
#include "spec/judge/element_text.h"
#include "spec/judge/interval_columns.h"
#include "spec/judge/real.h"

namespace hlocts {
namespace {

constexpr uint16_t kClassFlags = AcceptanceSet::kNan | AcceptanceSet::kPosInf |
                                 AcceptanceSet::kNegInf | AcceptanceSet::kPosZero |
                                 AcceptanceSet::kNegZero;

struct Component {
  const uint8_t* element;
  PrimitiveType type;  // the type of one component
  int bytes;
};

Component ComponentAt(const Literal& literal, int64_t index, int component) {
  PrimitiveType type = ComponentType(literal.element_type());
  int bytes = StorageBytes(type);
  int per_element = IsComplex(literal.element_type()) ? 2 : 1;
  return {literal.raw_data() + (index * per_element + component) * bytes, type, bytes};
}

double FloatAt(const Component& c) {
  uint64_t bits = StoredBits(c.element, c.bytes);
  if (c.type == PrimitiveType::kF64) {
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  if (c.type == PrimitiveType::kF32) {
    float value;
    uint32_t narrow = static_cast<uint32_t>(bits);
    std::memcpy(&value, &narrow, sizeof(value));
    return value;
  }
  return DecodeNarrow(c.type, static_cast<uint16_t>(bits));
}

Int128 IntegerAt(const Component& c) {
  uint64_t bits = StoredBits(c.element, c.bytes);
  if (c.type == PrimitiveType::kPred) return bits != 0;
  if (!IsSigned(c.type)) return static_cast<Int128>(bits);
  int shift = 64 - 8 * c.bytes;
  return static_cast<int64_t>(bits << shift) >> shift;
}

double IntervalCount(const AcceptanceSet& s, const FloatFacts& facts) {
  if (!s.finite()) return 0;
  double lo = s.lo, hi = s.hi;
  if (s.Has(AcceptanceSet::kIntegral)) return std::max(0.0, std::floor(hi) - std::ceil(lo) + 1);
  double count = static_cast<double>(Int128{facts.Place(hi)} - facts.Place(lo) + 1);
  if (lo <= 0 && hi >= 0) {
    count -= 1;
    count += s.Has(AcceptanceSet::kPosZero) + s.Has(AcceptanceSet::kNegZero);
  }
  return count;
}

}  // namespace

AcceptanceSet AcceptanceSet::Unspecified(WideningCause cause, uint32_t origin) {
  AcceptanceSet s;
  s.flags = kUnspecified;
  s.cause = cause;
  s.origin = origin;
  return s;
}

AcceptanceSet AcceptanceSet::Float(double value) {
  AcceptanceSet s;
  if (std::isnan(value)) {
    s.flags = kNan;
  } else if (std::isinf(value)) {
    s.flags = value > 0 ? kPosInf : kNegInf;
  } else {
    s.flags = kFinite;
    s.lo = s.hi = s.rlo = s.rhi = value;
    if (value == 0) s.flags |= std::signbit(value) ? kNegZero : kPosZero;
  }
  return s;
}

AcceptanceSet AcceptanceSet::NanWithBits(uint64_t bits) {
  AcceptanceSet s;
  s.flags = kNan | kBitsKnown;
  s.nan_bits = bits;
  return s;
}

AcceptanceSet AcceptanceSet::Interval(double lo, double hi) {
  AcceptanceSet s;
  s.flags = kFinite;
  s.lo = s.rlo = lo;
  s.hi = s.rhi = hi;
  if (lo <= 0 && hi >= 0) s.flags |= kPosZero | kNegZero;
  return s;
}

AcceptanceSet AcceptanceSet::Integers(Int128 lo, Int128 hi) {
  AcceptanceSet s;
  s.flags = kInteger;
  s.ilo = lo;
  s.ihi = hi;
  return s;
}

bool AcceptanceSet::IsPoint() const {
  if (unspecified()) return false;
  if (integer()) return ilo == ihi;
  uint16_t zeros = flags & (kPosZero | kNegZero);
  int classes = Has(kNan) + Has(kPosInf) + Has(kNegInf) + Has(kFinite);
  return classes == 1 && (!finite() || (lo == hi && zeros != (kPosZero | kNegZero)));
}

AcceptanceSet Join(const AcceptanceSet& a, const AcceptanceSet& b) {
  if (a.unspecified()) return a;
  if (b.unspecified()) return b;
  AcceptanceSet s = a;
  if (a.integer()) {
    s.ilo = std::min(a.ilo, b.ilo);
    s.ihi = std::max(a.ihi, b.ihi);
  } else {
    constexpr uint16_t kBits = AcceptanceSet::kBitsKnown;
    bool same_bits = a.Has(kBits) && b.Has(kBits) && a.nan_bits == b.nan_bits;
    if (same_bits) return a;
    uint16_t integral = AcceptanceSet::kIntegral;
    if (a.finite()) integral &= a.flags;
    if (b.finite()) integral &= b.flags;
    s.flags = (a.flags | b.flags) & ~(kBits | AcceptanceSet::kIntegral);
    if (a.finite() || b.finite()) s.flags |= integral;
    auto ends = [](const AcceptanceSet& x, bool& present, double& lo, double& hi) {
      present = x.Has(AcceptanceSet::kPreRounding);
      if (present) {
        lo = x.rlo, hi = x.rhi;
      } else if (x.finite()) {
        present = true, lo = x.lo, hi = x.hi;
      }
    };
    double alo = 0, ahi = 0, blo = 0, bhi = 0;
    bool has_a, has_b;
    ends(a, has_a, alo, ahi);
    ends(b, has_b, blo, bhi);
    s.rlo = !has_b ? alo : !has_a ? blo : std::min(alo, blo);
    s.rhi = !has_b ? ahi : !has_a ? bhi : std::max(ahi, bhi);
    s.lo = !b.finite() ? a.lo : !a.finite() ? b.lo : std::min(a.lo, b.lo);
    s.hi = !b.finite() ? a.hi : !a.finite() ? b.hi : std::max(a.hi, b.hi);
  }
  bool wider_b = b.cause != WideningCause::kPoint;
  s.cause = wider_b ? b.cause : a.cause;
  s.origin = wider_b ? b.origin : a.origin;
  return s;
}

bool IsSubset(const AcceptanceSet& inner, const AcceptanceSet& outer) {
  if (outer.unspecified()) return true;
  if (inner.unspecified()) return false;
  if (inner.integer()) return outer.ilo <= inner.ilo && inner.ihi <= outer.ihi;
  if (outer.Has(AcceptanceSet::kBitsKnown)) {
    return inner.Has(AcceptanceSet::kBitsKnown) && inner.nan_bits == outer.nan_bits;
  }
  uint16_t classes = inner.flags & kClassFlags;
  if ((classes & ~outer.flags) != 0) return false;
  if (!inner.finite()) return true;
  return outer.finite() && outer.lo <= inner.lo && inner.hi <= outer.hi;
}

AcceptanceSet PointOf(const Literal& literal, int64_t index, int component) {
  Component c = ComponentAt(literal, index, component);
  if (!IsFloat(c.type)) {
    Int128 value = IntegerAt(c);
    return AcceptanceSet::Integers(value, value);
  }
  double value = FloatAt(c);
  if (std::isnan(value)) return AcceptanceSet::NanWithBits(StoredBits(c.element, c.bytes));
  return AcceptanceSet::Float(value);
}

bool Accepts(const AcceptanceSet& s, const Literal& literal, int64_t index, int component) {
  if (s.unspecified()) return true;
  Component c = ComponentAt(literal, index, component);
  if (s.integer()) {
    Int128 value = IntegerAt(c);
    return s.ilo <= value && value <= s.ihi;
  }
  double value = FloatAt(c);
  if (std::isnan(value)) {
    if (s.Has(AcceptanceSet::kBitsKnown)) {
      // A move through a register may have set the quiet bit of a signalling NaN (lemma 22).
      uint64_t bits = StoredBits(c.element, c.bytes);
      const FloatFormat& format = FormatOf(c.type);
      uint64_t quiet = format.has_infinity() ? uint64_t{1} << (format.mantissa_bits - 1) : 0;
      return bits == s.nan_bits || bits == (s.nan_bits | quiet);
    }
    return s.Has(AcceptanceSet::kNan);
  }
  if (std::isinf(value)) return s.Has(value > 0 ? AcceptanceSet::kPosInf : AcceptanceSet::kNegInf);
  if (!s.finite() || value < s.lo || value > s.hi) return false;
  if (value == 0) {
    return s.Has(std::signbit(value) ? AcceptanceSet::kNegZero : AcceptanceSet::kPosZero);
  }
  return !s.Has(AcceptanceSet::kIntegral) || value == std::floor(value);
}

double Log2Count(const AcceptanceSet& s, PrimitiveType type) {
  PrimitiveType component = ComponentType(type);
  double width = component == PrimitiveType::kPred ? 1 : BitWidth(component);
  if (s.unspecified()) return width;
  if (s.integer()) {
    return std::min(width, std::log2(static_cast<double>(s.ihi - s.ilo) + 1));
  }
  if (s.IsPoint()) return 0;
  // All NaNs are counted as one value, because their payload is free in nearly all cases.
  double count = IntervalCount(s, FactsOf(component)) + s.Has(AcceptanceSet::kNan) +
                 s.Has(AcceptanceSet::kPosInf) + s.Has(AcceptanceSet::kNegInf);
  return std::clamp(std::log2(std::max(count, 1.0)), 0.0, width);
}

namespace {

std::string ZeroText(const AcceptanceSet& s) {
  if (!s.Has(AcceptanceSet::kPosZero)) return "-0";
  return s.Has(AcceptanceSet::kNegZero) ? "+0 or -0" : "+0";
}

std::string IntervalText(const AcceptanceSet& s, PrimitiveType type) {
  if (s.lo == s.hi) return s.lo == 0 ? ZeroText(s) : NumberText(s.lo, type);
  std::string text = absl::StrCat("[", NumberText(s.lo, type), ", ", NumberText(s.hi, type), "]");
  if (s.Has(AcceptanceSet::kIntegral)) text += " (integral)";
  return text;
}

}  // namespace

std::string SetText(const AcceptanceSet& s, PrimitiveType type) {
  if (s.unspecified()) return "any value";
  if (s.integer()) {
    if (type == PrimitiveType::kPred) {
      return s.ilo != s.ihi ? "true or false" : s.ilo != 0 ? "true" : "false";
    }
    if (s.ilo == s.ihi) return IntegerText(s.ilo);
    return absl::StrCat("[", IntegerText(s.ilo), ", ", IntegerText(s.ihi), "]");
  }
  if (s.Has(AcceptanceSet::kBitsKnown)) return absl::StrFormat("nan with bits 0x%x", s.nan_bits);
  std::vector<std::string> parts;
  if (s.finite()) parts.push_back(IntervalText(s, ComponentType(type)));
  if (s.Has(AcceptanceSet::kPosInf)) parts.push_back("inf");
  if (s.Has(AcceptanceSet::kNegInf)) parts.push_back("-inf");
  if (s.Has(AcceptanceSet::kNan)) parts.push_back("nan");
  return parts.empty() ? "no value" : absl::StrJoin(parts, " or ");
}

SetArray SetArray::Unspecified(const Shape& shape, WideningCause cause, uint32_t origin) {
  if (shape.ElementCount() == 0) return SetArray(Literal(shape));  // no elements
  int64_t count = shape.ElementCount() * (IsComplex(shape.element_type()) ? 2 : 1);
  SetArray result(shape,
                  std::vector<AcceptanceSet>(count, AcceptanceSet::Unspecified(cause, origin)));
  result.origin = origin;
  return result;
}

absl::Span<const AcceptanceSet> SetArray::sets() const {
  if (sets_ == nullptr) {
    sets_ = std::make_shared<std::vector<AcceptanceSet>>(columns_->ToSets());
  }
  return *sets_;
}

std::vector<AcceptanceSet>& SetArray::mutable_sets() {
  if (sets_ == nullptr) {
    sets_ = std::make_shared<std::vector<AcceptanceSet>>(AsSets());
    if (shape_ == nullptr) shape_ = std::make_shared<const Shape>(exact_.shape());
    exact_ = Literal();
    nan_bits_free = zero_sign_free = false;
  } else if (sets_.use_count() != 1) {
    sets_ = std::make_shared<std::vector<AcceptanceSet>>(*sets_);
  }
  columns_ = nullptr, choices = nullptr, node = -1;
  return *sets_;
}

AcceptanceSet SetArray::At(int64_t index, int component) const {
  if (sets_ != nullptr) return (*sets_)[index * components() + component];
  if (columns_ != nullptr) return columns_->At(index);
  AcceptanceSet s = PointOf(exact_, index, component);
  s.origin = origin;
  if (nan_bits_free && s.Has(AcceptanceSet::kBitsKnown)) {
    s.flags = AcceptanceSet::kNan;
  } else if (zero_sign_free && !s.integer() && s.finite() && s.lo == 0) {
    s.flags |= AcceptanceSet::kPosZero | AcceptanceSet::kNegZero;
    s.cause = WideningCause::kZeroSign;
  }
  return s;
}

std::vector<AcceptanceSet> SetArray::AsSets() const {
  if (sets_ != nullptr) return *sets_;
  if (columns_ != nullptr) return columns_->ToSets();
  std::vector<AcceptanceSet> sets;
  sets.reserve(exact_.element_count() * components());
  for (int64_t i = 0, count = exact_.element_count(); i < count; ++i) {
    for (int c = 0; c < components(); ++c) sets.push_back(At(i, c));
  }
  return sets;
}

}  // namespace hlocts
