// SPDX-License-Identifier: Apache-2.0
// Properties of the terminal: its width, and whether to use colours (not with NO_COLOR, in a file
// or in a pipe).
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

#include "absl/strings/string_view.h"

namespace hlocts::tools {

enum class Colour { kNone, kRed, kGreen, kYellow, kDim };
// `text` in the colour, if `file` shows colours.
std::string Coloured(Colour colour, absl::string_view text, std::FILE* file = stdout);

// A line on standard error that is overwritten. Prints nothing if standard error is not a terminal,
// except every ten seconds a line that is meant for a log.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine();  // clears the line
  bool shown() const { return shown_; }
  void Show(absl::string_view line, bool in_log = false);
  void Clear();

 private:
  bool shown_;
  bool dirty_ = false;
  std::chrono::steady_clock::time_point logged_ = std::chrono::steady_clock::now();
};

}  // namespace hlocts::tools
