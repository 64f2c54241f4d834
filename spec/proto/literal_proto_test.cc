// SPDX-License-Identifier: Apache-2.0
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/base/status_testing.h"
#include "spec/proto/convert.h"
#include "spec/proto/data.pb.h"

namespace hlocts {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using T = PrimitiveType;

// Returns a literal whose elements all have bytes that are valid codes of the type.
Literal Filled(const Shape& shape) {
  Literal literal(shape);
  T type = shape.element_type();
  for (size_t i = 0; i < literal.raw_size(); ++i) {
    int byte = static_cast<int>(i * 29 + 3) & 0xff;
    if (type == T::kPred) byte &= 1;
    if (IsSubByte(type)) byte &= (1 << BitWidth(type)) - 1;
    if (IsSubByte(type) && IsSigned(type) && byte >> (BitWidth(type) - 1))
      byte -= 1 << BitWidth(type);
    literal.mutable_raw_data()[i] = static_cast<uint8_t>(byte);
  }
  return literal;
}

TEST(LiteralProtoTest, EveryTypeAndLayout) {
  for (T type : AllPrimitiveTypes()) {
    if (!IsArrayType(type)) continue;
    for (const std::vector<int64_t>& order : {std::vector<int64_t>{1, 0}, {0, 1}}) {
      Shape shape(type, {2, 3});
      shape.mutable_layout() = Layout{order};
      Literal literal = Filled(shape);
      HLOCTS_ASSERT_OK_AND_ASSIGN(Literal again, ParseSerializedLiteral(SerializeLiteral(literal)));
      EXPECT_TRUE(again.BitwiseEqual(literal)) << shape.ToString();
      EXPECT_EQ(again.shape(), shape);
    }
  }
}

TEST(LiteralProtoTest, ElementsStandInTheOrderOfTheLayout) {
  Shape shape(T::kS32, {2, 3});
  shape.mutable_layout() = Layout{{0, 1}};
  Literal literal(shape);
  for (int i = 0; i < 6; ++i) literal.mutable_data<int32_t>()[i] = i;
  EXPECT_THAT(LiteralToProto(literal).s32s(), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(LiteralProtoTest, NarrowElementsTakeAByteEachWithoutSign) {
  Literal literal(Shape(T::kS4, {3}));
  literal.mutable_data<int8_t>()[0] = -3;
  literal.mutable_data<int8_t>()[1] = 7;
  EXPECT_EQ(LiteralToProto(literal).s4s(), std::string("\x0d\x07\x00", 3));
  proto::LiteralProto proto = LiteralToProto(literal);
  // High bits that a writer set are ignored.
  proto.set_s4s("\xfd\x17\xf0");
  EXPECT_TRUE(LiteralFromProto(proto)->BitwiseEqual(literal));
}

TEST(LiteralProtoTest, TuplesTokensAndRuntimeSizes) {
  Shape bounded(T::kF32, {2, 3});
  bounded.set_dynamic_dimension(1, true);
  Literal dynamic = Filled(bounded);
  dynamic.SetRuntimeSize(1, 2);
  Literal tuple = Literal::Tuple({dynamic, Literal(Shape::Token()), Literal::Tuple({})});
  HLOCTS_ASSERT_OK_AND_ASSIGN(Literal again, ParseSerializedLiteral(SerializeLiteral(tuple)));
  EXPECT_TRUE(again.BitwiseEqual(tuple));
  EXPECT_EQ(again.elements()[0].runtime_size(1), 2);
  // A conversion adds default layouts. A second conversion yields the same bytes.
  EXPECT_EQ(SerializeLiteral(again), SerializeLiteral(tuple));
}

TEST(LiteralProtoTest, SaysWhatIsWrong) {
  proto::LiteralProto two = LiteralToProto(Filled(Shape(T::kF32, {2})));
  struct Case {
    proto::LiteralProto proto;
    const char* message;
  };
  std::vector<Case> cases;
  proto::LiteralProto proto = two;
  proto.add_f32s(1);
  cases.push_back({proto, "expected 8 bytes, found 12"});
  proto = two;
  proto.mutable_shape()->set_dimensions(0, int64_t{1} << 50);  // must not allocate that size
  cases.push_back({proto, "found 8"});
  proto = two;
  proto.mutable_shape()->set_element_type(proto::S32);
  cases.push_back({proto, "expected 8 bytes, found 0"});
  proto = two;
  proto.mutable_shape()->set_element_type(proto::OPAQUE_TYPE);
  proto.mutable_shape()->clear_dimensions();
  proto.mutable_shape()->clear_is_dynamic_dimension();
  cases.push_back({proto, "expected a literal of an array, a tuple or a token"});
  proto = two;
  proto.add_sparse_indices(1);
  cases.push_back({proto, "sparse"});
  proto = LiteralToProto(Literal::Tuple({Filled(Shape(T::kF32, {2}))}));
  proto.add_tuple_literals();
  cases.push_back({proto, "expected 1 tuple_literals, found 2"});
  proto = LiteralToProto(Literal::Tuple({Filled(Shape(T::kF32, {2}))}));
  *proto.mutable_tuple_literals(0) = LiteralToProto(Filled(Shape(T::kF32, {3})));
  cases.push_back({proto, "tuple element 0: expected a literal of shape f32[2], found f32[3]"});
  proto = two;
  proto.mutable_shape()->set_is_dynamic_dimension(0, true);
  proto.add_runtime_sizes(3);
  cases.push_back({proto, "run-time size 3 does not fit f32[<=2]"});
  for (const Case& c : cases) {
    absl::StatusOr<Literal> literal = LiteralFromProto(c.proto);
    ASSERT_FALSE(literal.ok()) << c.message;
    EXPECT_THAT(std::string(literal.status().message()), HasSubstr(c.message));
  }
  EXPECT_FALSE(ParseSerializedLiteral("\xff\xff").ok());
}

// The layout fields have the numbers of the document (layouts.2 to layouts.4).
TEST(ShapeProtoTest, LayoutFieldsHaveTheirNumbers) {
  const auto& descriptor = *proto::LayoutProto::descriptor();
  EXPECT_EQ(descriptor.FindFieldByName("minor_to_major")->number(), 1);
  EXPECT_EQ(descriptor.FindFieldByName("padded_dimensions")->number(), 2);
  EXPECT_EQ(descriptor.FindFieldByName("padding_value")->number(), 3);
}

TEST(ShapeProtoTest, LayoutsSurvive) {
  Shape shape(T::kF32, {2, 3});
  shape.set_dynamic_dimension(0, true);
  Layout layout{{0, 1}};
  layout.tiles = {Tile{{8, 128}}, Tile{{Tile::kCombine}}};
  layout.tail_padding_alignment_in_elements = 4;
  layout.index_primitive_type = T::kU32;
  layout.pointer_primitive_type = T::kU64;
  layout.element_size_in_bits = 4;
  layout.memory_space = 5;
  layout.split_configs = {SplitConfig{1, {1, 2}}};
  layout.physical_shape = std::make_shared<const Shape>(Shape(T::kU8, {7}));
  layout.dynamic_shape_metadata_prefix_bytes = 16;
  layout.dim_level_types = "D,C+~";
  layout.padded_dimensions = {3, 5};
  layout.padding_value = "ZERO_PAD";
  shape.mutable_layout() = layout;
  Shape tuple = Shape::Tuple({shape, Shape::Token(), Shape::Tuple({}), Shape::Opaque()});
  HLOCTS_ASSERT_OK_AND_ASSIGN(Shape again, ShapeFromProto(ShapeToProto(tuple)));
  EXPECT_EQ(again, tuple);
  Shape unbounded(T::kF32, {kUnboundedSize});
  unbounded.set_dynamic_dimension(0, true);
  EXPECT_EQ(*ShapeFromProto(ShapeToProto(unbounded)), unbounded);
}

}  // namespace
}  // namespace hlocts
