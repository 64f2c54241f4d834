// SPDX-License-Identifier: Apache-2.0
// Writes a failing case as files for `hlocts diff`, with the command line that reproduces it.
#pragma once

#include <string>
#include <vector>

#include "backends/differ/differ.h"
#include "reports/verdict_fwd.h"
#include "suites/case.h"

namespace hlocts::suites {

// Quotes one word for a shell.
std::string ShellQuoted(const std::string& text);

// Writes <folder>/module.hlo (or control.hlo, if the control of a reject case failed), the files
// inputs.txt, infeed.txt and expect.txt if the case has them, and replay.json. `hlocts replay
// <folder>` then repeats the verdict, even if the directory is moved. The files have no other
// paths: those of `backend` and of `options`, the run's options, are kept in the user's cache
// directory. Returns arguments of `hlocts` that repeat the verdict in the directory of the run,
// where the case directories are in cases/, quoted for a shell. Returns kInternal if a file cannot
// be written.
absl::StatusOr<std::string> WriteReplay(const Case& one, const reports::Verdict& verdict,
                                        const std::string& backend,
                                        const backends::DiffOptions& options,
                                        const std::string& folder);

// Returns the arguments in replay.json of a case directory: the subcommand, its module, its flags,
// and `backend` if given. If this user's hlocts did not write the file, it may use only files of
// the directory and an engine that hlocts knows by name; otherwise returns kFailedPrecondition.
// Returns kInvalidArgument if the plugin of the record is not there.
absl::StatusOr<std::vector<std::string>> ReadReplay(const std::string& folder,
                                                    const std::string& backend = "");
// Returns the address of the directory's case.
absl::StatusOr<std::string> AddressOfCaseFolder(const std::string& folder);
// Returns the directory name of a case, without characters that archives, Windows or CI reject.
std::string FolderNameOfCase(const std::string& address);

}  // namespace hlocts::suites
