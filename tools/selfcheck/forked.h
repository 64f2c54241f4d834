// SPDX-License-Identifier: Apache-2.0
// Work in processes of its own: what crashes or hangs there is a result, not the end.
#ifndef HLOCTS_TOOLS_SELFCHECK_FORKED_H_
#define HLOCTS_TOOLS_SELFCHECK_FORKED_H_

#include <functional>
#include <string>

namespace hlocts::tools {

struct ForkedResult {
  std::string text;  // what the work returned; empty when it did not end by itself
  bool crashed = false, timed_out = false;
};

// work(i) for i < count, `jobs` at a time, each at most `seconds`; done(i, result) in order of i.
// Texts of up to 64 KB. Called while this process has one thread.
void RunForked(size_t count, int jobs, double seconds,
               const std::function<std::string(size_t)>& work,
               const std::function<void(size_t, const ForkedResult&)>& done);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_SELFCHECK_FORKED_H_
