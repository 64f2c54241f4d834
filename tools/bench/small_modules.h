// SPDX-License-Identifier: Apache-2.0
// Small random modules, which measure load and first run.
#pragma once

#include <optional>

#include "generators/module_generator.h"

namespace hlocts::tools {

constexpr int64_t kSmallModules = 50;
constexpr uint64_t kSmallModulesTried = 1000;  // module numbers to search

// Module `number`; nullopt if it breaks a rule or has more than 20 instructions.
std::optional<generators::Generated> SmallModule(uint64_t number, bool joint_operations);

}  // namespace hlocts::tools
