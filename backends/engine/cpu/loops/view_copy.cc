// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/loops/view_copy.h"

#include <algorithm>

#include "backends/engine/cpu/elementwise/stream.h"
#include "backends/engine/cpu/kernels/transpose/transpose.h"
#include "backends/engine/cpu/loops/load_view.h"
#include "backends/engine/cpu/loops/loop_program.h"
#include "spec/ir/element_width.h"

namespace hlocts::cpu {
namespace {

// Copies by tiles. This is used if adjacent elements of the result are not adjacent in the operand,
// as in transposes. A tile is complete before its cache lines and pages are evicted.
class TiledCopy {
 public:
  static constexpr int64_t kColumns = 32, kRows = 512;  // size of a tile

  TiledCopy(const plan::View& view, int width)
      : view_(view), streams_(view.elements() * width >= kStreamedBytes) {
    const size_t rank = view_.dimensions.size();
    if (rank < 2 || view_.dimensions[rank - 1].stride == 1 ||
        view_.dimensions[rank - 1].stride == 0) {
      return;
    }
    for (size_t d = 0; d + 1 < rank; ++d) {
      if (view_.dimensions[d].stride == 1) column_ = static_cast<int64_t>(d);
    }
    inner_ = view_.dimensions[rank - 1].size;
  }
  bool helps() const { return column_ >= 0 && view_.dimensions[column_].size >= 8 && inner_ >= 8; }
  // Returns the number of tiles. A tile covers kRows positions of the innermost dimension and
  // kColumns positions of dimension `column_`, for one index in the other dimensions.
  int64_t pieces() const { return view_.elements() / inner_ / columns() * strips() * blocks(); }
  int64_t piece_elements() const { return kColumns * std::min(kRows, inner_); }

  template <typename T>
  void RunPieces(const uint8_t* array, int64_t begin, int64_t end, uint8_t* out) const {
    for (int64_t piece = begin; piece < end; ++piece) {
      const int64_t first = piece % strips() * kColumns, at = piece / strips() % blocks() * kRows;
      int64_t left = piece / strips() / blocks(), from = view_.offset, to = at, out_stride = inner_;
      int64_t column_stride = 0;
      for (int64_t d = static_cast<int64_t>(view_.dimensions.size()) - 2; d >= 0; --d) {
        const plan::ViewDimension& dimension = view_.dimensions[d];
        const int64_t index = d == column_ ? first : left % dimension.size;
        if (d == column_) {
          column_stride = out_stride;
        } else {
          left /= dimension.size;
        }
        from += index * dimension.stride;
        to += index * out_stride;
        out_stride *= dimension.size;
      }
      const int64_t stride = view_.dimensions.back().stride;
      TransposeRows(reinterpret_cast<const T*>(array) + from + at * stride, stride,
                    std::min(kRows, inner_ - at), std::min(kColumns, columns() - first),
                    reinterpret_cast<T*>(out) + to, column_stride, streams_);
    }
  }

 private:
  int64_t columns() const { return view_.dimensions[column_].size; }
  int64_t strips() const { return (columns() + kColumns - 1) / kColumns; }
  int64_t blocks() const { return (inner_ + kRows - 1) / kRows; }

  template <typename T>
  static void TransposeRows(const T* from, int64_t stride, int64_t rows, int64_t columns, T* to,
                            int64_t to_stride, bool streams) {
    if constexpr (sizeof(T) <= 8) {
      const kernels::TransposeRequest request = {sizeof(T), rows, columns,   from,
                                                 stride,    to,   to_stride, streams};
      if (kernels::Transpose(request).ok()) return;
    }
    for (int64_t r = 0; r < rows; r += kColumns) {
      for (int64_t c = 0; c < columns; ++c) {
        for (int64_t i = r; i < std::min(rows, r + kColumns); ++i) {
          to[c * to_stride + i] = from[i * stride + c];
        }
      }
    }
  }

  plan::View view_;
  int64_t column_ = -1, inner_ = 0;
  bool streams_;
};

}  // namespace

StepFunction ViewCopy(const plan::View& view, int width, int64_t elements,
                      const kernels::Parallel& parallel) {
  const TiledCopy tiled(view, width);
  if (elements == 0 || !tiled.helps()) {
    return [=](Run&, In in, Out out) {
      parallel.For(
          elements, 0.5,
          [&](int64_t begin, int64_t end) {
            LoadView(view, width, in[0], begin, end - begin, out[0] + begin * width);
          },
          LoopProgram::kBlock);
      return absl::OkStatus();
    };
  }
  return [=](Run&, In in, Out out) {
    const double cost = 0.5 * static_cast<double>(tiled.piece_elements());
    parallel.For(tiled.pieces(), cost, [&](int64_t begin, int64_t end) {
      VisitWidth(width,
                 [&](auto zero) { tiled.RunPieces<decltype(zero)>(in[0], begin, end, out[0]); });
      FinishStreams();
    });
    return absl::OkStatus();
  };
}

}  // namespace hlocts::cpu
