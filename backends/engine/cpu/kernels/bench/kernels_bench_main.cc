// SPDX-License-Identifier: Apache-2.0
// Times the kernels: `backends_cpu_kernels_bench [--threads=N] [--isa=base|avx2|avx512|avx512bf16]`
// and the options of Google Benchmark (`--benchmark_filter=dot`). Their results are checked by the
// tests.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

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

struct Bench {
  std::string name;
  double work;  // floating-point operations, bytes moved or keys
  std::function<absl::Status(const Parallel&)> kernel;
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
  std::vector<float> a, b, out;
  std::vector<int32_t> indices, moved;
};

Bench ReduceBench(Arrays& m, const char* name, std::vector<int64_t> dims,
                  std::vector<int64_t> reduced) {
  return {name, 4.0 * dims[0] * dims[1], [=, &m](const Parallel& pool) {
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
          }};
}

Bench DotBench(Arrays& m, const char* name, int64_t batch, int64_t n, PrimitiveType type) {
  static const std::vector<uint16_t> narrow(1 << 20, 0x3F81);  // bf16
  const bool is_narrow = type == PrimitiveType::kBF16;
  const void* a = is_narrow ? static_cast<const void*>(narrow.data()) : m.a.data();
  const void* b = is_narrow ? static_cast<const void*>(narrow.data()) : m.b.data();
  return {name, 2.0 * batch * n * n * n, [=, &m](const Parallel& pool) {
            const int64_t dims[] = {batch, n, n}, strides[] = {n * n, n, 1}, zero[] = {0},
                          one[] = {1}, two[] = {2};
            return Dot(pool, {{a, type, dims, strides, zero, two},
                              {b, type, dims, strides, zero, one},
                              type,
                              m.out.data()});
          }};
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

Bench ConvolutionBench(Arrays& m, const char* name, bool depthwise) {
  const int64_t batch = 8, size = 56, channels = 64, count = batch * size * size * channels;
  return {name, 18.0 * count * (depthwise ? 1 : channels), [=, &m](const Parallel& pool) {
            return Convolution(pool, ConvolutionOf(m, batch, size, channels, depthwise));
          }};
}

Bench SortBench(Arrays& m) {
  const int64_t n = 1 << 20;
  return {"sort_1m_f32", 1.0 * n, [=, &m](const Parallel& pool) {
            const SortOperand operand[] = {{PrimitiveType::kF32, m.a.data(), m.out.data()}};
            return SortByKeys(pool, {1, n, 1, operand}, {SortKey()}, false);
          }};
}

Bench PairSortBench(Arrays& m) {
  const int64_t n = 1 << 20;
  return {"sort_1m_f32_s32_stable", 1.0 * n, [=, &m](const Parallel& pool) {
            const SortOperand operands[] = {
                {PrimitiveType::kF32, m.a.data(), m.out.data()},
                {PrimitiveType::kS32, m.indices.data(), m.moved.data()}};
            return SortByKeys(pool, {1, n, 1, operands}, {{0, KeyOrder::kNumeric}}, true);
          }};
}

Bench ComparatorSortBench(Arrays& m) {
  const int64_t n = 1 << 20;
  return {"sort_1m_comparator", 1.0 * n, [=, &m](const Parallel& pool) {
            const SortOperand operand[] = {{PrimitiveType::kF32, m.a.data(), m.out.data()}};
            return SortByComparator(
                pool, {1, n, 1, operand},
                [&m](const int64_t* x, const int64_t* y, int64_t count, uint8_t* less) {
                  for (int64_t i = 0; i < count; ++i) less[i] = m.a[x[i]] < m.a[y[i]];
                  return absl::OkStatus();
                });
          }};
}

Bench TopKBench(Arrays& m) {
  const int64_t n = 1 << 20, k = 100;
  return {"topk_100_of_1m", 4.0 * n, [=, &m](const Parallel& pool) {
            TopKRequest r;
            r.size = n, r.k = k;
            r.input = m.a.data();
            r.values = m.out.data();
            r.indices = m.moved.data();
            return TopK(pool, r);
          }};
}

Bench ArgMaxBench(Arrays& m) {
  const int64_t rows = 1024, n = 4096;
  return {"argmax_1024x4096", 4.0 * rows * n, [=, &m](const Parallel& pool) {
            ArgReduceRequest r;
            r.outer = rows, r.size = n;
            r.operand = m.a.data();
            r.values = m.out.data();
            r.indices = m.moved.data();
            return ArgReduce(pool, r);
          }};
}

Bench CumulativeSumBench(Arrays& m) {
  const int64_t n = 1 << 20;
  return {"cumsum_1m", 8.0 * n, [=, &m](const Parallel& pool) {
            static const float zero = 0;
            WindowDimensionSpec d;
            d.input_size = d.output_size = d.size = n;
            d.padding_low = n - 1;
            return ReduceWindow(
                pool,
                {ReduceKind::kAdd, PrimitiveType::kF32, {d}, m.a.data(), &zero, m.out.data()});
          }};
}

Bench FftBench(Arrays& m, const char* name, int64_t rows, int64_t n) {
  return {name, 5.0 * rows * n * std::log2(n), [=, &m](const Parallel& pool) {
            const int64_t batch[] = {rows}, length[] = {n};
            return Fft(pool, {FftKind::kFft, PrimitiveType::kF32, batch, length, m.a.data(),
                              m.out.data()});
          }};
}

Bench CholeskyBench(Arrays& m) {
  const int64_t n = 512;
  return {"cholesky_512", n * n * n / 3.0, [=, &m](const Parallel& pool) {
            for (int64_t i = 0; i < n; ++i) {
              for (int64_t j = 0; j < n; ++j) m.b[i * n + j] = i == j ? n : m.a[std::min(i, j)];
            }
            return Cholesky(pool, {PrimitiveType::kF32, true, 1, n, m.b.data(), m.out.data()});
          }};
}

Bench SolveBench(Arrays& m) {
  const int64_t n = 512;
  return {"triangular_solve_512", 1.0 * n * n * n, [=, &m](const Parallel& pool) {
            for (int64_t i = 0; i < n; ++i) m.b[i * n + i] = 40;
            TriangularSolveRequest r;
            r.rows = r.columns = n;
            r.a = m.b.data();
            r.b = m.a.data();
            r.output = m.out.data();
            return TriangularSolve(pool, r);
          }};
}

Bench GatherBench(Arrays& m, const char* name, int64_t width) {
  const int64_t n = 1 << 20;
  return {name, 8.0 * n * width, [=, &m](const Parallel& pool) {
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
          }};
}

Bench ScatterBench(Arrays& m, const char* name, int64_t width) {
  const int64_t n = 1 << 20;
  return {name, 12.0 * n * width, [=, &m](const Parallel& pool) {
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
          }};
}

Bench RandomBench(Arrays& m, const char* name, RandomAlgorithm algorithm) {
  const int64_t n = 1 << 24;
  return {name, 4.0 * n, [=, &m](const Parallel& pool) {
            const int64_t dims[] = {n};
            return RandomBits(pool, {algorithm, 1, {2, 3}, dims, PrimitiveType::kU32, m.out.data()})
                .status();
          }};
}

std::vector<Bench> Benches(Arrays& m) {
  return {
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
}

void Run(benchmark::State& state, const Bench& bench, const Parallel& pool) {
  for (auto _ : state) {
    const absl::Status status = bench.kernel(pool);
    if (!status.ok()) state.SkipWithError(status.ToString().c_str());
  }
  state.counters["work"] = benchmark::Counter(
      bench.work, benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
}

Arrays MakeArrays() {
  const int64_t count = 1 << 24;
  Arrays m = {
      Floats(count), Floats(count), std::vector<float>(count), {}, std::vector<int32_t>(1 << 20)};
  std::mt19937 random(2);
  for (int64_t i = 0; i < 1 << 20; ++i) m.indices.push_back(random() % (1 << 20));
  return m;
}

int Main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  int threads = 0;
  for (int i = 1; i < argc; ++i) {
    absl::string_view argument = argv[i];
    if (absl::ConsumePrefix(&argument, "--threads=")) {
      if (!absl::SimpleAtoi(argument, &threads)) return 2;
    } else if (absl::ConsumePrefix(&argument, "--isa=")) {
      for (Isa isa : SupportedIsas()) {
        if (argument == IsaName(isa)) SetIsa(isa);
      }
    } else {
      std::fprintf(stderr, "unknown argument %s\n", argv[i]);
      return 2;
    }
  }
  Arrays arrays = MakeArrays();
  const Parallel pool(threads);
  const std::vector<Bench> benches = Benches(arrays);
  for (const Bench& bench : benches) {
    benchmark::RegisterBenchmark(bench.name.c_str(), [&](benchmark::State& state) {
      Run(state, bench, pool);
    })->UseRealTime();
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace hlocts::kernels

int main(int argc, char** argv) { return hlocts::kernels::Main(argc, argv); }
