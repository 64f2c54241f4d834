// SPDX-License-Identifier: Apache-2.0
// Runs several steps together on a few parts of their arrays at a time, so that intermediate
// results remain in the cache. For example, softmax reads its operand and writes its result only
// once, and attention keeps its scores in the cache.
#pragma once

#include <vector>

#include "backends/engine/cpu/base/part_work.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"

namespace hlocts::cpu {

class PartGroup {
 public:
  struct Member {
    PartitionedStep work;
    std::vector<OperandLocation> in, out;
  };
  // An array that one member writes and others read: the bytes of one part, and the offset of the
  // first part in working memory.
  struct Internal {
    int64_t part_bytes = 0, offset = 0;
  };

  PartGroup(int64_t parts, int64_t at_once, std::vector<Member> members,
            std::vector<Internal> internals, int64_t working_bytes,
            const kernels::Parallel& parallel);
  absl::Status operator()(Run& run, In in, Out out) const;
  // Computes parts [begin, end) on the calling thread.
  absl::Status RunParts(In in, Out out, int64_t begin, int64_t end) const;
  int64_t parts() const { return parts_; }
  double cost_ns() const { return cost_ns_; }  // estimated time of one part

 private:
  absl::Status RunMember(const Member& member, In in, Out out, uint8_t* working, int64_t begin,
                         int64_t end) const;

  int64_t parts_, at_once_;
  std::vector<Member> members_;
  std::vector<Internal> internals_;
  int64_t working_bytes_;
  kernels::Parallel parallel_;
  double cost_ns_ = 0;
};

}  // namespace hlocts::cpu
