// SPDX-License-Identifier: Apache-2.0
// Number systems: what the structured kernels (dot, convolution, reduce-window, scatter, ...)
// compute with. The same kernel runs on values (ValueSystem, here) and on acceptance sets
// (reference/judge).
//
// A System has
//   Element                          one array element; trivially copyable
//   Sum NewSum() const               an accumulator holding the empty sum, with
//     void Add(const Element&)
//     void AddProduct(const Element&, const Element&)
//     void AddTo(const Sum&)         (only where a kernel says so)
//     Element Finish() const         the sum, rounded once
// Kernels never name a type of element: they say which terms enter which sum.
//
// ValueSystem: f32 sums run in f64 and round once at the end; sums of narrower floats run on f64
// arrays, so that they too are rounded once; integers are exact modulo 2^32 or 2^64 and cut to the
// type; pred adds with or and multiplies with and (ruling 0079).
//
// The templates of kernels/ contain geometry only (which elements form a term, a window or a slice)
// and no element type, so that values and acceptance sets use the same index computations.
#ifndef HLOCTS_REFERENCE_NUMBER_SYSTEM_H_
#define HLOCTS_REFERENCE_NUMBER_SYSTEM_H_

#include <complex>
#include <cstdint>
#include <type_traits>

#include "absl/types/span.h"
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
    T Finish() const { return static_cast<T>(value); }
  };
  // -0 is the identity of IEEE addition: a sum of negative zeros stays one.
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

// Products by their four real products: infinities and NaNs come out as the naive formula has them
// (ruling 0034).
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
    Element Finish() const { return {static_cast<T>(re), static_cast<T>(im)}; }
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

// The narrowest element type of a ValueSystem that holds `type`: kF32 for it and all narrower
// floats, kU32 for integers up to 32 bits, kU64, kPred, kF64, kC64, kC128.
PrimitiveType SystemType(PrimitiveType type);

// The system of sums over `operands` that are stored as `result`: operands are exact in it (s64 and
// u64 beside floats: rounded to f64), and its sums are rounded to `result` once.
PrimitiveType SumSystem(absl::Span<const PrimitiveType> operands, PrimitiveType result);

// `operand` as elements of SystemType `system`: the literal itself when it is one, else a decoded
// or sign-extended copy. System kU32/kU64 from an integer type, kF32/kF64 from a float or integer,
// ...
Literal ToSystem(const Literal& operand, PrimitiveType system);
// Elements of a system's type rounded or cut to `type` (in place where nothing changes).
Literal FromSystem(Literal computed, PrimitiveType type);

// visitor(ValueSystem<T>{}) for the T of a SystemType.
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

// An accumulator for a sum of products: it starts at +0, as the documents' loops do
// (conv_with_general_padding.57), so that a sum of no products is +0 and never -0.
template <class System>
auto NewSumOfProducts(const System& system) {
  auto sum = system.NewSum();
  if constexpr (std::is_same_v<System, ValueSystem<typename System::Element>>) {
    sum.Add(typename System::Element());
  }
  return sum;
}

// Types of `bytes` (1, 2, 4, 8, 16) storage: where only the place of elements changes,
// visitor(T{}) with a T of that size.
template <typename Visitor>
auto DispatchStorage(int bytes, Visitor&& visitor) {
  HLOCTS_CHECK(bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16);
  return VisitWidth(bytes, visitor);
}

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_NUMBER_SYSTEM_H_
