// SPDX-License-Identifier: Apache-2.0
// Processes batches of JSON lines in a child process: if an entry crashes, exhausts the memory or
// exceeds its time limit, the batch continues after a line with the error.
#include "tools/cli/batch.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "reports/verdict.h"
#include "spec/base/json_text.h"
#include "tools/cli/limits.h"

namespace hlocts::tools {
namespace {

using Json = nlohmann::ordered_json;

// The line that ends the answer to an entry.
constexpr absl::string_view kEnd = ".";

class Answerer {
 public:
  explicit Answerer(const BatchAnswer& answer) : answer_(answer) {}
  ~Answerer() { End().IgnoreError(); }

  // Returns the lines that answer the entry, or a status that describes how the child ended.
  absl::StatusOr<std::string> Ask(const std::string& line) {
    if (pid_ <= 0) HLOCTS_RETURN_IF_ERROR(Start());
    std::fprintf(to_, "%s\n", line.c_str());
    std::fflush(to_);
    std::string answers;
    char* text = nullptr;
    size_t capacity = 0;
    bool ended = false;
    for (ssize_t size; !ended && (size = getline(&text, &capacity, from_)) > 0;) {
      const absl::string_view answer(text, static_cast<size_t>(size));
      ended = answer == absl::StrCat(kEnd, "\n");
      if (!ended) absl::StrAppend(&answers, answer);
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
      for (const Json& json : answer_(ParseJson<Json>(text)))
        std::fprintf(to, "%s\n", JsonText(json).c_str());
      std::fprintf(to, "%s\n", std::string(kEnd).c_str());
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
  pid_t pid_ = 0;
  std::FILE *to_ = nullptr, *from_ = nullptr;
};

}  // namespace

Json ErrorLine(const std::string& profile, const Json& entry, const absl::Status& status) {
  reports::Verdict error;
  error.module = TextField(entry, "module");
  error.profile = TextField(entry, "profile", profile);
  error.reason = std::string(status.message());
  return ParseJson<Json>(reports::VerdictToJson(error));
}

int RunBatch(const std::string& path, const BatchAnswer& answer) {
  return RunBatch(path, answer, [](const Json& entry, const absl::Status& status) {
    return BatchResult(TextField(entry, "module"), status);
  });
}

int RunBatch(const std::string& path, const BatchAnswer& answer, const BatchFailure& failure,
             const BatchObserver& observer) {
  std::ifstream file;
  std::istream* in = &std::cin;
  if (path != "-") {
    file.open(path);
    if (!file) return Fail(absl::NotFoundError(absl::StrCat(path, ": cannot be read")));
    in = &file;
  }
  signal(SIGPIPE, SIG_IGN);
  Answerer answerer(answer);
  std::string line;
  bool all_jobs = true;
  while (std::getline(*in, line)) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const Json entry = ParseJson<Json>(line);
    if (entry.is_object()) {
      auto answers = answerer.Ask(JsonText(entry));
      std::cout << (answers.ok() ? *answers : JsonText(failure(entry, answers.status())) + "\n");
      if (observer && answers.ok()) {
        for (absl::string_view text : absl::StrSplit(*answers, '\n', absl::SkipEmpty()))
          observer(entry, ParseJson<Json>(std::string(text)));
      }
    } else {
      all_jobs = false;
      const Json none = {{"ok", false}, {"error", "expected a JSON object on this line"}};
      std::cout << JsonText(none) << "\n";
    }
    if (!std::cout.flush()) return kExitHarness;
  }
  return all_jobs ? kExitOk : kExitUsage;
}

}  // namespace hlocts::tools
