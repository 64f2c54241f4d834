// SPDX-License-Identifier: Apache-2.0
// Converts a Module to an HloModuleProto.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"
#include "spec/proto/attribute_proto.h"
#include "spec/proto/convert.h"
#include "spec/proto/parts.h"
#include "spec/proto/residue.h"

namespace hlocts {
namespace {

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
  void WriteAliases();
  void WriteStackFrames();

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
  bool has_unique_names_ = true;
  absl::flat_hash_set<std::string> names_;  // names written so far, unless all are unique
  absl::flat_hash_set<absl::string_view> all_names_;
  absl::flat_hash_map<std::string, int64_t> next_suffix_;
};

// Returns the module's own order if callees precede their callers in it, so that texts do not
// change; else the call order.
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

bool AreUnique(std::vector<int64_t> ids) {
  std::sort(ids.begin(), ids.end());
  return std::adjacent_find(ids.begin(), ids.end()) == ids.end();
}

absl::Status ModuleWriter::NumberEverything() {
  order_ = CalleesFirst(module_);
  std::vector<int64_t> computation_ids, instruction_ids;
  size_t instructions = 0;
  for (const Computation* computation : order_) instructions += computation->instructions().size();
  instruction_ids.reserve(instructions);
  instruction_ids_.reserve(instructions);
  all_names_.reserve(instructions);
  for (const Computation* computation : order_) {
    if (!computation->root())
      return InvalidInput("computation ", computation->name(), " has no root");
    computation_ids.push_back(computation->proto_id);
    for (const auto& instruction : computation->instructions()) {
      instruction_ids.push_back(instruction->proto_id);
      has_unique_names_ &= all_names_.insert(instruction->name()).second;
    }
  }
  const bool keep_computations = AreUnique(std::move(computation_ids));
  const bool keep_instructions = AreUnique(std::move(instruction_ids));
  int64_t next_computation = 0;
  for (const Computation* computation : order_) {
    int64_t id = keep_computations ? computation->proto_id : next_computation;
    computation_ids_[computation] = id;
    // XLA's numbering: the computation in the high half, the instruction in the low half.
    int64_t next = next_computation++ << 32;
    for (const auto& instruction : computation->instructions()) {
      instruction_ids_[instruction.get()] = keep_instructions ? instruction->proto_id : next++;
      if (instruction->opcode() != Opcode::kFusion) continue;
      for (const Computation* callee : instruction->called_computations()) fused_.insert(callee);
    }
  }
  return absl::OkStatus();
}

// Writes a name that is unique in the module, as XLA's proto form requires. In text, a name need
// only be unique in its computation.
void ModuleWriter::WriteName(const Instruction& instruction, proto::HloInstructionProto* out) {
  if (has_unique_names_) return out->set_name(instruction.name());
  std::string name = instruction.name();
  if (!names_.insert(name).second) {
    size_t dot = name.find_last_not_of("0123456789");
    bool numbered = dot != std::string::npos && name[dot] == '.' && dot + 1 < name.size();
    std::string stem = numbered ? name.substr(0, dot) : name;
    // Also skips names that occur later in the module.
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
  if (instruction.IsParameter()) {
    out->set_parameter_number(instruction.parameter_number());
  }
  if (instruction.has_literal()) {
    // Orders the elements as in the instruction's layout, which XLA requires.
    const Literal& literal = instruction.literal();
    const Shape& shape = instruction.shape();
    bool ordered = shape.IsArray() && shape.CompatibleWith(literal.shape()) && shape.layout() &&
                   ValidateLayout(*shape.layout(), shape.rank()).ok();
    LiteralToProto(ordered ? literal.WithShape(shape) : literal, out->mutable_literal());
  }
  IdsOfModule ids{.computation = [&](const Computation* computation) { return IdOf(computation); },
                  .instruction = [&](const Instruction* used) { return IdOf(used); }};
  HLOCTS_RETURN_IF_ERROR(AttributesToProto(instruction, ids, out));
  RestoreUninterpretedFields(instruction.unknown_fields, out);
  return absl::OkStatus();
}

// Writes the program shape. Parameter names are the names of the parameter instructions.
void WriteProgramShape(const Computation& computation, proto::HloComputationProto* out) {
  proto::ProgramShapeProto* program = out->mutable_program_shape();
  for (const Instruction* parameter : computation.parameters()) {
    ShapeToProto(parameter ? parameter->shape() : Shape(), program->add_parameters());
    std::string* name = program->add_parameter_names();
    if (parameter) *name = out->instructions(static_cast<int>(parameter->index())).name();
  }
  ShapeToProto(computation.root()->shape(), program->mutable_result());
}

absl::Status ModuleWriter::WriteComputation(const Computation& computation) {
  proto::HloComputationProto* out = out_->add_computations();
  out->set_name(computation.name());
  out->set_id(computation_ids_.at(&computation));
  HLOCTS_ASSIGN_OR_RETURN(int64_t root_id, IdOf(computation.root()));
  out->set_root_id(root_id);
  out->set_is_fusion_computation(fused_.contains(&computation));
  if (computation.execution_thread != "main")
    out->set_execution_thread(computation.execution_thread);
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
  RestoreUninterpretedFields(computation.unknown_fields, out);
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
  WriteAliases();
  WriteStackFrames();
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

void ModuleWriter::WriteAliases() {
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
}

void ModuleWriter::WriteStackFrames() {
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
    added->set_parent_frame_id(
        static_cast<int32_t>(std::max<int64_t>(frame.parent_frame_id - 1, 0)));
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
  // XLA reads the layouts of parameters and result, and the parameters' names, from this field.
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
  RestoreUninterpretedFields(module_.unknown_fields, out_);
  return absl::OkStatus();
}

}  // namespace

absl::Status ModuleToProto(const Module& module, proto::HloModuleProto* out) {
  return ModuleWriter(module, out).Write();
}

absl::StatusOr<proto::HloModuleProto> ModuleToProto(const Module& module) {
  proto::HloModuleProto out;
  HLOCTS_RETURN_IF_ERROR(ModuleToProto(module, &out));
  return out;
}

}  // namespace hlocts
