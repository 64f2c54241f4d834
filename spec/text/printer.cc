#include "spec/text/printer.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/text/module_printer.h"

namespace hlocts {
namespace {

// Header attributes as XLA orders them: what stands before and behind entry_computation_layout.
constexpr absl::string_view kBeforeLayout[] = {"alias_passthrough_params"};
constexpr absl::string_view kBeforeCounts[] = {"allow_spmd_sharding_propagation_to_parameters",
                                               "allow_spmd_sharding_propagation_to_output"};

template <size_t kCount>
bool Listed(const absl::string_view (&list)[kCount], absl::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

// The root of a computation that only passes its parameters to one instruction.
const Instruction* OnlyOperation(const Computation* computation) {
  if (computation == nullptr || computation->root() == nullptr) return nullptr;
  const Instruction* root = computation->root();
  for (const auto& instruction : computation->instructions()) {
    if (instruction.get() != root && instruction->opcode() != Opcode::kParameter) return nullptr;
  }
  if (root->opcode() == Opcode::kParameter) return nullptr;
  int64_t parameters = static_cast<int64_t>(computation->instructions().size()) - 1;
  if (root->operand_count() != parameters) return nullptr;
  for (int64_t i = 0; i < parameters; ++i) {
    if (root->operand(i).opcode() != Opcode::kParameter ||
        root->operand(i).parameter_number() != i) {
      return nullptr;
    }
  }
  return root;
}

absl::string_view AsyncSuffix(Opcode opcode) {
  if (opcode == Opcode::kAsyncStart) return "-start";
  return opcode == Opcode::kAsyncUpdate ? "-update" : "-done";
}

bool IsAsync(Opcode opcode) {
  return opcode == Opcode::kAsyncStart || opcode == Opcode::kAsyncUpdate ||
         opcode == Opcode::kAsyncDone;
}

// Whether "operation-start" would be read as an opcode of its own, or not at all.
bool NameIsTaken(Opcode operation, absl::string_view suffix) {
  return operation == Opcode::kConstant ||
         OpcodeFromName(absl::StrCat(OpcodeName(operation), suffix)).has_value();
}

}  // namespace

PrintOptions PrintOptions::Default() { return PrintOptions(); }

PrintOptions PrintOptions::Short() {
  PrintOptions options;
  options.percent = false;
  options.metadata = false;
  options.program_shape = false;
  options.control_dependencies = false;
  options.operand_index_annotations = false;
  return options;
}

PrintOptions PrintOptions::Canonical() {
  PrintOptions options = Short();
  options.operand_shapes = true;
  options.backend_config = false;
  options.inline_called_computations = true;
  options.canonicalize_names = true;
  return options;
}

void ModulePrinter::AppendName(const Instruction& instruction) {
  if (options_.percent) out_.push_back('%');
  auto canonical = canonical_names_.find(&instruction);
  if (canonical != canonical_names_.end()) {
    absl::StrAppend(&out_, "tmp_", canonical->second);
  } else {
    out_.append(instruction.name());
  }
}

void ModulePrinter::AppendCalled(const Computation* computation) {
  if (!options_.inline_called_computations || computation == nullptr) {
    absl::StrAppend(&out_, options_.percent ? "%" : "", computation ? computation->name() : "");
    return;
  }
  // XLA nests bodies one level deeper than their instruction, which is where deep cycles would not
  // end; the verifier refuses cycles, the printer cuts them.
  if (indent_ >= 64) {
    out_.append(computation->name());
    return;
  }
  indent_ += 2;
  absl::StrAppend(&out_, "\n", std::string(indent_, ' '));
  PrintBody(*computation);
  indent_ -= 2;
}

void ModulePrinter::PrintShape(const Shape& shape, bool with_layout) {
  out_.append(shape.ToString(with_layout));
}

const Instruction* ModulePrinter::SugaredOperation(const Instruction& instruction) const {
  if (!options_.syntax_sugar_async_ops || !IsAsync(instruction.opcode())) return nullptr;
  const Instruction* start = &instruction;
  while (start->opcode() != Opcode::kAsyncStart) {
    if (start->operand_count() != 1 || !IsAsync(start->operand(0).opcode())) return nullptr;
    start = &start->operand(0);
  }
  const Instruction* operation = OnlyOperation(start->CalledComputation(Attr::kCalls));
  if (operation == nullptr || NameIsTaken(operation->opcode(), "-start") ||
      NameIsTaken(operation->opcode(), "-done")) {
    return nullptr;
  }
  bool whole = start->shape().IsTuple() && start->shape().tuple_shapes().size() >= 2 &&
               start->shape().tuple_shapes()[1] == operation->shape() &&
               start->operand_count() == operation->operand_count();
  return whole ? operation : nullptr;
}

void ModulePrinter::PrintOperands(const Instruction& instruction) {
  out_.push_back('(');
  if (instruction.opcode() == Opcode::kConstant) {
    if (instruction.has_literal()) {
      AppendConstant(instruction.literal(), options_.large_constants, &out_);
    }
  } else if (instruction.opcode() == Opcode::kParameter) {
    absl::StrAppend(&out_, instruction.parameter_number());
  }
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    if (i > 0) out_.append(", ");
    if (i > 0 && i % 5 == 0 && options_.operand_index_annotations) {
      absl::StrAppend(&out_, "/*index=", i, "*/");
    }
    if (options_.operand_shapes) {
      PrintShape(instruction.operand(i).shape(), options_.result_layouts);
      out_.push_back(' ');
    }
    AppendName(instruction.operand(i));
  }
  out_.push_back(')');
}

void ModulePrinter::PrintAttributes(const Instruction& instruction) {
  const Instruction* operation = SugaredOperation(instruction);
  if (options_.extra_attributes) {
    if (operation == nullptr) {
      AppendOwnAttributes(*this, instruction);
    } else if (instruction.opcode() == Opcode::kAsyncStart) {
      if (const auto* thread = instruction.Get<std::string>(Attr::kAsyncExecutionThread)) {
        out_.append(", async_execution_thread=");
        AppendQuoted(*thread, &out_);
      }
      AppendOwnAttributes(*this, *operation);
    }
  }
  AppendCommonAttributes(*this, instruction);
}

void ModulePrinter::PrintInstruction(const Instruction& instruction) {
  AppendName(instruction);
  out_.append(" = ");
  if (options_.result_shapes) {
    PrintShape(instruction.shape(), options_.result_layouts);
    out_.push_back(' ');
  }
  if (const Instruction* operation = SugaredOperation(instruction)) {
    absl::StrAppend(&out_, OpcodeName(operation->opcode()), AsyncSuffix(instruction.opcode()));
  } else {
    absl::StrAppend(&out_, OpcodeName(instruction.opcode()));
  }
  PrintOperands(instruction);
  PrintAttributes(instruction);
}

void ModulePrinter::PrintBody(const Computation& computation) {
  std::string indent(indent_ + 2, ' ');
  if (options_.canonicalize_names) {
    int64_t next = 0;
    for (const auto& instruction : computation.instructions()) {
      canonical_names_[instruction.get()] = next++;
    }
  }
  out_.append("{\n");
  for (const auto& instruction : computation.instructions()) {
    out_.append(indent);
    if (instruction.get() == computation.root()) out_.append("ROOT ");
    PrintInstruction(*instruction);
    out_.push_back('\n');
  }
  absl::StrAppend(&out_, std::string(indent_, ' '), "}");
}

void ModulePrinter::PrintComputation(const Computation& computation) {
  absl::StrAppend(&out_, options_.percent ? "%" : "", computation.name(), " ");
  if (options_.program_shape) {
    ProgramShape program = computation.ComputeProgramShape();
    out_.push_back('(');
    for (size_t i = 0; i < program.parameters.size(); ++i) {
      if (i > 0) out_.append(", ");
      absl::StrAppend(&out_, program.parameter_names[i], ": ");
      PrintShape(program.parameters[i], false);
    }
    out_.append(") -> ");
    PrintShape(program.result, false);
    out_.push_back(' ');
  }
  PrintBody(computation);
  if (computation.execution_thread != "main") {
    out_.append(", execution_thread=");
    AppendQuoted(computation.execution_thread, &out_);
  }
  for (const auto& [name, value] : computation.extra_attributes) {
    absl::StrAppend(&out_, ", ", name, "=", value);
  }
}

void ModulePrinter::PrintHeader(const Module& module) {
  absl::StrAppend(&out_, "HloModule ", module.name());
  if (module.is_scheduled) out_.append(", is_scheduled=true");
  if (!module.input_output_alias.empty()) {
    out_.append(", input_output_alias={ ");
    for (size_t i = 0; i < module.input_output_alias.size(); ++i) {
      const InputOutputAlias& alias = module.input_output_alias[i];
      if (i > 0) out_.append(", ");
      AppendIntList(alias.output_index, &out_);
      absl::StrAppend(&out_, ": (", alias.parameter_number, ", ");
      AppendIntList(alias.parameter_index, &out_);
      out_.append(alias.must_alias ? ", must-alias)" : ", may-alias)");
    }
    out_.append(" }");
  }
  if (!module.buffer_donor.empty()) {
    out_.append(", buffer_donor={ ");
    for (size_t i = 0; i < module.buffer_donor.size(); ++i) {
      absl::StrAppend(&out_, i > 0 ? ", " : "", "(", module.buffer_donor[i].parameter_number,
                      ", ");
      AppendIntList(module.buffer_donor[i].parameter_index, &out_);
      out_.push_back(')');
    }
    out_.append(" }");
  }
  auto extra = [&](auto wanted) {
    for (const auto& [name, value] : module.extra_attributes) {
      if (wanted(name)) absl::StrAppend(&out_, ", ", name, "=", value);
    }
  };
  extra([](const auto& name) { return Listed(kBeforeLayout, name); });
  if (options_.entry_computation_layout && module.entry() != nullptr) {
    ProgramShape program = module.EntryProgramShape();
    Shape parameters = Shape::Tuple(program.parameters).WithDefaultLayout();
    absl::StrAppend(&out_, ", entry_computation_layout={", parameters.ToString(), "->",
                    program.result.WithDefaultLayout().ToString(), "}");
  }
  extra([](const auto& name) { return Listed(kBeforeCounts, name); });
  if (module.replica_count != 1) {
    absl::StrAppend(&out_, ", replica_count=", module.replica_count);
  }
  if (module.num_partitions != 1) {
    absl::StrAppend(&out_, ", num_partitions=", module.num_partitions);
  }
  if (!module.frontend_attributes.entries.empty()) {
    out_.append(", frontend_attributes=");
    AppendStringMap(module.frontend_attributes, &out_);
  }
  extra([](const auto& name) {
    return !Listed(kBeforeLayout, name) && !Listed(kBeforeCounts, name);
  });
  out_.append("\n\n");
}

void ModulePrinter::PrintStackFrameTables(const StackFrameIndex& index) {
  if (index.empty()) return;
  auto strings = [&](absl::string_view title, const std::vector<std::string>& rows) {
    absl::StrAppend(&out_, title, "\n");
    for (size_t i = 0; i < rows.size(); ++i) {
      absl::StrAppend(&out_, i + 1, " ");
      AppendQuoted(rows[i], &out_);
      out_.push_back('\n');
    }
    out_.push_back('\n');
  };
  strings("FileNames", index.file_names);
  strings("FunctionNames", index.function_names);
  out_.append("FileLocations\n");
  int64_t number = 0;
  for (const auto& row : index.file_locations) {
    absl::StrAppend(&out_, ++number, " {file_name_id=", row.file_name_id,
                    " function_name_id=", row.function_name_id);
    absl::StrAppend(&out_, " line=", row.line, " end_line=", row.end_line, " column=", row.column,
                    " end_column=", row.end_column, "}\n");
  }
  out_.append("\nStackFrames\n");
  number = 0;
  for (const auto& row : index.stack_frames) {
    absl::StrAppend(&out_, ++number, " {file_location_id=", row.file_location_id,
                    " parent_frame_id=", row.parent_frame_id, "}\n");
  }
  out_.append("\n\n");
}

void ModulePrinter::PrintModule(const Module& module) {
  PrintHeader(module);
  if (options_.metadata) PrintStackFrameTables(module.stack_frame_index);
  // What is printed as sugar needs no computation of its own.
  absl::flat_hash_map<const Computation*, bool> sugared;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() != Opcode::kAsyncStart) continue;
      const Computation* wrapped = instruction->CalledComputation(Attr::kCalls);
      bool sugar = SugaredOperation(*instruction) != nullptr;
      auto [found, inserted] = sugared.emplace(wrapped, sugar);
      if (!inserted) found->second &= sugar;
    }
  }
  bool first = true;
  for (const Computation* computation : module.CallOrder()) {
    auto found = sugared.find(computation);
    if (found != sugared.end() && found->second && computation != module.entry()) continue;
    if (!first) out_.append("\n");
    first = false;
    if (computation == module.entry()) out_.append("ENTRY ");
    PrintComputation(*computation);
    out_.append("\n");
  }
}

std::string PrintModule(const Module& module, const PrintOptions& options) {
  ModulePrinter printer(options);
  printer.PrintModule(module);
  return printer.Take();
}

std::string PrintComputation(const Computation& computation, const PrintOptions& options) {
  ModulePrinter printer(options);
  printer.PrintComputation(computation);
  return printer.Take();
}

std::string PrintInstruction(const Instruction& instruction, const PrintOptions& options) {
  ModulePrinter printer(options);
  printer.PrintInstruction(instruction);
  return printer.Take();
}

}  // namespace hlocts
