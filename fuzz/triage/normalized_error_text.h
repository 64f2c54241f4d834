// SPDX-License-Identifier: Apache-2.0
// Extracts the part of an engine's message that does not change from one module to the next.
#pragma once

#include <string>

#include "spec/base/engine_error.h"

namespace hlocts::fuzz {

// Returns the condition of a failed assertion, or else the line that describes the error: a failed
// check or the first line. Omits numbers, names, shapes and quoted words. The result has at most
// about 80 characters.
std::string NormalizedErrorText(const EngineError& error);

}  // namespace hlocts::fuzz
