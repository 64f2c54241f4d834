// SPDX-License-Identifier: Apache-2.0
// Converts an HloModuleProto to a Module.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "spec/ir/module.h"
#include "spec/ops/op_table.h"
#include "spec/proto/attribute_proto.h"
#include "spec/proto/convert.h"
#include "spec/proto/parts.h"
#include "spec/proto/residue.h"

namespace hlocts {
namespace {

class ModuleReader {
 public:
  ModuleReader(const proto::HloModuleProto& proto, Malformed malformed)
      : proto_(proto), malformed_(malformed), module_(std::make_unique<Module>(proto.name())) {}

  absl::StatusOr<std::unique_ptr<Module>> Read();

 private:
  absl::Status ReadComputation(const proto::HloComputationProto& proto);
  absl::Status ReadInstruction(const proto::HloInstructionProto& proto, Computation* computation);
  absl::Status ReadOperands(const proto::HloInstructionProto& proto, Instruction* instruction);
  absl::Status ConnectForwardOperands();
  absl::Status ReadPayload(const proto::HloInstructionProto& proto, Instruction* instruction);
  absl::Status ReadEntry();
  absl::Status ReadSchedule();
  absl::Status ReadAliases();
  void ReadStackFrames();

  std::string UninterpretedFields(const google::protobuf::Message& message) const {
    return malformed_ == Malformed::kKeepExecutable ? "" : UninterpretedFieldsOf(message);
  }
  Instruction* FindInstruction(int64_t id) const {
    auto found = instructions_.find(id);
    return found == instructions_.end() ? nullptr : found->second;
  }

  // An operand that does not precede its user in the same computation. It is connected at the end.
  struct ForwardOperand {
    Instruction* user;
    size_t operand;
    int64_t id;
  };

