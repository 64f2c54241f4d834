// SPDX-License-Identifier: Apache-2.0
// A module as bytes for another process of the same build, several times faster than the proto
// form.
#ifndef HLOCTS_SPEC_PACKED_PACKED_MODULE_H_
#define HLOCTS_SPEC_PACKED_PACKED_MODULE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"

namespace hlocts {

// Who does not have the same version must be sent another form.
uint64_t PackedModuleVersion();

// The module may be malformed. kInvalidArgument: what it points to is not in it.
absl::StatusOr<std::string> PackModule(const Module& module);
// kInvalidArgument: no bytes of PackModule's.
absl::StatusOr<std::unique_ptr<Module>> UnpackModule(absl::string_view bytes);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_PACKED_PACKED_MODULE_H_
