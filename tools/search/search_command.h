// SPDX-License-Identifier: Apache-2.0
// The search for inputs in `hlocts diff`: options, progress, and the file of the inputs found.
#pragma once

#include <optional>
#include <string>

#include "backends/differ/pieces.h"
#include "reports/verdict.h"
#include "tools/cli/common.h"

namespace hlocts::tools {

// The search that produced a verdict.
struct InputSearch {
  std::string name;  // the search that made the failing input; "" for none
  uint64_t seed = 1;
  int64_t inputs = 0;  // inputs run on the engine
  // Among them. The outputs of the others look right and were not judged, or fail.
  int64_t passed = 0, inconclusive = 0;
  double seconds = 0;
  std::string file;  // literals file with the failing input
};
std::string SearchText(const InputSearch& search);
std::string SearchJson(const InputSearch& search);

struct SearchFlags {
  double seconds_max = 20;  // time limit of all engines together
  bool given = false;       // requested by the user, although inputs may be known
  std::string output;       // literals file of the input that fails; "": out/diff/NAME.inputs.txt

  void Declare(Flags& flags);
};

// Returns true if the entry has array leaves that a search can fill.
bool HasArguments(const Job& job);

// Searches for inputs on one engine, with a progress line. `engines` is the number of engines of
// the command. Sets job.request to the request of the verdict. Writes the input of a failure to a
// file, and returns an error if that is impossible.
absl::StatusOr<reports::Verdict> FindInputs(const SearchFlags& flags, std::optional<uint64_t> seed,
                                            size_t engines, const backends::DiffOptions& diff,
                                            backends::Backend& backend, Job& job,
                                            InputSearch& search);

// Runs the inputs (again, if `verdict` is a failure of the search) and localises the failure. If
// the failure does not occur again, the verdict stays and states so.
void Confirm(backends::Differ& differ, backends::Backend& backend, reports::Verdict& verdict);

// The command `command` on a module and a file of inputs; "" without a file.
std::string CommandOn(const char* command, const std::string& module, const std::string& inputs,
                      const std::string& engine, const std::string& profile);

// A piece that fails although the module's outputs do not show it, and its files.
struct PieceFiles {
  std::string name, module, inputs;
};
// Writes them beside `output`, the literals file of -o, or else in out/diff.
absl::StatusOr<PieceFiles> WritePiece(const backends::WrongPiece& piece, const std::string& module,
                                      const std::string& engine, int64_t partitions,
                                      const std::string& output);

}  // namespace hlocts::tools
