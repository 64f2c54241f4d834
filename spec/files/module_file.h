// SPDX-License-Identifier: Apache-2.0
// Reads and writes modules: HLO text, HloModuleProto (bytes or protobuf text), HloSnapshot.
//
// An error names the file, the position (line, leaf, element), and the expected and the actual
// text. Memory is proportional to the file's bytes, not to sizes that it states. A file is written
// completely or not at all. A new format needs a row in kFormatNames and in kExtensions, a case in
// FormatModuleFile and in Decode, and a line in module_file_test.cc.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/base/status.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"

namespace hlocts {

enum class ModuleFormat {
  kText,       // HLO text as XLA prints it by default
  kShort,      // short text that still parses
  kCanonical,  // text without names
  kProto,      // serialized HloModuleProto (.pb)
  kProtoText,  // HloModuleProto as protobuf text (.pbtxt)
  kSnapshot,   // serialized HloSnapshot: module, arguments, result
};
// Returns the format with the name "text", "short", "canonical", "pb", "pbtxt" or "snapshot".
std::optional<ModuleFormat> ModuleFormatFromName(absl::string_view name);

struct LoadedModule {
  std::unique_ptr<Module> module;
  ModuleFormat format = ModuleFormat::kText;
  // For a snapshot only: the leaves of all parameters and of the result, depth first.
  std::vector<Literal> arguments;
  std::vector<Literal> results;
};

// Returns true if the content begins like MLIR text or bytecode, which frameworks write for
// StableHLO. External programs convert StableHLO (backends/adapters/stablehlo).
bool LooksLikeMlir(absl::string_view content);

// Loads a module; "-" is standard input. The extension determines the format (.hlo or .txt: text;
// .pb or .snapshot: binary proto; .pbtxt or .textproto: text proto). With another extension, the
// content determines the format. Protos may also be a snapshot or an HloProto. Errors name the file
// and the position in it.
absl::StatusOr<LoadedModule> LoadModule(const std::string& path);
// Parses `content`. The extension of `name` selects the format, and errors begin with `name`.
absl::StatusOr<LoadedModule> ParseModuleFile(const std::string& name, absl::string_view content);

struct SaveOptions {
  ModuleFormat format = ModuleFormat::kText;
  bool metadata = true;
  // For a snapshot only: leaves, as in LoadedModule.
  std::vector<Literal> arguments;
  std::vector<Literal> results;
};
absl::StatusOr<std::string> FormatModuleFile(const Module& module, const SaveOptions& options);
absl::Status SaveModule(const Module& module, const SaveOptions& options, const std::string& path);

}  // namespace hlocts
