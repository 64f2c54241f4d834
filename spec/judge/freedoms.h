// SPDX-License-Identifier: Apache-2.0
// Finds the freedoms of the documents that widened the sets of a verdict.
#pragma once

#include <string>
#include <vector>

#include "spec/judge/judge.h"
#include "spec/ops/op_table.h"

namespace hlocts {

// Returns the freedom that permits the width that instruction `origin` added to a set. Returns
// kNone if the width is not a choice of the engine (e.g. ulps of a function).
Freedom FreedomOf(WideningCause cause, const Origin& origin);

// Returns the sorted names of the freedoms of all elements and of the leaves' joint predicates.
std::vector<std::string> FreedomsOf(const ModuleAcceptance& accepted);

}  // namespace hlocts
