// SPDX-License-Identifier: Apache-2.0
#include "reference/ops/wide.h"

#include "reference/made.h"
#include "reference/number_system.h"

namespace hlocts::reference {
namespace {

template <typename T, typename W>
std::vector<W> Copied(const Literal& array) {
  std::vector<W> elements;
  elements.reserve(array.element_count());
  for (const T& x : array.data<T>()) elements.push_back(static_cast<W>(x));
  return elements;
}

template <typename T, typename W>
void Store(absl::Span<const W> elements, Literal& out) {
  absl::Span<T> to = out.mutable_data<T>();
  for (size_t i = 0; i < elements.size(); ++i) to[i] = Made(static_cast<T>(elements[i]));
}

// Rounds to a format narrower than f32 directly from double, so that there is one rounding.
template <typename Bits, typename W>
void StoreBits(absl::Span<const W> elements, const FloatFormat& format, Literal& out) {
  absl::Span<Bits> to = out.mutable_data<Bits>();
  for (size_t i = 0; i < elements.size(); ++i) {
    to[i] = static_cast<Bits>(EncodeFloat(format, Made(static_cast<double>(elements[i]))));
  }
}

template <typename W>
Literal NarrowedReal(absl::Span<const W> elements, const Shape& shape) {
  Literal out(shape);
  const PrimitiveType type = shape.element_type();
  if (type == PrimitiveType::kF64) {
    Store<double>(elements, out);
  } else if (type == PrimitiveType::kF32) {
    Store<float>(elements, out);
  } else if (StorageBytes(type) == 2) {
    StoreBits<uint16_t>(elements, FormatOf(type), out);
  } else {
    StoreBits<uint8_t>(elements, FormatOf(type), out);
  }
  return out;
}

template <typename W>
Literal NarrowedComplex(absl::Span<const W> elements, const Shape& shape) {
  Literal out(shape);
  if (shape.element_type() == PrimitiveType::kC128) {
    Store<Complex128>(elements, out);
  } else {
    Store<Complex64>(elements, out);
  }
  return out;
}

}  // namespace

template <typename W>
std::vector<W> Widened(const Literal& array) {
  const PrimitiveType system = SystemType(array.element_type());
  const Literal elements = ToSystem(array, system);
  if constexpr (!std::is_floating_point_v<W>) {
    if (system == PrimitiveType::kC64) return Copied<Complex64, W>(elements);
    if (system == PrimitiveType::kC128) return Copied<Complex128, W>(elements);
  }
  if (system == PrimitiveType::kF64) return Copied<double, W>(elements);
  HLOCTS_CHECK(system == PrimitiveType::kF32);
  return Copied<float, W>(elements);
}

template <typename W>
Literal Narrowed(absl::Span<const W> elements, const Shape& shape) {
  if constexpr (std::is_floating_point_v<W>) {
    return NarrowedReal(elements, shape);
  } else {
    return NarrowedComplex(elements, shape);
  }
}

template std::vector<double> Widened(const Literal&);
template std::vector<long double> Widened(const Literal&);
template std::vector<std::complex<double>> Widened(const Literal&);
template std::vector<std::complex<long double>> Widened(const Literal&);
template Literal Narrowed(absl::Span<const double>, const Shape&);
template Literal Narrowed(absl::Span<const long double>, const Shape&);
template Literal Narrowed(absl::Span<const std::complex<double>>, const Shape&);
template Literal Narrowed(absl::Span<const std::complex<long double>>, const Shape&);

}  // namespace hlocts::reference
