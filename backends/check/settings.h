// SPDX-License-Identifier: Apache-2.0
// The settings of the checking plugin, from the environment variable HLOCTS_CHECK: words NAME=VALUE
// separated by spaces. docs/pages/checking.md describes them for users.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hlocts::check {

// The setting `plugin` of a client whose engine is no plugin, such as jaxlib's own CPU.
inline constexpr char kOwnClient[] = "jax";

struct Settings {
  std::string plugin;           // path of the real plugin, or kOwnClient
  std::string out;              // directory of the records; "" makes hlocts-check-PID
  uint64_t sample_first = 1;    // number of first executions of each program to record
  uint64_t sample_every = 100;  // later, one execution in this many; 0: none
  double budget = 0.10;         // share of the run time for recording later executions
  uint64_t spool_bytes_max = uint64_t{2} << 30;  // size of records that wait for the judge
  double wait_seconds = 60;                      // time to wait for the judge at exit
  bool fail = false;                             // exit status 1 if a verdict is fail
  std::vector<std::string> judge;                // the judge's command without the directory

  // Reads `words`. Returns "", or a message with the wrong word and the expected ones.
  std::string Read(const std::string& words);
};

}  // namespace hlocts::check
