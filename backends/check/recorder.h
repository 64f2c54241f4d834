// SPDX-License-Identifier: Apache-2.0
// Records programs and executions on disk, and starts the judge that reads them.
//
// Files in the directory:
//   programs/ID.FORMAT        the program as the client compiled it: mlir, hlo, hlo_with_config
//   spool/N.record            an execution: a line of JSON, then the bytes of its leaves
//   counts.json               counts of programs and executions; rewritten at exit
// A record's line: {"program":ID,"execution":K,"inputs":[LEAF...],"outputs":[LEAF...]}, a LEAF
// {"type":PJRT_Buffer_Type,"dims":[...],"bytes":N}. Bytes are dense and row-major. A file is
// renamed to its final name when complete, so that a reader never sees a part of it.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace hlocts::check {

// The settings of the checking plugin, from the environment variable HLOCTS_CHECK: words NAME=VALUE
// separated by spaces. docs/pages/checking.md describes them for users.

// The setting `plugin` of a client whose engine is not a plugin, such as jaxlib's own CPU.
inline constexpr char kOwnClient[] = "jax";

struct Settings {
  std::string plugin;            // path of the real plugin, or kOwnClient
  std::string out;               // directory of the records; "" makes hlocts-check-PID
  uint64_t sample_first = 1;     // records this many first executions of each program
  uint64_t sample_every = 100;   // later, one execution in this many; 0: none
  std::optional<double> budget;  // share of the run time for later executions; 1: no limit
  uint64_t spool_bytes_max = uint64_t{2} << 30;  // limit on records that wait for the judge
  double wait_seconds = 60;                      // time to wait for the judge at exit
  bool fail = false;                             // exit status 1 if a verdict is fail
  std::vector<std::string> judge;                // the judge's command without the directory

  // Reads `words`. Returns "", or a message with the wrong word and the expected ones.
  std::string Read(const std::string& words);
};

struct Leaf {
  int type = 0;  // PJRT_Buffer_Type
  std::vector<int64_t> dims;
  std::string bytes;
};

// The compiled program of a loaded executable.
struct Program {
  uint64_t id = 0;
  std::string unsupported;  // why its executions are not recorded; "" if they are
  std::atomic<uint64_t> executions{0};
  std::atomic<int64_t> outputs{-1};  // number of outputs, -1 until it is queried
};

// Writes records for the judge. It never changes what the client computes: an error ends recording,
// with a message in counts.json. Thread-safe.
class Recorder {
 public:
  explicit Recorder(Settings settings);

  // Writes the program once for each distinct content, and returns its id.
  uint64_t AddProgram(const std::string& format, const std::string& code);
  // Returns true if execution `number` of the program, counted from 0, is to be recorded.
  bool Wanted(const Program& program, uint64_t number);
  void AddExecution(const Program& program, uint64_t number, const std::vector<Leaf>& inputs,
                    const std::vector<Leaf>& outputs);
  // Counts an execution that was not recorded, by reason.
  void Skip(const std::string& reason);
  // Adds time for which the client waited for a record.
  void AddTime(std::chrono::steady_clock::duration time) { recording_ns_ += time.count(); }
  void CountExecution() { ++executions_; }
  // Waits for the judge and returns the exit status that the settings require, 0 or 1.
  int Finish();

 private:
  bool IsOwn() const;  // false in a forked child, which records nothing
  bool WriteFile(const std::string& name, const std::string& content);
  void StartJudge();
  void WriteCounts();

  const Settings settings_;
  const pid_t owner_;
  std::string directory_;
  const std::chrono::steady_clock::time_point start_;
  std::atomic<int64_t> recording_ns_{0};
  std::atomic<uint64_t> executions_{0}, records_{0};
  std::atomic<uint64_t> waiting_bytes_{0};  // upper bound: the judge removes records
  std::atomic<bool> broken_{false};
  std::mutex mutex_;  // guards the members below
  std::map<std::string, uint64_t> program_ids_;
  std::map<std::string, uint64_t> skipped_;
  std::string error_;
  pid_t judge_ = 0;
  int judge_input_ = -1;  // closed when this process ends, even by a crash
};

}  // namespace hlocts::check
