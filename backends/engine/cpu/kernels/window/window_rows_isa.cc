// SPDX-License-Identifier: Apache-2.0
// A row of the output at a time: the rows of the input under it become one, in vectors, and of that
// each tap of a window is a load of elements a stride apart.
#include "backends/engine/cpu/kernels/window/window_rows_isa.h"

#include <algorithm>
#include <vector>

#include "backends/engine/cpu/kernels/reduce/reduce_ops_isa.h"
#include "backends/engine/cpu/kernels/runtime/convert_isa.h"
#include "backends/engine/cpu/kernels/window/lanes_apart_isa.h"

namespace hlocts::kernels::HLOCTS_ISA {
namespace {

constexpr int64_t kTapsMax = 64;  // along the row, and above it; more are not for this
constexpr int64_t kPiece = 2048;  // elements of a row of the input at a time
constexpr int64_t kStrideMax = 64;
constexpr int64_t kGroupMax = 16;  // outputs' rows at a time

using Dimensions = absl::InlinedVector<WindowDimensionSpec, 4>;

template <typename Op, typename T>
class RowWindows {
 public:
  RowWindows(const ReduceWindowRequest& request, bool stored)
      : request_(request), row_(request.dimensions.back()), stored_(stored) {
    // Dimensions without a window are one with those next to them.
    for (size_t d = 0; d + 1 < request.dimensions.size(); ++d) {
      const WindowDimensionSpec& w = request.dimensions[d];
      if (IsTrivial(w) && !above_.empty() && IsTrivial(above_.back())) {
        above_.back().input_size = above_.back().output_size *= w.input_size;
      } else {
        above_.push_back(w);
      }
    }
    for (const WindowDimensionSpec& w : above_) rows_ *= w.output_size;
    const int64_t vectors = (row_.output_size + kLanes<T> - 1) / kLanes<T>;
    piece_ = std::clamp<int64_t>(kPiece / row_.stride / kLanes<T>, 1, vectors) * kLanes<T>;
    pieces_ = (row_.output_size + piece_ - 1) / piece_;
    if (stored) {
      init_ = *static_cast<const T*>(request.init);
    } else {
      DecodeRun(request.type, request.init, 1, 1, &init_);
    }
  }

  void Run(const Parallel& parallel) const {
    int64_t taps = row_.size;
    for (const WindowDimensionSpec& w : above_) taps += w.size;
    const double cost = 30 + 0.1 * static_cast<double>(taps * std::min(piece_, row_.output_size));
    const int64_t length = (piece_ - 1) * row_.stride + Reach() + 1;
    // What has just been stored cannot be loaded at another place at once: the rows of a few
    // outputs first, then their taps.
    const int64_t group = std::clamp<int64_t>(kPiece / length, 1, kGroupMax);
    parallel.For(rows_ * pieces_, cost, [&](int64_t unit, int64_t end) {
      Buffers buffers;
      buffers.sums.resize(group * length);
      buffers.decoded.resize(stored_ ? 0 : length + piece_);
      for (; unit < end; unit += group) {
        const int64_t count = std::min(group, end - unit);
        for (int64_t i = 0; i < count; ++i) JoinRows(unit + i, buffers, &buffers.sums[i * length]);
        for (int64_t i = 0; i < count; ++i) JoinTaps(unit + i, buffers, &buffers.sums[i * length]);
      }
    });
  }

 private:
  struct Buffers {
    std::vector<T> sums, decoded;
    std::vector<int64_t> rows, next;  // where the rows of the input begin
  };

  static bool IsTrivial(const WindowDimensionSpec& w) {
    return w.size == 1 && w.stride == 1 && w.padding_low == 0 && w.base_dilation == 1 &&
           w.input_size == w.output_size;
  }

  int64_t Reach() const { return (row_.size - 1) * row_.window_dilation; }

