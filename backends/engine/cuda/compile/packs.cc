// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/compile/packs.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace hlocts::cuda {
namespace {

constexpr int kBytesMax = 128;  // limit on the packs of a thread, which are in registers

}  // namespace

Packs::Packs(absl::Span<const hl::Instr> code, int many) : many_(many) {
  int bytes = 0;
  for (const hl::Instr& n : code) {
    if (n.op != hl::kOpLoad || n.b >= 0 || Has(n)) continue;
    bytes += many * hl::BytesOf(n.to);
    if (bytes <= kBytesMax) loads_.push_back(n);
  }
}

bool Packs::Has(const hl::Instr& n) const {
  return n.op == hl::kOpLoad && n.b < 0 &&
         std::any_of(loads_.begin(), loads_.end(),
                     [&](const hl::Instr& load) { return load.a == n.a && load.to == n.to; });
}

std::string Packs::Name(const hl::Instr& n) { return absl::StrCat("p", n.a, "_", n.to); }

std::string Packs::Text() const {
  std::string members, whole, cut;
  for (const hl::Instr& n : loads_) {
    const std::string type = absl::StrCat("Pack<", hl::BytesOf(n.to), ", ", many_, ">");
    const std::string array = absl::StrCat("arrays[", n.a, "]");
    absl::StrAppend(&members, "    ", type, " ", Name(n), ";\n");
    absl::StrAppend(&whole, "    l.", Name(n), " = PackAt<", type, ">(", array, ", g);\n");
    absl::StrAppend(&cut, "    LoadRest(", array, ", g, count, l.", Name(n), ");\n");
  }
  return absl::StrCat(
      "  struct Loaded {\n", members,
      "  };\n  __device__ void LoadWhole(const void* const* arrays, i64 g, Loaded& l) const {\n",
      whole,
      "  }\n  __device__ void LoadCut(const void* const* arrays, i64 g, i64 count, Loaded& l) "
      "const {\n",
      cut, "  }\n");
}

}  // namespace hlocts::cuda
