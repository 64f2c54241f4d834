// reduce-window, one dimension after the other. A pass over [outer, n, inner] -> [outer, m, inner]
// either combines tap by tap (short windows, dilation) or, for long windows, combines for each
// output the end of one block of window length with the beginning of the next.
#include <algorithm>
#include <atomic>
#include <memory>

#include "backends/cpu/kernels/entries_isa.h"
#include "backends/cpu/kernels/reduce_table_isa.h"
#include "backends/cpu/kernels/scratch.h"
#include "backends/cpu/kernels/window.h"
#include "backends/cpu/kernels/window_rows_isa.h"
#include "spec/base/status.h"

namespace hlocts::kernels::HLOCTS_ISA {
namespace {

constexpr int64_t kTile = 2048;          // outputs, or adjacent elements, of a unit of work
constexpr int64_t kShortWindow = 6;      // taps below which combining tap by tap is as fast
constexpr int64_t kScanBlock = 1 << 15;  // of a long line that several threads scan
constexpr double kNanosecondsPerElement = 0.5;

struct Pass {
  ReduceOps ops;
  WindowDimensionSpec window;
  int64_t outer, inner;
  const char* from;
  char* to;

  int64_t n() const { return window.input_size; }
  int64_t m() const { return window.output_size; }
  // First position (undilated input numbering for base_dilation 1) of output j's window.
  int64_t Start(int64_t j) const { return j * window.stride - window.padding_low; }
};

int64_t FloorDiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
int64_t CeilDiv(int64_t a, int64_t b) { return -FloorDiv(-a, b); }

// -- Tap by tap.

// Lines of single elements: for each tap the outputs that it reaches are one strided run.
void TapsOfLine(const Pass& pass, const char* line, char* out, int64_t begin, int64_t end) {
  const WindowDimensionSpec& w = pass.window;
  const int64_t bytes = pass.ops.bytes, base = w.base_dilation;
  alignas(64) char run[kTile * 16];
  pass.ops.fill(out + begin * bytes, end - begin);
  for (int64_t k = 0; k < w.size; ++k) {
    const int64_t shift = k * w.window_dilation - w.padding_low;
    // Outputs j with 0 <= j * stride + shift <= (n - 1) * base, on the grid of base.
    int64_t j = std::max(begin, CeilDiv(-shift, w.stride));
    const int64_t last = std::min(end - 1, FloorDiv((w.input_size - 1) * base - shift, w.stride));
    if (base == 1) {
      if (j > last) continue;
      const char* from = line + (j * w.stride + shift) * bytes;
      const int64_t count = last - j + 1;
      if (w.stride != 1) PackRun(static_cast<int>(bytes), from, w.stride, count, run);
      pass.ops.columns(out + j * bytes, w.stride == 1 ? from : run, 0, 1, count);
      continue;
    }
    for (; j <= last; ++j) {
      const int64_t at = j * w.stride + shift;
      if (at % base == 0) pass.ops.row(line + at / base * bytes, 1, out + j * bytes);
    }
  }
}

// Rows of `inner` adjacent elements.
void TapsOfRows(const Pass& pass, int64_t outer, int64_t j, int64_t first, int64_t count) {
  const WindowDimensionSpec& w = pass.window;
  const int64_t bytes = pass.ops.bytes;
  char* out = pass.to + ((outer * pass.m() + j) * pass.inner + first) * bytes;
  pass.ops.fill(out, count);
  for (int64_t k = 0; k < w.size; ++k) {
    const int64_t at = pass.Start(j) + k * w.window_dilation;
    if (at < 0 || at % w.base_dilation != 0 || at / w.base_dilation >= w.input_size) continue;
    const int64_t row = outer * pass.n() + at / w.base_dilation;
    pass.ops.columns(out, pass.from + (row * pass.inner + first) * bytes, 0, 1, count);
  }
}

void RunTaps(const Parallel& parallel, const Pass& pass) {
  const bool lines = pass.inner == 1;
  const int64_t tiles = CeilDiv(lines ? pass.m() : pass.inner, kTile);
  const int64_t units = pass.outer * tiles * (lines ? 1 : pass.m());
  const int64_t width = std::min(kTile, lines ? pass.m() : pass.inner);
  const double cost = 10 + kNanosecondsPerElement * width * static_cast<double>(pass.window.size);
  parallel.For(units, cost, [&](int64_t unit, int64_t end) {
    for (; unit < end; ++unit) {
      const int64_t first = unit % tiles * kTile, rest = unit / tiles;
      if (lines) {
        TapsOfLine(pass, pass.from + rest * pass.n() * pass.ops.bytes,
                   pass.to + rest * pass.m() * pass.ops.bytes, first,
                   std::min(pass.m(), first + kTile));
      } else {
        TapsOfRows(pass, rest / pass.m(), rest % pass.m(), first,
                   std::min(kTile, pass.inner - first));
      }
    }
  });
}

// -- Blocks of the window's length: prefixes P and suffixes S within each block.

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
  alignas(64) char reversed[kTile * 16], scanned[kTile * 16];
  ops.fill(carry, 1);
  for (int64_t end = count; end > 0;) {
    const int64_t begin = std::max<int64_t>(0, end - kTile), n = end - begin;
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
    if (i > begin) ops.columns(line.prefixes + i * row, line.prefixes + (i - 1) * row, 0, 1, line.width);
  }
}

void SuffixesOfRows(const ReduceOps& ops, const Line& line, int64_t begin, int64_t end) {
  const int64_t row = line.width * ops.bytes, step = line.stride * ops.bytes;
  for (int64_t i = end; i-- > begin;) {
    __builtin_memcpy(line.suffixes + i * row, line.from + i * step, row);
    if (i + 1 < end) ops.columns(line.suffixes + i * row, line.suffixes + (i + 1) * row, 0, 1, line.width);
  }
}

// The prefixes of one long block, by several threads: sums of fixed pieces, then the pieces.
absl::Status ScanLongBlock(const Parallel& parallel, const ReduceOps& ops, const char* from,
                           int64_t count, char* to, const void* init = nullptr) {
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

// Which of P and S any output of the pass uses.
struct Needs {
  bool prefixes, suffixes;
};

Needs NeedsOf(const Pass& pass) {
  const int64_t n = pass.n(), w = pass.window.size;
  if (n > w) return {true, true};
  // One block: windows clipped below use prefixes, the others (they end at n) suffixes.
  return {pass.Start(0) <= 0, pass.Start(pass.m() - 1) > 0};
}

// to[j] for a range of outputs with the same use of P and S: `kind` bit 0 P, bit 1 S. Position of S
// is a (or 0 when clipped), of P is b - 1 (or n - 1 when clipped).
void StoreRun(const Pass& pass, const Line& line, int64_t begin, int64_t end, int kind) {
  const int64_t n = pass.n(), w = pass.window.size, row = line.width * pass.ops.bytes;
  const int64_t bytes = pass.ops.bytes, out_step = line.stride * bytes;
  const int64_t b = pass.Start(begin) + w;
  const int64_t s_step = pass.window.stride, p_step = b > n ? 0 : pass.window.stride;
  const char* suffix = line.suffixes + (kind & 2 ? pass.Start(begin) * row : 0);
  const char* prefix = line.prefixes + (kind & 1 ? (std::min(b, n) - 1) * row : 0);
  char* to = line.to + begin * out_step;
  if (line.width == 1 && line.stride == 1) {
    const int64_t count = end - begin;
    PackRun(static_cast<int>(bytes), kind & 2 ? suffix : prefix, kind & 2 ? s_step : p_step, count, to);
    alignas(64) char run[kTile * 16];
    for (int64_t i = 0; i < count && kind == 3; i += kTile) {
      const int64_t part = std::min(kTile, count - i);
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

void StoreEmpty(const Pass& pass, const Line& line, int64_t begin, int64_t end) {
  for (int64_t j = begin; j < end; ++j) {
    pass.ops.fill(line.to + j * line.stride * pass.ops.bytes, line.width);
  }
}

// The use of P and S by output j, and the first later output that may use them otherwise.
int KindOf(const Pass& pass, int64_t j, int64_t& next) {
  const int64_t n = pass.n(), w = pass.window.size, s = pass.window.stride, a = pass.Start(j);
  const int64_t first_inside = CeilDiv(pass.window.padding_low, s);           // a >= 0
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

void StoreLine(const Pass& pass, const Line& line) {
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

absl::Status RunLine(const Parallel& parallel, const Pass& pass, const Line& line) {
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

absl::Status RunBlocks(const Parallel& parallel, const Pass& pass) {
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
                       pass.inner, width, scratch.As<char>(), scratch.As<char>() + line_bytes};
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

bool IsTrivial(const WindowDimensionSpec& w) {
  return w.size == 1 && w.stride == 1 && w.padding_low == 0 && w.base_dilation == 1 &&
         w.input_size == w.output_size;
}

absl::Status RunPass(const Parallel& parallel, const Pass& pass) {
  const WindowDimensionSpec& w = pass.window;
  const bool taps = w.window_dilation != 1 || w.base_dilation != 1 || w.size <= kShortWindow ||
                    w.size <= 2 * w.stride;
  if (!taps) return RunBlocks(parallel, pass);
  RunTaps(parallel, pass);
  return absl::OkStatus();
}

// Joins the init value and stores.
void Finish(const Parallel& parallel, const ReduceWindowRequest& request, const ReduceOps& ops,
            bool decode, const char* from, int64_t count) {
  alignas(16) char init[16] = {};
  const int storage = StorageBytes(request.type);
  if (decode) {
    DecodeRun(request.type, request.init, 1, 1, reinterpret_cast<float*>(init));
  } else {
    __builtin_memcpy(init, request.init, ops.bytes);
  }
  parallel.For(CeilDiv(count, kTile), kTile * kNanosecondsPerElement, [&](int64_t tile, int64_t end) {
    alignas(64) char run[kTile * 16];
    for (; tile < end; ++tile) {
      const int64_t first = tile * kTile, n = std::min(kTile, count - first);
      PackRun(ops.bytes, init, 0, n, run);
      ops.columns(run, from + first * ops.bytes, 0, 1, n);
      char* to = static_cast<char*>(request.output) + first * storage;
      if (decode) {
        EncodeRun(request.type, reinterpret_cast<float*>(run), n, 1, to);
      } else if (IsSubByte(request.type)) {
        EncodeRun(request.type, reinterpret_cast<int8_t*>(run), n, 1, to);
      } else {
        __builtin_memcpy(to, run, n * ops.bytes);
      }
    }
  });
}

// Cumulative sums along the last dimension and nothing else: straight into the output, the init
// value in front.
bool IsCumulative(const ReduceWindowRequest& request, bool converts) {
  if (converts || request.dimensions.empty() || IsSubByte(request.type)) return false;
  for (size_t d = 0; d + 1 < request.dimensions.size(); ++d) {
    if (!IsTrivial(request.dimensions[d])) return false;
  }
  const WindowDimensionSpec& w = request.dimensions.back();
  return w.stride == 1 && w.base_dilation == 1 && w.window_dilation == 1 &&
         w.input_size == w.output_size && w.padding_low == w.size - 1 && w.size >= w.input_size;
}

absl::Status Accumulate(const Parallel& parallel, const ReduceWindowRequest& request,
                        const ReduceOps& ops, int64_t count) {
  const int64_t n = request.dimensions.back().input_size, lines = count / n, bytes = ops.bytes;
  const char* from = static_cast<const char*>(request.operand);
  char* to = static_cast<char*>(request.output);
  if (n > 2 * kScanBlock) {
    for (int64_t line = 0; line < lines; ++line) {
      HLOCTS_RETURN_IF_ERROR(ScanLongBlock(parallel, ops, from + line * n * bytes, n,
                                           to + line * n * bytes, request.init));
    }
    return absl::OkStatus();
  }
  parallel.For(lines, kNanosecondsPerElement * n + 10, [&](int64_t line, int64_t end) {
    for (; line < end; ++line) {
      alignas(16) char carry[16];
      __builtin_memcpy(carry, request.init, bytes);
      ops.scan(from + line * n * bytes, n, to + line * n * bytes, carry);
    }
  });
  return absl::OkStatus();
}

}  // namespace

absl::Status ReduceWindowKernel(const Parallel& parallel, const ReduceWindowRequest& request) {
  const ReduceOps ops = ReduceOpsFor(request.kind, request.type);
  const bool decode = ReduceComputeType(request.type) != request.type;
  int64_t count = 1, most = 1;
  for (const WindowDimensionSpec& d : request.dimensions) count *= d.input_size;
  if (IsCumulative(request, decode)) return Accumulate(parallel, request, ops, count);
  if (ReduceWindowByRows(parallel, request)) return absl::OkStatus();
  most = count;
  int64_t after = count;
  for (size_t d = request.dimensions.size(); d-- > 0;) {
    after = after / request.dimensions[d].input_size * request.dimensions[d].output_size;
    most = std::max(most, after);
  }
  const Scratch first(most * ops.bytes), second(most * ops.bytes);
  if (!first.ok() || !second.ok()) return OutOfScratch(most * ops.bytes);
  const char* from = static_cast<const char*>(request.operand);
  char *to = first.As<char>(), *other = second.As<char>();
  if (decode) {
    parallel.For(count, 1.0, [&](int64_t begin, int64_t end) {
      DecodeRun(request.type, from + begin * StorageBytes(request.type), 1, end - begin,
                reinterpret_cast<float*>(other) + begin);
    });
    from = other;
  }
  // From the last dimension on: the first passes are the ones with vectors of outputs.
  int64_t inner = 1, size = count;
  for (size_t d = request.dimensions.size(); d-- > 0;) {
    const WindowDimensionSpec& window = request.dimensions[d];
    const int64_t outer = size / inner / window.input_size;
    if (!IsTrivial(window)) {
      HLOCTS_RETURN_IF_ERROR(RunPass(parallel, {ops, window, outer, inner, from, to}));
      from = to;
      std::swap(to, other);
    }
    inner *= window.output_size;
    size = outer * inner;
  }
  Finish(parallel, request, ops, decode, from, size);
  return absl::OkStatus();
}

}  // namespace hlocts::kernels::HLOCTS_ISA
