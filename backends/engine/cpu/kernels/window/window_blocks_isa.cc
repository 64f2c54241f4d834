// SPDX-License-Identifier: Apache-2.0
// Passes of reduce-window in blocks of the window's length: prefixes P and suffixes S within each
// block.
#include <algorithm>
#include <atomic>

#include "backends/engine/cpu/kernels/runtime/entries_isa.h"
#include "backends/engine/cpu/kernels/runtime/scratch.h"
#include "backends/engine/cpu/kernels/window/window_pass_isa.h"
#include "spec/base/status.h"

namespace hlocts::kernels::HLOCTS_ISA {
namespace {

// A line of n groups of `width` adjacent elements, `stride` elements apart, as the passes see it.
struct Line {
  const char* from;
  char* to;
  int64_t stride, width;
  char *prefixes, *suffixes;  // [n][width]
};

// prefixes of one block of a line of single elements; the carry starts from the identity.
void ScanSingles(const ReduceOps& ops, const char* from, int64_t count, char* to) {
  alignas(16) char carry[16];
  ops.fill(carry, 1);
  ops.scan(from, count, to, carry);
}

void SuffixesOfSingles(const ReduceOps& ops, const char* from, int64_t count, char* to) {
  // Backwards through a buffer: a suffix is a prefix of the reversed block.
  alignas(16) char carry[16];
  alignas(64) char reversed[kWindowTile * 16], scanned[kWindowTile * 16];
  ops.fill(carry, 1);
  for (int64_t end = count; end > 0;) {
    const int64_t begin = std::max<int64_t>(0, end - kWindowTile), n = end - begin;
    PackRun(ops.bytes, from + (end - 1) * ops.bytes, -1, n, reversed);
    ops.scan(reversed, n, scanned, carry);
    PackRun(ops.bytes, scanned + (n - 1) * ops.bytes, -1, n, to + begin * ops.bytes);
    end = begin;
  }
}

void PrefixesOfRows(const ReduceOps& ops, const Line& line, int64_t begin, int64_t end) {
  const int64_t row = line.width * ops.bytes, step = line.stride * ops.bytes;
  for (int64_t i = begin; i < end; ++i) {
    __builtin_memcpy(line.prefixes + i * row, line.from + i * step, row);
    if (i > begin)
      ops.columns(line.prefixes + i * row, line.prefixes + (i - 1) * row, 0, 1, line.width);
  }
}

void SuffixesOfRows(const ReduceOps& ops, const Line& line, int64_t begin, int64_t end) {
  const int64_t row = line.width * ops.bytes, step = line.stride * ops.bytes;
  for (int64_t i = end; i-- > begin;) {
    __builtin_memcpy(line.suffixes + i * row, line.from + i * step, row);
    if (i + 1 < end)
      ops.columns(line.suffixes + i * row, line.suffixes + (i + 1) * row, 0, 1, line.width);
  }
}

// Which of P and S any output of the pass uses.
struct Needs {
  bool prefixes, suffixes;
};

Needs NeedsOf(const WindowPass& pass) {
  const int64_t n = pass.n(), w = pass.window.size;
  if (n > w) return {true, true};
  // One block: windows clipped below use prefixes, the others (they end at n) suffixes.
  return {pass.Start(0) <= 0, pass.Start(pass.m() - 1) > 0};
}

// to[j] for a range of outputs with the same use of P and S: `kind` bit 0 P, bit 1 S. Position of S
// is a (or 0 when clipped), of P is b - 1 (or n - 1 when clipped).
void StoreRun(const WindowPass& pass, const Line& line, int64_t begin, int64_t end, int kind) {
  const int64_t n = pass.n(), w = pass.window.size, row = line.width * pass.ops.bytes;
  const int64_t bytes = pass.ops.bytes, out_step = line.stride * bytes;
  const int64_t b = pass.Start(begin) + w;
  const int64_t s_step = pass.window.stride, p_step = b > n ? 0 : pass.window.stride;
  const char* suffix = line.suffixes + (kind & 2 ? pass.Start(begin) * row : 0);
  const char* prefix = line.prefixes + (kind & 1 ? (std::min(b, n) - 1) * row : 0);
  char* to = line.to + begin * out_step;
  if (line.width == 1 && line.stride == 1) {
    const int64_t count = end - begin;
    PackRun(static_cast<int>(bytes), kind & 2 ? suffix : prefix, kind & 2 ? s_step : p_step, count,
            to);
    alignas(64) char run[kWindowTile * 16];
    for (int64_t i = 0; i < count && kind == 3; i += kWindowTile) {
      const int64_t part = std::min(kWindowTile, count - i);
      PackRun(static_cast<int>(bytes), prefix + i * p_step * bytes, p_step, part, run);
      pass.ops.columns(to + i * bytes, run, 0, 1, part);
    }
    return;
  }
  for (int64_t j = begin; j < end; ++j, to += out_step) {
    __builtin_memcpy(to, kind & 2 ? suffix : prefix, row);
    if (kind == 3) pass.ops.columns(to, prefix, 0, 1, line.width);
    suffix += kind & 2 ? s_step * row : 0;
    prefix += kind & 1 ? p_step * row : 0;
  }
}

void StoreEmpty(const WindowPass& pass, const Line& line, int64_t begin, int64_t end) {
  for (int64_t j = begin; j < end; ++j) {
    pass.ops.fill(line.to + j * line.stride * pass.ops.bytes, line.width);
  }
}

// The use of P and S by output j, and the first later output that may use them otherwise.
int KindOf(const WindowPass& pass, int64_t j, int64_t& next) {
  const int64_t n = pass.n(), w = pass.window.size, s = pass.window.stride, a = pass.Start(j);
  const int64_t first_inside = CeilDiv(pass.window.padding_low, s);             // a >= 0
  const int64_t first_over = FloorDiv(n - w + pass.window.padding_low, s) + 1;  // b > n
  const auto until = [&](int64_t limit) { next = std::max(j + 1, std::min(pass.m(), limit)); };
  if (a + w <= 0) return until(FloorDiv(pass.window.padding_low - w, s) + 1), 0;
  if (a >= n) return until(pass.m()), 0;
  if (a <= 0) return until(j < first_over ? std::min(first_inside, first_over) : first_inside), 1;
  const int64_t last_block = (n - 1) / w * w;
  if (a + w > n) {
    if (a >= last_block) return until(CeilDiv(n + pass.window.padding_low, s)), 2;
    return until(CeilDiv(last_block + pass.window.padding_low, s)), 3;
  }
  if (a % w == 0) return until(j + 1), 1;
  // Up to the next window that fills a block by itself, or the first that is cut off.
  const int64_t aligned = CeilDiv((a / w + 1) * w + pass.window.padding_low, s);
  return until(std::min(aligned, first_over)), 3;
}

void StoreLine(const WindowPass& pass, const Line& line) {
  for (int64_t j = 0; j < pass.m();) {
    int64_t next = 0;
    const int kind = KindOf(pass, j, next);
    if (kind == 0) {
      StoreEmpty(pass, line, j, next);
    } else {
      StoreRun(pass, line, j, next, kind);
    }
    j = next;
  }
}

absl::Status RunLine(const Parallel& parallel, const WindowPass& pass, const Line& line) {
  const int64_t n = pass.n(), w = pass.window.size, bytes = pass.ops.bytes;
  const Needs needs = NeedsOf(pass);
  const bool singles = line.width == 1 && line.stride == 1;
  for (int64_t begin = 0; begin < n; begin += std::min(w, n)) {
    const int64_t end = std::min(n, begin + std::min(w, n));
    const char* from = line.from + begin * bytes;
    if (needs.prefixes && !singles) PrefixesOfRows(pass.ops, line, begin, end);
    if (needs.suffixes && !singles) SuffixesOfRows(pass.ops, line, begin, end);
    if (needs.suffixes && singles) {
      SuffixesOfSingles(pass.ops, from, end - begin, line.suffixes + begin * bytes);
    }
    if (!needs.prefixes || !singles) continue;
    if (end - begin > 2 * kScanBlock) {
      HLOCTS_RETURN_IF_ERROR(
          ScanLongBlock(parallel, pass.ops, from, end - begin, line.prefixes + begin * bytes));
    } else {
      ScanSingles(pass.ops, from, end - begin, line.prefixes + begin * bytes);
    }
  }
  StoreLine(pass, line);
  return absl::OkStatus();
}

}  // namespace

absl::Status ScanLongBlock(const Parallel& parallel, const ReduceOps& ops, const char* from,
                           int64_t count, char* to, const void* init) {
  const int64_t pieces = CeilDiv(count, kScanBlock), bytes = ops.bytes;
  const Scratch carries((pieces + 1) * bytes);
  if (!carries.ok()) return OutOfScratch((pieces + 1) * bytes);
  char* carry = carries.As<char>();
  ops.fill(carry, pieces + 1);
  if (init != nullptr) __builtin_memcpy(carry, init, bytes);
  const double cost = kScanBlock * kNanosecondsPerElement;
  const auto length = [&](int64_t p) { return std::min(kScanBlock, count - p * kScanBlock); };
  parallel.For(pieces, cost, [&](int64_t p, int64_t end) {
    for (; p < end; ++p) ops.row(from + p * kScanBlock * bytes, length(p), carry + (p + 1) * bytes);
  });
  for (int64_t p = 1; p <= pieces; ++p) ops.row(carry + (p - 1) * bytes, 1, carry + p * bytes);
  parallel.For(pieces, cost, [&](int64_t p, int64_t end) {
    for (; p < end; ++p) {
      alignas(16) char start[16];
      __builtin_memcpy(start, carry + p * bytes, bytes);
      ops.scan(from + p * kScanBlock * bytes, length(p), to + p * kScanBlock * bytes, start);
    }
  });
  return absl::OkStatus();
}

absl::Status RunBlocks(const Parallel& parallel, const WindowPass& pass) {
  constexpr int64_t kWidth = 256;
  const int64_t tiles = CeilDiv(pass.inner, kWidth), bytes = pass.ops.bytes, n = pass.n();
  std::atomic<bool> failed{false};
  const double cost = 3 * kNanosecondsPerElement * n * std::min(pass.inner, kWidth);
  const auto run = [&](const Parallel& pool, int64_t unit) {
    const int64_t outer = unit / tiles, first = unit % tiles * kWidth;
    const int64_t width = std::min(kWidth, pass.inner - first), line_bytes = n * width * bytes;
    const Scratch scratch(2 * line_bytes);
    if (!scratch.ok()) return OutOfScratch(2 * line_bytes);
    const Line line = {pass.from + (outer * n * pass.inner + first) * bytes,
                       pass.to + (outer * pass.m() * pass.inner + first) * bytes,
                       pass.inner,
                       width,
                       scratch.As<char>(),
                       scratch.As<char>() + line_bytes};
    return RunLine(pool, pass, line);
  };
  if (pass.outer * tiles == 1) return run(parallel, 0);
  parallel.For(pass.outer * tiles, cost, [&](int64_t unit, int64_t end) {
    for (; unit < end; ++unit) {
      if (!run(Parallel(1), unit).ok()) failed = true;
    }
  });
  return failed ? OutOfScratch(2 * n * kWidth * bytes) : absl::OkStatus();
}

}  // namespace hlocts::kernels::HLOCTS_ISA
