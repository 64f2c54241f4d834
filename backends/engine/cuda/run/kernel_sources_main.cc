// SPDX-License-Identifier: Apache-2.0
// cuda_kernel_sources FOLDER MODULE...: writes each emitted kernel of these modules to a file in
// FOLDER. ci/cuda-kernels uses it.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "backends/engine/cuda/compile/emit.h"
#include "backends/engine/cuda/run/executable.h"
#include "spec/text/parser.h"

namespace hlocts::cuda {
namespace {

// Writes the kernels of the module in the file `path`. Returns the number of kernels.
absl::StatusOr<int> WriteSources(const std::filesystem::path& folder,
                                 const std::filesystem::path& path) {
  std::ifstream in(path);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  HLOCTS_ASSIGN_OR_RETURN(const std::unique_ptr<Module> module, ParseModule(text));
  HLOCTS_ASSIGN_OR_RETURN(const std::vector<std::string> kernels, KernelSources(*module));
  int count = 0;
  for (const std::string& kernel : kernels) {
    const std::string name = absl::StrCat(path.stem().string(), "-", count++, ".cu");
    std::ofstream out(folder / name);
    out << EmitSource({kernel});
    if (!out.good()) return InvalidInput("cannot write ", (folder / name).string());
  }
  return count;
}

int Main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "cuda_kernel_sources: expected a directory and modules\n");
    return 2;
  }
  for (int k = 2; k < argc; ++k) {
    const absl::StatusOr<int> count = WriteSources(argv[1], argv[k]);
    if (!count.ok()) {
      std::fprintf(stderr, "%s: %s\n", argv[k], count.status().ToString().c_str());
      return 1;
    }
    std::printf("%s: %d kernels\n", argv[k], *count);
  }
  return 0;
}

}  // namespace
}  // namespace hlocts::cuda

int main(int argc, char** argv) { return hlocts::cuda::Main(argc, argv); }
