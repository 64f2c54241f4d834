// SPDX-License-Identifier: Apache-2.0
// Releases of engines by name (engines.textproto), and which of them are installed in the cache. A
// release is installed when its directory there contains the stamp that its entry requires.
#ifndef HLOCTS_BACKENDS_ENGINE_LIST_H_
#define HLOCTS_BACKENDS_ENGINE_LIST_H_

#include <string>
#include <vector>

#include "backends/engines.pb.h"
#include "spec/base/status.h"

namespace hlocts::backends {

// Every entry is checked: kInvalidArgument names the file, the entry, what is expected and found.
absl::StatusOr<engines::EngineList> ParseEngineList(const std::string& text,
                                                    const std::string& path);
absl::StatusOr<engines::EngineList> LoadEngineList();
// Finds an engine by name or alias; nullptr when the list has no such name.
const engines::Engine* FindEngine(const engines::EngineList& list, absl::string_view name);

// $HLOCTS_CACHE, or hlocts in the user's cache directory: the same as that of ci/fetch-xla.
absl::StatusOr<std::string> EngineCache();
absl::StatusOr<std::string> EngineFolder(const engines::Engine& engine);
// Returns true if it is one of our own plugins, made by a build: BUILD with a library. Its
// directory is $HLOCTS_ENGINES_DIR, else in the build directory or the installation that contains
// this program.
bool IsOurs(const engines::Engine& engine);
// The expected contents of .stamp in the directory: the wheel's hash and the members taken from it.
std::string EngineStamp(const engines::Engine& engine);
bool IsInstalled(const engines::Engine& engine);

// Path of the Python that a release needs, "" when this machine has none: on PATH, or among
// pyenv's. For a USER entry, the python3 on PATH.
std::string PythonOf(const engines::Engine& engine);

// Returns true if `engine` has later sources than `other`, of the same family.
bool IsLater(const engines::Engine& engine, const engines::Engine& other);

// The shared object of a release that is a plugin and installed: kUnavailable when it is not
// installed, kInvalidArgument when no such plugin is listed.
absl::StatusOr<std::string> PluginOf(absl::string_view name);

// False for a release that is listed for its hash alone.
bool HasWorker(const engines::Engine& engine);
// OK if the engine could run here once installed; otherwise kUnavailable with one sentence.
absl::Status CheckRunnable(const engines::Engine& engine);
// The same, and it is installed.
absl::Status CheckUsable(const engines::Engine& engine);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_ENGINE_LIST_H_
