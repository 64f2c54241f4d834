// SPDX-License-Identifier: Apache-2.0
// Helpers for xla_c_api.h: bytes that a caller owns, statuses, and serialized modules.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "backends/adapters/xla/xla_c_api.h"
#include "xla/debug_options_flags.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/service/hlo.pb.h"

namespace hlocts::xla_plugin {

inline void CopyToOwnedBytes(const std::string& text, hlocts_xla_bytes* out) {
  if (out == nullptr) return;
  out->data = static_cast<char*>(malloc(text.size() + 1));
  out->size = text.size();
  memcpy(out->data, text.data(), text.size());
  out->data[text.size()] = '\0';
}

inline void Clear(hlocts_xla_bytes* out) {
  if (out != nullptr) *out = {nullptr, 0};
}

// Empties the outputs. Every function calls this first, so that they are defined on return.
inline void Clear(hlocts_xla_bytes* first, hlocts_xla_bytes* second) {
  Clear(first);
  Clear(second);
}

inline hlocts_xla_status Fail(hlocts_xla_status code, const absl::Status& status,
                              hlocts_xla_bytes* error) {
  CopyToOwnedBytes(std::string(status.message()), error);
  return code;
}

using ModuleOr = absl::StatusOr<std::unique_ptr<xla::HloModule>>;

inline ModuleOr ParseProto(hlocts_xla_view bytes) {
  xla::HloModuleProto proto;
  if (!proto.ParseFromArray(bytes.data, bytes.size)) {
    return absl::InvalidArgumentError(absl::StrCat("expected a serialized HloModuleProto, found ",
                                                   bytes.size, " bytes that cannot be parsed"));
  }
  // Applies XLA_FLAGS, so that XLA can dump the module around its passes.
  auto config = xla::HloModule::CreateModuleConfigFromProto(proto, xla::GetDebugOptionsFromFlags());
  if (!config.ok()) return config.status();
  return xla::HloModule::CreateFromProto(proto, *config);
}

}  // namespace hlocts::xla_plugin
