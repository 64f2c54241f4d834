// SPDX-License-Identifier: Apache-2.0
// sort and topk. If the comparator is one comparison or the order of numbers, rows are sorted by
// keys, otherwise by calls of the comparator. topk sorts by total order.
#include "backends/engine/cpu/kernels/sort/sort.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "backends/engine/cpu/compile/op_list.h"
#include "backends/engine/cpu/loops/element_function.h"
#include "backends/engine/cpu/loops/loop_program.h"
#include "backends/engine/cpu/moves/strided.h"
#include "backends/engine/cpu/ops/numeric_order.h"
#include "spec/ir/float_format.h"

namespace hlocts::cpu {
namespace {

// Sorts positions by merging. Terminates with a permutation for any comparator.
template <typename Less>
absl::Status MergeSort(std::vector<int64_t>& order, Less&& less) {
  std::vector<int64_t> other(order.size());
  const size_t n = order.size();
  for (size_t width = 1; width < n; width *= 2) {
    for (size_t begin = 0; begin < n; begin += 2 * width) {
      const size_t middle = std::min(begin + width, n), end = std::min(middle + width, n);
      size_t left = begin, right = middle;
      for (size_t out = begin; out < end; ++out) {
        bool take_right = left == middle;
        if (!take_right && right < end) {
          HLOCTS_ASSIGN_OR_RETURN(take_right, less(order[right], order[left]));
        }
        other[out] = take_right ? order[right++] : order[left++];
      }
    }
    order.swap(other);
  }
  return absl::OkStatus();
}

// The largest number of pairs of elements for which the comparator is called on every pair. A
// comparator need not be a strict weak order: it may order two elements that are both equivalent to
// a third one. A merge sort may return two such elements in the wrong order.
constexpr int64_t kPairsMax = int64_t{1} << 22;

// Returns the positions in an order in which a comes before b if before(a, b). Always chooses the
// lowest possible position next. Returns an empty list if there is no such order.
template <typename Before>
std::vector<int64_t> OrderOf(size_t n, Before&& before) {
  std::vector<int64_t> sorted;
  std::vector<uint8_t> taken(n);
  while (sorted.size() < n) {
    size_t next = n;
    for (size_t a = 0; next == n && a < n; ++a) {
      bool free = taken[a] == 0;
      for (size_t b = 0; free && b < n; ++b) free = taken[b] != 0 || !before(b, a);
      if (free) next = a;
    }
    if (next == n) return {};
    taken[next] = 1;
    sorted.push_back(static_cast<int64_t>(next));
  }
  return sorted;
}

// Corrects `order` if an element precedes one that the comparator puts first. The result satisfies
// all such constraints, unless they form a cycle. Ties keep their order unless that violates a
// constraint (sort.8, rulings 0023 and 0024).
template <typename Less>
absl::Status TopologicalSort(std::vector<int64_t>& order, Less&& less) {
  const size_t n = order.size();
  std::vector<uint8_t> is_less(n * n);  // indexed by positions
  for (size_t a = 0; a < n; ++a) {
    for (size_t b = 0; b < n; ++b) {
      HLOCTS_ASSIGN_OR_RETURN(is_less[a * n + b], less(a, b));
    }
  }
  const auto demands = [&](size_t a, size_t b) {
    return is_less[a * n + b] != 0 && is_less[b * n + a] == 0;
  };
  const auto keeps = [&](size_t a, size_t b) {
    return demands(a, b) || (a < b && is_less[a * n + b] == 0 && is_less[b * n + a] == 0);
  };
  bool met = true;
  for (size_t i = 0; met && i < n; ++i) {
    for (size_t j = i + 1; met && j < n; ++j) met = !demands(order[j], order[i]);
  }
  if (met) return absl::OkStatus();
  std::vector<int64_t> sorted = OrderOf(n, keeps);
  if (sorted.empty()) sorted = OrderOf(n, demands);
  if (!sorted.empty()) order = std::move(sorted);
  return absl::OkStatus();
}

struct Rows {
  int64_t outer = 1, size = 1, inner = 1;

  bool HasFewPairs() const { return size <= 1 || outer * inner <= kPairsMax / size / size; }
};

void MoveRow(const Rows& rows, int64_t begin, const std::vector<int64_t>& order, int width,
             const uint8_t* from, uint8_t* to) {
  for (int64_t i = 0; i < rows.size; ++i) {
    std::memcpy(to + (begin + i * rows.inner) * width,
                from + (begin + order[i] * rows.inner) * width, static_cast<size_t>(width));
  }
}

struct SortPlan {
  Rows rows;
  std::vector<PrimitiveType> types;
  std::vector<int> widths;
  bool is_empty = false;