  void FindRows(int64_t number, Buffers& buffers) const {
    buffers.rows.assign(1, 0);
    int64_t stride = row_.input_size;
    for (size_t d = above_.size(); d-- > 0;) {
      const WindowDimensionSpec& w = above_[d];
      const int64_t start = number % w.output_size * w.stride - w.padding_low;
      number /= w.output_size;
      buffers.next.clear();
      for (int64_t k = 0; k < w.size; ++k) {
        const int64_t at = start + k * w.window_dilation;
        if (at < 0 || at >= w.input_size) continue;
        for (const int64_t row : buffers.rows) buffers.next.push_back(row + at * stride);
      }
      buffers.rows.swap(buffers.next);
      stride *= w.input_size;
    }
  }

  // The piece of a row that unit `unit` is, as (row, first output, number of outputs).
  struct Piece {
    int64_t row, first, count;
  };
  Piece PieceOf(int64_t unit) const {
    const int64_t first = unit % pieces_ * piece_;
    return {unit / pieces_, first, std::min(piece_, row_.output_size - first)};
  }

  // sum[i] = what lies under the windows in column i, counted from the first tap of the first
  // output.
  void JoinRows(int64_t unit, Buffers& buffers, T* sum) const {
    const Piece piece = PieceOf(unit);
    const int64_t start = piece.first * row_.stride - row_.padding_low;
    const int64_t length = (piece.count - 1) * row_.stride + Reach() + 1;
    const int64_t begin = std::clamp<int64_t>(-start, 0, length);
    const int64_t end = std::clamp(row_.input_size - start, begin, length);
    FindRows(piece.row, buffers);
    if (buffers.rows.empty() || begin == end) {
      return std::fill(sum, sum + length, Op::template Identity<T>());
    }
    std::fill(sum, sum + begin, Op::template Identity<T>());
    if (stored_) {
      const T* operand = static_cast<const T*>(request_.operand) + (start + begin);
      JoinStored(operand, buffers.rows, end - begin, sum + begin);
    } else {
      JoinDecoded(start + begin, buffers, end - begin, sum + begin);
    }
    std::fill(sum + end, sum + length, Op::template Identity<T>());
  }

  void JoinDecoded(int64_t column, Buffers& buffers, int64_t count, T* sum) const {
    const char* from = static_cast<const char*>(request_.operand);
    const int width = StorageBytes(request_.type);
    T* decoded = buffers.decoded.data();
    DecodeRun(request_.type, from + (buffers.rows[0] + column) * width, 1, count, sum);
    for (size_t r = 1; r < buffers.rows.size(); ++r) {
      DecodeRun(request_.type, from + (buffers.rows[r] + column) * width, 1, count, decoded);
      for (int64_t i = 0; i < count; ++i) sum[i] = Op::template Apply<T>(sum[i], decoded[i]);
    }
  }

  static void JoinStored(const T* from, const std::vector<int64_t>& rows, int64_t count, T* sum) {
    int64_t i = 0;
    while (i + kLanes<T> <= count) {
      Vec<T> x = Load(from + (rows[0] + i));
      for (size_t r = 1; r < rows.size(); ++r) x = Op::Apply(x, Load(from + (rows[r] + i)));
      Store(sum + i, x);
      // The last whole vector ends with the row: some are made twice.
      i = i + kLanes<T> < count ? std::min(i + kLanes<T>, count - kLanes<T>) : count;
    }
    for (; i < count; ++i) {
      T x = from[rows[0] + i];
      for (size_t r = 1; r < rows.size(); ++r) x = Op::template Apply<T>(x, from[rows[r] + i]);
      sum[i] = x;
    }
  }

