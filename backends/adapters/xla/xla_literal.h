// SPDX-License-Identifier: Apache-2.0
// Conversions of literals from and to the serialized LiteralProto that crosses the C ABI boundary.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/literal.h"

namespace hlocts::xla_plugin {

// Parses a literal; a shape without a layout gets the default one, which XLA requires.
absl::StatusOr<xla::Literal> ParseLiteral(absl::string_view bytes);

// Serializes a literal. Dynamic dimensions are cut to run-time size, and layouts are row-major.
std::string SerializeLiteral(const xla::Literal& literal);

}  // namespace hlocts::xla_plugin
