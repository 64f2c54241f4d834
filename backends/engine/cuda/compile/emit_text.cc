// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/compile/emit_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace hlocts::cuda {
namespace {

struct KernelText {
  const char* args;
  const char* call;
};
constexpr KernelText kTexts[] = {
#define HL_TEXT(Name, Args, call) {#Args, #call},
    HL_PROGRAM_KERNELS(HL_TEXT) HL_BLOCK_KERNELS(HL_TEXT)
#undef HL_TEXT
};

}  // namespace

void Used::Add(absl::Span<const hl::Instr> code) {
  for (const hl::Instr& n : code) {
    types_.insert({n.type, n.to});
    ops_.insert(n.op);
    maths_.insert(n.math);
    if (n.op == hl::kOpClamp) ops_.insert({hl::kOpMaximum, hl::kOpMinimum});
  }
}

std::string Used::Text() const {
  return absl::StrCat(kListBegin, "TYPES ", absl::StrJoin(types_, ", "), "\n", kListBegin, "OPS ",
                      absl::StrJoin(ops_, ", "), "\n", kListBegin, "MATHS ",
                      absl::StrJoin(maths_, ", "), "\n");
}

std::string KernelHead(hl::Kernel kernel, const char* first) {
  return absl::StrCat("extern \"C\" __global__ void hl_kernel(const __grid_constant__ ",
                      kTexts[kernel].args, " a, i64 count) {\n", first);
}

const char* CallText(hl::Kernel kernel) { return kTexts[kernel].call; }

std::string BlockKernel(hl::Kernel kernel, int rows) {
  return absl::StrCat(KernelHead(kernel), "  __shared__ Value shared[", rows,
                      " * kBlockThreads];\n",
                      "  for (i64 block = blockIdx.x; block < count; block += gridDim.x) {\n"
                      "    for (int phase = 0; phase < a.phases; ++phase) {\n"
                      "      HL_THREADS(thread) { ",
                      CallText(kernel),
                      "; }\n"
                      "      HL_BARRIER;\n    }\n  }\n}\n");
}

}  // namespace hlocts::cuda
