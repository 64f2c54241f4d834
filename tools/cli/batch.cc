// SPDX-License-Identifier: Apache-2.0
// Processes batches of JSON lines in a child process: if an entry crashes, exhausts the memory or
// exceeds its time limit, the batch continues after a line with the error.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iostream>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "reports/verdict.h"
#include "spec/base/json_text.h"
#include "tools/cli/common.h"
#include "tools/cli/limits.h"

namespace hlocts::tools {
namespace {

using Json = nlohmann::ordered_json;

// Begins the line that ends the answer to an entry, and is followed by its exit status.
constexpr char kEnd = '.';

// Returns an error if the entry has no module, or if a key has a value of another type.
absl::Status CheckEntry(const Json& entry) {
  if (TextField(entry, "module").empty()) return InvalidInput("expected \"module\", a text");
  for (const char* key : {"inputs", "outputs", "output", "backend", "profile", "to", "donate",
                          "data", "infeed", "outfeed", "custom-calls"}) {
    const Json value = entry.value(key, Json());
    const bool names = key == absl::string_view("backend") && value.is_array() &&
                       absl::c_all_of(value, std::mem_fn(&Json::is_string));
    if (!value.is_string() && !value.is_null() && !names)
      return InvalidInput("\"", key, "\": expected a text, found ", JsonText(value));
  }
  return absl::OkStatus();
}

// Returns the exit status of an entry. That a module is invalid, refused or too large is a result.
int ExitStatusOfEntry(const absl::Status& status) {
  if (!RuleOf(status).empty() || absl::IsResourceExhausted(status)) return kExitOk;
  const int exit_status = ExitStatusOf(status);
  return exit_status == kExitFailed ? kExitOk : exit_status;
}

// Returns the line of an entry without a result, also if the child process ended.
Json ErrorLine(const Json& failed, const Json& entry, const absl::Status& status) {
  if (!failed.contains("profile")) {
    Json line = BatchResult(TextField(entry, "module"), status);
    line.update(failed);
    if (!TextField(entry, "output").empty()) line.erase("outputs");
    return line;
  }
  reports::Verdict error;
  error.module = TextField(entry, "module");
  error.profile = TextField(entry, "profile", TextField(failed, "profile"));
  error.reason = std::string(status.message());
  return ParseJson<Json>(reports::VerdictToJson(error));
}

class Answerer {
 public:
  Answerer(const BatchAnswer& answer, const Json& failed) : answer_(answer), failed_(failed) {}
  ~Answerer() { End().IgnoreError(); }

  // Returns the lines that answer the entry, or a status that describes how the child ended.
  // Updates the exit status of the batch.
  absl::StatusOr<std::string> Ask(const std::string& line, int& exit_status) {
    if (pid_ <= 0) HLOCTS_RETURN_IF_ERROR(Start());
    std::fprintf(to_, "%s\n", line.c_str());
    std::fflush(to_);
    std::string answers;
    char* text = nullptr;
    size_t capacity = 0;
    bool ended = false;
    for (ssize_t size; !ended && (size = getline(&text, &capacity, from_)) > 0;) {
      const absl::string_view answer(text, static_cast<size_t>(size));
      ended = answer[0] == kEnd;
      if (!ended) absl::StrAppend(&answers, answer);
      if (ended) exit_status = std::max(exit_status, answer[1] - '0');
    }
    std::free(text);
    return ended ? absl::StatusOr<std::string>(std::move(answers)) : End();
  }

 private:
  absl::Status Start() {
    int lines[2], answers[2];
    if (pipe2(lines, O_CLOEXEC) != 0 || pipe2(answers, O_CLOEXEC) != 0)
      return absl::UnavailableError("pipe2 failed");
    std::cout.flush();
    std::fflush(stdout);
    pid_ = fork();
    if (pid_ < 0) return absl::UnavailableError(absl::StrCat("fork: ", std::strerror(errno)));
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      close(lines[1]);
      close(answers[0]);
      Serve(lines[0], answers[1]);
    }
    close(lines[0]);
    close(answers[1]);
    to_ = fdopen(lines[1], "w");
    from_ = fdopen(answers[0], "r");
    return absl::OkStatus();
  }

  [[noreturn]] void Serve(int lines, int answers) {
    SetSilentLimits();
    std::FILE* from = fdopen(lines, "r");
    std::FILE* to = fdopen(answers, "w");
    char* text = nullptr;
    size_t capacity = 0;
    while (getline(&text, &capacity, from) > 0) {
      const Json entry = ParseJson<Json>(text);
      const absl::Status checked = CheckEntry(entry);
      auto lines = checked.ok() ? answer_(entry) : checked;
      int exit_status = ExitStatusOfEntry(lines.status());
      for (const Json& json : lines.ok() ? *lines : std::vector<Json>())
        if (TextField(json, "verdict") == "error") exit_status = kExitHarness;
      if (!lines.ok()) lines = std::vector<Json>{ErrorLine(failed_, entry, lines.status())};
      for (const Json& json : *lines) std::fprintf(to, "%s\n", JsonText(json).c_str());
      std::fprintf(to, "%c%d\n", kEnd, exit_status);
      std::fflush(to);
    }
    std::exit(kExitOk);
  }

  absl::Status End() {
    if (pid_ <= 0) return absl::OkStatus();
    std::fclose(to_);
    std::fclose(from_);
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = 0;
    return StatusOfLimitedChild(status);
  }

  const BatchAnswer& answer_;
  const Json& failed_;
  pid_t pid_ = 0;
  std::FILE *to_ = nullptr, *from_ = nullptr;
};

}  // namespace

int RunBatch(const std::string& path, const std::string& stated, const BatchAnswer& answer,
             const Json& failed, const BatchObserver& observer) {
  if (!stated.empty())
    return Fail(InvalidInput("--batch: expected \"", stated, "\" in the entries of ", path));
  std::ifstream file;
  std::istream* in = &std::cin;
  if (path != "-") {
    file.open(path);
    if (!file) return Fail(absl::NotFoundError(absl::StrCat(path, ": cannot be read")));
    in = &file;
  }
  signal(SIGPIPE, SIG_IGN);
  Answerer answerer(answer, failed);
  std::string line;
  int exit_status = kExitOk;
  while (std::getline(*in, line)) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const Json entry = ParseJson<Json>(line);
    if (entry.is_object()) {
      auto answers = answerer.Ask(JsonText(entry), exit_status);
      exit_status = std::max(exit_status, ExitStatusOfEntry(answers.status()));
      std::cout << (answers.ok() ? *answers
                                 : JsonText(ErrorLine(failed, entry, answers.status())) + "\n");
      if (observer && answers.ok()) {
        for (absl::string_view text : absl::StrSplit(*answers, '\n', absl::SkipEmpty()))
          observer(entry, ParseJson<Json>(std::string(text)));
      }
    } else {
      exit_status = std::max(exit_status, kExitUsage);
      const auto none = InvalidInput("expected a JSON object on this line");
      std::cout << JsonText(ErrorLine(failed, Json::object(), none)) << "\n";
    }
    if (!std::cout.flush()) return kExitHarness;
  }
  return exit_status;
}

}  // namespace hlocts::tools
