// SPDX-License-Identifier: Apache-2.0
#include "spec/text/parser.h"

#include "spec/text/module_reader.h"

namespace hlocts {
namespace {

template <typename T>
absl::StatusOr<T> ReadAll(absl::string_view text, bool (*read)(Cursor&, T*)) {
  Cursor in(text);
  T value;
  if (!read(in, &value)) return in.status();
  if (!in.AtEnd()) {
    in.Expected("the end of the text");
    return in.status();
  }
  return value;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Module>> ParseModule(absl::string_view text) {
  return ModuleReader(text).Read();
}

absl::StatusOr<Shape> ParseShape(absl::string_view text) { return ReadAll(text, ReadShape); }
absl::StatusOr<Sharding> ParseSharding(absl::string_view text) {
  return ReadAll(text, ReadSharding);
}
absl::StatusOr<ConvolutionDimensionNumbers> ParseConvolutionDimensionNumbers(
    absl::string_view text) {
  return ReadAll(text, ReadConvolutionDimensionNumbers);
}
absl::StatusOr<ReplicaGroups> ParseReplicaGroups(absl::string_view text) {
  return ReadAll(text, ReadReplicaGroups);
}

absl::StatusOr<Literal> ParseLiteral(absl::string_view text, const Shape& shape) {
  Cursor in(text);
  LiteralLimits limits;
  Literal literal;
  if (!ReadLiteral(in, shape, limits, &literal)) return in.status();
  if (in.AtEnd()) return literal;
  in.Expected("the end of the text");
  return in.status();
}

absl::StatusOr<Literal> ParseLiteralWithShape(absl::string_view text) {
  Cursor in(text);
  LiteralLimits limits;
  Literal literal;
  if (!ReadLiteralWithShape(in, limits, &literal)) return in.status();
  if (in.AtEnd()) return literal;
  in.Expected("the end of the text");
  return in.status();
}

}  // namespace hlocts
