// SPDX-License-Identifier: Apache-2.0
// hlocts bench cpu/ops: the table of modules of one operation.
#ifndef HLOCTS_TOOLS_BENCH_BENCH_OPS_H_
#define HLOCTS_TOOLS_BENCH_BENCH_OPS_H_

#include <string>

namespace hlocts::tools {

// `filter`: part of a module's name, "" for all. The exit status.
int RunOpsBench(const std::string& filter, bool quick, bool json);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_BENCH_BENCH_OPS_H_
