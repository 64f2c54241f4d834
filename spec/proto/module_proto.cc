#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "spec/ops/op_table.h"
#include "spec/proto/attribute_proto.h"
#include "spec/proto/convert.h"
#include "spec/proto/parts.h"
#include "spec/proto/residue.h"

namespace hlocts {
namespace {

// Kept text of an instruction: its name, where that is not unique in the module.
constexpr absl::string_view kTextName = "name";

// --- from the proto ---------------------------------------------------------------------------------

class ModuleReader {
 public:
  explicit ModuleReader(const proto::HloModuleProto& proto)
      : proto_(proto), module_(std::make_unique<Module>(proto.name())) {}

  absl::StatusOr<std::unique_ptr<Module>> Read();

 private:
  absl::Status ReadComputation(const proto::HloComputationProto& proto);
  absl::Status ReadInstruction(const proto::HloInstructionProto& proto, Computation* computation);
  absl::Status ReadOperands(const proto::HloInstructionProto& proto, Instruction* instruction);
  absl::Status ReadPayload(const proto::HloInstructionProto& proto, Instruction* instruction);
  absl::Status ReadEntry();
  absl::Status ReadSchedule();
  absl::Status ReadAliases();
  void ReadStackFrames();

  Instruction* FindInstruction(int64_t id) const {
    auto found = instructions_.find(id);
    return found == instructions_.end() ? nullptr : found->second;
  }

  const proto::HloModuleProto& proto_;
  std::unique_ptr<Module> module_;
  absl::flat_hash_map<int64_t, Computation*> computations_;
  absl::flat_hash_map<int64_t, Instruction*> instructions_;  // of the computation being read
};

absl::Status ModuleReader::ReadOperands(const proto::HloInstructionProto& proto,
                                        Instruction* instruction) {
  for (int64_t id : proto.operand_ids()) {
    Instruction* operand = FindInstruction(id);
    if (!operand || operand == instruction) {
      return InvalidInput("expected operand ids of instructions that stand before it in the same ",
                          "computation, found ", id);
    }
    instruction->mutable_operands().push_back(operand);
  }
  const OpRow& row = RowOf(instruction->opcode());
  int64_t count = instruction->operand_count();
  if (count < row.arity_min || (row.arity_max != kVariadic && count > row.arity_max)) {
    return InvalidInput("expected ", row.arity_min, row.arity_max == row.arity_min ? "" : " or more",
                        " operands, found ", count);
  }
  return absl::OkStatus();
}

// What constants and parameters hold beside attributes.
absl::Status ModuleReader::ReadPayload(const proto::HloInstructionProto& proto,
                                       Instruction* instruction) {
  if (instruction->opcode() == Opcode::kParameter) {
    if (proto.parameter_number() < 0) {
      return InvalidInput("expected a parameter_number of at least 0, found ",
                          proto.parameter_number());
    }
    instruction->set_parameter_number(proto.parameter_number());
  }
  if (instruction->opcode() != Opcode::kConstant || !proto.has_literal()) return absl::OkStatus();
  HLOCTS_ASSIGN_OR_RETURN(Literal literal, LiteralFromProto(proto.literal()));
  if (!literal.shape().CompatibleWith(instruction->shape())) {
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
  HLOCTS_ASSIGN_OR_RETURN(Shape shape, ShapeFromProto(proto.shape()));
  if (shape.element_type() == PrimitiveType::kInvalid) {
    return InvalidInput("expected a shape, found none");
  }
  Instruction* instruction =
      computation->Add(std::make_unique<Instruction>(proto.name(), *opcode, std::move(shape)));
  instruction->proto_id = proto.id();
  if (!instructions_.emplace(proto.id(), instruction).second) {
    return InvalidInput("expected an id of its own, found ", proto.id(), " a second time");
  }
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
  instruction->unknown_fields = ResidueOf(proto);
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
  computation->unknown_fields = ResidueOf(proto);
  instructions_.clear();
  module_->Add(std::move(owned));
  for (const proto::HloInstructionProto& instruction : proto.instructions()) {
    absl::Status status = ReadInstruction(instruction, computation);
    if (!status.ok()) return Annotate(status, absl::StrCat("instruction '", instruction.name(), "'"));
  }
  if (proto.instructions().empty()) return InvalidInput("expected instructions, found none");
  computation->set_root(FindInstruction(proto.root_id()));
  if (!computation->root()) {
    return InvalidInput("expected the id of an instruction as root_id, found ", proto.root_id());
  }
  if (!computations_.emplace(proto.id(), computation).second) {
    return InvalidInput("expected an id of its own, found ", proto.id(), " a second time");
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
  absl::StatusOr<ProgramShape> program = ProgramShapeFromProto(proto_.host_program_shape());
  if (!program.ok()) return Annotate(program.status(), "host_program_shape");
  module_->entry_computation_layout = *std::move(program);
  return absl::OkStatus();
}

// A schedule is the textual order of a scheduled module.
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
                            ": expected each instruction once and after its operands, found id ", id);
      }
      order.push_back(instruction->second);
    }
    if (order.size() != computation->instructions().size()) {
      return InvalidInput("schedule of ", computation->name(), ": expected ",
                          computation->instructions().size(), " instructions, found ", order.size());
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
    added.parent_frame_id = frame.parent_frame_id();
  }
}