  kernels::SortRequest Request(In in, Out out, std::vector<kernels::SortOperand>& operands) const {
    for (size_t k = 0; k < types.size(); ++k) operands.push_back({types[k], in[k], out[k]});
    kernels::SortRequest request;
    request.outer = rows.outer, request.size = rows.size, request.inner = rows.inner;
    request.operands = operands;
    return request;
  }
};

SortPlan PlanOf(const OpContext& context) {
  const plan::ArrayType& first = context.in(0);
  const std::vector<int64_t>& named = context.source().IntList(Attr::kDimensions);
  const int64_t dimension = named.empty() ? first.rank() - 1 : named[0];
  SortPlan p;
  for (int64_t d = 0; d < first.rank(); ++d) {
    (d < dimension    ? p.rows.outer
     : d == dimension ? p.rows.size
                      : p.rows.inner) *= first.dimensions[d];
  }
  for (size_t k = 0; k < context.node.operands.size(); ++k) {
    p.types.push_back(context.in(k).type);
    p.widths.push_back(context.in(k).width());
  }
  p.is_empty = first.elements == 0;
  return p;
}

StepDraft SortByKey(const OpContext& context, const kernels::SortKey& key) {
  const SortPlan p = PlanOf(context);
  const bool stable = context.source().BoolOr(Attr::kIsStable, false);
  const kernels::Parallel parallel(context.compiler.options().threads);
  StepDraft draft;
  draft.run = [=](Run&, In in, Out out) {
    if (p.is_empty) return absl::OkStatus();
    std::vector<kernels::SortOperand> operands;
    return kernels::SortByKeys(parallel, p.Request(in, out, operands), {key}, stable);
  };
  return draft;
}

// Returns the key of one comparison. LT and GT do not order NaNs, except by total order.
kernels::SortKey KeyOf(const SimpleComparator& comparator, PrimitiveType type) {
  kernels::SortKey key;
  key.operand = static_cast<int>(comparator.operand);
  key.descending = comparator.direction == Direction::kGt;
  key.order = IsFloat(type) && !comparator.total_order ? kernels::KeyOrder::kNumeric
                                                       : kernels::KeyOrder::kTotal;
  return key;
}
kernels::SortKey KeyOf(const NumericOrder& order) {
  return {static_cast<int>(order.operand), kernels::KeyOrder::kNumeric, order.descending};
}

// Sorts by calls of the comparator.
StepDraft SortOneByOne(const OpContext& context, std::shared_ptr<const ElementFunction> body) {
  const SortPlan p = PlanOf(context);
  StepDraft draft;
  draft.run = [=](Run& run, In in, Out out) -> absl::Status {
    if (p.is_empty) return absl::OkStatus();
    std::vector<int64_t> order(p.rows.size);
    std::vector<const uint8_t*> pair(2 * p.widths.size());
    for (int64_t row = 0; row < p.rows.outer * p.rows.inner; ++row) {
      const int64_t begin = row / p.rows.inner * p.rows.size * p.rows.inner + row % p.rows.inner;
      std::iota(order.begin(), order.end(), 0);
      const auto less = [&](int64_t a, int64_t b) -> absl::StatusOr<bool> {
        for (size_t k = 0; k < p.widths.size(); ++k) {
          pair[2 * k] = in[k] + (begin + a * p.rows.inner) * p.widths[k];
          pair[2 * k + 1] = in[k] + (begin + b * p.rows.inner) * p.widths[k];
        }
        uint8_t is_less = 0;
        uint8_t* result = &is_less;
        HLOCTS_RETURN_IF_ERROR(body->Apply(run, pair.data(), &result, 1));
        return is_less != 0;
      };
      HLOCTS_RETURN_IF_ERROR(MergeSort(order, less));
      if (p.rows.HasFewPairs()) HLOCTS_RETURN_IF_ERROR(TopologicalSort(order, less));
      for (size_t k = 0; k < p.widths.size(); ++k) {
        MoveRow(p.rows, begin, order, p.widths[k], in[k], out[k]);
      }
    }
    return absl::OkStatus();
  };
  return draft;
}

template <typename T>
bool HoldsNanOf(const uint8_t* data, int64_t count) {
  const T* values = reinterpret_cast<const T*>(data);
  bool found = false;
  for (int64_t i = 0; i < count; ++i) found |= values[i] != values[i];
  return found;
}

bool HoldsNan(PrimitiveType type, const uint8_t* data, int64_t count) {
  if (type == PrimitiveType::kF32) return HoldsNanOf<float>(data, count);
  if (type == PrimitiveType::kF64) return HoldsNanOf<double>(data, count);
  const FloatFormat& format = FormatOf(type);
  const int width = StorageBytes(type);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, data + i * width, static_cast<size_t>(width));
    if (IsNanBits(format, bits)) return true;
  }
  return false;
}

