// SPDX-License-Identifier: Apache-2.0
// libhlocts_cpu.so: the engine as a PJRT plugin.
#include "backends/engine/cpu/cpu_engine.h"

namespace {

constexpr hlocts::pjrt::Plugin kPlugin = {"cpu", hlocts::cpu::Opcodes, hlocts::cpu::MakeEngine};

}  // namespace

extern "C" const PJRT_Api* GetPjrtApi() { return hlocts::pjrt::Table(kPlugin); }
