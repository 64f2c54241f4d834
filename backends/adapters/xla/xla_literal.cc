// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/xla/xla_literal.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "xla/layout_util.h"
#include "xla/shape.h"
#include "xla/shape_util.h"

namespace hlocts::xla_plugin {
namespace {

absl::Status FillLayouts(xla::LiteralProto* proto) {
  absl::StatusOr<xla::Shape> shape = xla::Shape::FromProto(proto->shape());
  if (!shape.ok()) return shape.status();
  if (!xla::LayoutUtil::HasLayout(*shape)) xla::LayoutUtil::SetToDefaultLayout(&*shape);
  *proto->mutable_shape() = shape->ToProto();
  for (xla::LiteralProto& piece : *proto->mutable_tuple_literals()) {
    absl::Status status = FillLayouts(&piece);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

bool HasNoArray(const xla::Shape& shape) {
  return shape.IsToken() || xla::ShapeUtil::IsEmptyTuple(shape);
}

}  // namespace

absl::StatusOr<xla::Literal> ParseLiteral(absl::string_view bytes) {
  xla::LiteralProto proto;
  if (!proto.ParseFromArray(bytes.data(), bytes.size())) {
    return absl::InvalidArgumentError(absl::StrCat("expected a serialized LiteralProto, found ",
                                                   bytes.size(), " bytes that cannot be parsed"));
  }
  absl::Status status = FillLayouts(&proto);
  if (!status.ok()) return status;
  return xla::Literal::CreateFromProto(proto);
}

std::string SerializeLiteral(const xla::Literal& literal) {
  const xla::Literal exact = literal.shape().is_dynamic() ? literal.ToStatic() : literal.Clone();
  if (HasNoArray(exact.shape())) return exact.ToProto().SerializeAsString();
  xla::Shape shape = exact.shape();
  xla::LayoutUtil::SetToDefaultLayout(&shape);
  return exact.Relayout(shape).ToProto().SerializeAsString();
}

}  // namespace hlocts::xla_plugin
