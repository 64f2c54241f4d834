// SPDX-License-Identifier: Apache-2.0
// Writes a failing case as files for `hlocts diff`, and the command line that reproduces it.
#pragma once

#include <string>
#include <vector>

#include "backends/differ/differ.h"
#include "reports/verdict_fwd.h"
#include "suites/case.h"

namespace hlocts::suites {

// Quotes one word for the shell.
std::string ShellQuoted(const std::string& text);

// Writes <folder>/module.hlo (or control.hlo, if the control of a reject case failed), the files
// inputs.txt, infeed.txt and expect.txt if the case has them, and replay.json. `hlocts replay
// <folder>` then repeats the verdict, even if the directory has been moved. The files contain no
// other paths: those of `backend` and `options` (the options of the run) are stored in the user's
// cache directory. Returns arguments of `hlocts`, quoted for a shell, that repeat the verdict in
// the directory of the run, whose case directories are in cases/. Returns kInternal if a file
// cannot be written.
absl::StatusOr<std::string> WriteReplay(const Case& one, const reports::Verdict& verdict,
                                        const std::string& backend,
                                        const backends::DiffOptions& options,
                                        const std::string& folder);

// Returns the arguments in replay.json of a case directory: the subcommand, its module, its flags,
// and `backend` if it is not empty. If this user's hlocts did not write the file, it may only use
// files of the directory and an engine that hlocts knows by name; otherwise returns
// kFailedPrecondition. Returns kInvalidArgument if the recorded plugin does not exist.
absl::StatusOr<std::vector<std::string>> ReadReplay(const std::string& folder,
                                                    const std::string& backend = "");
// Returns the address of the case to which the directory belongs.
absl::StatusOr<std::string> AddressOfCaseFolder(const std::string& folder);
// Returns the directory name of a case; it has no characters that archives, Windows or CI reject.
std::string FolderNameOfCase(const std::string& address);

}  // namespace hlocts::suites
