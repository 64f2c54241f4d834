// SPDX-License-Identifier: Apache-2.0
// Finds releases of engines by name (engines.textproto), and tests if they are installed in the
// cache. A release is installed if its directory in the cache contains the stamp that its entry
// requires.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/engines.pb.h"
#include "spec/base/status.h"

namespace hlocts::backends {

// Parses and checks every entry. If an entry is wrong, returns kInvalidArgument; the message has
// the file, the entry, the expected text and the text found.
absl::StatusOr<engines::EngineList> ParseEngineList(const std::string& text,
                                                    const std::string& path);
absl::StatusOr<engines::EngineList> LoadEngineList();
// Returns the engine with this name or alias; nullptr if there is none.
const engines::Engine* FindEngine(const engines::EngineList& list, absl::string_view name);
// Returns the engine of LoadEngineList with this recorded name, without its options.
std::optional<engines::Engine> ListedEngine(absl::string_view recorded);

// Returns $HLOCTS_CACHE, or hlocts in the user's cache directory. ci/fetch-xla also uses it.
absl::StatusOr<std::string> EngineCache();
absl::StatusOr<std::string> EngineFolder(const engines::Engine& engine);
// Returns true if the engine is one of our own plugins, which a build makes: its entry has reach
// BUILD and a library. Its directory is $HLOCTS_ENGINES_DIR, or a directory in the build or
// installation that contains this program.
bool IsBuiltIn(const engines::Engine& engine);
// Returns the required contents of the file .stamp in the engine's directory: the wheel's hash and
// the members that are unpacked from the wheel.
std::string EngineStamp(const engines::Engine& engine);
bool IsInstalled(const engines::Engine& engine);

// Returns the path of the Python that a release needs, from PATH or pyenv; "" if this machine has
// none. For a USER entry, returns the python3 on PATH.
std::string PythonOf(const engines::Engine& engine);

// Returns true if `engine` is of the same family as `other` and has later sources.
bool IsLater(const engines::Engine& engine, const engines::Engine& other);

// Returns the path of the shared object of an installed release that is a plugin. Returns
// kUnavailable if the release is not installed, kInvalidArgument if no such plugin is listed.
absl::StatusOr<std::string> PluginOf(absl::string_view name);

// Returns false for a Python entry without a worker program, which only records a wheel's hash.
bool HasWorker(const engines::Engine& engine);
// Returns all names and aliases: first of engines that could run on this machine, newest first.
std::vector<std::string> EngineNames(const engines::EngineList& list);
// Returns OK if the engine could run on this machine once installed; otherwise kUnavailable with
// one sentence.
absl::Status CheckRunnable(const engines::Engine& engine);
// Like CheckRunnable, but also requires that the engine is installed.
absl::Status CheckUsable(const engines::Engine& engine);

}  // namespace hlocts::backends
