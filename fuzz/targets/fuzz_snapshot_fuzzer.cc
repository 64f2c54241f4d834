// SPDX-License-Identifier: Apache-2.0
// Parses any bytes as HloSnapshot: returns an error, or a snapshot that survives a round trip.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "spec/proto/convert.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto any = hlocts::ParseAnyModule(bytes);
  if (!any.ok() || !any->is_snapshot) return 0;
  auto written = hlocts::SerializeSnapshot(any->snapshot);
  if (!written.ok()) std::abort();
  auto again = hlocts::ParseSerializedSnapshot(*written);
  bool same = again.ok() && again->arguments.size() == any->snapshot.arguments.size() &&
              again->execution_platform == any->snapshot.execution_platform;
  for (size_t i = 0; same && i < again->arguments.size(); ++i) {
    same = again->arguments[i].BitwiseEqual(any->snapshot.arguments[i]);
  }
  if (same) same = again->result.BitwiseEqual(any->snapshot.result);
  if (!same) {
    std::fprintf(stderr, "the snapshot changed: %s\n", again.status().ToString().c_str());
    std::abort();
  }
  return 0;
}
