// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/runtime/isa.h"

#include <atomic>

#include "spec/base/status.h"

// One table per joined object; see CMakeLists.txt for the names.
extern "C" {
const hlocts::kernels::KernelTable* hlocts_kernels_base();
#if defined(HLOCTS_KERNELS_X86)
const hlocts::kernels::KernelTable* hlocts_kernels_avx2();
const hlocts::kernels::KernelTable* hlocts_kernels_avx512();
const hlocts::kernels::KernelTable* hlocts_kernels_avx512bf16();
#endif
}

namespace hlocts::kernels {
namespace {

const KernelTable* TableOf(Isa isa) {
#if defined(HLOCTS_KERNELS_X86)
  if (isa == Isa::kAvx512Bf16) return hlocts_kernels_avx512bf16();
  if (isa == Isa::kAvx512) return hlocts_kernels_avx512();
  if (isa == Isa::kAvx2) return hlocts_kernels_avx2();
#endif
  return hlocts_kernels_base();
}

std::atomic<const KernelTable*>& Chosen() {
  static std::atomic<const KernelTable*> chosen{TableOf(SupportedIsas().back())};
  return chosen;
}

}  // namespace

std::vector<Isa> SupportedIsas() {
  std::vector<Isa> isas = {Isa::kBase};
#if defined(HLOCTS_KERNELS_X86)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi2");
  if (avx2) isas.push_back(Isa::kAvx2);
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    isas.push_back(Isa::kAvx512);
    if (__builtin_cpu_supports("avx512bf16")) isas.push_back(Isa::kAvx512Bf16);
  }
#endif
  return isas;
}

const char* IsaName(Isa isa) {
  constexpr const char* kNames[] = {"base", "avx2", "avx512", "avx512bf16"};
  return kNames[static_cast<int>(isa)];
}

const KernelTable& Kernels() { return *Chosen().load(std::memory_order_relaxed); }

void SetIsa(Isa isa) {
  bool supported = false;
  for (Isa known : SupportedIsas()) supported = supported || known == isa;
  HLOCTS_CHECK(supported);
  Chosen().store(TableOf(isa));
}

}  // namespace hlocts::kernels
