// SPDX-License-Identifier: Apache-2.0
// Stable merge sort by any comparator, asked in batches: many merges advance side by side, one
// comparison each per step. Where a level has few merges, each is cut into independent ones at
// points found by binary searches that also advance side by side.
#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "backends/engine/cpu/kernels/runtime/checks.h"
#include "backends/engine/cpu/kernels/runtime/scratch.h"
#include "backends/engine/cpu/kernels/sort/sort.h"
#include "backends/engine/cpu/kernels/sort/sort_rows.h"

namespace hlocts::kernels {
namespace {

constexpr int64_t kBatch = 256;  // merges that advance side by side, so that their ends stay cached
constexpr int64_t kRowsElements = 1 << 16;  // short rows are sorted together up to this
constexpr double kNanosecondsPerComparison = 15;

// Runs [a, a_end) and [b, b_end) of positions are merged to out.
struct Merge {
  int64_t a, a_end, b, b_end, out;
};

class ComparatorSort {
 public:
  ComparatorSort(const Parallel& parallel, BatchComparator comparator, const RowRange& rows,
                 uint32_t* order, uint32_t* other)
      : parallel_(parallel), comparator_(comparator), rows_(rows), order_(order), other_(other) {}

  // Sorts every row of the range; the positions within each row, row after row.
  absl::Status Run(const uint32_t** sorted) {
    const int64_t row_count = rows_.end - rows_.begin;
    for (int64_t row = 0; row < row_count; ++row) {
      std::iota(order_ + row * rows_.size, order_ + (row + 1) * rows_.size, 0);
    }
    for (int64_t width = 1; width < rows_.size; width *= 2) {
      std::vector<Merge> merges;
      for (int64_t row = 0; row < row_count; ++row) AddMerges(row, width, merges);
      HLOCTS_RETURN_IF_ERROR(Split(merges));
      HLOCTS_RETURN_IF_ERROR(RunMerges(merges));
      std::swap(order_, other_);
    }
    *sorted = order_;
    return absl::OkStatus();
  }

 private:
  // Number of the element that slot `slot` of order_ names.
  int64_t Element(int64_t slot) const {
    const int64_t row = rows_.end - rows_.begin == 1 ? 0 : slot / rows_.size;
    return rows_.First(rows_.begin + row) + static_cast<int64_t>(order_[slot]) * rows_.inner;
  }

  void AddMerges(int64_t row, int64_t width, std::vector<Merge>& merges) const {
    const int64_t first = row * rows_.size, last = first + rows_.size;
    for (int64_t a = first; a < last; a += 2 * width) {
      const int64_t b = std::min(last, a + width);
      merges.push_back({a, b, b, std::min(last, b + width), a});
    }
  }

  // less[i] = element of slot lhs[i] before element of slot rhs[i].
  absl::Status Compare(const std::vector<int64_t>& lhs, const std::vector<int64_t>& rhs,
                       std::vector<uint8_t>& less) const {
    return comparator_(lhs.data(), rhs.data(), static_cast<int64_t>(lhs.size()), less.data());
  }

  // Cuts merges so that there are about kBatch for every thread, each worth its overhead.
  absl::Status Split(std::vector<Merge>& merges) const {
    const int64_t wanted = kBatch * parallel_.threads();
    const int64_t count = static_cast<int64_t>(merges.size());
    const int64_t pieces = std::min(wanted / count, 2 * rows_.size / 32);
    if (pieces < 2) return absl::OkStatus();
    std::vector<Merge> result;
    for (const Merge& merge : merges) {
      std::vector<int64_t> ranks;
      const int64_t total = merge.a_end - merge.a + merge.b_end - merge.b;
      for (int64_t p = 1; p < pieces; ++p) ranks.push_back(total * p / pieces);
      std::vector<int64_t> from_a;
      HLOCTS_RETURN_IF_ERROR(FindSplits(merge, ranks, from_a));
      Cut(merge, ranks, from_a, result);
    }
    merges = std::move(result);
    return absl::OkStatus();
  }

  // from_a[p]: how many of the first ranks[p] outputs come from run a; all searches step together.
  absl::Status FindSplits(const Merge& merge, const std::vector<int64_t>& ranks,
                          std::vector<int64_t>& from_a) const {
    const int64_t a_count = merge.a_end - merge.a, b_count = merge.b_end - merge.b;
    std::vector<int64_t> low, high, open, lhs, rhs;
    for (int64_t rank : ranks) {
      low.push_back(std::max<int64_t>(0, rank - b_count));
      high.push_back(std::min(rank, a_count));
    }
    for (;;) {
      open.clear(), lhs.clear(), rhs.clear();
      for (size_t p = 0; p < ranks.size(); ++p) {
        if (low[p] >= high[p]) continue;
        const int64_t middle = (low[p] + high[p]) / 2;
        open.push_back(p);
        lhs.push_back(Element(merge.b + ranks[p] - middle - 1));
        rhs.push_back(Element(merge.a + middle));
      }
      if (open.empty()) break;
      std::vector<uint8_t> less(open.size());
      HLOCTS_RETURN_IF_ERROR(Compare(lhs, rhs, less));
      for (size_t i = 0; i < open.size(); ++i) {
        const int64_t p = open[i], middle = (low[p] + high[p]) / 2;
        (less[i] != 0 ? high : low)[p] = less[i] != 0 ? middle : middle + 1;
      }
    }
    from_a = std::move(low);
    return absl::OkStatus();
  }

