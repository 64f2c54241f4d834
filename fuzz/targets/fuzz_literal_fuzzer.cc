// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as a literals file. The result must be an error, or leaves that keep their bits
// when they are written and read again. Also reads the bytes as .npz for a few shapes.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "spec/files/literals_file.h"
#include "spec/files/npz.h"

namespace {

void CheckText(absl::string_view text) {
  auto file = hlocts::ParseLiterals(text, std::nullopt);
  if (!file.ok()) return;
  std::string printed = hlocts::FormatLiterals(*file);
  auto again = hlocts::ParseLiterals(printed, std::nullopt);
  bool same = again.ok() && again->blocks.size() == file->blocks.size();
  for (size_t b = 0; same && b < file->blocks.size(); ++b) {
    const auto& before = file->blocks[b].leaves;
    const auto& after = again->blocks[b].leaves;
    same = before.size() == after.size();
    for (size_t i = 0; same && i < before.size(); ++i) same = before[i].BitwiseEqual(after[i]);
  }
  if (same && hlocts::FormatLiterals(*again) == printed) return;
  std::fprintf(stderr, "printed as\n%s\n%s\n", printed.c_str(), again.status().ToString().c_str());
  std::abort();
}

void CheckNpz(absl::string_view bytes) {
  using hlocts::PrimitiveType;
  using hlocts::Shape;
  Shape bounded(PrimitiveType::kS32, {4});
  bounded.set_dynamic_dimension(0, true);
  const std::vector<Shape> expected = {Shape(PrimitiveType::kF32, {2, 3}), bounded,
                                       Shape::Scalar(PrimitiveType::kU4)};
  for (size_t count = 0; count <= expected.size(); ++count) {
    auto file =
        hlocts::ParseNpz(bytes, std::vector<Shape>(expected.begin(), expected.begin() + count));
    if (!file.ok()) continue;
    if (!hlocts::FormatNpz(*file, hlocts::LeafRole::kArgument).ok()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  CheckText(bytes);
  CheckNpz(bytes);
  return 0;
}
