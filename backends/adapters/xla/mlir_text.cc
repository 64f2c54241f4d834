// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/xla/mlir_text.h"

#include <cstddef>
#include <string_view>

namespace hlocts::xla_plugin {
namespace {

constexpr std::string_view kLocation = " loc(", kAlias = "#loc";

// Returns the position after the string that begins at `at`; a backslash escapes a character.
size_t EndOfString(const std::string& text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at < text.size() ? at + 1 : text.size();
}

// Returns the position after the parenthesis that closes the one at `at`.
size_t EndOfParentheses(const std::string& text, size_t at) {
  int depth = 0;
  while (at < text.size()) {
    if (text[at] == '"') {
      at = EndOfString(text, at);
      continue;
    }
    if (text[at] == '(') ++depth;
    if (text[at++] == ')' && --depth == 0) return at;
  }
  return at;
}

bool IsAt(const std::string& text, size_t at, std::string_view word) {
  return text.compare(at, word.size(), word) == 0;
}

size_t EndOfLine(const std::string& text, size_t at) {
  at = text.find('\n', at);
  return at == std::string::npos ? text.size() : at + 1;
}

}  // namespace

std::string WithoutLocations(const std::string& mlir) {
  std::string plain;
  for (size_t at = 0; at < mlir.size();) {
    const bool line_begins = at == 0 || mlir[at - 1] == '\n';
    if (line_begins && IsAt(mlir, at, kAlias)) {
      at = EndOfLine(mlir, at);
    } else if (IsAt(mlir, at, kLocation)) {
      at = EndOfParentheses(mlir, at + kLocation.size() - 1);
    } else {
      const size_t end = mlir[at] == '"' ? EndOfString(mlir, at) : at + 1;
      plain.append(mlir, at, end - at);
      at = end;
    }
  }
  return plain;
}

}  // namespace hlocts::xla_plugin
