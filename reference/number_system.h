// SPDX-License-Identifier: Apache-2.0
// Defines number systems, the arithmetic of the structured kernels (dot, convolution,
// reduce-window, scatter, ...). The same kernel runs on values (ValueSystem, in this file) and on
// acceptance sets (reference/judge).
//
// A System has
//   Element                          one array element; trivially copyable
//   Sum NewSum() const               an accumulator containing the empty sum, with
//     void Add(const Element&)
//     void AddProduct(const Element&, const Element&)
//     void AddTo(const Sum&)         (only if a kernel requires it)
//     Element Finish() const         the sum, rounded once
// The templates of kernels/ define which elements form a term, a window or a slice, and which terms
// enter which sum. They name no element type, so that values and acceptance sets use the same index
// computations.
//
// ValueSystem: f32 sums run in f64 and round once at the end. Sums of narrower floats run in the
// f64 system and also round once. Integers are exact modulo 2^32 or 2^64 and are cut to the type.
// For pred, addition is OR and multiplication is AND (ruling 0079).
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include "absl/types/span.h"
#include "reference/made.h"
#include "spec/ir/element_width.h"
#include "spec/ir/literal.h"

namespace hlocts::reference {

template <typename T>
struct ValueSystem;

template <typename T, typename Wide>
struct PlainSystem {
  using Element = T;
  struct Sum {
    Wide value;
    void Add(const T& x) { value += static_cast<Wide>(x); }
    void AddProduct(const T& x, const T& y) {
      value += static_cast<Wide>(x) * static_cast<Wide>(y);
    }
    T Finish() const { return Made(static_cast<T>(value)); }
  };
  // -0 is the identity of IEEE addition, so that a sum of negative zeros is -0.
  Sum NewSum() const { return {static_cast<Wide>(std::is_floating_point_v<Wide> ? -0.0 : 0)}; }
};
template <>
struct ValueSystem<float> : PlainSystem<float, double> {};
template <>
struct ValueSystem<double> : PlainSystem<double, double> {};
template <>
struct ValueSystem<uint32_t> : PlainSystem<uint32_t, uint32_t> {};
template <>
struct ValueSystem<uint64_t> : PlainSystem<uint64_t, uint64_t> {};

// Computes complex products from four real products, so infinities and NaNs follow the naive
// formula (ruling 0034).
template <typename T>
struct ValueSystem<std::complex<T>> {
  using Element = std::complex<T>;
  struct Sum {
    double re = -0.0, im = -0.0;
    void Add(const Element& x) { re += x.real(), im += x.imag(); }
    void AddProduct(const Element& x, const Element& y) {
      double a = x.real(), b = x.imag(), c = y.real(), d = y.imag();
      re += a * c - b * d;
      im += a * d + b * c;
    }
    Element Finish() const { return Made(Element(static_cast<T>(re), static_cast<T>(im))); }
  };
  Sum NewSum() const { return {}; }
};

template <>
struct ValueSystem<bool> {
  using Element = bool;
  struct Sum {
    bool value = false;
    void Add(bool x) { value |= x; }
    void AddProduct(bool x, bool y) { value |= x && y; }
    bool Finish() const { return value; }
  };
  Sum NewSum() const { return {}; }
};

// Returns the narrowest element type of a ValueSystem that represents `type`: kF32 for f32 and
// narrower floats, kU32 for integers up to 32 bits, otherwise kU64, kPred, kF64, kC64 or kC128.
PrimitiveType SystemType(PrimitiveType type);

// Returns the system for sums over `operands` that are rounded once to `result`. It represents
// operands exactly, except s64 and u64 with floats, which are rounded to f64.
PrimitiveType SumSystem(absl::Span<const PrimitiveType> operands, PrimitiveType result);

// Returns `operand` as elements of `system`: the literal itself if it has that type, else a decoded
// or sign-extended copy. Integer types convert to kU32 and kU64; floats and integers convert to
// kF32 and kF64, and so on.
Literal ToSystem(const Literal& operand, PrimitiveType system);
// Rounds or cuts elements of a system's type to `type` (in place if nothing changes).
Literal FromSystem(Literal computed, PrimitiveType type);

// Calls visitor(ValueSystem<T>{}) for the T of a SystemType.
template <typename Visitor>
auto VisitSystem(PrimitiveType system, Visitor&& visitor) {
  switch (system) {
    case PrimitiveType::kPred:
      return visitor(ValueSystem<bool>{});
    case PrimitiveType::kU32:
      return visitor(ValueSystem<uint32_t>{});
    case PrimitiveType::kU64:
      return visitor(ValueSystem<uint64_t>{});
    case PrimitiveType::kF64:
      return visitor(ValueSystem<double>{});
    case PrimitiveType::kC64:
      return visitor(ValueSystem<Complex64>{});
    case PrimitiveType::kC128:
      return visitor(ValueSystem<Complex128>{});
    default:
      HLOCTS_CHECK(system == PrimitiveType::kF32);
      return visitor(ValueSystem<float>{});
  }
}

// Returns an accumulator for a sum of products. It starts at +0 like the documents' loops
// (conv_with_general_padding.57), so that a sum of no products is +0 and never -0.
template <class System>
auto NewSumOfProducts(const System& system) {
  auto sum = system.NewSum();
  if constexpr (std::is_same_v<System, ValueSystem<typename System::Element>>) {
    sum.Add(typename System::Element());
  }
  return sum;
}

// Calls visitor(T{}) with a T of `bytes` (1, 2, 4, 8, 16), for operations that only move elements.
template <typename Visitor>
auto DispatchStorage(int bytes, Visitor&& visitor) {
  HLOCTS_CHECK(bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16);
  return VisitWidth(bytes, visitor);
}

}  // namespace hlocts::reference
