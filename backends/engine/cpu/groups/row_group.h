// SPDX-License-Identifier: Apache-2.0
// Steps that work row by row, run together a few rows at a time, so that what they hand each other
// stays in the cache: softmax reads its operand once and writes its result once.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_GROUPS_ROW_GROUP_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_GROUPS_ROW_GROUP_H_

#include <memory>
#include <vector>

#include "backends/engine/cpu/base/part_work.h"
#include "backends/engine/cpu/base/program.h"
#include "backends/engine/cpu/kernels/reduce/reduce.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"
#include "backends/engine/cpu/loops/loop_program.h"

namespace hlocts::cpu {

// How a step works on rows; neither: it does not.
struct RowWork {
  // A loop over so many elements.
  std::shared_ptr<const LoopProgram> loop;
  int64_t elements = 0;
  int width = 0;  // of the result
  // A reduction of each row to one element: operands are the array and the initial value.
  bool is_reduce = false;
  kernels::ReduceKind kind = kernels::ReduceKind::kAdd;
  PrimitiveType type = PrimitiveType::kF32;
  int64_t rows = 0, size = 0;
};

class RowGroup {
 public:
  struct Member {
    RowWork work;
    std::vector<GroupPlace> in;
    GroupPlace out;
  };
  struct Internal {
    int64_t row_bytes = 0;
  };

  // Whether a loop over `elements`, seen as `rows` rows, reads array `array`, which has
  // `row_elements` elements in each row, only at the row that it computes.
  static bool ReadsOwnRow(const LoopProgram& loop, int array, int64_t elements, int64_t rows,
                          int64_t row_elements);

  RowGroup(int64_t rows, std::vector<Member> members, std::vector<Internal> internals,
           const kernels::Parallel& parallel);
  absl::Status operator()(Run& run, In in, Out out) const;
  // Rows [begin, end) on the calling thread.
  absl::Status RunRows(In in, Out out, int64_t begin, int64_t end) const;
  int64_t rows() const { return rows_; }
  double row_cost() const { return row_cost_; }  // nanoseconds, a guess

 private:
  void FindStreams();
  int64_t SharesOf(int64_t rows) const;
  void FetchRows(In in, Out out, int64_t begin, int64_t end, LineFetcher& fetcher) const;
  absl::Status RunMember(const Member& member, In in, Out out, uint8_t* const* internals,
                         int64_t begin, int64_t end, LineFetcher& fetcher) const;

  struct Stream {
    GroupPlace place;
    int64_t row_bytes = 0;
  };

  int64_t rows_;
  std::vector<Stream> streams_;
  std::vector<Member> members_;
  std::vector<Internal> internals_;
  kernels::Parallel parallel_;
  int64_t rows_at_once_ = 1;
  double row_cost_ = 0;
};

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_GROUPS_ROW_GROUP_H_
