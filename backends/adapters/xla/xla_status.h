// SPDX-License-Identifier: Apache-2.0
// Errors of XLA in our own words and back.
#ifndef HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_STATUS_H_
#define HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_STATUS_H_

#include <string>

#include "absl/status/status.h"
#include "backends/adapters/xla/xla_client.h"

namespace hlocts::xla_plugin {

inline Status FromAbsl(const absl::Status& status) {
  return {static_cast<int>(status.code()), std::string(status.message())};
}

inline absl::Status ToAbsl(const Status& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.code), status.message);
}

#define HLOCTS_RETURN_IF_ERROR(expression)                       \
  do {                                                           \
    const absl::Status returned_status = (expression);           \
    if (!returned_status.ok()) return FromAbsl(returned_status); \
  } while (false)

}  // namespace hlocts::xla_plugin

#endif  // HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_STATUS_H_