  const proto::HloModuleProto& proto_;
  const Malformed malformed_;
  std::unique_ptr<Module> module_;
  std::vector<ForwardOperand> forward_operands_;
  absl::flat_hash_map<int64_t, Computation*> computations_;
  absl::flat_hash_map<int64_t, Instruction*> instructions_;  // of the computation being read
};

absl::Status ModuleReader::ReadOperands(const proto::HloInstructionProto& proto,
                                        Instruction* instruction) {
  for (int64_t id : proto.operand_ids()) {
    Instruction* operand = FindInstruction(id);
    if (malformed_ != Malformed::kRefused && !operand) {
      forward_operands_.push_back({instruction, instruction->operands().size(), id});
      operand = instruction;
    } else if (!operand || operand == instruction) {
      return InvalidInput("expected operand ids of instructions that precede it in the same ",
                          "computation, found ", id);
    }
    instruction->mutable_operands().push_back(operand);
  }
  const OpRow& row = RowOf(instruction->opcode());
  int64_t count = instruction->operand_count();
  const bool fits =
      count >= row.arity_min && (row.arity_max == kVariadic || count <= row.arity_max);
  if (malformed_ == Malformed::kRefused && !fits) {
    return InvalidInput("expected ", ArityText(row), ", found ", count);
  }
  return absl::OkStatus();
}

// Once all computations are read, sets operands that were postponed because their ids were unknown.
absl::Status ModuleReader::ConnectForwardOperands() {
  if (forward_operands_.empty()) return absl::OkStatus();
  absl::flat_hash_map<int64_t, Instruction*> all;
  for (const auto& computation : module_->computations()) {
    for (const auto& instruction : computation->instructions())
      all[instruction->proto_id] = instruction.get();
  }
  for (const ForwardOperand& stranger : forward_operands_) {
    auto found = all.find(stranger.id);
    if (found == all.end()) {
      return InvalidInput("instruction '", stranger.user->name(),
                          "': expected the ids of instructions as operands, found ", stranger.id);
    }
    stranger.user->mutable_operands()[stranger.operand] = found->second;
  }
  return absl::OkStatus();
}

// Reads the literal of a constant or the number of a parameter, which are not attributes.
absl::Status ModuleReader::ReadPayload(const proto::HloInstructionProto& proto,
                                       Instruction* instruction) {
  if (instruction->IsParameter()) {
    if (proto.parameter_number() < 0) {
      return InvalidInput("expected a parameter_number of at least 0, found ",
                          proto.parameter_number());
    }
    instruction->set_parameter_number(proto.parameter_number());
  }
  if (!instruction->IsConstant() || !proto.has_literal()) return absl::OkStatus();
  HLOCTS_ASSIGN_OR_RETURN(Literal literal, LiteralFromProto(proto.literal()));
  if (malformed_ == Malformed::kRefused && !literal.shape().CompatibleWith(instruction->shape())) {
    return InvalidInput("expected a literal of shape ", instruction->shape().ToString(false),
                        ", found ", literal.shape().ToString(false));
  }
  instruction->set_literal(std::move(literal));
  return absl::OkStatus();
}

absl::Status ModuleReader::ReadInstruction(const proto::HloInstructionProto& proto,
                                           Computation* computation) {
  std::optional<Opcode> opcode = OpcodeFromName(proto.opcode());
  if (!opcode) return InvalidInput("expected an opcode, found '", proto.opcode(), "'");
  Instruction* instruction =
      computation->Add(std::make_unique<Instruction>(proto.name(), *opcode, Shape()));
  HLOCTS_RETURN_IF_ERROR(ReadShape(proto.shape(), malformed_, instruction->mutable_shape()));
  if (instruction->shape().element_type() == PrimitiveType::kInvalid) {
    return InvalidInput("expected a shape, found none");
  }
  instruction->proto_id = proto.id();
  if (!instructions_.emplace(proto.id(), instruction).second) {
    return InvalidInput("expected a unique id, found ", proto.id(), " a second time");
  }
  HLOCTS_RETURN_IF_ERROR(CheckFields(proto));
  HLOCTS_RETURN_IF_ERROR(ReadOperands(proto, instruction));
  HLOCTS_RETURN_IF_ERROR(ReadPayload(proto, instruction));
  ProtoIds ids;
  ids.computation = [&](int64_t id) {
    auto found = computations_.find(id);
    return found == computations_.end() ? nullptr : found->second;
  };
  ids.instruction = [&](int64_t id) { return FindInstruction(id); };
  HLOCTS_RETURN_IF_ERROR(AttributesFromProto(proto, ids, instruction));
  for (const proto::KeptText& kept : proto.kept_attributes()) {
    if (kept.name() == kTextName) instruction->set_name(kept.text());
  }
  instruction->unknown_fields = UninterpretedFields(proto);
  if (proto.has_original_value() && !instruction->Has(Attr::kOrigin)) {
    proto::HloInstructionProto kept;
    *kept.mutable_original_value() = proto.original_value();
    instruction->unknown_fields += kept.SerializeAsString();
  }
  return absl::OkStatus();
}

absl::Status ModuleReader::ReadComputation(const proto::HloComputationProto& proto) {
  auto owned = std::make_unique<Computation>(proto.name());
  Computation* computation = owned.get();
  computation->proto_id = proto.id();
  if (!proto.execution_thread().empty()) computation->execution_thread = proto.execution_thread();
  for (const proto::KeptText& kept : proto.kept_attributes()) {
    computation->extra_attributes.emplace_back(kept.name(), kept.text());
  }
  computation->unknown_fields = UninterpretedFields(proto);
  instructions_.clear();
  instructions_.reserve(static_cast<size_t>(proto.instructions_size()));
  module_->Add(std::move(owned));
  for (const proto::HloInstructionProto& instruction : proto.instructions()) {
    absl::Status status = ReadInstruction(instruction, computation);
    if (!status.ok())
      return Annotate(status, absl::StrCat("instruction '", instruction.name(), "'"));
  }
  if (proto.instructions().empty()) return InvalidInput("expected instructions, found none");
  computation->set_root(FindInstruction(proto.root_id()));
  if (!computation->root()) {
    return InvalidInput("expected the id of an instruction as root_id, found ", proto.root_id());
  }
  if (!computations_.emplace(proto.id(), computation).second) {
    return InvalidInput("expected a unique id, found ", proto.id(), " a second time");
  }
  return absl::OkStatus();
}

absl::Status ModuleReader::ReadEntry() {
  auto found = computations_.find(proto_.entry_computation_id());
  if (found == computations_.end()) {
    return InvalidInput("expected the id of a computation as entry_computation_id, found ",
                        proto_.entry_computation_id());
  }
  module_->set_entry(found->second);
  if (!proto_.has_host_program_shape()) return absl::OkStatus();
  absl::StatusOr<ProgramShape> program =
      ProgramShapeFromProto(proto_.host_program_shape(), malformed_);
  if (!program.ok()) return Annotate(program.status(), "host_program_shape");
  module_->entry_computation_layout = *std::move(program);
  return absl::OkStatus();
}

// Orders instructions by the schedule, which is the textual order of a scheduled module.
absl::Status ModuleReader::ReadSchedule() {
  module_->is_scheduled = proto_.has_schedule();
  for (const auto& sequence : proto_.schedule().sequences()) {
    auto found = computations_.find(sequence.key());
    if (found == computations_.end()) {
      return InvalidInput("schedule: expected the id of a computation, found ", sequence.key());
    }
    Computation* computation = found->second;
    absl::flat_hash_map<int64_t, Instruction*> by_id;
    for (const auto& instruction : computation->instructions()) {
      by_id[instruction->proto_id] = instruction.get();
    }
    std::vector<Instruction*> order;
    absl::flat_hash_set<const Instruction*> placed;
    for (int64_t id : sequence.value().instruction_ids()) {
      auto instruction = by_id.find(id);
      bool operands_placed =
          instruction != by_id.end() &&
          std::all_of(instruction->second->operands().begin(),
                      instruction->second->operands().end(),
                      [&](const Instruction* operand) { return placed.contains(operand); });
      if (!operands_placed || !placed.insert(instruction->second).second) {
        return InvalidInput("schedule of ", computation->name(),
                            ": expected each instruction once and after its operands, found id ",
                            id);
      }
      order.push_back(instruction->second);
    }
    if (order.size() != computation->instructions().size()) {
      return InvalidInput("schedule of ", computation->name(), ": expected ",
                          computation->instructions().size(), " instructions, found ",
                          order.size());
    }
    computation->Reorder(order);
  }
  return absl::OkStatus();
}

absl::Status ModuleReader::ReadAliases() {
  for (const auto& entry : proto_.input_output_alias().entries()) {
    if (entry.kind() != proto::MAY_ALIAS && entry.kind() != proto::MUST_ALIAS) {
      return InvalidInput("input_output_alias: expected MAY_ALIAS or MUST_ALIAS, found ",
                          static_cast<int>(entry.kind()));
    }
    module_->input_output_alias.push_back(
        {FromRepeated(entry.output_shape_index()), entry.parameter_number(),
         FromRepeated(entry.parameter_shape_index()), entry.kind() == proto::MUST_ALIAS});
  }
  for (const auto& entry : proto_.buffer_donor().entries()) {
    module_->buffer_donor.push_back(
        {entry.parameter_number(), FromRepeated(entry.parameter_shape_index())});
  }
  return absl::OkStatus();
}

void ModuleReader::ReadStackFrames() {
  const proto::StackFrameIndexProto& in = proto_.stack_frame_index();
  StackFrameIndex& out = module_->stack_frame_index;
  out.file_names.assign(in.file_names().begin(), in.file_names().end());
  out.function_names.assign(in.function_names().begin(), in.function_names().end());
  for (const auto& location : in.file_locations()) {
    StackFrameIndex::Location& added = out.file_locations.emplace_back();
    added.file_name_id = location.file_name_id();
    added.function_name_id = location.function_name_id();
    added.line = location.line();
    added.end_line = location.end_line();
    added.column = location.column();
    added.end_column = location.end_column();
  }
  for (const auto& frame : in.stack_frames()) {
    StackFrameIndex::Frame& added = out.stack_frames.emplace_back();
    added.file_location_id = frame.file_location_id();
    added.parent_frame_id = int64_t{frame.parent_frame_id()} + 1;
  }
}

absl::StatusOr<std::unique_ptr<Module>> ModuleReader::Read() {
  HLOCTS_RETURN_IF_ERROR(CheckFields(proto_));
  module_->proto_id = proto_.id();
  for (const proto::HloComputationProto& computation : proto_.computations()) {
    absl::Status status = ReadComputation(computation);
    if (!status.ok())
      return Annotate(status, absl::StrCat("computation '", computation.name(), "'"));
  }
  if (proto_.computations().empty()) return InvalidInput("expected computations, found none");
  HLOCTS_RETURN_IF_ERROR(ConnectForwardOperands());
  HLOCTS_RETURN_IF_ERROR(ReadEntry());
  HLOCTS_RETURN_IF_ERROR(ReadSchedule());
  HLOCTS_RETURN_IF_ERROR(ReadAliases());
  ReadStackFrames();
  module_->frontend_attributes = StringMapFromProto(proto_.frontend_attributes());
  if (proto_.replica_count() > 0) module_->replica_count = proto_.replica_count();
  if (proto_.num_partitions() > 0) module_->num_partitions = proto_.num_partitions();
  for (const proto::KeptText& kept : proto_.kept_attributes()) {
    module_->extra_attributes.emplace_back(kept.name(), kept.text());
  }
  module_->unknown_fields = UninterpretedFields(proto_);
  return std::move(module_);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Module>> ModuleFromProto(const proto::HloModuleProto& module,
                                                        Malformed malformed) {
  return ModuleReader(module, malformed).Read();
}

}  // namespace hlocts
