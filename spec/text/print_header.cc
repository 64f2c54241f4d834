// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/ir/module.h"
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

// Appends the attributes stored as text that belong to one position of the header.
void AppendExtra(const Module& module, Place place, std::string* out) {
  for (const auto& [name, value] : module.extra_attributes) {
    if (PlaceOf(name) == place) absl::StrAppend(out, ", ", name, "=", value);
  }
}

}  // namespace

void ModulePrinter::PrintHeader(const Module& module) {
  absl::StrAppend(&out_, "HloModule ", module.name());
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

}  // namespace hlocts
