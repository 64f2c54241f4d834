// SPDX-License-Identifier: Apache-2.0
// Parts that several kinds of emitted kernels share: the lists before a kernel, the kernel's head,
// and the phases of block kernels.
#pragma once

#include <set>
#include <string>

#include "absl/types/span.h"
#include "backends/engine/cuda/device/dispatch.h"

namespace hlocts::cuda {

// The beginning of each line of the lists.
inline constexpr char kListBegin[] = "#define HL_";

// The lists that device/used.h requires, which are at the beginning of a kernel's source.
class Used {
 public:
  void Add(absl::Span<const hl::Instr> code);
  void AddTypes(absl::Span<const int> types) { types_.insert(types.begin(), types.end()); }
  std::string Text() const;

 private:
  std::set<int> types_ = {-1}, ops_ = {-1}, maths_ = {-1};  // -1 makes a list nonempty
};

// Returns the first lines of the source of a kernel.
std::string KernelHead(hl::Kernel kernel, const char* first = "  const Written f;\n");
// Returns the call that computes one element, or one phase of a thread.
const char* CallText(hl::Kernel kernel);
// `rows` is the number of shared arrays that have one value for each thread.
std::string BlockKernel(hl::Kernel kernel, int rows);

}  // namespace hlocts::cuda
