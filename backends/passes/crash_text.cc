// SPDX-License-Identifier: Apache-2.0
#include "backends/passes/crash_text.h"

#include <algorithm>
#include <regex>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_replace.h"

namespace hlocts::backends {
namespace {

constexpr size_t kSuspectsMax = 8;

// Converts RngExpander to rng_expander.
std::string ToSnakeCase(const std::string& camel) {
  std::string snake;
  for (size_t i = 0; i < camel.size(); ++i) {
    const bool word = absl::ascii_isupper(camel[i]) && i > 0 && !absl::ascii_isupper(camel[i - 1]);
    if (word) snake += '_';
    snake += absl::ascii_tolower(camel[i]);
  }
  return snake;
}

void Suspect(std::string snake, std::vector<std::string>& passes) {
  // Classes and files that are no pass: they run the compiler, or many passes use them.
  static const auto* other = new std::regex(
      ".*(hlo_pass_\\w+|op_expander_pass|hlo_(module|computation|instruction)|compiler|client|"
      "executable|dfs_hlo_rewrite_visitor|shape_(inference|util))");
  if (std::regex_match(snake, *other)) return;
  // This is the only pass that is not named like its source file.
  if (snake.rfind("algebraic_simplifier", 0) == 0) snake = "algsimp";
  for (const std::string& name : {absl::StrReplaceAll(snake, {{"_", "-"}}), snake}) {
    if (passes.size() < kSuspectsMax && !absl::c_linear_search(passes, name))
      passes.push_back(name);
  }
}

}  // namespace

std::string PassNamedByVerifier(const EngineError& error) {
  const std::string words = "Failed after ";
  const std::string text = error.Text();
  const size_t at = text.rfind(words);
  if (at == text.npos) return "";
  const size_t begin = at + words.size();
  return text.substr(begin, std::min(text.find_first_of(" \n,;.", begin), text.size()) - begin);
}

std::vector<std::string> PassesNamedByStack(const EngineError& error) {
  static const auto* check = new std::regex("([a-z0-9_]+)\\.cc:\\d+\\] Check failed");
  static const auto* frame = new std::regex("xla::(?:cpu::|gpu::)?([A-Z]\\w+)::");
  std::vector<std::string> passes;
  const std::string text = error.Text();
  std::smatch match;
  if (std::regex_search(text, match, *check)) Suspect(match[1], passes);
  for (std::sregex_iterator it(text.begin(), text.end(), *frame), end; it != end; ++it)
    Suspect(ToSnakeCase((*it)[1]), passes);
  return passes;
}

}  // namespace hlocts::backends
