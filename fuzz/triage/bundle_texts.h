// SPDX-License-Identifier: Apache-2.0
// The texts of a bundle for the reader, to read and run.
#ifndef HLOCTS_FUZZ_TRIAGE_BUNDLE_TEXTS_H_
#define HLOCTS_FUZZ_TRIAGE_BUNDLE_TEXTS_H_

#include <string>

#include "fuzz/triage/bundle.h"

namespace hlocts::fuzz {

// The file beside module.hlo where the text does not hold the module.
inline constexpr char kProtoOfModule[] = "module.pbtxt";
// Its content: for an invalid module whose text is rejected, or breaks another rule when it is read
// (an operand of another computation may have the name of a local one). Otherwise empty.
std::string ProtoWhereTextFails(const Module& module);

// `proto` is what ProtoWhereTextFails returns for the module.
std::string BundleReadme(const Bundle& bundle, const std::string& proto);
// A GoogleTest case that reruns the failure: links backends_differ, spec_text and spec_files.
std::string BundleTest(const Bundle& bundle, const std::string& proto);
// A test for XLA's own tree: bytes of the arguments, the condition on the failing element.
std::string BundleXlaTest(const Bundle& bundle);
// Needs nothing but `pip install jax`.
std::string BundleJaxScript(const Bundle& bundle);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_TRIAGE_BUNDLE_TEXTS_H_
