// SPDX-License-Identifier: Apache-2.0
#include "fuzz/triage/retype.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "generators/fact_literals.h"
#include "spec/infer/verifier.h"
#include "spec/ir/float_format.h"
#include "spec/ir/module.h"
#include "spec/judge/joint.h"

namespace hlocts::fuzz {
namespace {

Shape Retyped(const Shape& shape, PrimitiveType from, PrimitiveType to) {
  if (shape.IsTuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.tuple_shapes())
      elements.push_back(Retyped(element, from, to));
    return Shape::Tuple(std::move(elements));
  }
  if (!shape.IsArray() || shape.element_type() != from) return shape;
  // The layout of a sub-byte type contains its width, so a new layout is needed.
  if (BitWidth(from) < 8) return shape.WithElementType(to).WithoutLayout().WithDefaultLayout();
  return shape.WithElementType(to);
}

// Maps the least and the largest number of `from` to those of `to`. Also keeps the top bit of
// unsigned numbers.
double KeptInteger(double value, PrimitiveType from, PrimitiveType to) {
  const generators::ValueFacts was = generators::WholeRange(from), is = generators::WholeRange(to);
  if (value == was.low && was.low < 0) return is.low;
  if (value == was.high) return is.high;
  const double half = (was.high + 1) / 2;
  if (was.low == 0 && is.low == 0 && value >= half) value += (is.high + 1) / 2 - half;
  return std::clamp(value, is.low, is.high);
}

double Kept(double value, PrimitiveType from, PrimitiveType to) {
  if (IsFloat(from) && IsFloat(to) && value != 0 && std::abs(value) < FormatOf(from).min_normal())
    return std::copysign(FormatOf(to).min_normal() / 2, value);
  if (IsFloat(to)) return value;
  if (IsInteger(from)) return KeptInteger(value, from, to);
  const generators::ValueFacts whole = generators::WholeRange(to);
  return std::isnan(value) ? 0 : std::clamp(value, whole.low, whole.high);
}

// Returns the numbers of `literal` in type `to` as far as it can represent them; subnormals stay
// subnormal. Of a complex number, uses the real part, or the imaginary part if the real part is 0.
Literal Retyped(const Literal& literal, PrimitiveType to) {
  Literal result(literal.shape().WithElementType(to).WithoutLayout());
  const size_t bytes = static_cast<size_t>(StorageBytes(to));
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    double value = RealAt(literal, i);
    if (value == 0 && IsComplex(literal.element_type())) value = RealAt(literal, i, 1);
    Literal one =
        generators::ScalarLiteral(to, Kept(value, ComponentType(literal.element_type()), to));
    std::copy_n(one.raw_data(), bytes, result.mutable_raw_data() + static_cast<size_t>(i) * bytes);
  }
  return result;
}

bool IsPlain(PrimitiveType type) {
  return type == PrimitiveType::kF32 || type == PrimitiveType::kPred;
}

}  // namespace

std::vector<PrimitiveType> SimplerTypesThan(PrimitiveType from) {
  if (from == PrimitiveType::kF32) return {};
  if (from == PrimitiveType::kPred) return {PrimitiveType::kF32};
  std::vector<PrimitiveType> plainer = {PrimitiveType::kF32, PrimitiveType::kS32};
  if (from == PrimitiveType::kC128) plainer.push_back(PrimitiveType::kF64);
  if (IsUnsigned(from)) plainer.push_back(PrimitiveType::kU32);
  return plainer;
}

std::set<PrimitiveType> TypesOf(const Module& module) {
  std::set<PrimitiveType> types;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      for (const Shape& leaf : LeafShapes(instruction->shape())) {
        if (leaf.is_dynamic()) return {};  // run-time sizes would have to be retyped too
        if (leaf.IsArray()) types.insert(leaf.element_type());
      }
    }
  }
  return types;
}

Sample Retyped(const Sample& sample, PrimitiveType from, PrimitiveType to) {
  Sample candidate = sample.Clone();
  for (Literal& argument : candidate.arguments) {
    if (argument.element_type() == from) argument = Retyped(argument, to);
  }
  for (const auto& computation : candidate.module->computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->has_literal() && instruction->shape().element_type() == from)
        instruction->set_literal(Retyped(instruction->literal(), to));
      instruction->mutable_shape() = Retyped(instruction->shape(), from, to);
    }
  }
  candidate.module->entry_computation_layout.reset();
  return candidate;
}

std::set<PrimitiveType> NeededTypes(const Sample& shrunk) {
  std::set<PrimitiveType> needed;
  for (PrimitiveType from : TypesOf(*shrunk.module)) {
    if (IsPlain(from) || from == PrimitiveType::kS32) continue;
    for (PrimitiveType to : SimplerTypesThan(from)) {
      if (to != from && VerifyModule(*Retyped(shrunk, from, to).module).ok()) needed.insert(from);
    }
  }
  return needed;
}

}  // namespace hlocts::fuzz
