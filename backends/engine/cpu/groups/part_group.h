// SPDX-License-Identifier: Apache-2.0
// Steps that work on equal parts of their arrays, run together a few parts at a time, so that their
// intermediate results stay in the cache: softmax reads its operand once and writes its result
// once, attention keeps its scores in the cache only.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_GROUPS_PART_GROUP_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_GROUPS_PART_GROUP_H_

#include <utility>
#include <vector>

#include "backends/engine/cpu/base/part_work.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"

namespace hlocts::cpu {

class PartGroup {
 public:
  struct Member {
    PartWork work;
    std::vector<GroupPlace> in, out;
  };
  // An array between members: the size of a part, and the offset of the parts in working memory.
  struct Internal {
    int64_t part_bytes = 0, offset = 0;
  };

  PartGroup(int64_t parts, int64_t at_once, std::vector<Member> members,
            std::vector<Internal> internals, int64_t working_bytes,
            const kernels::Parallel& parallel);
  // Bytes of a part of each operand (0: all parts read all of it). Operands of the next parts are
  // prefetched while the current ones are computed.
  void FetchAhead(std::vector<int64_t> part_bytes) { part_bytes_ = std::move(part_bytes); }
  absl::Status operator()(Run& run, In in, Out out) const;
  // Parts [begin, end) on the calling thread.
  absl::Status RunParts(In in, Out out, int64_t begin, int64_t end) const;
  int64_t parts() const { return parts_; }
  double cost_ns() const { return cost_ns_; }  // of a part, estimated

 private:
  void Fetch(In in, int64_t begin, int64_t end, size_t member) const;
  absl::Status RunMember(const Member& member, In in, Out out, uint8_t* working, int64_t begin,
                         int64_t end) const;

  int64_t parts_, at_once_;
  std::vector<Member> members_;
  std::vector<Internal> internals_;
  std::vector<int64_t> part_bytes_;
  int64_t working_bytes_;
  kernels::Parallel parallel_;
  double cost_ns_ = 0;
};

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_GROUPS_PART_GROUP_H_
