// SPDX-License-Identifier: Apache-2.0
// Compiled modules. A static module runs as one program; a module with run-time sizes runs
// instruction by instruction.
#pragma once

#include <memory>

#include "backends/engine/cpu/compile/compiler.h"
#include "backends/engine/plan/request.h"
#include "spec/pjrt/table/engine.h"

namespace hlocts::cpu {

using plan::AliasesOf;
using plan::CheckRequest;
using plan::Feed;
using plan::IsDonated;
using plan::IsDynamic;
using plan::RunDevices;

// Returns true if the execution may flush subnormals. It may not in the strict profile, or if the
// module has a format some of whose normal numbers are subnormal in f32.
bool MayFlush(const Module& module, const CompileOptions& compile);

// Compiles a verified module.
absl::StatusOr<std::unique_ptr<pjrt::Executable>> MakeStaticExecutable(
    const Module& module, const pjrt::LoadOptions& load, const CompileOptions& compile);
absl::StatusOr<std::unique_ptr<pjrt::Executable>> MakeDynamicExecutable(
    const Module& module, const pjrt::LoadOptions& load, const CompileOptions& compile);

}  // namespace hlocts::cpu
