// SPDX-License-Identifier: Apache-2.0
// The settings of the checking plugin: the environment variable HLOCTS_CHECK, words NAME=VALUE
// separated by spaces. docs/pages/checking.md describes them for users.
#ifndef HLOCTS_BACKENDS_CHECK_SETTINGS_H_
#define HLOCTS_BACKENDS_CHECK_SETTINGS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace hlocts::check {

struct Settings {
  std::string plugin;           // path of the real plugin
  std::string out;              // directory of the records; "" makes hlocts-check-PID
  uint64_t sample_first = 1;    // executions of each program that are recorded in any case
  uint64_t sample_every = 100;  // after these, one of so many; 0: none
  double budget = 0.10;         // share of the run time that recording after the first may take
  uint64_t spool_bytes_max = uint64_t{2} << 30;  // of records that wait for the judge
  double wait_seconds = 60;                      // for the judge at exit
  bool fail = false;                             // exit status 1 where a verdict is fail
  std::vector<std::string> judge;                // the command of the judge, without the directory

  // "" or a sentence that names the word that is wrong and what was expected.
  std::string Read(const std::string& words);
};

}  // namespace hlocts::check

#endif  // HLOCTS_BACKENDS_CHECK_SETTINGS_H_