absl::StatusOr<std::unique_ptr<Module>> ModuleReader::Read() {
  module_->proto_id = proto_.id();
  for (const proto::HloComputationProto& computation : proto_.computations()) {
    absl::Status status = ReadComputation(computation);
    if (!status.ok()) return Annotate(status, absl::StrCat("computation '", computation.name(), "'"));
  }
  if (proto_.computations().empty()) return InvalidInput("expected computations, found none");
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
  module_->unknown_fields = ResidueOf(proto_);
  return std::move(module_);
}

// --- to the proto -------------------------------------------------------------------------------------

class ModuleWriter {
 public:
  ModuleWriter(const Module& module, proto::HloModuleProto* out) : module_(module), out_(out) {}

  absl::Status Write();

 private:
  absl::Status NumberEverything();
  absl::Status WriteComputation(const Computation& computation);
  absl::Status WriteInstruction(const Instruction& instruction, proto::HloInstructionProto* out);
  void WriteName(const Instruction& instruction, proto::HloInstructionProto* out);
  void WriteSchedule();
  void WriteHeader();

  absl::StatusOr<int64_t> IdOf(const Computation* computation) const {
    auto found = computation_ids_.find(computation);
    if (found == computation_ids_.end()) {
      return InvalidInput("a computation that is not part of the module is called");
    }
    return found->second;
  }
  absl::StatusOr<int64_t> IdOf(const Instruction* instruction) const {
    auto found = instruction_ids_.find(instruction);
    if (found == instruction_ids_.end()) {
      return InvalidInput("an instruction that is not part of the module is used");
    }
    return found->second;
  }

  const Module& module_;
  proto::HloModuleProto* out_;
  std::vector<Computation*> order_;
  absl::flat_hash_map<const Computation*, int64_t> computation_ids_;
  absl::flat_hash_map<const Instruction*, int64_t> instruction_ids_;
  absl::flat_hash_set<const Computation*> fused_;
  absl::flat_hash_set<std::string> names_;  // written so far
  absl::flat_hash_set<absl::string_view> all_names_;
  absl::flat_hash_map<std::string, int64_t> next_suffix_;
};


// The module's own order where callees stand before their callers, which keeps texts as they are.
std::vector<Computation*> CalleesFirst(const Module& module) {
  std::vector<Computation*> order;
  absl::flat_hash_set<const Computation*> seen;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      for (const Computation* callee : instruction->called_computations()) {
        if (!seen.contains(callee)) return module.CallOrder();
      }
    }
    seen.insert(computation.get());
    order.push_back(computation.get());
  }
  return order;
}

absl::Status ModuleWriter::NumberEverything() {
  order_ = CalleesFirst(module_);
  absl::flat_hash_set<int64_t> computation_ids, instruction_ids;
  bool keep_computations = true, keep_instructions = true;
  for (const Computation* computation : order_) {
    if (!computation->root()) return InvalidInput("computation ", computation->name(), " has no root");
    keep_computations &= computation_ids.insert(computation->proto_id).second;
    for (const auto& instruction : computation->instructions()) {
      keep_instructions &= instruction_ids.insert(instruction->proto_id).second;
      all_names_.insert(instruction->name());
    }
  }
  int64_t next_computation = 0;
  for (const Computation* computation : order_) {
    int64_t id = keep_computations ? computation->proto_id : next_computation;
    computation_ids_[computation] = id;
    // As XLA numbers them: the computation in the high half, the instruction in the low one.
    int64_t next = next_computation++ << 32;
    for (const auto& instruction : computation->instructions()) {
      instruction_ids_[instruction.get()] = keep_instructions ? instruction->proto_id : next++;
      if (instruction->opcode() != Opcode::kFusion) continue;
      for (const Computation* callee : instruction->called_computations()) fused_.insert(callee);
    }
  }
  return absl::OkStatus();
}

