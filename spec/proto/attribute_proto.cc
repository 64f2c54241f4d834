// SPDX-License-Identifier: Apache-2.0
#include "spec/proto/attribute_proto.h"

#include <array>

#include "spec/ir/instruction.h"
#include "spec/ir/opcode.h"
#include "spec/ops/op_table.h"
#include "spec/proto/attribute_rows.h"

namespace hlocts {
namespace {

using namespace attribute_rows;

void ReadKept(const P& proto, Instruction* instruction) {
  for (const proto::KeptText& kept : proto.kept_attributes()) {
    std::optional<Attr> attr = AttributeFromText(instruction->opcode(), kept.name());
    if (attr == Attr::kChannelId && !instruction->Has(Attr::kChannelId)) {
      instruction->Set(Attr::kChannelId, int64_t{0});
    } else if (attr && RowOf(*attr).kind == AttributeKind::kRawText) {
      instruction->Set(*attr, RawText{kept.text(), kept.quoted()});
    }
  }
}

absl::Status WriteCalledComputations(Writer& w) {
  // Writes computations that attributes name, in the order of the table, then the instruction's
  // other computations.
  for (Attr attr : CalledComputationAttributes(w.instruction)) {
    std::vector<Computation*> called;
    if (const auto* one = w.instruction.Get<Computation*>(attr)) called = {*one};
    if (const auto* list = w.instruction.Get<std::vector<Computation*>>(attr)) called = *list;
    // XLA has one list for a custom call's computations, which has one of two names in the text.
    if (attr == Attr::kCalledComputations && called.empty()) {
      if (Computation* one = w.instruction.CalledComputation(Attr::kToApply)) called = {one};
    }
    for (const Computation* computation : called) {
      HLOCTS_ASSIGN_OR_RETURN(int64_t id, w.ids.computation(computation));
      w.proto->add_called_computation_ids(id);
    }
  }
  return absl::OkStatus();
}

// Writes the fields that XLA sets for attributes that the text omits.
void WriteImpliedFields(const Instruction& instruction, P* proto) {
  const OpRow& row = RowOf(instruction.opcode());
  if (row.Takes(Attr::kFeatureGroupCount) && proto->feature_group_count() == 0) {
    proto->set_feature_group_count(1);
    if (proto->batch_group_count() == 0) proto->set_batch_group_count(1);
  }
  if (row.Takes(Attr::kBatchGroupCount) && proto->batch_group_count() == 0) {
    proto->set_batch_group_count(1);
  }
  if (row.Takes(Attr::kOperandPrecision) && !instruction.Has(Attr::kOperandPrecision)) {
    int64_t count = instruction.opcode() == Opcode::kCustomCall ? instruction.operand_count() : 2;
    for (int64_t i = 0; i < count; ++i) {
      proto->mutable_precision_config()->add_operand_precision(proto::PrecisionConfig::DEFAULT);
    }
  }
  // A convolution without spatial dimensions has an empty window; XLA requires the field.
  if (instruction.opcode() == Opcode::kConvolution) proto->mutable_window();
  // XLA requires these fields even if they are empty: for a dot of scalars, which contracts
  // nothing, and for a cholesky without options.
  if (instruction.opcode() == Opcode::kDot) proto->mutable_dot_dimension_numbers();
  if (instruction.opcode() == Opcode::kCholesky) proto->mutable_cholesky_options();
  if (instruction.opcode() == Opcode::kCompare && proto->comparison_type().empty()) {
    proto->set_comparison_type(std::string(NaturalComparisonType(FirstOperandType(instruction))));
  }
  if (row.Takes(Attr::kLargest) && !instruction.Has(Attr::kLargest)) proto->set_largest(true);
  if (row.Takes(Attr::kApiVersion) && !instruction.Has(Attr::kApiVersion)) {
    proto->set_custom_call_api_version(proto::API_VERSION_ORIGINAL);
  }
  if (row.Takes(Attr::kReplicaGroups) && !instruction.Has(Attr::kReplicaGroups)) {
    proto->mutable_collective_device_list();
  }
}

}  // namespace

absl::Span<const Attr> CalledComputationAttributes(const Instruction& instruction) {
  struct Order {
    Opcode opcode;
    std::array<Attr, 2> attributes;
    size_t count;
  };
  static constexpr Order kOrders[] = {
      {Opcode::kWhile, {Attr::kBody, Attr::kCondition}, 2},
      {Opcode::kSelectAndScatter, {Attr::kSelect, Attr::kScatter}, 2},
      {Opcode::kFusion, {Attr::kCalls}, 1},
      {Opcode::kAsyncStart, {Attr::kCalls}, 1},
      {Opcode::kAsyncUpdate, {Attr::kCalls}, 1},
      {Opcode::kAsyncDone, {Attr::kCalls}, 1},
      {Opcode::kCustomCall, {Attr::kCalledComputations}, 1},
  };
  static constexpr Attr kToApply[] = {Attr::kToApply};
  static constexpr Attr kTwoArms[] = {Attr::kTrueComputation, Attr::kFalseComputation};
  static constexpr Attr kBranches[] = {Attr::kBranchComputations};
  if (instruction.opcode() == Opcode::kConditional) {
    if (instruction.Has(Attr::kBranchComputations)) return kBranches;
    if (instruction.Has(Attr::kTrueComputation)) return kTwoArms;
    return FirstOperandType(instruction) == PrimitiveType::kPred ? absl::MakeConstSpan(kTwoArms)
                                                                 : absl::MakeConstSpan(kBranches);
  }
  for (const Order& order : kOrders) {
    if (order.opcode == instruction.opcode()) return {order.attributes.data(), order.count};
  }
  if (RowOf(instruction.opcode()).Takes(Attr::kToApply)) return kToApply;
  return {};
}

absl::Status AttributesToProto(const Instruction& instruction, const IdsOfModule& ids,
                               proto::HloInstructionProto* out) {
  Writer writer{instruction, ids, out};
  for (const auto& [attr, value] : instruction.attributes()) {
    const AttributeRow* row = RowFor(attr);
    if (row) {
      row->write(writer, value);
    } else if (const RawText* raw = std::get_if<RawText>(&value)) {
      WriteKept(writer, attr, *raw);
    }
    if (!writer.status.ok()) return writer.status;
  }
  HLOCTS_RETURN_IF_ERROR(WriteCalledComputations(writer));
  WriteImpliedFields(instruction, out);
  return absl::OkStatus();
}

absl::Status AttributesFromProto(const proto::HloInstructionProto& proto, const ProtoIds& ids,
                                 Instruction* instruction) {
  Reader reader{*instruction, ids, proto};
  auto read = [&](Attr attr, bool required) -> absl::Status {
    const AttributeRow* row = RowFor(attr);
    if (!row || instruction->Has(attr)) return absl::OkStatus();
    reader.is_default = false;
    AttributeValue value = row->read(reader);
    if (!reader.status.ok()) return reader.status;
    AttributeKind kind = RowOf(attr).kind;
    bool computation = kind == AttributeKind::kComputation || kind == AttributeKind::kComputations;
    if (required && computation && reader.is_default) {
      return InvalidInput("expected called_computation_ids for ", AttrName(attr), ", found ",
                          proto.called_computation_ids_size(), " ids");
    }
    if (required || !reader.is_default) instruction->Set(attr, std::move(value));
    return absl::OkStatus();
  };
  for (const AttributeUse& use : RowOf(instruction->opcode()).attribute_uses()) {
    HLOCTS_RETURN_IF_ERROR(read(use.attr, use.required));
  }
  for (Attr attr : CommonAttributes()) HLOCTS_RETURN_IF_ERROR(read(attr, false));
  ReadKept(proto, instruction);
  return absl::OkStatus();
}

}  // namespace hlocts
