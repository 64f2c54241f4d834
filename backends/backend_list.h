// SPDX-License-Identifier: Apache-2.0
// Backend names (CONTRACT.md) and their meaning: `reference`, `xla`, `pjrt:PATH`, `exec:COMMAND`,
// `xla@0.11.2`, ... with options after '?' and optionally `LABEL=` before. Adding an engine is one
// line of backends.def; a release of one is an entry of engines.textproto.
#ifndef HLOCTS_BACKENDS_BACKEND_LIST_H_
#define HLOCTS_BACKENDS_BACKEND_LIST_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.h"

namespace hlocts::backends {

struct BackendName {
  std::string text;                                          // as given
  std::string name;                                          // before ':' or '?'
  std::string argument;                                      // after ':'
  std::vector<std::pair<std::string, std::string>> options;  // after '?', in order; none for exec
  std::string label;  // before '=', replaces the rest in records; often ""

  // Removes the option and returns its value; "" when it was not given.
  std::string TakeOption(absl::string_view key);
};

absl::StatusOr<BackendName> ParseBackendName(absl::string_view text);
// Returns true if the name of an engine decides which code runs or which files are accessed: a
// plugin's path, a command, an option with a path. In an untrusted file it needs the user's
// consent.
bool NamesCode(absl::string_view text);
// The name in records, bundles and file names: the label with the options, without what it labels.
// Without a label it is the text with only the last component of each path, since the location of
// an engine is private to its owner: "pjrt:plugin.so".
std::string RecordedName(absl::string_view text);
std::vector<std::string> RecordedNames(const std::vector<std::string>& texts);
// The option that is needed to find the engine of a record again; "" where its name is enough. Only
// the owner can resolve a recorded path or label.
std::string PlaceOfEngine(const std::string& recorded);
// A word of a command line in its recorded form: the value of "--backend=" as above, and the last
// component of any other word that is a path.
std::string RecordedWord(absl::string_view word);
// The part of a recorded name that names the engine: before '@', ':' or '?'. Expectations are in
// suites/expectations/<this>.textproto.
std::string EngineWord(absl::string_view recorded);
// `--backend` values: a comma splits only names without exec: or pjrt:.
std::vector<std::string> SplitBackendNames(const std::vector<std::string>& values);

// The engine in this process: what a worker serves.
absl::StatusOr<std::unique_ptr<Backend>> MakeInProcessBackend(const std::string& name);

// The engine for general use: in a worker process, except `reference` (and those with
// isolation=none that allow it). A worker that is silent for StartSecondsMax() is not available.
absl::StatusOr<std::unique_ptr<Backend>> MakeBackend(const std::string& name);

// The command that starts this program as a worker of external code; `flag` selects what it serves.
std::vector<std::string> ForeignWorkerArguments(const std::string& flag);

// Returns true if the engine is external: a release, a plugin, a program, or an entry of
// backends.def that always runs in a process of its own.
bool IsForeign(const std::string& name);

// Names for `hlocts backends`: every engine that can be named without an argument, and the aliases
// of releases.
std::vector<std::string> ListedBackends();

// Each engine's file defines its function; declared from backends.def.
using BackendFactory = absl::StatusOr<std::unique_ptr<Backend>> (*)(BackendName name);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_BACKEND_LIST_H_
