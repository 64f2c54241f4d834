// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/bench_record.h"

#include <iostream>
#include <sstream>

#include "nlohmann/json.hpp"
#include "reports/run_record.h"
#include "spec/base/json_text.h"
#include "spec/files/file_io.h"

namespace hlocts::tools {

absl::StatusOr<int> RecordBench(const std::string& command, const std::string& file,
                                const std::function<int()>& bench) {
  std::stringstream printed;
  std::streambuf* before = std::cout.rdbuf(printed.rdbuf());
  const int exit_status = bench();
  std::cout.rdbuf(before);
  reports::RunRecord machine;
  reports::SetMachine(machine);
  nlohmann::ordered_json record = {{"command", command},
                                   {"program", machine.program},
                                   {"cpu", machine.cpu},
                                   {"cores", machine.cores},
                                   {"rows", nlohmann::ordered_json::array()}};
  for (std::string line; std::getline(printed, line);) {
    auto row = ParseJson<nlohmann::ordered_json>(line);
    if (row.is_discarded()) return absl::InternalError("bench: expected JSON, found " + line);
    record["rows"].push_back(std::move(row));
  }
  HLOCTS_RETURN_IF_ERROR(WriteFile(file, JsonText(record, 1) + "\n"));
  return exit_status;
}

}  // namespace hlocts::tools
