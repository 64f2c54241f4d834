// SPDX-License-Identifier: Apache-2.0
// Parses backend names (CONTRACT.md) and makes the engines that they name: `reference`, `xla`,
// `pjrt:PATH`, `exec:COMMAND`, `xla@0.11.2`. Options may follow after '?', and a label may precede
// as `LABEL=`. Every engine has the option `facts`, which adds facts (FactsOfWords) to its own. To
// add an engine, extend backends.def; to add a release of an engine, extend engines.textproto.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.h"

namespace hlocts::backends {

struct BackendName {
  std::string text;                                          // as given
  std::string name;                                          // the part before ':' or '?'
  std::string argument;                                      // after ':'
  std::vector<std::pair<std::string, std::string>> options;  // after '?', in order; none for exec
  std::string label;  // before '='; RecordedName describes its use; often ""

  // Removes the option and returns its value; "" if it was not given.
  std::string TakeOption(absl::string_view key);
};

// Returns the path to pass to dlopen. For a name without '/', dlopen does not search the working
// directory, so this function returns "./NAME" if the file is in that directory.
std::string PluginPath(const std::string& path);
absl::StatusOr<BackendName> ParseBackendName(absl::string_view text);
// Returns true if the engine's name decides which code runs or which files are accessed, i.e. if
// the name contains a plugin's path, a command, or an option that is not known to be harmless. Such
// a name in an untrusted file needs the user's consent.
bool MayRunUserCode(absl::string_view text);
// Replaces every path in the text by its last component.
std::string WithoutFolders(absl::string_view text);
// Returns the name of an engine in records, bundles and file names. With a label, the name is the
// label and the options. Without a label, it is the text with only the last component of each path,
// e.g. "pjrt:plugin.so", since the location of an engine is private to its owner.
std::string RecordedName(absl::string_view text);
std::vector<std::string> RecordedNames(const std::vector<std::string>& texts);
// Returns the command-line option that is needed to find a recorded engine again; "" if its name is
// enough. Only the engine's owner can resolve a recorded path or label. The recorded version of the
// JAX of a Python names its release.
std::string EngineLocationOption(const std::string& recorded, absl::string_view version = "");
// Returns the name of an engine. That of the JAX of a Python is its release, "jaxlib@0.10.2".
std::string ReleaseName(const std::string& recorded, absl::string_view version);
// The label of the JAX of the user's Python (engine="jax" of python/src/hlocts/api.py).
inline constexpr absl::string_view kThisJax = "this-jax";
// Returns the recorded form of a command-line word: RecordedName of the value of "--backend=", and
// the last component of any other word that is a path.
std::string RedactedArgument(absl::string_view word);
// Returns the part of a recorded name before '@', ':' or '?', which names the engine. The engine's
// expectations are in suites/expectations/<this name>.textproto.
std::string EngineNameOf(absl::string_view recorded);
// Splits `--backend` values at commas, except names with exec: or pjrt:.
std::vector<std::string> SplitBackendNames(const std::vector<std::string>& values);

// Makes the engine in the calling process, which may be a worker process.
absl::StatusOr<std::unique_ptr<Backend>> MakeInProcessBackend(const std::string& name);

// Makes the engine for general use: in a worker process, unless it is `reference` or its name has
// the option isolation=none. A worker that does not answer within StartSecondsMax() is unavailable.
absl::StatusOr<std::unique_ptr<Backend>> MakeBackend(const std::string& name);

// Returns the command that starts this program as a worker for external code. `flag` selects the
// engine that the worker serves.
std::vector<std::string> ThirdPartyWorkerArguments(const std::string& flag);

// Returns true if the engine is external: a release, a plugin, a program, or an entry of
// backends.def that always runs in its own process.
bool IsThirdParty(const std::string& name);

// Returns the names that `hlocts backends` lists: engines that need no argument, and aliases.
std::vector<std::string> ListedBackends();

// A function that makes an engine. Each line of backends.def names one such function.
using BackendFactory = absl::StatusOr<std::unique_ptr<Backend>> (*)(BackendName name);

// Returns true if `rewriter:NAME` is a pass that XLA's `hlo-opt --passes=NAME` also runs.
bool IsPassOfXla(absl::string_view name);

// Returns the rewriter ("rewriter:NAME") that converts HLO to StableHLO and back as the recorded
// engine does; "" if no rewriter does. Returns nullopt if the engine does not receive StableHLO.
std::optional<std::string> ConversionOf(const std::string& recorded);

// Returns the number of workers that may run an engine in parallel: `jobs`, or the engine's own
// limit (the capability "workers:N") if that is lower, but at least one. Reports a reduction on
// standard error.
int BoundedJobs(int jobs, const BackendInfo& info);

}  // namespace hlocts::backends
