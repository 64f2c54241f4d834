// SPDX-License-Identifier: Apache-2.0
#include "spec/text/cursor.h"

#include <algorithm>

#include "absl/strings/charconv.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"

namespace hlocts {
namespace {

bool IsNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameChar(char c) { return IsNameStart(c) || IsDigit(c) || c == '.' || c == '-'; }

// Returns the end of the name that begins at `from`; "->" ends a name.
const char* NameEnd(const char* from, const char* end) {
  while (from != end && IsNameChar(*from) && !(*from == '-' && from + 1 != end && from[1] == '>')) {
    ++from;
  }
  return from;
}

// Returns the text at `from`, short enough for a message.
std::string Excerpt(const char* from, const char* end) {
  if (from == end) return "the end of the text";
  const char* stop = IsNameChar(*from) || *from == '%' ? NameEnd(from + 1, end) : from + 1;
  if (stop - from > 60) stop = from + 60;
  return absl::StrCat("'", absl::CHexEscape(absl::string_view(from, stop - from)), "'");
}

// Returns the position after the brace that matches the opening one, or nullptr if there is none.
const char* BalancedEnd(const char* from, const char* end) {
  int64_t depth = 0;
  for (const char* p = from; p != end; ++p) {
    if (*p == '"') {
      for (++p; p != end && *p != '"'; ++p) {
        if (*p == '\\' && p + 1 != end) ++p;
      }
      if (p == end) return nullptr;
    } else if (*p == '{') {
      ++depth;
    } else if (*p == '}' && --depth == 0) {
      return p + 1;
    }
  }
  return nullptr;
}

}  // namespace

bool IsBalancedDict(absl::string_view text) {
  return !text.empty() && text.front() == '{' &&
         BalancedEnd(text.data(), text.data() + text.size()) == text.data() + text.size();
}

absl::Status Cursor::status() const { return error_; }

bool Cursor::FailAt(const char* where, absl::string_view rule, absl::string_view message) {
  if (failed_) return false;
  failed_ = true;
  int64_t line = 1 + std::count(begin_, where, '\n');
  const char* line_start = where;
  while (line_start != begin_ && line_start[-1] != '\n') --line_start;
  error_ = RuleError(
      rule, absl::StrCat("line ", line, ", column ", where - line_start + 1, ": ", message));
  return false;
}

bool Cursor::Fail(absl::string_view rule, absl::string_view message) {
  return FailAt(Here(), rule, message);
}

bool Cursor::Expected(absl::string_view expected, absl::string_view rule) {
  if (failed_) return false;
  const char* here = Here();
  return FailAt(here, rule, absl::StrCat("expected ", expected, ", found ", Excerpt(here, end_)));
}

bool Cursor::SkipComment() {
  char next = Raw(1);
  if (next == '/') {
    position_ = std::find(position_, end_, '\n');
    return true;
  }
  if (next != '*') return false;
  absl::string_view rest(position_ + 2, end_ - position_ - 2);
  size_t close = rest.find("*/");
  if (close == absl::string_view::npos) return false;  // the '/' is then reported as unexpected
  position_ += close + 4;
  return true;
}

bool Cursor::Expect(char c) {
  if (Try(c)) return true;
  return Expected(absl::StrCat("'", absl::string_view(&c, 1), "'"));
}

bool Cursor::Try(absl::string_view punctuation) {
  SkipSpace();
  if (!absl::string_view(position_, end_ - position_)
           .substr(0, punctuation.size())
           .compare(punctuation) &&
      remaining() >= static_cast<int64_t>(punctuation.size())) {
    position_ += punctuation.size();
    return true;
  }
  return false;
}

bool Cursor::Expect(absl::string_view punctuation) {
  return Try(punctuation) || Expected(absl::StrCat("'", punctuation, "'"));
}

absl::string_view Cursor::PeekIdentifier() {
  SkipSpace();
  if (position_ == end_ || !IsNameStart(*position_)) return {};
  return {position_, static_cast<size_t>(NameEnd(position_, end_) - position_)};
}

absl::string_view Cursor::TryIdentifier() {
  absl::string_view word = PeekIdentifier();
  position_ += word.size();
  return word;
}

bool Cursor::TryWord(absl::string_view word) {
  if (PeekIdentifier() != word) return false;
  position_ += word.size();
  return true;
}

bool Cursor::ExpectWord(absl::string_view word) {
  return TryWord(word) || Expected(absl::StrCat("'", word, "'"));
}

bool Cursor::Identifier(absl::string_view* word, absl::string_view expected) {
  *word = TryIdentifier();
  return !word->empty() || Expected(expected);
}

bool Cursor::Name(absl::string_view* name, absl::string_view expected) {
  const char* start = Here();
  bool percent = Raw() == '%';
  if (percent) ++position_;
  // XLA allows no space between '%' and the name.
  *name = percent && !IsNameStart(Raw()) ? absl::string_view() : TryIdentifier();
  if (!name->empty() && *name != "ROOT" && *name != "ENTRY" && *name != "HloModule") return true;
  position_ = start;
  return Expected(expected);
}

absl::string_view Cursor::NumberToken() {
  SkipSpace();
  const char* stop = position_;
  while (stop != end_ && (IsNameChar(*stop) || *stop == '+')) ++stop;
  absl::string_view token(position_, stop - position_);
  position_ = stop;
  return token;
}

bool Cursor::Integer(int64_t* value, absl::string_view expected) {
  SkipSpace();
  const char* stop = position_;
  if (stop != end_ && *stop == '-') ++stop;
  const char* digits = stop;
  while (stop != end_ && IsDigit(*stop)) ++stop;
  if (stop == digits || !absl::SimpleAtoi(absl::string_view(position_, stop - position_), value)) {
    return Expected(expected);
  }
  position_ = stop;
  return true;
}

bool Cursor::NonNegative(int64_t* value, absl::string_view expected) {
  const char* start = Here();
  if (!Integer(value, expected)) return false;
  if (*value >= 0) return true;
  GoTo(start);
  return Expected(expected);
}

bool Cursor::Float(double* value) {
  const char* start = Here();
  absl::string_view token = NumberToken();
  auto result = absl::from_chars(token.data(), token.data() + token.size(), *value);
  if (!token.empty() && result.ptr == token.data() + token.size() &&
      result.ec != std::errc::invalid_argument) {
    return true;
  }
  GoTo(start);
  return Expected("a number");
}

bool Cursor::Bool(bool* value) {
  if (TryWord("true")) {
    *value = true;
    return true;
  }
  *value = false;
  return TryWord("false") || Expected("'true' or 'false'");
}

bool Cursor::QuotedString(std::string* value) {
  if (Peek() != '"') return Expected("a quoted string");
  const char* stop = position_ + 1;
  while (stop != end_ && *stop != '"') stop += *stop == '\\' && stop + 1 != end_ ? 2 : 1;
  if (stop >= end_) return Expected("a closing '\"' of this string");
  std::string error;
  if (!absl::CUnescape(absl::string_view(position_ + 1, stop - position_ - 1), value, &error)) {
    return Fail("text.syntax", absl::StrCat("expected a string with valid C escapes: ", error));
  }
  position_ = stop + 1;
  return true;
}

bool Cursor::Balanced(absl::string_view* text) {
  if (Peek() != '{') return Expected("'{'");
  const char* stop = BalancedEnd(position_, end_);
  if (stop == nullptr) return Expected("a closing '}' for this '{'");
  *text = {position_, static_cast<size_t>(stop - position_)};
  position_ = stop;
  return true;
}

bool Cursor::Enter() {
  if (depth_ >= kDepthMax) {
    return Fail("text.limit",
                absl::StrCat("expected at most ", kDepthMax, " levels of nesting, found more"));
  }
  ++depth_;
  return true;
}

}  // namespace hlocts
