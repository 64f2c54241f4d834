// SPDX-License-Identifier: Apache-2.0
// A failing case as files for `hlocts diff`, and the command line that reproduces the failure.
#ifndef HLOCTS_SUITES_REPLAY_H_
#define HLOCTS_SUITES_REPLAY_H_

#include <string>
#include <vector>

#include "backends/differ/differ.h"
#include "reports/verdict_fwd.h"
#include "suites/case.h"

namespace hlocts::suites {

// Quotes one word for a shell.
std::string ShellQuoted(const std::string& text);

// Writes <folder>/module.hlo (or control.hlo, where a reject case fails by its control), with
// inputs.txt, infeed.txt and expect.txt where the case has them, and replay.json, by which
// `hlocts replay <folder>` repeats the verdict at any location of the directory. Returns the
// arguments of `hlocts` that do the same on the engine `backend`, with absolute paths, quoted for a
// shell. `options` are those that the case ran under. kInternal when a file cannot be written.
absl::StatusOr<std::string> WriteReplay(const Case& one, const reports::Verdict& verdict,
                                        const std::string& backend,
                                        const backends::DiffOptions& options,
                                        const std::string& folder);

// The arguments in replay.json of a case directory: the subcommand, its module, its flags; with
// `backend`, on that engine. kFailedPrecondition where it asks for more than a module of the
// directory on an engine that hlocts knows by name, and this user's hlocts has not written it.
absl::StatusOr<std::vector<std::string>> ReadReplay(const std::string& folder,
                                                    const std::string& backend = "");
// The address of the directory's case.
absl::StatusOr<std::string> AddressOfCaseFolder(const std::string& folder);
// The directory name of a case, without characters that archives, Windows or CI artefacts refuse.
std::string FolderNameOfCase(const std::string& address);

}  // namespace hlocts::suites

#endif  // HLOCTS_SUITES_REPLAY_H_