// In text a name is unique in its computation; XLA's proto form wants it unique in the module.
void ModuleWriter::WriteName(const Instruction& instruction, proto::HloInstructionProto* out) {
  std::string name = instruction.name();
  if (!names_.insert(name).second) {
    size_t dot = name.find_last_not_of("0123456789");
    bool numbered = dot != std::string::npos && name[dot] == '.' && dot + 1 < name.size();
    std::string stem = numbered ? name.substr(0, dot) : name;
    // Names that come later in the module are taken, too.
    int64_t& suffix = next_suffix_[stem];
    do {
      name = absl::StrCat(stem, ".", ++suffix);
    } while (all_names_.contains(name) || !names_.insert(name).second);
  }
  out->set_name(name);
  if (name == instruction.name()) return;
  proto::KeptText* kept = out->add_kept_attributes();
  kept->set_name(std::string(kTextName));
  kept->set_text(instruction.name());
}

absl::Status ModuleWriter::WriteInstruction(const Instruction& instruction,
                                            proto::HloInstructionProto* out) {
  WriteName(instruction, out);
  out->set_opcode(std::string(OpcodeName(instruction.opcode())));
  ShapeToProto(instruction.shape(), out->mutable_shape());
  out->set_id(instruction_ids_.at(&instruction));
  for (const Instruction* operand : instruction.operands()) {
    HLOCTS_ASSIGN_OR_RETURN(int64_t id, IdOf(operand));
    out->add_operand_ids(id);
  }
  if (instruction.opcode() == Opcode::kParameter) {
    out->set_parameter_number(instruction.parameter_number());
  }
  if (instruction.has_literal()) {
    // XLA wants the elements in the order of the instruction's layout.
    const Literal& literal = instruction.literal();
    const Shape& shape = instruction.shape();
    bool ordered = shape.IsArray() && shape.CompatibleWith(literal.shape()) && shape.layout() &&
                   ValidateLayout(*shape.layout(), shape.rank()).ok();
    LiteralToProto(ordered ? literal.WithShape(shape) : literal, out->mutable_literal());
  }
  IdsOfModule ids;
  ids.computation = [&](const Computation* computation) { return IdOf(computation); };
  ids.instruction = [&](const Instruction* used) { return IdOf(used); };
  HLOCTS_RETURN_IF_ERROR(AttributesToProto(instruction, ids, out));
  RestoreResidue(instruction.unknown_fields, out);
  return absl::OkStatus();
}

// Parameters by the names their instructions were given.
void WriteProgramShape(const Computation& computation, proto::HloComputationProto* out) {
  ProgramShape program = computation.ComputeProgramShape();
  for (int i = 0; i < out->instructions_size(); ++i) {
    const Instruction& instruction = *computation.instructions()[i];
    if (instruction.opcode() != Opcode::kParameter) continue;
    size_t number = static_cast<size_t>(instruction.parameter_number());
    if (number < program.parameter_names.size()) {
      program.parameter_names[number] = out->instructions(i).name();
    }
  }
  ProgramShapeToProto(program, out->mutable_program_shape());
}

absl::Status ModuleWriter::WriteComputation(const Computation& computation) {
  proto::HloComputationProto* out = out_->add_computations();
  out->set_name(computation.name());
  out->set_id(computation_ids_.at(&computation));
  HLOCTS_ASSIGN_OR_RETURN(int64_t root_id, IdOf(computation.root()));
  out->set_root_id(root_id);
  out->set_is_fusion_computation(fused_.contains(&computation));
  if (computation.execution_thread != "main") out->set_execution_thread(computation.execution_thread);
  for (const auto& instruction : computation.instructions()) {
    absl::Status status = WriteInstruction(*instruction, out->add_instructions());
    if (!status.ok()) {
      return Annotate(status, absl::StrCat("instruction ", instruction->name()));
    }
  }
  WriteProgramShape(computation, out);
  for (const auto& [name, text] : computation.extra_attributes) {
    proto::KeptText* kept = out->add_kept_attributes();
    kept->set_name(name);
    kept->set_text(text);
  }
  RestoreResidue(computation.unknown_fields, out);
  return absl::OkStatus();
}

// XLA schedules every computation that is not inside a fusion.
void ModuleWriter::WriteSchedule() {
  if (!module_.is_scheduled) return;
  out_->mutable_schedule();
  for (const Computation* computation : order_) {
    if (fused_.contains(computation)) continue;
    auto* sequence = out_->mutable_schedule()->add_sequences();
    sequence->set_key(computation_ids_.at(computation));
    for (const auto& instruction : computation->instructions()) {
      sequence->mutable_value()->add_instruction_ids(instruction_ids_.at(instruction.get()));
    }
  }
}

