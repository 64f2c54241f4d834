// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_split.h"
#include "spec/proto/convert.h"
#include "spec/proto/parts.h"
#include "spec/proto/residue.h"

namespace hlocts {
namespace {

// Letters of dim_level_types by enumerator: dense, compressed, singleton, loose compressed.
constexpr char kDimLevelLetters[] = "DCSH";

absl::StatusOr<std::string> DimLevelsFromProto(const proto::LayoutProto& layout) {
  std::string text;
  for (int i = 0; i < layout.dim_level_types_size(); ++i) {
    int number = layout.dim_level_types(i);
    if (!proto::DimLevelType_IsValid(number)) {
      return InvalidInput("expected an enumerator of dim_level_types, found ", number);
    }
    if (i > 0) text += ",";
    text += kDimLevelLetters[number];
    if (i < layout.dim_unique_size() && !layout.dim_unique(i)) text += "+";
    if (i < layout.dim_ordered_size() && !layout.dim_ordered(i)) text += "~";
  }
  return text;
}

void DimLevelsToProto(const std::string& text, proto::LayoutProto* out) {
  bool all_unique = text.find('+') == std::string::npos;
  bool all_ordered = text.find('~') == std::string::npos;
  for (absl::string_view level : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    const char* letter = std::find(kDimLevelLetters, kDimLevelLetters + 4, level[0]);
    out->add_dim_level_types(static_cast<proto::DimLevelType>((letter - kDimLevelLetters) % 4));
    if (!all_unique) out->add_dim_unique(level.find('+') == absl::string_view::npos);
    if (!all_ordered) out->add_dim_ordered(level.find('~') == absl::string_view::npos);
  }
}

absl::Status TilesFromProto(const proto::LayoutProto& proto, Layout& layout) {
  for (const proto::TileProto& tile : proto.tiles()) {
    layout.tiles.push_back(Tile{FromRepeated(tile.dimensions())});
    for (int64_t& size : layout.tiles.back().dimensions) {
      if (size == INT64_MIN) size = Tile::kCombine;  // XLA's number for "*"
      if (size <= 0 && size != Tile::kCombine) {
        return InvalidInput("expected a positive tile size, found ", size);
      }
    }
  }
  return absl::OkStatus();
}

absl::Status ReadLayout(const proto::LayoutProto& proto, int64_t rank, Malformed malformed,
                        Layout& layout) {
  layout.minor_to_major = FromRepeated(proto.minor_to_major());
  HLOCTS_RETURN_IF_ERROR(TilesFromProto(proto, layout));
  if (malformed == Malformed::kRefused) HLOCTS_RETURN_IF_ERROR(ValidateLayout(layout, rank));
  HLOCTS_ASSIGN_OR_RETURN(layout.dim_level_types, DimLevelsFromProto(proto));
  // Older writers use 0 instead of 1.
  layout.tail_padding_alignment_in_elements =
      std::max<int64_t>(1, proto.tail_padding_alignment_in_elements());
  HLOCTS_ASSIGN_OR_RETURN(layout.index_primitive_type,
                          PrimitiveTypeFromProto(proto.index_primitive_type()));
  HLOCTS_ASSIGN_OR_RETURN(layout.pointer_primitive_type,
                          PrimitiveTypeFromProto(proto.pointer_primitive_type()));
  layout.element_size_in_bits = proto.element_size_in_bits();
  layout.memory_space = proto.memory_space();
  for (const proto::SplitConfigProto& split : proto.split_configs()) {
    layout.split_configs.push_back({split.dimension(), FromRepeated(split.split_indices())});
  }
  if (proto.has_physical_shape()) {
    auto physical = std::make_shared<Shape>();
    HLOCTS_RETURN_IF_ERROR(ReadShape(proto.physical_shape(), Malformed::kRefused, *physical));
    layout.physical_shape = std::move(physical);
  }
  layout.dynamic_shape_metadata_prefix_bytes = proto.dynamic_shape_metadata_prefix_bytes();
  layout.padded_dimensions = FromRepeated(proto.padded_dimensions());
  layout.padding_value = proto.padding_value();
  if (malformed != Malformed::kKeepExecutable) layout.unknown_fields = UninterpretedFieldsOf(proto);
  return absl::OkStatus();
}

void LayoutToProto(const Layout& layout, proto::LayoutProto* out) {
  ToRepeated(layout.minor_to_major, out->mutable_minor_to_major());
  DimLevelsToProto(layout.dim_level_types, out);
  for (const Tile& tile : layout.tiles) {
    proto::TileProto* added = out->add_tiles();
    for (int64_t size : tile.dimensions) {
      added->add_dimensions(size == Tile::kCombine ? INT64_MIN : size);
    }
  }
  out->set_tail_padding_alignment_in_elements(layout.tail_padding_alignment_in_elements);
  out->set_element_size_in_bits(layout.element_size_in_bits);
  out->set_memory_space(layout.memory_space);
  out->set_index_primitive_type(static_cast<proto::PrimitiveType>(layout.index_primitive_type));
  out->set_pointer_primitive_type(static_cast<proto::PrimitiveType>(layout.pointer_primitive_type));
  if (layout.physical_shape) ShapeToProto(*layout.physical_shape, out->mutable_physical_shape());
  out->set_dynamic_shape_metadata_prefix_bytes(layout.dynamic_shape_metadata_prefix_bytes);
  for (const SplitConfig& split : layout.split_configs) {
    proto::SplitConfigProto* added = out->add_split_configs();
    added->set_dimension(split.dimension);
    ToRepeated(split.split_indices, added->mutable_split_indices());
  }
  ToRepeated(layout.padded_dimensions, out->mutable_padded_dimensions());
  out->set_padding_value(layout.padding_value);
  RestoreUninterpretedFields(layout.unknown_fields, out);
}

absl::Status DimensionsFromProto(const proto::ShapeProto& proto, Malformed malformed,
                                 Shape& shape) {
  if (proto.is_dynamic_dimension_size() > proto.dimensions_size()) {
    return InvalidInput("expected at most ", proto.dimensions_size(),
                        " is_dynamic_dimension, found ", proto.is_dynamic_dimension_size());
  }
  for (int d = 0; d < proto.dimensions_size(); ++d) {
    bool dynamic = d < proto.is_dynamic_dimension_size() && proto.is_dynamic_dimension(d);
    int64_t size = proto.dimensions(d);
    if (malformed == Malformed::kRefused && size < 0 && !(dynamic && size == kUnboundedSize)) {
      return InvalidInput("expected a size of at least 0 for dimension ", d, ", found ", size);
    }
    if (dynamic) shape.set_dynamic_dimension(d, true);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PrimitiveType> PrimitiveTypeFromProto(int number) {
  if (number == 0) return PrimitiveType::kInvalid;
  std::optional<PrimitiveType> type = PrimitiveTypeFromNumber(number);
  if (!type) return InvalidInput("expected the number of an element type, found ", number);
  return *type;
}

absl::StatusOr<Shape> ShapeFromProto(const proto::ShapeProto& proto, Malformed malformed) {
  Shape shape;
  HLOCTS_RETURN_IF_ERROR(ReadShape(proto, malformed, shape));
  return shape;
}

absl::Status ReadShape(const proto::ShapeProto& proto, Malformed malformed, Shape& shape) {
  HLOCTS_ASSIGN_OR_RETURN(PrimitiveType type, PrimitiveTypeFromProto(proto.element_type()));
  if (type == PrimitiveType::kTuple) {
    shape.set_element_type(type);
    for (const proto::ShapeProto& element : proto.tuple_shapes()) {
      HLOCTS_RETURN_IF_ERROR(
          ReadShape(element, malformed, shape.mutable_tuple_shapes().emplace_back()));
    }
  } else {
    if (proto.tuple_shapes_size() > 0) {
      return InvalidInput("expected no tuple_shapes in a shape of type ", PrimitiveTypeName(type));
    }
    if (!IsArrayType(type) && proto.dimensions_size() > 0) {
      return InvalidInput("expected no dimensions in a shape of type ", PrimitiveTypeName(type));
    }
    shape = Shape(type, FromRepeated(proto.dimensions()));
    HLOCTS_RETURN_IF_ERROR(DimensionsFromProto(proto, malformed, shape));
    if (proto.has_layout() && shape.IsArray()) {
      HLOCTS_RETURN_IF_ERROR(
          ReadLayout(proto.layout(), shape.rank(), malformed, shape.mutable_layout().emplace()));
    }
  }
  if (malformed != Malformed::kKeepExecutable) shape.unknown_fields = UninterpretedFieldsOf(proto);
  return absl::OkStatus();
}

void ShapeToProto(const Shape& shape, proto::ShapeProto* out) {
  out->set_element_type(static_cast<proto::PrimitiveType>(shape.element_type()));
  ToRepeated(shape.dimensions(), out->mutable_dimensions());
  for (int64_t d = 0; d < shape.rank(); ++d) {
    out->add_is_dynamic_dimension(shape.is_dynamic_dimension(d));
  }
  for (const Shape& element : shape.tuple_shapes()) ShapeToProto(element, out->add_tuple_shapes());
  if (shape.layout()) LayoutToProto(*shape.layout(), out->mutable_layout());
  RestoreUninterpretedFields(shape.unknown_fields, out);
}

proto::ShapeProto ShapeToProto(const Shape& shape) {
  proto::ShapeProto out;
  ShapeToProto(shape, &out);
  return out;
}

absl::StatusOr<ProgramShape> ProgramShapeFromProto(const proto::ProgramShapeProto& proto,
                                                   Malformed malformed) {
  ProgramShape program;
  for (const proto::ShapeProto& parameter : proto.parameters()) {
    HLOCTS_RETURN_IF_ERROR(ReadShape(parameter, malformed, program.parameters.emplace_back()));
  }
  program.parameter_names.assign(proto.parameter_names().begin(), proto.parameter_names().end());
  HLOCTS_RETURN_IF_ERROR(ReadShape(proto.result(), malformed, program.result));
  return program;
}

void ProgramShapeToProto(const ProgramShape& program, proto::ProgramShapeProto* out) {
  for (const Shape& parameter : program.parameters) ShapeToProto(parameter, out->add_parameters());
  for (const std::string& name : program.parameter_names) out->add_parameter_names(name);
  ShapeToProto(program.result, out->mutable_result());
}

}  // namespace hlocts
