// SPDX-License-Identifier: Apache-2.0
#include "spec/text/printer.h"

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/ir/module.h"
#include "spec/ops/groups.h"
#include "spec/text/module_printer.h"

namespace hlocts {
namespace {

// The position at which XLA prints a header attribute that is stored as text.
enum class Place : uint8_t { kBeforeLayout, kBeforeCounts, kLast };

Place PlaceOf(absl::string_view name) {
  if (name == "alias_passthrough_params") return Place::kBeforeLayout;
  return absl::StartsWith(name, "allow_spmd_sharding_propagation_to_") ? Place::kBeforeCounts
                                                                       : Place::kLast;
}

void AppendStrings(absl::string_view title, const std::vector<std::string>& rows,
                   std::string* out) {
  absl::StrAppend(out, title, "\n");
  for (size_t i = 0; i < rows.size(); ++i) {
    absl::StrAppend(out, i + 1, " ");
    AppendQuoted(rows[i], out);
    out->push_back('\n');
  }
  out->push_back('\n');
}

void AppendAliases(const std::vector<InputOutputAlias>& aliases, std::string* out) {
  if (aliases.empty()) return;
  out->append(", input_output_alias={ ");
  for (size_t i = 0; i < aliases.size(); ++i) {
    if (i > 0) out->append(", ");
    AppendIntList(aliases[i].output_index, out);
    absl::StrAppend(out, ": (", aliases[i].parameter_number, ", ");
    AppendIntList(aliases[i].parameter_index, out);
    out->append(aliases[i].must_alias ? ", must-alias)" : ", may-alias)");
  }
  out->append(" }");
}

void AppendDonors(const std::vector<BufferDonor>& donors, std::string* out) {
  if (donors.empty()) return;
  out->append(", buffer_donor={ ");
  for (size_t i = 0; i < donors.size(); ++i) {
    absl::StrAppend(out, i > 0 ? ", " : "", "(", donors[i].parameter_number, ", ");
    AppendIntList(donors[i].parameter_index, out);
    out->push_back(')');
  }
  out->append(" }");
}

void AppendProgramLayout(const ProgramShape& program, std::string* out) {
  Shape parameters = Shape::Tuple(program.parameters).WithDefaultLayout();
  absl::StrAppend(out, ", entry_computation_layout={", parameters.ToString(), "->",
                  program.result.WithDefaultLayout().ToString(), "}");
}

// Appends the attributes that are stored as text and printed at `place` in the header.
void AppendExtra(const Module& module, Place place, std::string* out) {
  for (const auto& [name, value] : module.extra_attributes) {
    if (PlaceOf(name) == place) absl::StrAppend(out, ", ", name, "=", value);
  }
}

// Returns the root of a computation whose other instructions are all parameters, else nullptr.
const Instruction* OnlyOperation(const Computation* computation) {
  if (computation == nullptr || computation->root() == nullptr) return nullptr;
  const Instruction* root = computation->root();
  for (const auto& instruction : computation->instructions()) {
    if (instruction.get() != root && !instruction->IsParameter()) return nullptr;
  }
  if (root->IsParameter()) return nullptr;
  int64_t parameters = static_cast<int64_t>(computation->instructions().size()) - 1;
  if (root->operand_count() != parameters) return nullptr;
  for (int64_t i = 0; i < parameters; ++i) {
    if (!root->operand(i).IsParameter() || root->operand(i).parameter_number() != i) {
      return nullptr;
    }
  }
  return root;
}

absl::string_view AsyncSuffix(Opcode opcode) {
  if (opcode == Opcode::kAsyncStart) return "-start";
  return opcode == Opcode::kAsyncUpdate ? "-update" : "-done";
}

// Returns true if the short form "operation-start" is another opcode or would not be read.
bool NameIsTaken(Opcode operation, absl::string_view suffix) {
  return operation == Opcode::kConstant ||
         OpcodeFromName(absl::StrCat(OpcodeName(operation), suffix)).has_value();
}

// Returns true if XLA's lexer reads the word as something other than a name. "tuple" is a name.
bool IsReserved(absl::string_view word) {
  constexpr absl::string_view kKeywords[] = {
      "ENTRY",      "FileLocations", "FileNames", "FunctionNames", "HloModule",
      "ROOT",       "StackFrames",   "false",     "inf",           "last_tile_dim_replicate",
      "manual",     "maximal",       "nan",       "replicated",    "shard_as",
      "shard_like", "true",          "unknown",   "unreduced"};
  const auto type = PrimitiveTypeFromName(word);
  return type ? *type != PrimitiveType::kTuple : absl::c_linear_search(kKeywords, word);
}

// Returns the name of a module, computation or instruction as XLA reads it without "%": "_" is
// appended to a reserved word until no sibling has the name.
template <typename Siblings>
std::string ReadableName(std::string name, const Siblings& siblings) {
  if (!IsReserved(name)) return name;
  do {
    name += "_";
  } while (absl::c_any_of(siblings, [&](const auto& one) { return one->name() == name; }));
  return name;
}

}  // namespace

void ModulePrinter::PrintHeader(const Module& module) {
  absl::StrAppend(&out_, "HloModule ", ReadableName(module.name(), std::vector<const Module*>()));
  if (module.is_scheduled) out_.append(", is_scheduled=true");
  AppendAliases(module.input_output_alias, &out_);
  AppendDonors(module.buffer_donor, &out_);
  AppendExtra(module, Place::kBeforeLayout, &out_);
  if (options_.entry_computation_layout && module.entry() != nullptr) {
    AppendProgramLayout(module.EntryProgramShape(), &out_);
  }
  AppendExtra(module, Place::kBeforeCounts, &out_);
  if (module.replica_count != 1) absl::StrAppend(&out_, ", replica_count=", module.replica_count);
  if (module.num_partitions != 1) {
    absl::StrAppend(&out_, ", num_partitions=", module.num_partitions);
  }
  if (!module.frontend_attributes.entries.empty()) {
    out_.append(", frontend_attributes=");
    AppendStringMap(module.frontend_attributes, &out_);
  }
  AppendExtra(module, Place::kLast, &out_);
  out_.append("\n\n");
}

void ModulePrinter::PrintStackFrameTables(const StackFrameIndex& index) {
  if (index.empty()) return;
  AppendStrings("FileNames", index.file_names, &out_);
  AppendStrings("FunctionNames", index.function_names, &out_);
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

PrintOptions PrintOptions::Default() { return PrintOptions(); }

PrintOptions PrintOptions::Short() {
  return {.percent = false,
          .operand_index_annotations = false,
          .metadata = false,
          .program_shape = false,
          .control_dependencies = false};
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
  } else if (options_.percent || instruction.parent() == nullptr) {
    out_.append(instruction.name());
  } else {
    out_.append(ReadableName(instruction.name(), instruction.parent()->instructions()));
  }
}

void ModulePrinter::AppendName(const Computation& computation) {
  if (options_.percent || computation.parent() == nullptr) {
    absl::StrAppend(&out_, options_.percent ? "%" : "", computation.name());
  } else {
    out_.append(ReadableName(computation.name(), computation.parent()->computations()));
  }
}

void ModulePrinter::AppendCalled(const Computation* computation) {
  // XLA indents a nested body by one level more than its instruction. The verifier rejects cycles
  // of bodies, but the printer must also terminate for them.
  if (computation == nullptr) return;
  if (!options_.inline_called_computations || indent_ >= 64 || out_.size() > kInlineBytesMax) {
    AppendName(*computation);
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
  if (!options_.syntax_sugar_async_ops || !ops::IsAsyncStep(instruction.opcode())) return nullptr;
  const Instruction* start = &instruction;
  while (start->opcode() != Opcode::kAsyncStart) {
    if (start->operand_count() != 1 || !ops::IsAsyncStep(start->operand(0).opcode()))
      return nullptr;
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
  if (instruction.IsConstant()) {
    if (instruction.has_literal()) {
      AppendConstant(instruction.literal(), options_.large_constants, &out_);
    }
  } else if (instruction.IsParameter()) {
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
  AppendName(computation);
  out_.push_back(' ');
  if (options_.program_shape) {
    ProgramShape program = computation.ComputeProgramShape();
    out_.push_back('(');
    for (size_t i = 0; i < program.parameters.size(); ++i) {
      if (i > 0) out_.append(", ");
      const std::string& name = program.parameter_names[i];
      absl::StrAppend(
          &out_, options_.percent ? name : ReadableName(name, computation.instructions()), ": ");
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

void ModulePrinter::PrintModule(const Module& module) {
  PrintHeader(module);
  if (options_.metadata) PrintStackFrameTables(module.stack_frame_index);
  // Computations that are printed in the short form are not printed separately.
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