// Sorts by key, or by the step `as_written` if a key is a NaN: with LT and GT a NaN neither
// precedes nor follows any value, so a stable sort must call the comparator.
StepDraft SortUnlessNan(const OpContext& context, const kernels::SortKey& key,
                        StepDraft as_written) {
  const size_t operand = static_cast<size_t>(key.operand);
  const plan::ArrayType keys = context.in(operand);
  StepDraft draft;
  draft.run = [by_key = SortByKey(context, key).run, as_written = std::move(as_written.run),
               operand, keys](Run& run, In in, Out out) {
    bool has_nan = HoldsNan(keys.type, in[operand], keys.elements);
    return has_nan ? as_written(run, in, out) : by_key(run, in, out);
  };
  return draft;
}

bool IsIndexType(PrimitiveType type) {
  return type == PrimitiveType::kS32 || type == PrimitiveType::kU32 ||
         type == PrimitiveType::kS64 || type == PrimitiveType::kU64;
}

StepDraft TopKByKernel(const OpContext& context, const kernels::TopKRequest& known) {
  const kernels::Parallel parallel(context.compiler.options().threads);
  StepDraft draft;
  draft.run = [=](Run&, In in, Out out) {
    if (known.rows == 0 || known.k == 0) return absl::OkStatus();
    kernels::TopKRequest request = known;
    request.input = in[0];
    request.values = out[0];
    request.indices = out[1];
    return kernels::TopK(parallel, request);
  };
  return draft;
}

// Sets the first k elements of `order` to the positions of the k first keys. Of equal keys, the
// one with the lower position comes first.
void PutFirst(const std::vector<uint64_t>& keys, int64_t k, bool largest,
              std::vector<int64_t>& order) {
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](int64_t a, int64_t b) {
    return keys[a] != keys[b] ? (keys[a] > keys[b]) == largest : a < b;
  });
}

}  // namespace

absl::StatusOr<StepDraft> MakeSort(const OpContext& context) {
  HLOCTS_ASSIGN_OR_RETURN(const auto body, context.compiler.CompileElements(context.called(0)));
  const std::optional<SimpleComparator> simple = SimpleComparatorOf(context.called(0));
  const bool strict = simple.has_value() &&
                      (simple->direction == Direction::kLt || simple->direction == Direction::kGt);
  StepDraft as_written = SortOneByOne(context, body);
  if (!strict) {
    const auto order = NumericOrderOf(context.called(0), *body);
    return order.has_value() ? SortByKey(context, KeyOf(*order)) : std::move(as_written);
  }
  const PrimitiveType type = context.in(static_cast<size_t>(simple->operand)).type;
  if (IsComplex(type)) return as_written;
  const kernels::SortKey key = KeyOf(*simple, type);
  if (IsFloat(type) && !simple->total_order) {
    return SortUnlessNan(context, key, std::move(as_written));
  }
  return SortByKey(context, key);
}

absl::StatusOr<StepDraft> MakeTopK(const OpContext& context) {
  const plan::ArrayType operand = context.in(0);
  const int64_t k = context.source().IntOr(Attr::kK, 0);
  const bool largest = context.source().BoolOr(Attr::kLargest, true);
  if (IsComplex(operand.type) || operand.rank() == 0) {
    return Unsupported(context.name(), ": topk of ", PrimitiveTypeName(operand.type));
  }
  const int64_t size = operand.dimensions.back();
  const int64_t rows = size == 0 ? 0 : operand.elements / size;
  const PrimitiveType index_type = context.out(1).type;
  if (IsIndexType(index_type)) {
    kernels::TopKRequest request = {operand.type, rows, size, k, largest};
    request.index_type = index_type;
    return TopKByKernel(context, request);
  }
  const int width = operand.width(), index_width = context.out(1).width();
  StepDraft draft;
  draft.run = [=](Run&, In in, Out out) {
    std::vector<uint64_t> keys(size);
    std::vector<int64_t> order(size);
    for (int64_t row = 0; row < rows; ++row) {
      const uint8_t* from = in[0] + row * size * width;
      TotalOrderKeys(operand.type, from, keys.data(), size);
      PutFirst(keys, k, largest, order);
      for (int64_t i = 0; i < k; ++i) {
        std::memcpy(out[0] + (row * k + i) * width, from + order[i] * width,
                    static_cast<size_t>(width));
        std::memcpy(out[1] + (row * k + i) * index_width, &order[i],
                    static_cast<size_t>(index_width));
      }
    }
    return absl::OkStatus();
  };
  return draft;
}

}  // namespace hlocts::cpu
