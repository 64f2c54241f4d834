// SPDX-License-Identifier: Apache-2.0
// Parses any bytes as HLO text. The result must be an error, or a module whose printed text parses
// to a module that prints as the same text.
#include <cstddef>
#include <cstdint>

#include "spec/infer/verifier.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto module = hlocts::ParseModule(absl::string_view(reinterpret_cast<const char*>(data), size));
  if (!module.ok()) {
    HLOCTS_CHECK(!hlocts::RuleOf(module.status()).empty());
    return 0;
  }
  // A module that was parsed must be valid or break a named rule.
  absl::Status valid = hlocts::VerifyModule(**module);
  HLOCTS_CHECK(valid.ok() || !hlocts::RuleOf(valid).empty());
  // Callees are printed first, which is impossible if computations call each other.
  if (hlocts::RuleOf(valid) == "hlo.recursion") return 0;
  for (auto options : {hlocts::PrintOptions::Default(), hlocts::PrintOptions::Short()}) {
    std::string first = hlocts::PrintModule(**module, options);
    auto again = hlocts::ParseModule(first);
    if (!again.ok())
      std::fprintf(stderr, "%s\n%s\n", again.status().ToString().c_str(), first.c_str());
    HLOCTS_CHECK(again.ok());
    std::string second = hlocts::PrintModule(**again, options);
    if (first != second)
      std::fprintf(stderr, "--- first\n%s\n--- second\n%s\n", first.c_str(), second.c_str());
    HLOCTS_CHECK(first == second);
  }
  return 0;
}
