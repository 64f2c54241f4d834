// SPDX-License-Identifier: Apache-2.0
// Steps over the same batch, run entry by entry, so that what they hand each other stays in the
// cache of the thread that works on the entry: attention writes its scores nowhere else.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_GROUPS_BATCH_GROUP_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_GROUPS_BATCH_GROUP_H_

#include <vector>

#include "backends/engine/cpu/base/part_work.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"

namespace hlocts::cpu {

class BatchGroup {
 public:
  struct Member {
    PartWork work;
    std::vector<GroupPlace> in, out;
  };
  // An array between members: a part of it, and where that lies in working memory.
  struct Internal {
    int64_t part_bytes = 0, offset = 0;
  };

  BatchGroup(int64_t parts, std::vector<Member> members, std::vector<Internal> internals,
             int64_t working_bytes, const kernels::Parallel& parallel);
  absl::Status operator()(Run& run, In in, Out out) const;

 private:
  absl::Status RunParts(In in, Out out, int64_t begin, int64_t end) const;
  absl::Status RunMember(const Member& member, In in, Out out, uint8_t* working,
                         int64_t part) const;

  int64_t parts_;
  std::vector<Member> members_;
  std::vector<Internal> internals_;
  int64_t working_bytes_;
  kernels::Parallel parallel_;
  double cost_ns_ = 0;
};

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_GROUPS_BATCH_GROUP_H_
