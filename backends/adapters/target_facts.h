// SPDX-License-Identifier: Apache-2.0
// Promises of an engine beyond the documents, by the name of its target.
#ifndef HLOCTS_BACKENDS_ADAPTERS_TARGET_FACTS_H_
#define HLOCTS_BACKENDS_ADAPTERS_TARGET_FACTS_H_

#include <string>
#include <vector>

#include "spec/base/status.h"

namespace hlocts::backends {

// "" promises nothing; kInvalidArgument for a name that is no target.
absl::StatusOr<std::vector<std::string>> TargetFacts(absl::string_view target);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_ADAPTERS_TARGET_FACTS_H_
