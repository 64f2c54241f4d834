// SPDX-License-Identifier: Apache-2.0
// Reads a dump directory of XLA (--xla_dump_to, --xla_dump_hlo_pass_re). For each module it finds
// the input text, the text after each pass, the text from which code is made, snapshots, and
// unrelated files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/base/status.h"

namespace hlocts::backends {

enum class DumpKind : uint8_t { kBefore, kPass, kAfter, kSnapshot, kOther };

inline constexpr absl::string_view kPipelineStart = "pipeline-start", kPipelineEnd = "pipeline-end";
// The name for the last dump, from which code is generated: its file names no pass.
inline constexpr absl::string_view kLastPass = "the last pass";

// One file, parsed from its name:
// "module_0001.jit_f.0007.simplification.after_algsimp.before_dce.txt".
struct DumpFile {
  std::string file;  // name in the directory
  DumpKind kind = DumpKind::kOther;
  int64_t module_number = 0;  // 1
  std::string module_name;    // jit_f
  int64_t number = 0;         // number of the pass, 7
  std::string pipeline;       // simplification
  std::string after;          // algsimp; kPipelineStart before the first pass
  std::string before;         // dce; kPipelineEnd after the last
};
// Returns nullopt for names that are not XLA's, and for forms that the dump also has as text.
std::optional<DumpFile> ParseDumpName(absl::string_view file);

// A text that differs from the previous one.
struct Stage {
  std::string file;  // name in the directory
  // The pass that made the text; "" for the compiler's input. If a pass runs an inner pipeline, its
  // earlier changes first appear in the dump at the start of that pipeline. These changes are
  // attributed to the pass.
  std::string after, pipeline;
  std::string text;
  // The previous dump, if other passes than `after` may have made the text: their dumps were not
  // requested (--xla_dump_hlo_pass_re) or are lost.
  std::optional<DumpFile> since;
};
// Returns "after dce (simplification)", or "before pipeline P" for a change outside of passes.
std::string StageName(const Stage& stage);

struct DumpedModule {
  int64_t number = 0;
  std::string name;
  std::vector<DumpFile> files;  // in the order of creation
  int64_t passes = 0;           // number of pass dumps, including equal ones
  bool complete = false;        // has the text after all passes
  std::string running;          // the pass after the last dump; "" if complete
};

// Returns the modules of a directory, ordered by number. Returns kNotFound if there is no such
// directory or no dump in it.
absl::StatusOr<std::vector<DumpedModule>> ReadDumpFolder(const std::string& folder);
// Returns the distinct texts of a module: the first is the compiler's input, the last the text from
// which code is made.
absl::StatusOr<std::vector<Stage>> StagesOf(const std::string& folder, const DumpedModule& module);

}  // namespace hlocts::backends
