// SPDX-License-Identifier: Apache-2.0
// Properties of the terminal: its width, and whether to use colours (not with NO_COLOR, and not in
// a file or pipe).
#pragma once

#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>

#include "absl/strings/string_view.h"

namespace hlocts::tools {

enum class Colour { kNone, kRed, kGreen, kYellow, kDim };
// Returns `text` in the colour, or without colour if `file` does not show colours.
std::string Coloured(Colour colour, absl::string_view text, std::FILE* file = stdout);

// With --json, standard output has only JSON lines: if `aside`, std::cout writes to standard error
// while this exists.
struct TextAside {
  explicit TextAside(bool aside) : own(std::cout.rdbuf((aside ? std::cerr : std::cout).rdbuf())) {}
  TextAside(const TextAside&) = delete;
  ~TextAside() { std::cout.rdbuf(own); }
  std::streambuf* const own;
};

// A line on standard error that is overwritten. If standard error is not a terminal, prints nothing
// except a line for logs after a few seconds, and then one every `between_lines`.
class StatusLine {
 public:
  explicit StatusLine(std::chrono::seconds between_lines = std::chrono::seconds(10));
  ~StatusLine();  // clears the line
  bool shown() const { return shown_; }
  void Show(absl::string_view line, bool in_log = false);
  void Clear();

 private:
  bool shown_;
  bool dirty_ = false;
  std::chrono::seconds between_lines_;
  std::chrono::steady_clock::time_point next_line_ =
      std::chrono::steady_clock::now() + std::chrono::seconds(5);
};

}  // namespace hlocts::tools