  // A comparator that contradicts itself may give splits that go backwards: they are held to what
  // keeps the pieces a partition of both runs.
  static void Cut(const Merge& merge, const std::vector<int64_t>& ranks,
                  const std::vector<int64_t>& from_a, std::vector<Merge>& result) {
    int64_t rank = 0, taken = 0;
    for (size_t p = 0; p < ranks.size(); ++p) {
      const int64_t next = std::clamp(from_a[p], taken, taken + (ranks[p] - rank));
      result.push_back({merge.a + taken, merge.a + next, merge.b + rank - taken,
                        merge.b + ranks[p] - next, merge.out + rank});
      taken = next;
      rank = ranks[p];
    }
    result.push_back(
        {merge.a + taken, merge.a_end, merge.b + rank - taken, merge.b_end, merge.out + rank});
  }

  absl::Status RunMerges(std::vector<Merge>& merges) {
    const int64_t count = static_cast<int64_t>(merges.size());
    const int64_t groups = (count + kBatch - 1) / kBatch;
    const double elements = static_cast<double>((rows_.end - rows_.begin) * rows_.size);
    std::mutex mutex;
    absl::Status status;
    parallel_.For(groups, elements / groups * kNanosecondsPerComparison,
                  [&](int64_t group, int64_t end) {
                    for (; group < end; ++group) {
                      const auto first = merges.begin() + group * kBatch;
                      const auto last = merges.begin() + std::min(count, (group + 1) * kBatch);
                      absl::Status done = RunGroup({first, last});
                      const std::lock_guard<std::mutex> lock(mutex);
                      status.Update(done);
                    }
                  });
    return status;
  }

  absl::Status RunGroup(std::vector<Merge> active) {
    std::vector<int64_t> lhs(active.size()), rhs(active.size());
    std::vector<uint8_t> less(active.size());
    for (;;) {
      size_t open = 0;
      for (Merge& merge : active) {
        if (merge.a == merge.a_end || merge.b == merge.b_end) {
          Flush(merge);
          continue;
        }
        lhs[open] = Element(merge.b);
        rhs[open] = Element(merge.a);
        active[open++] = merge;
      }
      active.resize(open), lhs.resize(open), rhs.resize(open);
      if (open == 0) return absl::OkStatus();
      HLOCTS_RETURN_IF_ERROR(Compare(lhs, rhs, less));
      for (size_t i = 0; i < open; ++i) {
        Merge& merge = active[i];
        other_[merge.out++] = less[i] != 0 ? order_[merge.b++] : order_[merge.a++];
      }
    }
  }

  void Flush(const Merge& merge) {
    uint32_t* to = std::copy(order_ + merge.a, order_ + merge.a_end, other_ + merge.out);
    std::copy(order_ + merge.b, order_ + merge.b_end, to);
  }

  const Parallel& parallel_;
  BatchComparator comparator_;
  const RowRange rows_;
  uint32_t *order_, *other_;
};

}  // namespace

absl::Status SortByComparator(const Parallel& parallel, const SortRequest& request,
                              BatchComparator comparator) {
  HLOCTS_RETURN_IF_ERROR(CheckRows(request, std::numeric_limits<uint32_t>::max()));
  const int64_t row_count = request.outer * request.inner;
  if (row_count == 0 || request.size == 0) return absl::OkStatus();
  const int64_t together = std::clamp<int64_t>(kRowsElements / request.size, 1, row_count);
  const int64_t slots = together * request.size, bytes = slots * 8 + request.size * 16;
  const Scratch scratch(bytes);
  if (!scratch.ok()) return OutOfScratch(bytes);
  char* row_copy = scratch.As<char>();
  uint32_t* order = reinterpret_cast<uint32_t*>(row_copy + request.size * 16);
  for (int64_t begin = 0; begin < row_count; begin += together) {
    const RowRange rows = {begin, std::min(row_count, begin + together), request.size,
                           request.inner};
    const uint32_t* sorted = nullptr;
    ComparatorSort sort(parallel, comparator, rows, order, order + slots);
    HLOCTS_RETURN_IF_ERROR(sort.Run(&sorted));
    for (int64_t row = rows.begin; row < rows.end; ++row) {
      const uint32_t* positions = sorted + (row - rows.begin) * rows.size;
      for (const SortOperand& operand : request.operands) {
        PermuteRow(parallel, rows, rows.First(row), operand, positions, row_copy);
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace hlocts::kernels