void ModuleWriter::WriteHeader() {
  for (const InputOutputAlias& alias : module_.input_output_alias) {
    auto* entry = out_->mutable_input_output_alias()->add_entries();
    ToRepeated(alias.output_index, entry->mutable_output_shape_index());
    entry->set_parameter_number(alias.parameter_number);
    ToRepeated(alias.parameter_index, entry->mutable_parameter_shape_index());
    entry->set_kind(alias.must_alias ? proto::MUST_ALIAS : proto::MAY_ALIAS);
  }
  for (const BufferDonor& donor : module_.buffer_donor) {
    auto* entry = out_->mutable_buffer_donor()->add_entries();
    entry->set_parameter_number(donor.parameter_number);
    ToRepeated(donor.parameter_index, entry->mutable_parameter_shape_index());
  }
  const StackFrameIndex& frames = module_.stack_frame_index;
  for (const std::string& name : frames.file_names) {
    out_->mutable_stack_frame_index()->add_file_names(name);
  }
  for (const std::string& name : frames.function_names) {
    out_->mutable_stack_frame_index()->add_function_names(name);
  }
  for (const StackFrameIndex::Location& location : frames.file_locations) {
    auto* added = out_->mutable_stack_frame_index()->add_file_locations();
    added->set_file_name_id(static_cast<int32_t>(location.file_name_id));
    added->set_function_name_id(static_cast<int32_t>(location.function_name_id));
    added->set_line(static_cast<int32_t>(location.line));
    added->set_end_line(static_cast<int32_t>(location.end_line));
    added->set_column(static_cast<int32_t>(location.column));
    added->set_end_column(static_cast<int32_t>(location.end_column));
  }
  for (const StackFrameIndex::Frame& frame : frames.stack_frames) {
    auto* added = out_->mutable_stack_frame_index()->add_stack_frames();
    added->set_file_location_id(static_cast<int32_t>(frame.file_location_id));
    added->set_parent_frame_id(static_cast<int32_t>(frame.parent_frame_id));
  }
  if (!module_.frontend_attributes.entries.empty()) {
    StringMapToProto(module_.frontend_attributes, out_->mutable_frontend_attributes());
  }
  if (module_.replica_count != 1) out_->set_replica_count(module_.replica_count);
  if (module_.num_partitions != 1) out_->set_num_partitions(module_.num_partitions);
  for (const auto& [name, text] : module_.extra_attributes) {
    proto::KeptText* kept = out_->add_kept_attributes();
    kept->set_name(name);
    kept->set_text(text);
  }
}

absl::Status ModuleWriter::Write() {
  if (!module_.entry()) return InvalidInput("module ", module_.name(), " has no entry computation");
  HLOCTS_RETURN_IF_ERROR(NumberEverything());
  out_->set_name(module_.name());
  out_->set_id(module_.proto_id);
  out_->set_entry_computation_name(module_.entry()->name());
  HLOCTS_ASSIGN_OR_RETURN(int64_t entry_id, IdOf(module_.entry()));
  out_->set_entry_computation_id(entry_id);
  for (const Computation* computation : order_) {
    absl::Status status = WriteComputation(*computation);
    if (!status.ok()) return Annotate(status, absl::StrCat("computation ", computation->name()));
  }
  // XLA takes the layouts of parameters and result from here, and names from the parameters.
  ProgramShape program = module_.EntryProgramShape();
  for (Shape& parameter : program.parameters) parameter = parameter.WithDefaultLayout();
  program.result = program.result.WithDefaultLayout();
  if (program.parameter_names.size() != program.parameters.size()) {
    program.parameter_names = module_.entry()->ComputeProgramShape().parameter_names;
    program.parameter_names.resize(program.parameters.size());
  }
  ProgramShapeToProto(program, out_->mutable_host_program_shape());
  WriteSchedule();
  WriteHeader();
  RestoreResidue(module_.unknown_fields, out_);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Module>> ModuleFromProto(const proto::HloModuleProto& module) {
  return ModuleReader(module).Read();
}

absl::Status ModuleToProto(const Module& module, proto::HloModuleProto* out) {
  return ModuleWriter(module, out).Write();
}

absl::StatusOr<proto::HloModuleProto> ModuleToProto(const Module& module) {
  proto::HloModuleProto out;
  HLOCTS_RETURN_IF_ERROR(ModuleToProto(module, &out));
  return out;
}

}  // namespace hlocts
