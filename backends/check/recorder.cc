// SPDX-License-Identifier: Apache-2.0
#include "backends/check/recorder.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <thread>
#include <utility>

#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"

extern char** environ;

namespace hlocts::check {
namespace {

// Reads a number, optionally with a unit: % for hundredths, K, M or G for bytes, s for seconds.
bool ReadNumber(const std::string& text, double& number) {
  char* end = nullptr;
  number = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  const double scale = unit.empty()  ? 1
                       : unit == "%" ? 0.01
                       : unit == "K" ? 1024.0
                       : unit == "M" ? 1048576.0
                       : unit == "G" ? 1073741824.0
                       : unit == "s" ? 1
                                     : 0;
  number *= scale;
  return end != text.c_str() && scale != 0 && number >= 0;
}

// Reads a sample setting: "first,1/100", "3,1/10", "all" or "first".
bool ReadSample(const std::string& text, Settings& settings) {
  if (text == "all") {
    settings.sample_every = 1;
    return true;
  }
  std::stringstream parts(text);
  settings.sample_first = settings.sample_every = 0;
  for (std::string part; std::getline(parts, part, ',');) {
    char* end = nullptr;
    if (part == "first") {
      settings.sample_first = 1;
    } else if (part.rfind("1/", 0) == 0) {
      settings.sample_every = std::strtoull(part.c_str() + 2, &end, 10);
      if (*end != '\0' || settings.sample_every == 0) return false;
    } else {
      settings.sample_first = std::strtoull(part.c_str(), &end, 10);
      if (end == part.c_str() || *end != '\0') return false;
    }
  }
  return settings.sample_first + settings.sample_every > 0;
}

using Clock = std::chrono::steady_clock;

using Json = nlohmann::ordered_json;

Json LeavesJson(const std::vector<Leaf>& leaves) {
  Json json = Json::array();
  for (const Leaf& leaf : leaves)
    json.push_back({{"type", leaf.type}, {"dims", leaf.dims}, {"bytes", leaf.bytes.size()}});
  return json;
}

bool WriteAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

// Returns the descriptor for the judge's report: that of HLOCTS_CHECK_STDERR if it is open, else
// standard error, which a test framework may have redirected.
int ReportDescriptor() {
  const char* given = getenv("HLOCTS_CHECK_STDERR");
  const int descriptor = given == nullptr ? -1 : atoi(given);
  return descriptor > STDERR_FILENO && fcntl(descriptor, F_GETFD) != -1 ? descriptor
                                                                        : STDERR_FILENO;
}

uint64_t BytesIn(const std::string& directory) {
  uint64_t bytes = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const uint64_t size = entry.file_size(error);
    if (!error) bytes += size;
  }
  return bytes;
}

}  // namespace

std::string Settings::Read(const std::string& words) {
  std::stringstream list(words);
  for (std::string word; list >> word;) {
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    double number = 0;
    bool ok = !value.empty();
    if (name == "plugin") {
      plugin = value;
    } else if (name == "out") {
      out = value;
    } else if (name == "sample") {
      ok = ReadSample(value, *this);
    } else if (name == "budget") {
      ok = ReadNumber(value, number) && number <= 1;
      budget = number;
    } else if (name == "spool") {
      ok = ReadNumber(value, number);
      spool_bytes_max = static_cast<uint64_t>(number);
    } else if (name == "wait") {
      ok = ReadNumber(value, wait_seconds);
    } else if (name == "fail") {
      ok = value == "0" || value == "1";
      fail = value == "1";
    } else if (name != "profile" && name != "facts") {  // the judge reads them itself
      return "HLOCTS_CHECK: expected plugin, out, sample, budget, spool, wait, fail, profile or "
             "facts, found " +
             name;
    }
    if (!ok) return "HLOCTS_CHECK: " + name + ": the value \"" + value + "\" cannot be read";
  }
  if (plugin != kOwnClient && plugin.find('/') == std::string::npos)
    return "HLOCTS_CHECK: plugin: expected jax or the path of a PJRT plugin, found \"" + plugin +
           "\"";
  return "";
}

Recorder::Recorder(Settings settings)
    : settings_(std::move(settings)),
      owner_(getpid()),
      directory_(settings_.out.empty() ? "hlocts-check-" + std::to_string(owner_) : settings_.out),
      start_(Clock::now()) {
  // Makes the path absolute, since a client may change its working directory.
  std::error_code error;
  directory_ = std::filesystem::absolute(directory_, error).string();
  // The processes of a client share `out`, so each gets a subdirectory.
  if (!settings_.out.empty()) directory_ += "/" + std::to_string(owner_);
}

bool Recorder::IsOwn() const { return getpid() == owner_ && !broken_; }

