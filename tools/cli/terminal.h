// SPDX-License-Identifier: Apache-2.0
// Properties of the terminal: its width, and whether to use colours (not with NO_COLOR, in a file
// or in a pipe).
#pragma once

#include <cstdio>
#include <string>

#include "absl/strings/string_view.h"

namespace hlocts::tools {

enum class Colour { kNone, kRed, kGreen, kYellow, kBold, kDim };
// `text` in the colour, if `file` shows colours.
std::string Coloured(Colour colour, absl::string_view text, std::FILE* file = stdout);

// A line on standard error that is overwritten. Prints nothing if standard error is not a terminal.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine();  // clears the line
  bool shown() const { return shown_; }
  void Show(absl::string_view line);
  void Clear();

 private:
  bool shown_;
  bool dirty_ = false;
};

}  // namespace hlocts::tools
