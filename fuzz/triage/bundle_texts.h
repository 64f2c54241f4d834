// SPDX-License-Identifier: Apache-2.0
// Generates the files of a bundle that users read or run.
#pragma once

#include <string>

#include "fuzz/triage/bundle.h"

namespace hlocts::fuzz {

// The name of the file with the proto of a module that text cannot express.
inline constexpr char kProtoOfModule[] = "module.pbtxt";
// Returns the content of the file kProtoOfModule for an invalid module whose text is rejected or
// breaks another rule (e.g. an operand in another computation has a local name), else "".
std::string ProtoWhereTextFails(const Module& module);

// Returns "Engine: NAME VERSION". VERSION omits the release of a jaxlib, which NAME contains.
std::string EngineText(const std::string& backend, absl::string_view version);
// `proto` is the result of ProtoWhereTextFails for the module.
std::string BundleReadme(const Bundle& bundle, const std::string& proto);
// Returns a GoogleTest that repeats the run (links backends_differ, spec_text, spec_files).
std::string BundleTest(const Bundle& bundle, const std::string& proto);
// Returns a test for XLA's repository, with the arguments and a check of the failing element.
std::string BundleXlaTest(const Bundle& bundle);
// Returns a script that needs only `pip install jax`.
std::string BundleJaxScript(const Bundle& bundle);

}  // namespace hlocts::fuzz
