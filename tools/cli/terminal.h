// SPDX-License-Identifier: Apache-2.0
// What a terminal can show: colours (never with NO_COLOR, never in a file or a pipe), and its
// width.
#ifndef HLOCTS_TOOLS_CLI_TERMINAL_H_
#define HLOCTS_TOOLS_CLI_TERMINAL_H_

#include <cstdio>
#include <string>

#include "absl/strings/string_view.h"

namespace hlocts::tools {

enum class Colour { kNone, kRed, kGreen, kYellow, kBold, kDim };
// `text` as `file` shows it.
std::string Coloured(Colour colour, absl::string_view text, std::FILE* file = stdout);

bool IsTerminal(std::FILE* file);
// Of the terminal, else of $COLUMNS, else 80.
int TerminalWidth();
// At most `width` columns of a line, cut with "…" (UTF-8 is not cut inside a letter).
std::string Fitted(absl::string_view line, int width);

// One line of standard error that is written over; nothing where that is no terminal.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine();  // clears it
  bool shown() const { return shown_; }
  void Show(absl::string_view line);
  void Clear();

 private:
  bool shown_;
  bool dirty_ = false;
};

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_CLI_TERMINAL_H_
