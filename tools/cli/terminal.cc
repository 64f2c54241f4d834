// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace hlocts::tools {
namespace {

bool IsTerminal(std::FILE* file) { return isatty(fileno(file)) != 0; }

bool HasColours(std::FILE* file) {
  const char* forbidden = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return IsTerminal(file) && !(forbidden && *forbidden) &&
         !(terminal && absl::string_view(terminal) == "dumb");
}

// Returns the width of the terminal; if it is unknown, $COLUMNS or 80.
int TerminalWidth() {
  winsize size{};
  for (int fd : {STDERR_FILENO, STDOUT_FILENO})
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  int width = 0;
  return columns && absl::SimpleAtoi(columns, &width) && width > 0 ? width : 80;
}

// Returns at most `width` columns of a line. A cut line ends in "…"; no UTF-8 character is cut.
std::string Fitted(absl::string_view line, int width) {
  int columns = 0;
  size_t last = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    bool begins = (static_cast<unsigned char>(line[i]) & 0xc0) != 0x80;
    if (!begins) continue;
    if (columns == width - 1) last = i;
    if (columns == width) return absl::StrCat(line.substr(0, last), "…");
    ++columns;
  }
  return std::string(line);
}

}  // namespace

std::string Coloured(Colour colour, absl::string_view text, std::FILE* file) {
  constexpr const char* kCodes[] = {"", "31", "32", "33", "2"};
  if (colour == Colour::kNone || !HasColours(file)) return std::string(text);
  return absl::StrCat("\x1b[", kCodes[static_cast<int>(colour)], "m", text, "\x1b[0m");
}

StatusLine::StatusLine(std::chrono::seconds between_lines)
    : shown_(IsTerminal(stderr)), between_lines_(between_lines) {}
StatusLine::~StatusLine() { Clear(); }

void StatusLine::Show(absl::string_view line, bool in_log) {
  if (!shown_) {
    const auto now = std::chrono::steady_clock::now();
    if (!in_log || now < next_line_) return;
    next_line_ = now + between_lines_;
    std::fprintf(stderr, "%s\n", std::string(line).c_str());
    return;
  }
  // The last column remains empty, because some terminals begin a new line after it.
  std::fprintf(stderr, "\r\x1b[K%s", Fitted(line, TerminalWidth() - 1).c_str());
  std::fflush(stderr);
  dirty_ = true;
}

void StatusLine::Clear() {
  if (!dirty_) return;
  std::fprintf(stderr, "\r\x1b[K");
  std::fflush(stderr);
  dirty_ = false;
}

}  // namespace hlocts::tools
