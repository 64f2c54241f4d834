// SPDX-License-Identifier: Apache-2.0
// Literals that cross the C ABI boundary as serialized LiteralProto.
#ifndef HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_LITERAL_H_
#define HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_LITERAL_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/literal.h"

namespace hlocts::xla_plugin {

// Parses a literal; a shape without a layout gets the default one, which XLA requires.
absl::StatusOr<xla::Literal> ParseLiteral(absl::string_view bytes);

// The bytes of a literal: dynamic dimensions cut to their size, every layout row-major.
std::string SerializeLiteral(const xla::Literal& literal);

}  // namespace hlocts::xla_plugin

#endif  // HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_LITERAL_H_
