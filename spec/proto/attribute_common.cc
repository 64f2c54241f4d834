// SPDX-License-Identifier: Apache-2.0
// Converts attributes that every instruction may have.
#include "spec/ir/attr.h"
#include "spec/proto/attribute_rows.h"
#include "spec/proto/attribute_text.h"

namespace hlocts {
namespace attribute_rows {

AttributeValue ReadSharding(Reader& r) {
  if (!r.proto.has_sharding()) return r.Absent();
  absl::StatusOr<Sharding> sharding = ShardingFromProto(r.proto.sharding());
  return sharding.ok() ? r.Value(*std::move(sharding), false) : r.Fail(sharding.status());
}

// Reads a domain. Text and proto have the opposite notion of entry and exit: the proto's entry
// sharding is the exit sharding of the text.
AttributeValue ReadDomain(Reader& r) {
  if (!r.proto.has_domain_entry_sharding() && !r.proto.has_domain_exit_sharding())
    return r.Absent();
  absl::StatusOr<Sharding> exit = ShardingFromProto(r.proto.domain_entry_sharding());
  absl::StatusOr<Sharding> entry = ShardingFromProto(r.proto.domain_exit_sharding());
  if (!entry.ok()) return r.Fail(entry.status());
  if (!exit.ok()) return r.Fail(exit.status());
  return r.Value(DomainMetadata{"sharding", *std::move(entry), *std::move(exit)}, false);
}

void WriteDomain(Writer& w, const AttributeValue& v) {
  ShardingToProto(As<DomainMetadata>(v).exit, w.proto->mutable_domain_entry_sharding());
  ShardingToProto(As<DomainMetadata>(v).entry, w.proto->mutable_domain_exit_sharding());
}

AttributeValue ReadMetadata(Reader& r) {
  // XLA writes an empty message for an instruction without metadata.
  if (r.proto.metadata().ByteSizeLong() == 0) return r.Absent();
  return r.Value(MetadataFromProto(r.proto.metadata()), false);
}

void WriteStatistics(Writer& w, const AttributeValue& v) {
  const Statistics& statistics = As<Statistics>(v);
  proto::StatisticsViz* out = w.proto->mutable_statistics_viz();
  out->set_stat_index_to_visualize(statistics.visualized_index);
  for (const Statistic& entry : statistics.entries) {
    proto::Statistic* added = out->add_statistics();
    added->set_stat_name(entry.name);
    added->set_stat_val(entry.value);
  }
}

AttributeValue ReadStatistics(Reader& r) {
  Statistics statistics;
  statistics.visualized_index = r.proto.statistics_viz().stat_index_to_visualize();
  for (const proto::Statistic& entry : r.proto.statistics_viz().statistics()) {
    statistics.entries.push_back({entry.stat_name(), entry.stat_val()});
  }
  bool none = statistics.entries.empty();
  return r.Value(std::move(statistics), none);
}

void WriteAliasing(Writer& w, const AttributeValue& v) {
  for (const OutputOperandAlias& alias : As<std::vector<OutputOperandAlias>>(v)) {
    proto::OutputOperandAliasing* added = w.proto->add_output_operand_aliasing();
    ToRepeated(alias.output_index, added->mutable_output_shape_index());
    added->set_operand_index(alias.operand_number);
    ToRepeated(alias.operand_index, added->mutable_operand_shape_index());
  }
}

AttributeValue ReadAliasing(Reader& r) {
  std::vector<OutputOperandAlias> aliases;
  for (const proto::OutputOperandAliasing& alias : r.proto.output_operand_aliasing()) {
    aliases.push_back({FromRepeated(alias.output_shape_index()), alias.operand_index(),
                       FromRepeated(alias.operand_shape_index())});
  }
  bool none = aliases.empty();
  return r.Value(std::move(aliases), none);
}

AttributeValue ReadParameterReplication(Reader& r) {
  const auto& field = r.proto.parameter_replication().replicated_at_leaf_buffers();
  return r.Value(std::vector<bool>(field.begin(), field.end()), field.empty());
}

void WriteParameterReplication(Writer& w, const AttributeValue& v) {
  for (bool replicated : As<std::vector<bool>>(v)) {
    w.proto->mutable_parameter_replication()->add_replicated_at_leaf_buffers(replicated);
  }
}

void WriteOperandLayoutConstraints(Writer& w, const AttributeValue& v) {
  w.proto->set_constrain_layout(true);
  for (const Shape& shape : As<std::vector<Shape>>(v)) {
    ShapeToProto(shape, w.proto->add_operand_shapes_with_layout());
  }
}

AttributeValue ReadOperandLayoutConstraints(Reader& r) {
  std::vector<Shape> shapes;
  for (const proto::ShapeProto& proto : r.proto.operand_shapes_with_layout()) {
    absl::StatusOr<Shape> shape = ShapeFromProto(proto);
    if (!shape.ok()) return r.Fail(shape.status());
    shapes.push_back(*std::move(shape));
  }
  return r.Value(std::move(shapes), !r.proto.constrain_layout());
}

AttributeValue ReadOutfeedShape(Reader& r) {
  absl::StatusOr<Shape> shape = ShapeFromProto(r.proto.outfeed_shape());
  return shape.ok() ? r.Value(*std::move(shape), !r.proto.has_outfeed_shape())
                    : r.Fail(shape.status());
}

AttributeValue ReadCustomCallLiteral(Reader& r) {
  if (!r.proto.has_literal()) return r.Absent();
  absl::StatusOr<Literal> literal = LiteralFromProto(r.proto.literal());
  return literal.ok() ? r.Value(*std::move(literal), false) : r.Fail(literal.status());
}

void WriteKept(Writer& w, Attr attr, const RawText& raw) {
  proto::KeptText* kept = w.proto->add_kept_attributes();
  kept->set_name(std::string(AttrName(attr)));
  kept->set_text(raw.text);
  kept->set_quoted(raw.quoted);
}

// Writes the origin, which XLA formerly called original_value.
void WriteOriginalValue(Writer& w, const AttributeValue& v) {
  if (OriginalValueToProto(As<RawText>(v).text, w.proto->mutable_original_value())) return;
  w.proto->clear_original_value();
  WriteKept(w, Attr::kOrigin, As<RawText>(v));
}

AttributeValue ReadOrigin(Reader& r) {
  std::string text;
  if (r.proto.has_original_value()) text = OriginalValueFromProto(r.proto.original_value());
  return r.Value(RawText{text, false}, text.empty());
}

// Reads a single dimension, which is stored in the list of dimensions.
AttributeValue ReadOneDimension(Reader& r) {
  if (r.proto.dimensions_size() == 1) return r.Value(r.proto.dimensions(0), false);
  return r.Fail(InvalidInput("expected one dimension, found ", r.proto.dimensions_size()));
}

AttributeValue ReadTriState(Reader& r) {
  static constexpr absl::string_view kWords[] = {"unspecified", "true", "false"};
  int number = r.proto.is_associative();
  if (number < 0 || number > 2) return r.Fail(UnknownEnumerator("is_associative", number));
  return r.Value(Word{std::string(kWords[number])}, number == 0);
}

}  // namespace attribute_rows
}  // namespace hlocts
