// SPDX-License-Identifier: Apache-2.0
// The search for inputs in `hlocts diff`: options, progress, and the file with the failing input.
#pragma once

#include <optional>
#include <string>

#include "backends/differ/pieces.h"
#include "reports/verdict.h"
#include "tools/cli/common.h"
#include "tools/search/input_search.h"

namespace hlocts::tools {

// The search that led to a verdict.
struct InputSearch {
  std::string name;  // the method that found the failing input; "" if none did
  uint64_t seed = 1;
  SearchCounts counts;
  std::string file;  // literals file with the failing input
};
std::string SearchText(const InputSearch& search, const std::string& engine);
std::string SearchJson(const InputSearch& search);

struct SearchFlags {
  double seconds_max = 20;  // time limit for all engines together
  bool given = false;       // the user requested a search, even if inputs are known
  std::string output;       // literals file for the failing input

  void Declare(Flags& flags);
};

// Returns true if the entry has array leaves that a search can fill.
bool HasArguments(const Job& job);

// Returns the file for the inputs of a failure of `engine`: `output` (of -o) if this is the
// command's only engine, else a file of its own beside `output` or, if that is "", in out/diff.
std::string InputsFile(const std::string& output, const std::string& module,
                       const std::string& engine, bool is_only);

// Searches for inputs on one engine, with a progress line. `engines` is the number of engines of
// the command. Sets job.request to the request of the verdict. Writes the input of a failure to
// `file`.
absl::StatusOr<reports::Verdict> FindInputs(const SearchFlags& flags, std::optional<uint64_t> seed,
                                            size_t engines, const backends::DiffOptions& diff,
                                            const std::string& file, backends::Backend& backend,
                                            Job& job, InputSearch& search);

// Writes the inputs of a failure. Returns the file, or prints the error and returns "".
std::string KeepInputs(const Job& job, int64_t partitions, const std::string& file);

// Runs the inputs (again, if `verdict` is a failure that the search found) and localises the
// failure. If the failure does not recur, the verdict remains and says so.
void Confirm(backends::Differ& differ, backends::Backend& backend, reports::Verdict& verdict);

// Returns the command line of `command` for a module and a file of inputs; "" if there is no file.
std::string CommandOn(const char* command, const std::string& module, const std::string& inputs,
                      const std::string& engine, const std::string& profile);

// A piece that fails although the outputs of the module do not show it, and its files.
struct PieceFiles {
  std::string name, module, inputs;
};
// Writes the files next to the one that InputsFile names.
absl::StatusOr<PieceFiles> WritePiece(const backends::WrongPiece& piece, int64_t partitions,
                                      const std::string& inputs_file);

}  // namespace hlocts::tools
