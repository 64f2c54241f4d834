// SPDX-License-Identifier: Apache-2.0
// Releases of engines by name (engines.textproto), and which of them are installed in the cache.
// A release is installed when its folder there carries the stamp that its entry asks for.
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
// By its name or its alias; nullptr when the list has no such name.
const engines::Engine* FindEngine(const engines::EngineList& list, absl::string_view name);

// $HLOCTS_CACHE, or hlocts in the user's cache folder: the same as that of ci/fetch-xla.
absl::StatusOr<std::string> EngineCache();
absl::StatusOr<std::string> EngineFolder(const engines::Engine& engine);
// One of our own plugins, which a build makes: BUILD with a library. Its folder is
// $HLOCTS_ENGINES_DIR, else in the build folder or the installation that this program is part of.
bool IsOurs(const engines::Engine& engine);
// What the folder's .stamp holds: the wheel's hash and what was taken of it.
std::string EngineStamp(const engines::Engine& engine);
bool IsInstalled(const engines::Engine& engine);

// Path of the Python that a release asks for, "" when this machine has none: on PATH, or among
// pyenv's. Of a USER entry, the python3 on PATH.
std::string PythonOf(const engines::Engine& engine);

// Is `engine` made of sources later than those of `other`? Both of one family.
bool IsLater(const engines::Engine& engine, const engines::Engine& other);

// The shared object of a release that is a plugin and installed: kUnavailable when it is not
// installed, kInvalidArgument when no such plugin is listed.
absl::StatusOr<std::string> PluginOf(absl::string_view name);

// False for a release that is listed for its hash alone.
bool HasWorker(const engines::Engine& engine);
// Could it run here if it were installed? kUnavailable with one sentence otherwise.
absl::Status CheckRunnable(const engines::Engine& engine);
// The same, and it is installed.
absl::Status CheckUsable(const engines::Engine& engine);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_ENGINE_LIST_H_