bool Recorder::WriteFile(const std::string& name, const std::string& content) {
  const std::string path = directory_ + "/" + name, part = path + ".part";
  // Few system calls are made, since the client waits for them.
  const auto create = [&] {
    return open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  };
  int file = create();
  if (file < 0 && errno == ENOENT) {
    std::error_code made;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), made);
    file = create();
  }
  bool ok = file >= 0 && WriteAll(file, content);
  if (file >= 0) ok = close(file) == 0 && ok;
  ok = ok && rename(part.c_str(), path.c_str()) == 0;
  if (ok) return true;
  const std::string reason = strerror(errno);
  unlink(part.c_str());
  std::lock_guard<std::mutex> lock(mutex_);
  error_ = part + ": " + reason + "; recording ended";
  broken_ = true;
  return false;
}

uint64_t Recorder::AddProgram(const std::string& format, const std::string& code) {
  uint64_t id = 0;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto [entry, added] = program_ids_.try_emplace(code, program_ids_.size());
    if (!added || !IsOwn()) return entry->second;
    id = entry->second;
  }
  WriteFile("programs/" + std::to_string(id) + "." + format, code);
  return id;
}

bool Recorder::Wanted(const Program& program, uint64_t number) {
  const bool first = number < settings_.sample_first;
  if (!first && (settings_.sample_every == 0 || number % settings_.sample_every != 0)) return false;
  if (!program.unsupported.empty() || !IsOwn()) return false;  // last: IsOwn is a system call
  if (first) return true;
  const double budget = settings_.budget.value_or(settings_.sample_every == 1 ? 1 : 0.10);
  const auto elapsed = static_cast<double>((Clock::now() - start_).count());
  if (budget == 1 || static_cast<double>(recording_ns_) <= budget * elapsed) return true;
  Skip("the time budget was exceeded (--budget)");
  return false;
}

void Recorder::Skip(const std::string& reason) {
  std::lock_guard<std::mutex> lock(mutex_);
  ++skipped_[reason];
}

void Recorder::AddExecution(const Program& program, uint64_t number,
                            const std::vector<Leaf>& inputs, const std::vector<Leaf>& outputs) {
  if (waiting_bytes_ > settings_.spool_bytes_max) waiting_bytes_ = BytesIn(directory_ + "/spool");
  if (waiting_bytes_ > settings_.spool_bytes_max)
    return Skip("too many bytes wait for the judge (--spool)");
  const Json line = {{"program", program.id},
                     {"execution", number},
                     {"inputs", LeavesJson(inputs)},
                     {"outputs", LeavesJson(outputs)}};
  std::string record = JsonText(line) + "\n";
  for (const auto* leaves : {&inputs, &outputs}) {
    for (const Leaf& leaf : *leaves) record += leaf.bytes;
  }
  waiting_bytes_ += record.size();
  char name[40];
  snprintf(name, sizeof name, "spool/%08llu.record", static_cast<unsigned long long>(records_++));
  if (WriteFile(name, record)) StartJudge();
}

void Recorder::StartJudge() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (judge_ != 0 || settings_.judge.empty()) return;
  std::vector<std::string> arguments = settings_.judge;
  arguments.push_back(directory_);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  const int report = ReportDescriptor();
  for (int stream : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_adddup2(&actions, report, stream);
  // The judge has its own process group: Ctrl-C ends the client, and the judge still reports.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  if (posix_spawnp(&judge_, argv[0], &actions, &attributes, argv.data(), environ) != 0) {
    error_ = "cannot start the judge " + arguments[0];
    judge_ = -1;
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  judge_input_ = ends[1];
}

void Recorder::WriteCounts() {
  const std::chrono::duration<double> seconds = Clock::now() - start_;
  std::unique_lock<std::mutex> lock(mutex_);
  const Json counts = {{"executions", executions_.load()},
                       {"programs", program_ids_.size()},
                       {"recorded", records_.load()},
                       {"seconds", seconds.count()},
                       {"recording_seconds", static_cast<double>(recording_ns_) * 1e-9},
                       {"skipped", Json(skipped_)},
                       {"error", error_}};
  lock.unlock();
  WriteFile("counts.json", JsonText(counts) + "\n");
}

int Recorder::Finish() {
  if (getpid() != owner_ || executions_ == 0) return 0;
  WriteCounts();
  if (!error_.empty()) fprintf(stderr, "hlocts check: %s\n", error_.c_str());
  const bool red = settings_.fail && !error_.empty();
  if (judge_ <= 0) return red;
  close(judge_input_);  // the judge then finishes, or ends at its time limit
  auto limit = Clock::now() + std::chrono::duration<double>(settings_.wait_seconds + 5);
  bool terminated = false;  // a terminated judge reports its results so far
  int status = 0;
  while (waitpid(judge_, &status, WNOHANG) == 0) {
    if (Clock::now() > limit) {
      kill(judge_, terminated ? SIGKILL : SIGTERM);
      terminated = true;
      limit += std::chrono::seconds(5);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (WIFSIGNALED(status)) {
    fprintf(stderr, "hlocts check: the judge process had to be killed; records are in %s\n",
            directory_.c_str());
  }
  return red || (settings_.fail && status != 0);
}

}  // namespace hlocts::check
