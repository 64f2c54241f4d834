// SPDX-License-Identifier: Apache-2.0
// Times the kernels against plain loops, in turn, and checks what it has timed. Best of a few
// rounds each; `backends_cpu_kernels_bench [NAME...] [--threads=N]
// [--isa=base|avx2|avx512|avx512bf16] [--cpu_time]`. --cpu_time takes processor time instead of the
// clock (for --threads=1 on a machine that has other work).
#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "backends/engine/cpu/kernels/convolution/convolution.h"
#include "backends/engine/cpu/kernels/fft/fft.h"
#include "backends/engine/cpu/kernels/gather_scatter/gather_scatter.h"
#include "backends/engine/cpu/kernels/gemm/dot.h"
#include "backends/engine/cpu/kernels/linear_algebra/linear_algebra.h"
#include "backends/engine/cpu/kernels/random/random.h"
#include "backends/engine/cpu/kernels/reduce/reduce.h"
#include "backends/engine/cpu/kernels/runtime/isa.h"
#include "backends/engine/cpu/kernels/sort/sort.h"
#include "backends/engine/cpu/kernels/window/window.h"
#include "spec/base/status.h"

namespace hlocts::kernels {
namespace {

using Clock = std::chrono::steady_clock;

struct Bench {
  std::string name;
  double work;       // floating-point operations, or bytes moved
  const char* unit;  // of work per nanosecond
  std::function<absl::Status(const Parallel&)> kernel;
  std::function<void()> naive;   // may be null
  std::function<bool()> agrees;  // of the two results
};

std::vector<float> Floats(int64_t count, float low = -1, float high = 1) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> pick(low, high);
  std::vector<float> result(count);
  for (float& x : result) x = pick(random);
  return result;
}

// What the benchmarks read and write; kept for the whole run so that pages are warm.
struct Arrays {
  std::vector<float> a, b, out, naive;
  std::vector<int32_t> indices, moved;
};

bool Close(const std::vector<float>& x, const std::vector<float>& y, int64_t count, double bound) {
  for (int64_t i = 0; i < count; ++i) {
    if (!(std::fabs(x[i] - y[i]) <= bound)) return false;
  }
  return true;
}

Bench ReduceBench(Arrays& m, const char* name, std::vector<int64_t> dims,
                  std::vector<int64_t> reduced) {
  const int64_t count = dims[0] * dims[1];
  const auto kernel = [&m, dims, reduced](const Parallel& pool) {
    static const float zero = 0;
    const int64_t strides[] = {dims[1], 1};
    ReduceRequest r;
    r.dimensions = dims;
    r.strides = strides;
    r.reduced = reduced;
    r.operand = m.a.data();
    r.init = &zero;
    r.output = m.out.data();
    return Reduce(pool, r);
  };
  const bool rows = reduced.back() == 1, all = reduced.size() == 2;
  const auto naive = [&m, dims, rows, all] {
    std::fill(m.naive.begin(), m.naive.begin() + std::max(dims[0], dims[1]), 0.0f);
    for (int64_t i = 0; i < dims[0]; ++i) {
      for (int64_t j = 0; j < dims[1]; ++j) m.naive[all ? 0 : rows ? i : j] += m.a[i * dims[1] + j];
    }
  };
  const int64_t outputs = all ? 1 : rows ? dims[0] : dims[1];
  return {name,   4.0 * count,
          "GB/s", kernel,
          naive,  [&m, outputs, all] {
            return Close(m.out, m.naive, outputs, all ? 2000 : 0.1); }};
}

Bench DotBench(Arrays& m, const char* name, int64_t batch, int64_t n, PrimitiveType type) {
  static const std::vector<uint16_t> narrow(1 << 20, 0x3F81);  // bf16
  const bool is_narrow = type == PrimitiveType::kBF16;
  const void* a = is_narrow ? static_cast<const void*>(narrow.data()) : m.a.data();
  const void* b = is_narrow ? static_cast<const void*>(narrow.data()) : m.b.data();
  const auto kernel = [&m, a, b, batch, n, type](const Parallel& pool) {
    const int64_t dims[] = {batch, n, n}, strides[] = {n * n, n, 1}, zero[] = {0}, one[] = {1},
                  two[] = {2};
    return Dot(pool, {{a, type, dims, strides, zero, two},
                      {b, type, dims, strides, zero, one},
                      type,
                      m.out.data()});
  };
  std::function<void()> naive;
  std::function<bool()> agrees;
  if (type == PrimitiveType::kF32) {
    naive = [&m, batch, n] {
      std::fill(m.naive.begin(), m.naive.begin() + batch * n * n, 0.0f);
      for (int64_t i = 0; i < batch * n; ++i) {
        for (int64_t k = 0; k < n; ++k) {
          const float x = m.a[i * n + k];
          const float* row = m.b.data() + (i / n * n + k) * n;
          for (int64_t j = 0; j < n; ++j) m.naive[i * n + j] += x * row[j];
        }
      }
    };
    agrees = [&m, batch, n] { return Close(m.out, m.naive, batch * n * n, 1e-3); };
  }
  return {name, 2.0 * batch * n * n * n, "GFLOP/s", kernel, naive, agrees};
}

ConvolutionRequest ConvolutionOf(Arrays& m, int64_t batch, int64_t size, int64_t channels,
                                 bool depthwise) {
  ConvolutionRequest r;
  const int64_t in = depthwise ? 1 : channels;
  for (int d = 0; d < 2; ++d) {
    ConvolutionDimension s;
    s.input_size = s.output_size = size;
    s.kernel_size = 3;
    s.padding_low = 1;
    s.input_stride = s.output_stride = d == 0 ? size * channels : channels;
    s.kernel_stride = (d == 0 ? 3 : 1) * in * channels;
    r.spatial.push_back(s);
  }
  r.batch = batch;
  r.input_features = r.output_features = channels;
  r.kernel_inputs = in;
  r.feature_groups = depthwise ? channels : 1;
  r.input_batch_stride = r.output_batch_stride = size * size * channels;
  r.input_feature_stride = r.output_feature_stride = r.kernel_output_stride = 1;
  r.kernel_input_stride = channels;
  r.input = m.a.data();
  r.kernel = m.b.data();
  r.output = m.out.data();
  return r;
}

void NaiveConvolution(Arrays& m, int64_t batch, int64_t size, int64_t channels, bool depthwise) {
  for (int64_t n = 0; n < batch; ++n) {
    for (int64_t y = 0; y < size; ++y) {
      for (int64_t x = 0; x < size; ++x) {
        float* out = m.naive.data() + ((n * size + y) * size + x) * channels;
        std::fill(out, out + channels, 0.0f);
        for (int64_t t = 0; t < 9; ++t) {
          const int64_t v = y + t / 3 - 1, u = x + t % 3 - 1;
          if (v < 0 || v >= size || u < 0 || u >= size) continue;
          const float* in = m.a.data() + ((n * size + v) * size + u) * channels;
          if (depthwise) {
            for (int64_t c = 0; c < channels; ++c) out[c] += in[c] * m.b[t * channels + c];
            continue;
          }
          for (int64_t c = 0; c < channels; ++c) {
            const float* w = m.b.data() + (t * channels + c) * channels;
            for (int64_t o = 0; o < channels; ++o) out[o] += in[c] * w[o];
          }
        }
      }
    }
  }
}

Bench ConvolutionBench(Arrays& m, const char* name, bool depthwise) {
  const int64_t batch = 8, size = 56, channels = 64, count = batch * size * size * channels;
  return {name,
          18.0 * count * (depthwise ? 1 : channels),
          "GFLOP/s",
          [=, &m](const Parallel& pool) {
            return Convolution(pool, ConvolutionOf(m, batch, size, channels, depthwise));
          },
          [=, &m] { NaiveConvolution(m, batch, size, channels, depthwise); },
          [=, &m] { return Close(m.out, m.naive, count, 1e-3); }};
}

Bench SortBench(Arrays& m) {
  const int64_t n = 1 << 20;
  return {"sort_1m_f32",
          1.0 * n,
          "keys/ns",
          [=, &m](const Parallel& pool) {
            const SortOperand operand[] = {{PrimitiveType::kF32, m.a.data(), m.out.data()}};
            return SortByKeys(pool, {1, n, 1, operand}, {SortKey()}, false);
          },
          [=, &m] {
            std::copy(m.a.begin(), m.a.begin() + n, m.naive.begin());
            std::sort(m.naive.begin(), m.naive.begin() + n);
          },
          [=, &m] { return std::equal(m.out.begin(), m.out.begin() + n, m.naive.begin()); }};
}

Bench PairSortBench(Arrays& m) {
  const int64_t n = 1 << 20;
  return {"sort_1m_f32_s32_stable",
          1.0 * n,
          "keys/ns",
          [=, &m](const Parallel& pool) {
            const SortOperand operands[] = {
                {PrimitiveType::kF32, m.a.data(), m.out.data()},
                {PrimitiveType::kS32, m.indices.data(), m.moved.data()}};
            return SortByKeys(pool, {1, n, 1, operands}, {{0, KeyOrder::kNumeric}}, true);
          },
          [=, &m] {
            std::vector<std::pair<float, int32_t>> pairs(n);
            for (int64_t i = 0; i < n; ++i) pairs[i] = {m.a[i], m.indices[i]};
            std::stable_sort(pairs.begin(), pairs.end(),
                             [](const auto& x, const auto& y) { return x.first < y.first; });
            for (int64_t i = 0; i < n; ++i) m.naive[i] = pairs[i].first;
          },
          [=, &m] { return std::equal(m.out.begin(), m.out.begin() + n, m.naive.begin()); }};
}

Bench ComparatorSortBench(Arrays& m) {
  const int64_t n = 1 << 20;
  return {"sort_1m_comparator",
          1.0 * n,
          "keys/ns",
          [=, &m](const Parallel& pool) {
            const SortOperand operand[] = {{PrimitiveType::kF32, m.a.data(), m.out.data()}};
            return SortByComparator(
                pool, {1, n, 1, operand},
                [&m](const int64_t* x, const int64_t* y, int64_t count, uint8_t* less) {
                  for (int64_t i = 0; i < count; ++i) less[i] = m.a[x[i]] < m.a[y[i]];
                  return absl::OkStatus();
                });
          },
          nullptr,
          nullptr};
}

Bench TopKBench(Arrays& m) {
  const int64_t n = 1 << 20, k = 100;
  return {"topk_100_of_1m",
          4.0 * n,
          "GB/s",
          [=, &m](const Parallel& pool) {
            TopKRequest r;
            r.size = n, r.k = k;
            r.input = m.a.data();
            r.values = m.out.data();
            r.indices = m.moved.data();
            return TopK(pool, r);
          },
          [=, &m] {
            std::partial_sort_copy(m.a.begin(), m.a.begin() + n, m.naive.begin(),
                                   m.naive.begin() + k, std::greater<float>());
          },
          [=, &m] { return std::equal(m.out.begin(), m.out.begin() + k, m.naive.begin()); }};
}

Bench ArgMaxBench(Arrays& m) {
  const int64_t rows = 1024, n = 4096;
  return {"argmax_1024x4096",
          4.0 * rows * n,
          "GB/s",
          [=, &m](const Parallel& pool) {
            ArgReduceRequest r;
            r.outer = rows, r.size = n;
            r.operand = m.a.data();
            r.values = m.out.data();
            r.indices = m.moved.data();
            return ArgReduce(pool, r);
          },
          [=, &m] {
            for (int64_t i = 0; i < rows; ++i) {
              m.naive[i] = *std::max_element(m.a.begin() + i * n, m.a.begin() + (i + 1) * n);
            }
          },
          [=, &m] { return std::equal(m.out.begin(), m.out.begin() + rows, m.naive.begin()); }};
}

Bench CumulativeSumBench(Arrays& m) {
  const int64_t n = 1 << 20;
  return {"cumsum_1m",
          8.0 * n,
          "GB/s",
          [=, &m](const Parallel& pool) {
            static const float zero = 0;
            WindowDimensionSpec d;
            d.input_size = d.output_size = d.size = n;
            d.padding_low = n - 1;
            return ReduceWindow(
                pool,
                {ReduceKind::kAdd, PrimitiveType::kF32, {d}, m.a.data(), &zero, m.out.data()});
          },
          [=, &m] {
            float sum = 0;
            for (int64_t i = 0; i < n; ++i) m.naive[i] = sum += m.a[i];
          },
          [=, &m] { return Close(m.out, m.naive, n, 1); }};
}

Bench FftBench(Arrays& m, const char* name, int64_t rows, int64_t n) {
  return {name,
          5.0 * rows * n * std::log2(n),
          "GFLOP/s",
          [=, &m](const Parallel& pool) {
            const int64_t batch[] = {rows}, length[] = {n};
            return Fft(pool, {FftKind::kFft, PrimitiveType::kF32, batch, length, m.a.data(),
                              m.out.data()});
          },
          nullptr,
          [=, &m] {  // Parseval
            double in = 0, out = 0;
            for (int64_t i = 0; i < 2 * n * rows; ++i) {
              in += double{m.a[i]} * m.a[i], out += double{m.out[i]} * m.out[i];
            }
            return std::fabs(out / in / n - 1) < 1e-5;
          }};
}

Bench CholeskyBench(Arrays& m) {
  const int64_t n = 512;
  return {"cholesky_512",
          n * n * n / 3.0,
          "GFLOP/s",
          [=, &m](const Parallel& pool) {
            for (int64_t i = 0; i < n; ++i) {
              for (int64_t j = 0; j < n; ++j) m.b[i * n + j] = i == j ? n : m.a[std::min(i, j)];
            }
            return Cholesky(pool, {PrimitiveType::kF32, true, 1, n, m.b.data(), m.out.data()});
          },
          [=, &m] {
            std::copy(m.b.begin(), m.b.begin() + n * n, m.naive.begin());
            for (int64_t i = 0; i < n; ++i) {
              for (int64_t j = 0; j <= i; ++j) {
                float sum = m.naive[i * n + j];
                for (int64_t p = 0; p < j; ++p) sum -= m.naive[i * n + p] * m.naive[j * n + p];
                m.naive[i * n + j] = i == j ? std::sqrt(sum) : sum / m.naive[j * n + j];
              }
              std::fill(m.naive.begin() + i * n + i + 1, m.naive.begin() + (i + 1) * n, 0.0f);
            }
          },
          [=, &m] { return Close(m.out, m.naive, n * n, 1e-4); }};
}

Bench SolveBench(Arrays& m) {
  const int64_t n = 512;
  return {"triangular_solve_512",
          1.0 * n * n * n,
          "GFLOP/s",
          [=, &m](const Parallel& pool) {
            for (int64_t i = 0; i < n; ++i) m.b[i * n + i] = 40;
            TriangularSolveRequest r;
            r.rows = r.columns = n;
            r.a = m.b.data();
            r.b = m.a.data();
            r.output = m.out.data();
            return TriangularSolve(pool, r);
          },
          nullptr,
          nullptr};
}

Bench GatherBench(Arrays& m, const char* name, int64_t width) {
  const int64_t n = 1 << 20;
  return {
      name,
      8.0 * n * width,
      "GB/s",
      [=, &m](const Parallel& pool) {
        GatherRequest r;
        r.operand_dimensions = {n, width};
        r.operand_strides = {width, 1};
        r.slice_sizes = {1, width};
        r.indices.data = m.indices.data();
        r.indices.operand_dimensions = {0};
        r.indices.batch_sizes = {n};
        r.indices.batch_strides = {1};
        r.output_batch_strides = {width};
        r.slice = {{width, 1, 1}};
        r.operand = m.a.data();
        r.output = m.out.data();
        return Gather(pool, r);
      },
      [=, &m] {
        for (int64_t i = 0; i < n; ++i) {
          const int64_t at = std::min<int64_t>(std::max(m.indices[i], 0), n - 1);
          for (int64_t j = 0; j < width; ++j) m.naive[i * width + j] = m.a[at * width + j];
        }
      },
      [=, &m] { return std::equal(m.out.begin(), m.out.begin() + n * width, m.naive.begin()); }};
}

Bench ScatterBench(Arrays& m, const char* name, int64_t width) {
  const int64_t n = 1 << 20;
  return {name,
          12.0 * n * width,
          "GB/s",
          [=, &m](const Parallel& pool) {
            ScatterRequest r;
            r.kind = ScatterKind::kAdd;
            r.operand_dimensions = {n, width};
            r.operand_strides = {width, 1};
            r.window_sizes = {1, width};
            r.indices.data = m.indices.data();
            r.indices.operand_dimensions = {0};
            r.indices.batch_sizes = {n};
            r.indices.batch_strides = {1};
            r.update_batch_strides = {width};
            r.window = {{width, 1, 1}};
            r.updates = m.a.data();
            r.output = m.out.data();
            return Scatter(pool, r);
          },
          [=, &m] {
            for (int64_t i = 0; i < n; ++i) {
              for (int64_t j = 0; j < width; ++j) {
                m.naive[m.indices[i] * width + j] += m.a[i * width + j];
              }
            }
          },
          nullptr};
}

Bench RandomBench(Arrays& m, const char* name, RandomAlgorithm algorithm) {
  const int64_t n = 1 << 24;
  return {name,
          4.0 * n,
          "GB/s",
          [=, &m](const Parallel& pool) {
            const int64_t dims[] = {n};
            return RandomBits(pool, {algorithm, 1, {2, 3}, dims, PrimitiveType::kU32, m.out.data()})
                .status();
          },
          nullptr,
          nullptr};
}

bool processor_time = false;

double Milliseconds() {
  if (processor_time) return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  return std::chrono::duration<double, std::milli>(Clock::now().time_since_epoch()).count();
}

double BestMilliseconds(const std::function<void()>& run, double& best) {
  const double start = Milliseconds();
  run();
  const double ms = Milliseconds() - start;
  best = std::min(best, ms);
  return ms;
}

void Run(const Bench& bench, const Parallel& pool) {
  double kernel = std::numeric_limits<double>::infinity(), naive = kernel, spent = 0;
  absl::Status status;
  for (int round = 0; round < 200 && spent < 1500; ++round) {
    spent += BestMilliseconds([&] { status = bench.kernel(pool); }, kernel);
    if (!status.ok()) {
      std::printf("%-26s %s\n", bench.name.c_str(), status.ToString().c_str());
      return;
    }
    if (bench.naive != nullptr && round < 3) spent += BestMilliseconds(bench.naive, naive);
  }
  const bool agrees = bench.agrees == nullptr || bench.agrees();
  std::printf("%-26s %9.3f ms %8.2f %-8s", bench.name.c_str(), kernel, bench.work / kernel * 1e-6,
              bench.unit);
  if (bench.naive != nullptr) std::printf(" plain loop %9.3f ms, x%.1f", naive, naive / kernel);
  std::printf("%s\n", agrees ? "" : "  WRONG");
  std::fflush(stdout);
}

int Main(int argc, char** argv) {
  int threads = 0;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    absl::string_view argument = argv[i];
    if (absl::ConsumePrefix(&argument, "--threads=")) {
      if (!absl::SimpleAtoi(argument, &threads)) return 2;
    } else if (absl::ConsumePrefix(&argument, "--isa=")) {
      for (Isa isa : SupportedIsas()) {
        if (argument == IsaName(isa)) SetIsa(isa);
      }
    } else if (argument == "--cpu_time") {
      processor_time = true;
    } else {
      names.emplace_back(argument);
    }
  }
  const int64_t count = 1 << 24;
  Arrays m = {Floats(count),
              Floats(count),
              std::vector<float>(count),
              std::vector<float>(count),
              {},
              std::vector<int32_t>(1 << 20)};
  std::mt19937 random(2);
  for (int64_t i = 0; i < 1 << 20; ++i) m.indices.push_back(random() % (1 << 20));
  const std::vector<Bench> benches = {
      ReduceBench(m, "reduce_16m", {4096, 4096}, {0, 1}),
      ReduceBench(m, "reduce_rows_4096", {4096, 4096}, {1}),
      ReduceBench(m, "reduce_columns_4096", {4096, 4096}, {0}),
      ArgMaxBench(m),
      DotBench(m, "dot_1024", 1, 1024, PrimitiveType::kF32),
      DotBench(m, "dot_512", 1, 512, PrimitiveType::kF32),
      DotBench(m, "dot_64x128", 64, 128, PrimitiveType::kF32),
      DotBench(m, "dot_bf16_512", 1, 512, PrimitiveType::kBF16),
      DotBench(m, "dot_64", 1, 64, PrimitiveType::kF32),
      DotBench(m, "dot_8", 1, 8, PrimitiveType::kF32),
      ConvolutionBench(m, "convolution_3x3", false),
      ConvolutionBench(m, "convolution_depthwise", true),
      SortBench(m),
      PairSortBench(m),
      ComparatorSortBench(m),
      TopKBench(m),
      CumulativeSumBench(m),
      FftBench(m, "fft_1m", 1, 1 << 20),
      FftBench(m, "fft_256x4096", 256, 4096),
      FftBench(m, "fft_1024x1009", 1024, 1009),
      CholeskyBench(m),
      SolveBench(m),
      GatherBench(m, "gather_1m", 1),
      GatherBench(m, "gather_1m_rows_of_16", 16),
      ScatterBench(m, "scatter_add_1m", 1),
      ScatterBench(m, "scatter_add_1m_rows_of_16", 16),
      RandomBench(m, "threefry_16m", RandomAlgorithm::kThreeFry),
      RandomBench(m, "philox_16m", RandomAlgorithm::kPhilox),
  };
  const Parallel pool(threads);
  for (const Bench& bench : benches) {
    bool wanted = names.empty();
    for (const std::string& name : names) wanted = wanted || absl::StrContains(bench.name, name);
    if (wanted) Run(bench, pool);
  }
  return 0;
}

}  // namespace
}  // namespace hlocts::kernels

int main(int argc, char** argv) { return hlocts::kernels::Main(argc, argv); }
