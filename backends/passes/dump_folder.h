// SPDX-License-Identifier: Apache-2.0
// Reads a dump directory of XLA (--xla_dump_to, --xla_dump_hlo_pass_re): for each module the input
// text, the text after each pass, the text from which code is made, snapshots, and unrelated files.
#ifndef HLOCTS_BACKENDS_PASSES_DUMP_FOLDER_H_
#define HLOCTS_BACKENDS_PASSES_DUMP_FOLDER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/base/status.h"

namespace hlocts::backends {

enum class DumpKind : uint8_t { kBefore, kPass, kAfter, kSnapshot, kOther };

inline constexpr absl::string_view kPipelineStart = "pipeline-start";

// One file, by its name: "module_0001.jit_f.0007.simplification.after_algsimp.before_dce.txt".
struct DumpFile {
  std::string file;  // in the folder
  DumpKind kind = DumpKind::kOther;
  int64_t module_number = 0;  // 1
  std::string module_name;    // jit_f
  int64_t number = 0;         // 7, of a pass
  std::string pipeline;       // simplification
  std::string after;          // algsimp; kPipelineStart where none has run yet
  std::string before;         // dce; "pipeline-end" after the last
};
// nullopt for names that are not XLA's, or of forms that the same dump has as text.
std::optional<DumpFile> ParseDumpName(absl::string_view file);

// One text that differs from the one before it.
struct Stage {
  std::string file;  // in the folder
  // The pass that made it, "" for the compiler's input. A pass may run a pipeline of its own: its
  // changes before that are first visible at the start of the pipeline.
  std::string after, pipeline;
  std::string text;
};

struct DumpedModule {
  int64_t number = 0;
  std::string name;
  std::vector<DumpFile> files;  // in the order in which they were made
  int64_t passes = 0;           // dumps of passes, equal ones too
  bool complete = false;        // has the text after all passes
  std::string running;          // the next pass after the last dump; "" where they are complete
};

// The modules of a directory by number. kNotFound: no such directory, or no dump in it.
absl::StatusOr<std::vector<DumpedModule>> ReadDumpFolder(const std::string& folder);
// The distinct texts of a module: the first is the compiler's input, the last the one from which
// code is made.
absl::StatusOr<std::vector<Stage>> StagesOf(const std::string& folder, const DumpedModule& module);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_PASSES_DUMP_FOLDER_H_
