// SPDX-License-Identifier: Apache-2.0
// Memory that is wanted soon, asked for in shares between pieces of work: asked for at once, it
// would have to be waited for.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_LOOPS_LINE_FETCHER_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_LOOPS_LINE_FETCHER_H_

#include <algorithm>
#include <cstdint>

#include "absl/container/inlined_vector.h"

namespace hlocts::cpu {

class LineFetcher {
 public:
  // Forgets what is left. The memory added next is asked for in so many shares.
  void Start(int64_t shares) {
    streams_.clear();
    shares_ = std::max<int64_t>(shares, 1);
  }
  void Add(const uint8_t* from, int64_t bytes) {
    const int64_t lines = (bytes + kLine - 1) / kLine, share = (lines + shares_ - 1) / shares_;
    streams_.push_back({from, from + bytes, share * kLine});
  }
  void Share() {
    for (Stream& stream : streams_) {
      const uint8_t* stop = stream.at + std::min(stream.share, stream.end - stream.at);
      for (; stream.at < stop; stream.at += kLine) __builtin_prefetch(stream.at, 0, 2);
    }
  }

 private:
  static constexpr int64_t kLine = 64;
  struct Stream {
    const uint8_t *at, *end;
    int64_t share;  // bytes
  };
  absl::InlinedVector<Stream, 8> streams_;
  int64_t shares_ = 1;
};

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_LOOPS_LINE_FETCHER_H_
