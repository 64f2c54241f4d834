// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/interpreter/set_value.h"

#include <cmath>
#include <cstring>

#include "spec/judge/choices.h"
#include "spec/judge/real.h"

namespace hlocts::reference {

SetValue ExactValue(const Literal& literal) {
  if (literal.shape().IsTuple()) {
    std::vector<SetValue> elements;
    for (const Literal& element : literal.elements()) elements.push_back(ExactValue(element));
    return SetValue::Tuple(std::move(elements));
  }
  if (!literal.shape().IsArray()) return SetValue::Token();
  SetArray array(literal);
  if (literal.has_runtime_sizes()) array.runtime_sizes = literal.runtime_sizes();
  return array;
}

SetValue UnspecifiedValue(const Shape& shape, WideningCause cause, uint32_t origin) {
  if (shape.IsTuple()) {
    std::vector<SetValue> elements;
    for (const Shape& s : shape.tuple_shapes())
      elements.push_back(UnspecifiedValue(s, cause, origin));
    return SetValue::Tuple(std::move(elements));
  }
  if (!shape.IsArray()) return SetValue::Token();
  return SetArray::Unspecified(shape, cause, origin);
}

bool IsExact(const SetValue& value) {
  if (value.token) return true;
  if (!value.tuple) return value.array.exact();
  for (const SetValue& element : value.elements) {
    if (!IsExact(element)) return false;
  }
  return true;
}

bool IsFullyKnown(const SetValue& value) {
  if (value.token) return true;
  if (!value.tuple) {
    const SetArray& array = value.array;
    return array.exact() && !array.nan_bits_free && !array.zero_sign_free;
  }
  for (const SetValue& element : value.elements) {
    if (!IsFullyKnown(element)) return false;
  }
  return true;
}

Literal ToLiteral(const SetValue& value) {
  if (value.token) return Literal(Shape::Token());
  if (!value.tuple) return value.array.literal();
  std::vector<Literal> elements;
  for (const SetValue& element : value.elements) elements.push_back(ToLiteral(element));
  return Literal::Tuple(std::move(elements));
}

namespace {

// Puts the choices of both arrays for the element into `map` if there are few.
void PutBoth(const SetArray& a, const SetArray& b, int64_t at, ChoiceMap& map) {
  Choices choices;
  bool few = choices.AddAll(ChoicesAt(a, at)) && choices.AddAll(ChoicesAt(b, at));
  if (few && choices.sets().size() > 1) map.Put(at, choices.sets());
}

}  // namespace

SetArray JoinArrays(const SetArray& a, const SetArray& b) {
  bool same = a.exact() && b.exact() && a.literal().BitwiseEqual(b.literal());
  if (same) {
    SetArray joined = a;
    joined.nan_bits_free = a.nan_bits_free || b.nan_bits_free;
    joined.zero_sign_free = a.zero_sign_free || b.zero_sign_free;
    return joined;
  }
  std::vector<AcceptanceSet> sets = a.AsSets();
  ChoiceMap map;
  for (int64_t i = 0; i < a.element_count(); ++i) {
    for (int c = 0; c < a.components(); ++c) {
      const int64_t at = i * a.components() + c;
      AcceptanceSet& s = sets[at];
      const AcceptanceSet before = s;
      AcceptanceSet joined = Join(s, b.At(i, c));
      if (joined.cause == WideningCause::kPoint) joined.cause = WideningCause::kJump;
      s = joined;
      const bool more = a.choices != nullptr || b.choices != nullptr;
      if (more || HaveGapBetween(before, b.At(i, c))) PutBoth(a, b, at, map);
    }
  }
  SetArray joined(a.shape(), std::move(sets));
  SetChoices(std::move(map), joined);
  joined.runtime_sizes = a.runtime_sizes;
  joined.origin = a.origin;
  return joined;
}

SetValue JoinValues(const SetValue& a, const SetValue& b) {
  if (a.token) return a;
  if (!a.tuple) return JoinArrays(a.array, b.array);
  std::vector<SetValue> elements;
  for (size_t i = 0; i < a.elements.size(); ++i) {
    elements.push_back(JoinValues(a.elements[i], b.elements[i]));
  }
  return SetValue::Tuple(std::move(elements));
}

namespace {

// Stores the bits of a single value. Returns false for other sets and pre-rounding intervals.
bool StorePoint(const AcceptanceSet& s, PrimitiveType type, uint8_t* out, bool& nan_free,
                bool& nan_known) {
  if (!s.IsPoint() || s.Has(AcceptanceSet::kPreRounding)) return false;
  int bytes = StorageBytes(type);
  uint64_t bits = 0;
  if (s.integer()) {
    bits = static_cast<uint64_t>(s.ilo);
  } else if (s.Has(AcceptanceSet::kNan)) {
    (s.Has(AcceptanceSet::kBitsKnown) ? nan_known : nan_free) = true;
    bits = s.Has(AcceptanceSet::kBitsKnown) ? s.nan_bits : FormatOf(type).nan_bits();
  } else {
    double value = s.Has(AcceptanceSet::kPosInf)   ? HUGE_VAL
                   : s.Has(AcceptanceSet::kNegInf) ? -HUGE_VAL
                                                   : s.lo;
    if (s.finite() && value == 0) value = s.Has(AcceptanceSet::kNegZero) ? -0.0 : 0.0;
    if (type == PrimitiveType::kF32) {
      float narrow = static_cast<float>(value);
      std::memcpy(&bits, &narrow, sizeof(narrow));
    } else {
      bits = EncodeFloat(FormatOf(type), value);
    }
  }
  std::memcpy(out, &bits, bytes);
  return true;
}

}  // namespace

SetArray Compress(SetArray array) {
  if (array.exact()) return array;
  PrimitiveType type = ComponentType(array.element_type());
  int bytes = StorageBytes(type);
  Literal literal(array.shape());
  uint8_t* out = literal.mutable_raw_data();
  bool nan_free = false, nan_known = false;
  for (const AcceptanceSet& s : array.sets()) {
    if (!StorePoint(s, type, out, nan_free, nan_known)) return array;
    out += bytes;
  }
  if (nan_free && nan_known) return array;
  for (size_t d = 0; d < array.runtime_sizes.size(); ++d) {
    if (array.shape().is_dynamic_dimension(d)) literal.SetRuntimeSize(d, array.runtime_sizes[d]);
  }
  SetArray exact(std::move(literal));
  exact.runtime_sizes = array.runtime_sizes;
  exact.nan_bits_free = nan_free;
  exact.joint = array.joint;
  exact.joint_slot = array.joint_slot;
  exact.joint_moved = array.joint_moved;
  exact.origin = array.origin;
  return exact;
}

bool HasNan(const SetArray& array) {
  if (!IsFloat(array.element_type())) return false;
  for (int64_t i = 0; i < array.element_count(); ++i) {
    AcceptanceSet s = array.At(i);
    if (s.unspecified() || s.Has(AcceptanceSet::kNan)) return true;
  }
  return false;
}

bool HasSubnormals(const SetArray& array) {
  const FloatFacts& facts = FactsOf(array.element_type());
  const Literal& literal = array.literal();
  if (array.element_type() == PrimitiveType::kF32) {
    // Has no early exit: in most arrays, all elements have to be read.
    const uint32_t* bits = reinterpret_cast<const uint32_t*>(literal.raw_data());
    uint32_t some = 0;
    for (int64_t i = 0; i < literal.element_count(); ++i) {
      some |= (bits[i] & 0x7fffffffu) - 1 < 0x7fffffu;
    }
    return some != 0;
  }
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    AcceptanceSet s = array.At(i);
    if (s.finite() && s.lo != 0 && std::fabs(s.lo) < facts.min_normal) return true;
  }
  return false;
}

}  // namespace hlocts::reference