  void JoinTaps(int64_t unit, Buffers& buffers, const T* sum) const {
    const Piece piece = PieceOf(unit);
    const int64_t at = piece.row * row_.output_size + piece.first;
    T* out = stored_ ? static_cast<T*>(request_.output) + at : buffers.decoded.data();
    switch (row_.stride) {
      case 1:
        JoinTapsApart<1>(sum, piece.count, out);
        break;
      case 2:
        JoinTapsApart<2>(sum, piece.count, out);
        break;
      case 4:
        JoinTapsApart<4>(sum, piece.count, out);
        break;
      default:
        JoinTapsApart<0>(sum, piece.count, out);
    }
    if (stored_) return;
    EncodeRun(request_.type, out, piece.count, 1,
              static_cast<char*>(request_.output) + at * StorageBytes(request_.type));
  }

  // Only whole vectors are made: what they read behind the last tap is in the buffer, and is not
  // kept.
  template <int kStride>
  void JoinTapsApart(const T* sum, int64_t count, T* out) const {
    constexpr int64_t kTwo = 2 * kLanes<T>;
    int64_t x = 0;
    for (; x + kTwo <= count; x += kTwo) {
      Vec<T> values[2];
      JoinVectors<kStride, 2>(sum + x * row_.stride, values);
      __builtin_memcpy(out + x, values, sizeof(values));
    }
    for (; x < count; x += kLanes<T>) {
      Vec<T> value[1];
      JoinVectors<kStride, 1>(sum + x * row_.stride, value);
      __builtin_memcpy(out + x, value, std::min<int64_t>(kLanes<T>, count - x) * sizeof(T));
    }
  }

  template <int kStride, int kVectors>
  HLOCTS_INLINE void JoinVectors(const T* from, Vec<T> (&values)[kVectors]) const {
    HLOCTS_UNROLL for (int v = 0; v < kVectors; ++v) values[v] = Splat(init_);
    for (int64_t k = 0; k < row_.size; ++k, from += row_.window_dilation) {
      HLOCTS_UNROLL for (int v = 0; v < kVectors; ++v) {
        const T* at = from + v * kLanes<T> * row_.stride;
        values[v] = Op::Apply(values[v], LoadApart<kStride>(at, row_.stride));
      }
    }
  }

  const ReduceWindowRequest& request_;
  const WindowDimensionSpec& row_;
  const bool stored_;
  Dimensions above_;
  int64_t rows_ = 1, piece_ = 0, pieces_ = 0;
  T init_ = 0;
};

template <typename T>
bool RunKind(const Parallel& parallel, const ReduceWindowRequest& request, bool stored) {
  switch (request.kind) {
    case ReduceKind::kAdd:
      RowWindows<AddOp, T>(request, stored).Run(parallel);
      return true;
    case ReduceKind::kMultiply:
      RowWindows<MultiplyOp, T>(request, stored).Run(parallel);
      return true;
    case ReduceKind::kMinimum:
      RowWindows<MinimumOp, T>(request, stored).Run(parallel);
      return true;
    case ReduceKind::kMaximum:
      RowWindows<MaximumOp, T>(request, stored).Run(parallel);
      return true;
    default:
      return false;
  }
}

bool IsShort(const Dimensions& dimensions) {
  const WindowDimensionSpec& row = dimensions.back();
  int64_t above = 1;
  for (const WindowDimensionSpec& w : dimensions) {
    if (w.base_dilation != 1 || w.size > kTapsMax) return false;
    above *= &w == &row ? 1 : w.size;
    if (above > kTapsMax) return false;
  }
  return (row.size - 1) * row.window_dilation <= kPiece && row.stride <= kStrideMax &&
         !(row.size == 1 && row.stride == 1);
}

}  // namespace

bool ReduceWindowByRows(const Parallel& parallel, const ReduceWindowRequest& request) {
  if (!IsFloat(request.type) || request.dimensions.empty() || !IsShort(request.dimensions)) {
    return false;
  }
  if (request.type == PrimitiveType::kF64) return RunKind<double>(parallel, request, true);
  return RunKind<float>(parallel, request, request.type == PrimitiveType::kF32);
}

}  // namespace hlocts::kernels::HLOCTS_ISA
