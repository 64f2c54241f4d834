// SPDX-License-Identifier: Apache-2.0
// The abilities of a terminal: colours (never with NO_COLOR, in a file or in a pipe), and its
// width.
#ifndef HLOCTS_TOOLS_CLI_TERMINAL_H_
#define HLOCTS_TOOLS_CLI_TERMINAL_H_

#include <cstdio>
#include <string>

#include "absl/strings/string_view.h"

namespace hlocts::tools {

enum class Colour { kNone, kRed, kGreen, kYellow, kBold, kDim };
// `text` with the colour, where `file` shows colours.
std::string Coloured(Colour colour, absl::string_view text, std::FILE* file = stdout);

bool IsTerminal(std::FILE* file);
// The width of the terminal, else $COLUMNS, else 80.
int TerminalWidth();
// At most `width` columns of a line, cut with "…" (UTF-8 is not cut inside a letter).
std::string Fitted(absl::string_view line, int width);

// One line of standard error that is overwritten; nothing where standard error is no terminal.
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

#endif  // HLOCTS_TOOLS_CLI_TERMINAL_H_
