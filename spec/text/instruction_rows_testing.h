// SPDX-License-Identifier: Apache-2.0
// Reads cases/instructions.txt: a row per attribute and form of an instruction, for round trips
// through text and proto.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace hlocts {

struct InstructionRow {
  std::string read, printed;
};

inline std::vector<InstructionRow> InstructionRows() {
  std::vector<InstructionRow> rows;
  std::ifstream file(HLOCTS_SOURCE_DIR "/spec/text/cases/instructions.txt");
  for (std::string line; std::getline(file, line);) {
    absl::string_view printed = line;
    if (absl::ConsumePrefix(&printed, "  -> ")) {
      rows.back().printed = std::string(printed);
    } else if (!line.empty() && line[0] != '#') {
      rows.push_back({line, line});
    }
  }
  return rows;
}

// Inserts the instruction into cases/instructions.hlo, which has the operands and computations.
inline std::string ModuleAround(absl::string_view instruction) {
  std::ifstream file(HLOCTS_SOURCE_DIR "/spec/text/cases/instructions.hlo");
  std::stringstream text;
  text << file.rdbuf();
  return absl::StrReplaceAll(text.str(), {{"INSTRUCTION", instruction}});
}

}  // namespace hlocts
