// SPDX-License-Identifier: Apache-2.0
// Parses any bytes as HloModuleProto: returns an error or a module that survives a round trip.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "spec/infer/verifier.h"
#include "spec/proto/convert.h"
#include "spec/text/printer.h"

namespace {

[[noreturn]] void Differ(const char* what, const std::string& first, const std::string& second) {
  std::fprintf(stderr, "%s\n--- first\n%s\n--- second\n%s\n", what, first.c_str(), second.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto module = hlocts::ParseSerializedModule(bytes);
  if (!module.ok()) return 0;
  // A module that was parsed must be valid or break a named rule.
  absl::Status valid = hlocts::VerifyModule(**module);
  if (!valid.ok() && hlocts::RuleOf(valid).empty()) {
    Differ("an invalid module was rejected without a rule", std::string(valid.message()), "");
  }
  auto written = hlocts::SerializeModule(**module);
  if (!written.ok()) Differ("the write failed", std::string(written.status().message()), "");
  auto again = hlocts::ParseSerializedModule(*written);
  if (!again.ok()) Differ("the second read failed", std::string(again.status().message()), "");
  std::string first = hlocts::PrintModule(**module);
  std::string second = hlocts::PrintModule(**again);
  if (first != second) Differ("the module that was read again differs", first, second);
  auto rewritten = hlocts::SerializeModule(**again);
  if (!rewritten.ok() || *rewritten != *written)
    Differ("the proto that was written again differs", first, second);
  return 0;
}
