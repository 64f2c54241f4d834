// SPDX-License-Identifier: Apache-2.0
// Operands of dot as batches of matrices in the type of the computation, in place or copied.
#pragma once

#include <algorithm>
#include <complex>
#include <memory>

#include "backends/engine/cpu/kernels/gemm/dot.h"
#include "backends/engine/cpu/kernels/runtime/convert.h"
#include "backends/engine/cpu/kernels/runtime/loop_nest.h"
#include "backends/engine/cpu/kernels/runtime/scratch.h"
#include "spec/base/status.h"

namespace hlocts::kernels {

// An operand as a batch of matrices in the type of the computation.
struct Matrices {
  const char* data = nullptr;
  int64_t batch_stride = 0, free_stride = 0, depth_stride = 0;  // in elements
};

struct Sizes {
  int64_t batch = 1, m = 1, n = 1, k = 1;
};

struct OperandLoops {
  LoopNest<1> batch, free, contracting;
};

inline OperandLoops LoopsOf(const DotOperand& operand) {
  OperandLoops loops;
  auto loop = [&](int64_t d) {
    return LoopDimension<1>{operand.dimensions[d], {operand.strides[d]}};
  };
  for (int64_t d : operand.batch) loops.batch.push_back(loop(d));
  for (int64_t d : operand.contracting) loops.contracting.push_back(loop(d));
  for (int64_t d = 0; d < static_cast<int64_t>(operand.dimensions.size()); ++d) {
    const bool taken = std::count(operand.batch.begin(), operand.batch.end(), d) +
                           std::count(operand.contracting.begin(), operand.contracting.end(), d) >
                       0;
    if (!taken) loops.free.push_back(loop(d));
  }
  return loops;
}

inline Sizes SizesOf(const OperandLoops& lhs, const OperandLoops& rhs) {
  return {LoopCount(lhs.batch), LoopCount(lhs.free), LoopCount(rhs.free),
          LoopCount(lhs.contracting)};
}

// Sets `stride` to that of the loops merged into one. Returns false if they cannot be merged.
inline bool OneStride(const LoopNest<1>& loops, int64_t& stride) {
  const LoopNest<1> merged = MergedLoops(loops);
  if (merged.size() > 1) return false;
  stride = merged.empty() ? 0 : merged[0].stride[0];
  return true;
}

// Expands complex numbers of the right operand to real matrices {{re, im}, {-im, re}}. The left
// operand needs no expansion: its parts re, im are adjacent terms of the sum.
template <typename T>
void ExpandComplexRight(const std::complex<T>* from, int64_t stride, int64_t count, T* even,
                        T* odd) {
  for (int64_t j = 0; j < count; ++j) {
    const std::complex<T> x = from[j * stride];
    even[2 * j] = x.real();
    even[2 * j + 1] = x.imag();
    odd[2 * j] = -x.imag();
    odd[2 * j + 1] = x.real();
  }
}

// Converts one line of an operand to the type of the computation.
template <typename T>
void CopyLine(PrimitiveType type, const char* from, int64_t stride, int64_t count, T* to) {
  if (IsComplex(type)) {
    PackRun(2 * sizeof(T), from, stride, count, to);
  } else {
    DecodeRun(type, from, stride, count, to);
  }
}

// Describes the dense copy of an operand: [batch, contracting, free] if `free_inner`, else [batch,
// free, contracting].
inline Matrices DenseMatrices(const OperandLoops& loops, bool free_inner, int64_t parts,
                              int64_t element, Scratch& data) {
  const int64_t free = LoopCount(loops.free), depth = LoopCount(loops.contracting);
  return {.data = data.As<char>(),
          .batch_stride = free * depth * parts,
          .free_stride = free_inner ? 1 : depth * element,
          .depth_stride = free_inner ? free * element : 1};
}

// Copies an operand to a dense array, as [batch, contracting, free] or [batch, free, contracting].
template <typename T>
absl::Status CopyOperand(const Parallel& parallel, const DotOperand& operand,
                         const OperandLoops& loops, bool expand, Scratch& to, Matrices& matrices) {
  const bool is_complex = IsComplex(operand.type);
  LoopNest<1> outer = loops.batch;
  // The innermost dimension is the free one if the operand is expanded, or if it is real and the
  // free dimension has stride 1. Otherwise it is the contracting one.
  const LoopNest<1> free_loops = MergedLoops(loops.free);
  const bool free_inner =
      expand || (!is_complex && !free_loops.empty() && free_loops.back().stride[0] == 1);
  const LoopNest<1>&rows = free_inner ? loops.contracting : loops.free,
        &line = free_inner ? loops.free : loops.contracting;
  outer.insert(outer.end(), rows.begin(), rows.end());
  const LoopNest<1> inner = MergedLoops(line);
  const LoopDimension<1> run = inner.empty() ? LoopDimension<1>{} : inner.back();
  LoopNest<1> middle(inner.begin(), inner.empty() ? inner.end() : inner.end() - 1);
  outer.insert(outer.end(), middle.begin(), middle.end());
  const int64_t width = LoopCount(line), runs = width / run.size,
                bytes = StorageBytes(operand.type);
  const int64_t parts = is_complex ? (expand ? 4 : 2) : 1;
  const auto copy_run = [&](int64_t number, int64_t offset) {
    const char* from = static_cast<const char*>(operand.data) + offset * bytes;
    const int64_t row = number / runs, at = number % runs * run.size;
    if (expand) {
      T* even = to.As<T>() + row * width * 4 + 2 * at;
      ExpandComplexRight(reinterpret_cast<const std::complex<T>*>(from), run.stride[0], run.size,
                         even, even + 2 * width);
    } else {
      CopyLine(operand.type, from, run.stride[0], run.size,
               to.As<T>() + (row * width + at) * parts);
    }
  };
  parallel.For(LoopCount(outer), run.size * 1.0 + 5, [&](int64_t number, int64_t end) {
    LoopWalk<1> walk(outer, number);
    for (; number < end; ++number, walk.Next()) copy_run(number, walk.offset(0));
  });
  matrices = DenseMatrices(loops, free_inner, parts, is_complex ? 2 : 1, to);
  return absl::OkStatus();
}

// Uses an operand in place if its loops and type permit it, else copies it to `copy`.
template <typename T>
absl::Status Prepare(const Parallel& parallel, const DotOperand& operand, const OperandLoops& loops,
                     bool right, bool native, int64_t elements, std::unique_ptr<Scratch>& copy,
                     Matrices& matrices) {
  const bool is_complex = IsComplex(operand.type);
  if (native && !is_complex && OneStride(loops.batch, matrices.batch_stride) &&
      OneStride(loops.free, matrices.free_stride) &&
      OneStride(loops.contracting, matrices.depth_stride)) {
    matrices.data = static_cast<const char*>(operand.data);
    return absl::OkStatus();
  }
  const int64_t parts = is_complex ? (right ? 4 : 2) : 1;
  const int64_t bytes = elements * parts * static_cast<int64_t>(sizeof(T));
  copy = std::make_unique<Scratch>(bytes);
  if (!copy->ok()) return OutOfScratch(bytes);
  return CopyOperand<T>(parallel, operand, loops, right && is_complex, *copy, matrices);
}

}  // namespace hlocts::kernels
