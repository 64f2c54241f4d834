// SPDX-License-Identifier: Apache-2.0
// Shape rules of rng (uniform and normal), rng-bit-generator and rng-get-and-update-state.
#include "spec/infer/rules.h"

namespace hlocts {

absl::StatusOr<Shape> InferRng(const Instruction& rng, Signatures&) {
  const bool normal = rng.WordOr(Attr::kDistribution, "") == "rng_normal";
  const Shape& shape = rng.shape();
  HLOCTS_RETURN_IF_ERROR(
      ExpectArray(normal ? "rng_normal.9" : "rng_uniform.11", "the result", shape));
  HLOCTS_EXPECT(rng.operand_count() == 2, "hlo.arity", "2 operands",
                absl::StrCat(rng.operand_count()));
  PrimitiveType type = shape.element_type();
  HLOCTS_EXPECT(!normal || IsFloat(type), "rng_normal.4", "a floating-point result",
                ShapeText(shape));
  HLOCTS_EXPECT(!IsComplex(type), "rng_uniform.2", "a boolean, integer or floating-point result",
                ShapeText(shape));
  for (const Instruction* operand : rng.operands()) {
    const Shape& found = operand->shape();
    HLOCTS_EXPECT(found.IsScalar(), normal ? "rng_normal.5" : "rng_uniform.5", "scalar operands",
                  ShapeText(found));
    HLOCTS_EXPECT(found.element_type() == type, normal ? "rng_normal.9" : "rng_uniform.3",
                  absl::StrCat("operands of the result's type ", TypeText(type)), ShapeText(found));
  }
  return shape.WithoutLayout();
}

absl::StatusOr<Shape> InferRngBitGenerator(const Instruction& rng, Signatures&) {
  const Shape &state = rng.operand(0).shape(), &shape = rng.shape();
  absl::string_view algorithm = rng.WordOr(Attr::kAlgorithm, "");
  bool three_fry = algorithm == "rng_three_fry", philox = algorithm == "rng_philox";
  HLOCTS_EXPECT(three_fry || philox || algorithm == "rng_default", "rng_bit_generator.9",
                "the algorithm rng_default, rng_three_fry or rng_philox", algorithm);
  bool pair = Compatible(state, Shape(PrimitiveType::kU64, {2}));
  bool triple = Compatible(state, Shape(PrimitiveType::kU64, {3}));
  HLOCTS_EXPECT(!three_fry || pair, "rng_bit_generator.14", "a state u64[2]", ShapeText(state));
  HLOCTS_EXPECT(!philox || pair || triple, "rng_bit_generator.16", "a state u64[3] or u64[2]",
                ShapeText(state));
  HLOCTS_EXPECT(shape.IsTuple() && shape.tuple_shapes().size() == 2, "rng_bit_generator.3",
                "a result (state, data)", ShapeText(shape));
  const Shape& data = shape.tuple_shapes()[1];
  HLOCTS_EXPECT(data.IsArray() && !IsComplex(data.element_type()), "rng_bit_generator.11",
                "data of non-complex type", ShapeText(data));
  return Shape::Tuple({state.WithoutLayout(), data.WithoutLayout()});  // rng_bit_generator.4
}

absl::StatusOr<Shape> InferRngGetAndUpdateState(const Instruction& rng, Signatures&) {
  HLOCTS_EXPECT(Compatible(rng.shape(), Shape(PrimitiveType::kU64, {2})), "hlo.rng_state", "u64[2]",
                ShapeText(rng.shape()));
  return rng.shape().WithoutLayout();
}

}  // namespace hlocts
