// SPDX-License-Identifier: Apache-2.0
// npz_numpy IN.npz OUT.npz SHAPE...: reads IN, whose leaves have these shapes, prints it as text
// and writes OUT. Used by numpy_test.py.
#include <cstdio>

#include "spec/files/literals_file.h"
#include "spec/text/parser.h"

int main(int argc, char** argv) {
  hlocts::ExpectedLeaves expected;
  for (int i = 3; i < argc; ++i) {
    absl::StatusOr<hlocts::Shape> shape = hlocts::ParseShape(argv[i]);
    if (!shape.ok()) return 2;
    expected.shapes.push_back(*std::move(shape));
  }
  absl::StatusOr<hlocts::LiteralsFile> file = hlocts::ReadLiterals(argv[1], expected);
  if (!file.ok()) {
    std::fprintf(stderr, "%s\n", std::string(file.status().message()).c_str());
    return 2;
  }
  std::fputs(hlocts::FormatLiterals(*file).c_str(), stdout);
  return hlocts::WriteLiterals(*file, hlocts::LeafRole::kArgument, argv[2]).ok() ? 0 : 3;
}
