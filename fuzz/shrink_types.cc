// Shrinking element types: what fails in any type fails in f32, or else in s32.
#include <algorithm>
#include <cmath>
#include <set>

#include "fuzz/shrinker.h"
#include "generators/fact_literals.h"
#include "spec/judge/joint.h"

namespace hlocts {
namespace {

constexpr PrimitiveType kPlain[] = {PrimitiveType::kF32, PrimitiveType::kS32};

Shape Retyped(const Shape& shape, PrimitiveType from, PrimitiveType to) {
  if (shape.IsTuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.tuple_shapes())
      elements.push_back(Retyped(element, from, to));
    return Shape::Tuple(std::move(elements));
  }
  if (!shape.IsArray() || shape.element_type() != from) return shape;
  // A layout of elements below a byte says how wide they are.
  if (BitWidth(from) < 8) return shape.WithElementType(to).WithoutLayout().WithDefaultLayout();
  return shape.WithElementType(to);
}

double Kept(double value, PrimitiveType to) {
  if (IsFloat(to)) return value;
  const ValueFacts whole = WholeRange(to);
  return std::isnan(value) ? 0 : std::clamp(value, whole.low, whole.high);
}

// The same numbers, as far as the type has them; of complex ones the real parts.
Literal Retyped(const Literal& literal, PrimitiveType to) {
  Literal result(literal.shape().WithElementType(to).WithoutLayout());
  const size_t bytes = static_cast<size_t>(StorageBytes(to));
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    Literal one = ScalarLiteral(to, Kept(RealAt(literal, i), to));
    std::copy_n(one.raw_data(), bytes, result.mutable_raw_data() + static_cast<size_t>(i) * bytes);
  }
  return result;
}

std::set<PrimitiveType> TypesOf(const Module& module) {
  std::set<PrimitiveType> types;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      for (const Shape& leaf : LeafShapes(instruction->shape())) {
        if (leaf.is_dynamic()) return {};  // sizes at run time are data of another kind
        if (leaf.IsArray()) types.insert(leaf.element_type());
      }
    }
  }
  return types;
}

bool TryType(Sample& sample, PrimitiveType from, PrimitiveType to, const StillFails& still_fails) {
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
  if (!still_fails(candidate)) return false;
  sample = std::move(candidate);
  return true;
}

}  // namespace

bool SimplerTypes(Sample& sample, const StillFails& still_fails) {
  bool progress = false;
  for (PrimitiveType from : TypesOf(*sample.module)) {
    if (from == PrimitiveType::kF32 || from == PrimitiveType::kPred) continue;
    for (PrimitiveType to : kPlain) {
      bool taken = to != from && TryType(sample, from, to, still_fails);
      progress = progress || taken;
      if (taken) break;
    }
  }
  return progress;
}

}  // namespace hlocts
