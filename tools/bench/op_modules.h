// SPDX-License-Identifier: Apache-2.0
// Modules of one operation each, made from the lines of op_table.def.
#ifndef HLOCTS_TOOLS_BENCH_OP_MODULES_H_
#define HLOCTS_TOOLS_BENCH_OP_MODULES_H_

#include <string>
#include <vector>

namespace hlocts::tools {

struct OpModule {
  std::string name;  // "binary.f32.add"
  std::string text;  // HLO
};

// In the order of the table.
std::vector<OpModule> OpModules();

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_BENCH_OP_MODULES_H_
