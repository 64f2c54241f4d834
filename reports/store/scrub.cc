// SPDX-License-Identifier: Apache-2.0
#include "reports/store/scrub.h"

#include <unistd.h>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace hlocts::reports {
namespace {

bool InPath(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         absl::string_view("/._-+@~%").find(c) != absl::string_view::npos ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool InWord(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Reduces a path to its last part, a home directory to "HOME". `before` is the preceding character.
std::string WithoutFolders(absl::string_view run, char before) {
  const bool web = before == ':' && absl::StartsWith(run, "//");
  const bool relative =
      absl::StartsWith(run, "./") || absl::StartsWith(run, "../") || absl::StartsWith(run, "~/");
  // "/cpu" alone does not identify a machine, and "jit(f)/while/body" is a name.
  const bool absolute =
      absl::StartsWith(run, "/") && before != ')' && run.find('/', 1) != absl::string_view::npos;
  if (web || (!relative && !absolute)) return std::string(run);
  const absl::string_view whole = run;
  while (absl::ConsumeSuffix(&run, "/")) {
  }
  if (run.empty()) return std::string(whole);  // only slashes
  for (absl::string_view homes : {"/home/", "/Users/"}) {
    absl::string_view rest = run;
    if (absl::ConsumePrefix(&rest, homes) && rest.find('/') == absl::string_view::npos) {
      return "HOME";
    }
  }
  return std::string(run.substr(run.rfind('/') + 1));
}

bool WordAt(absl::string_view text, size_t at, absl::string_view word) {
  return !word.empty() && absl::StartsWith(text.substr(at), word) &&
         (at == 0 || !InWord(text[at - 1])) &&
         (at + word.size() == text.size() || !InWord(text[at + word.size()]));
}

}  // namespace

std::string Scrubbed(absl::string_view text, absl::string_view host) {
  std::string scrubbed;
  scrubbed.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    if (WordAt(text, at, host)) {
      scrubbed += "HOST";
      at += host.size();
      continue;
    }
    size_t end = at;
    while (end < text.size() && InPath(text[end])) ++end;
    if (end > at) {
      scrubbed += WithoutFolders(text.substr(at, end - at), at > 0 ? text[at - 1] : ' ');
      at = end;
    } else {
      scrubbed += text[at++];
    }
  }
  return scrubbed;
}

std::string Scrubbed(absl::string_view text) {
  static const auto* host = [] {
    char name[256] = "";
    gethostname(name, sizeof(name) - 1);
    // A short host name, such as "a" or "gpu", is an ordinary word.
    auto* result = new std::string(name);
    if (result->size() < 5 || *result == "localhost") result->clear();
    return result;
  }();
  return Scrubbed(text, *host);
}

}  // namespace hlocts::reports
