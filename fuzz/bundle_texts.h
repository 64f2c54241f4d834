// The texts of a bundle that people read and run.
#ifndef HLOCTS_FUZZ_BUNDLE_TEXTS_H_
#define HLOCTS_FUZZ_BUNDLE_TEXTS_H_

#include <string>

#include "fuzz/bundle.h"

namespace hlocts {

std::string BundleReadme(const Bundle& bundle);
// A GoogleTest case that reruns the failure: links backends_differ, spec_text and spec_files.
std::string BundleTest(const Bundle& bundle);
// Needs nothing but `pip install jax`.
std::string BundleJaxScript(const Bundle& bundle);

}  // namespace hlocts

#endif  // HLOCTS_FUZZ_BUNDLE_TEXTS_H_
