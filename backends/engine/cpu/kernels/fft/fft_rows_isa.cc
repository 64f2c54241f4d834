// SPDX-License-Identifier: Apache-2.0
// Which way a length is transformed: rows side by side in lanes, one row as a matrix of two factors
// (columns, twiddles, rows), one row by itself, or a convolution where a prime factor is large.
#include "backends/engine/cpu/kernels/fft/fft_rows_isa.h"

#include <algorithm>
#include <atomic>

#include "backends/engine/cpu/kernels/fft/fft_lanes_isa.h"
#include "backends/engine/cpu/kernels/runtime/scratch.h"
#include "spec/base/status.h"

namespace hlocts::kernels::HLOCTS_ISA {
namespace {

constexpr int64_t kShortLength = 64;   // not worth splitting in two
constexpr int64_t kLongLength = 8192;  // too long to stand in the cache side by side
constexpr int64_t kConvolutionElements = 1 << 20;

template <typename T>
double RowNanoseconds(int64_t n) {
  return 2.5 * sizeof(T) / 4 * static_cast<double>(n);
}

// Twiddles between the two steps: root of n to the k1 * n2, n2 = block * W + lane.
template <typename T>
struct SplitPlan {
  int64_t n1, n2;
  std::vector<T> lane_re, lane_im;           // [k1][lane]
  std::vector<std::complex<T>> block_roots;  // [k1][block]
};

// The divisor of n next below (or at) its square root.
int64_t SplitFactor(int64_t n) {
  int64_t best = 1;
  for (int64_t f = 1; f * f <= n; ++f) {
    if (n % f == 0) best = f;
  }
  return best;
}

template <typename T>
std::shared_ptr<const SplitPlan<T>> SplitPlanOf(int64_t n) {
  static auto* cache = new FftCache<SplitPlan<T>>();
  return cache->Get(n, [n] {
    constexpr int kWidth = kLanes<T>;
    auto plan = std::make_shared<SplitPlan<T>>();
    plan->n1 = SplitFactor(n);
    plan->n2 = n / plan->n1;
    for (int64_t k1 = 0; k1 < plan->n1; ++k1) {
      for (int lane = 0; lane < kWidth; ++lane) {
        const std::complex<T> root = Root<T>(k1 * lane, n);
        plan->lane_re.push_back(root.real());
        plan->lane_im.push_back(root.imag());
      }
      for (int64_t block = 0; block * kWidth < plan->n2; ++block) {
        plan->block_roots.push_back(Root<T>(k1 * block * kWidth, n));
      }
    }
    return plan;
  });
}

// A group of at most W transforms, in the lanes of vectors.
template <typename T>
struct Group {
  const FftPlan<T>& plan;
  LaneLayout<const T*> input;
  LaneLayout<T*> output;
  int lanes;
  bool swap_in = false, swap_out = false;  // an inverse is a forward transform with parts swapped
  T scale = T(1);
  const SplitPlan<T>* split = nullptr;  // twiddles of column block `block` on the way out
  int64_t block = 0;
};

// Vectors that one group needs.
int64_t GroupVectors(int64_t n) { return 4 * n; }

template <typename T>
void RunGroup(const Group<T>& group, Vec<T>* memory) {
  const int64_t n = group.plan.n;
  SplitComplex<Vec<T>> data = {memory, memory + n}, other = {memory + 2 * n, memory + 3 * n};
  LoadLanes(group.input, n, group.lanes, data);
  if (group.swap_in) std::swap(data.re, data.im), std::swap(other.re, other.im);
  data = RunPasses<Vec<T>, T>(group.plan, data, other);
  if (group.split != nullptr) {
    const SplitPlan<T>& split = *group.split;
    const int64_t blocks = static_cast<int64_t>(split.block_roots.size()) / split.n1;
    for (int64_t k = 0; k < n; ++k) {
      const std::complex<T> root = split.block_roots[k * blocks + group.block];
      Vec<T> wr = Load(split.lane_re.data() + k * kLanes<T>);
      Vec<T> wi = Load(split.lane_im.data() + k * kLanes<T>);
      MultiplyRoot(wr, wi, root);
      const Vec<T> re = data.re[k] * wr - data.im[k] * wi;
      data.im[k] = data.re[k] * wi + data.im[k] * wr;
      data.re[k] = re;
    }
  }
  for (int64_t k = 0; k < n && group.scale != T(1); ++k) {
    data.re[k] = data.re[k] * group.scale;
    data.im[k] = data.im[k] * group.scale;
  }
  if (group.swap_out) std::swap(data.re, data.im);
  StoreLanes(data, n, group.lanes, group.output);
}

// Runs make(g) for every group g over the pool.
template <typename T, typename Make>
absl::Status RunGroups(const Parallel& parallel, int64_t n, int64_t groups, Make make) {
  const int64_t bytes = GroupVectors(n) * kVectorBytes;
  std::atomic<bool> failed{false};
  parallel.For(groups, RowNanoseconds<T>(n) * kLanes<T>, [&](int64_t g, int64_t end) {
    const Scratch memory(bytes);
    if (!memory.ok()) {
      failed = true;
      return;
    }
    for (; g < end; ++g) RunGroup<T>(make(g), memory.As<Vec<T>>());
  });
  return failed ? OutOfScratch(bytes) : absl::OkStatus();
}

template <typename T>
absl::Status RowsInLanes(const Parallel& parallel, const RowsRequest<T>& r) {
  constexpr int64_t kWidth = kLanes<T>;
  const auto plan = PlanOfLength<T>(r.n);
  return RunGroups<T>(parallel, r.n, (r.rows + kWidth - 1) / kWidth, [&](int64_t g) {
    const int64_t first = g * kWidth;
    return Group<T>{*plan,
                    {r.input.data + 2 * first * r.input.row, r.input.row, r.input.element},
                    {r.output.data + 2 * first * r.output.row, r.output.row, r.output.element},
                    static_cast<int>(std::min(kWidth, r.rows - first)),
                    r.inverse,
                    r.inverse,
                    r.inverse ? T(1) / static_cast<T>(r.n) : T(1)};
  });
}

// One row as a matrix [n1, n2].
template <typename T>
absl::Status SplitRow(const Parallel& parallel, const RowsRequest<T>& r, int64_t row) {
  constexpr int64_t kWidth = kLanes<T>;
  const auto split = SplitPlanOf<T>(r.n);
  const int64_t n1 = split->n1, n2 = split->n2;
  const int64_t bytes = 2 * r.n * static_cast<int64_t>(sizeof(T));
  const Scratch middle(bytes);
  if (!middle.ok()) return OutOfScratch(bytes);
  T* between = middle.As<T>();
  const T* in = r.input.data + 2 * row * r.input.row;
  T* out = r.output.data + 2 * row * r.output.row;
  const auto columns = PlanOfLength<T>(n1), rows = PlanOfLength<T>(n2);
  HLOCTS_RETURN_IF_ERROR(RunGroups<T>(parallel, n1, (n2 + kWidth - 1) / kWidth, [&](int64_t block) {
    const int64_t first = block * kWidth;
    return Group<T>{*columns,
                    {in + 2 * first * r.input.element, r.input.element, n2 * r.input.element},
                    {between + 2 * first, 1, n2},
                    static_cast<int>(std::min(kWidth, n2 - first)),
                    r.inverse,
                    false,
                    T(1),
                    split.get(),
                    block};
  }));
  return RunGroups<T>(parallel, n2, (n1 + kWidth - 1) / kWidth, [&](int64_t block) {
    const int64_t first = block * kWidth;
    return Group<T>{*rows,
                    {between + 2 * first * n2, n2, 1},
                    {out + 2 * first * r.output.element, r.output.element, n1 * r.output.element},
                    static_cast<int>(std::min(kWidth, n1 - first)),
                    false,
                    r.inverse,
                    r.inverse ? T(1) / static_cast<T>(r.n) : T(1)};
  });
}

// One short row without lanes.
template <typename T>
absl::Status LoneRow(const RowsRequest<T>& r, int64_t row) {
  const int64_t bytes = 4 * r.n * static_cast<int64_t>(sizeof(T));
  const Scratch memory(bytes);
  if (!memory.ok()) return OutOfScratch(bytes);
  T* m = memory.As<T>();
  SplitComplex<T> data = {m, m + r.n}, other = {m + 2 * r.n, m + 3 * r.n};
  if (r.inverse) std::swap(data.re, data.im), std::swap(other.re, other.im);
  const T* in = r.input.data + 2 * row * r.input.row;
  for (int64_t i = 0; i < r.n; ++i) {
    data.re[i] = in[2 * i * r.input.element + (r.inverse ? 1 : 0)];
    data.im[i] = in[2 * i * r.input.element + (r.inverse ? 0 : 1)];
  }
  data = RunPasses<T, T>(*PlanOfLength<T>(r.n), data, other);
  const T scale = r.inverse ? T(1) / static_cast<T>(r.n) : T(1);
  T* out = r.output.data + 2 * row * r.output.row;
  for (int64_t i = 0; i < r.n; ++i) {
    out[2 * i * r.output.element] = (r.inverse ? data.im : data.re)[i] * scale;
    out[2 * i * r.output.element + 1] = (r.inverse ? data.re : data.im)[i] * scale;
  }
  return absl::OkStatus();
}

// Bluestein: the transform as a convolution with a chirp, of a length without large primes.
template <typename T>
struct ChirpPlan {
  int64_t length;                            // of the convolution
  std::vector<std::complex<T>> chirp;        // exp(-i pi k^2 / n)
  std::vector<std::complex<T>> transformed;  // of the conjugate chirp, over length
};

int64_t ConvolutionLength(int64_t least) {
  int64_t best = INT64_MAX;
  for (int64_t odd : {1, 3, 5}) {
    int64_t length = odd;
    while (length < least) length *= 2;
    best = std::min(best, length);
  }
  return best;
}

template <typename T>
std::shared_ptr<const ChirpPlan<T>> ChirpPlanOf(int64_t n) {
  static auto* cache = new FftCache<ChirpPlan<T>>();
  return cache->Get(n, [n] {
    auto plan = std::make_shared<ChirpPlan<T>>();
    const int64_t length = plan->length = ConvolutionLength(2 * n - 1);
    for (int64_t k = 0; k < n; ++k) {
      const unsigned __int128 square = static_cast<unsigned __int128>(k) * k;
      plan->chirp.push_back(Root<T>(static_cast<int64_t>(square % (2 * n)), 2 * n));
    }
    std::vector<std::complex<T>>& b = plan->transformed;
    b.resize(length);
    for (int64_t k = 0; k < n; ++k) {
      b[k] = std::conj(plan->chirp[k]) / static_cast<T>(length);  // with the inverse's scale
      if (k > 0) b[length - k] = b[k];
    }
    T* data = reinterpret_cast<T*>(b.data());
    // A failure leaves zeros out of place, which the next allocation of a row reports.
    if (!TransformRows<T>(Parallel(1), {length, 1, {data, length, 1}, {data, length, 1}}).ok()) {
      plan->length = 0;
    }
    return plan;
  });
}

template <typename T>
void ChirpIn(const RowsRequest<T>& r, const ChirpPlan<T>& plan, int64_t row, std::complex<T>* to) {
  const T* in = r.input.data + 2 * row * r.input.row;
  for (int64_t i = 0; i < r.n; ++i) {
    T re = in[2 * i * r.input.element], im = in[2 * i * r.input.element + 1];
    if (r.inverse) std::swap(re, im);
    MultiplyRoot(re, im, plan.chirp[i]);
    to[i] = {re, im};
  }
  std::fill(to + r.n, to + plan.length, std::complex<T>());
}

template <typename T>
void ChirpOut(const RowsRequest<T>& r, const ChirpPlan<T>& plan, int64_t row,
              const std::complex<T>* from) {
  T* out = r.output.data + 2 * row * r.output.row;
  const T scale = r.inverse ? T(1) / static_cast<T>(r.n) : T(1);
  for (int64_t i = 0; i < r.n; ++i) {
    T re = from[i].real(), im = -from[i].imag();  // the second transform was of the conjugate
    MultiplyRoot(re, im, plan.chirp[i]);
    if (r.inverse) std::swap(re, im);
    out[2 * i * r.output.element] = re * scale;
    out[2 * i * r.output.element + 1] = im * scale;
  }
}

template <typename T>
absl::Status RowsByConvolution(const Parallel& parallel, const RowsRequest<T>& r) {
  const auto plan = ChirpPlanOf<T>(r.n);
  const int64_t length = plan->length;
  if (length == 0) return OutOfScratch(r.n * 4);
  const int64_t step = std::clamp<int64_t>(kConvolutionElements / length, 1, r.rows);
  const int64_t bytes = step * length * 2 * static_cast<int64_t>(sizeof(T));
  const Scratch memory(bytes);
  if (!memory.ok()) return OutOfScratch(bytes);
  auto* data = memory.As<std::complex<T>>();
  T* reals = memory.As<T>();
  for (int64_t first = 0; first < r.rows; first += step) {
    const int64_t rows = std::min(step, r.rows - first);
    const RowsRequest<T> inner = {length, rows, {reals, length, 1}, {reals, length, 1}};
    parallel.For(rows, 2.0 * length, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) ChirpIn(r, *plan, first + i, data + i * length);
    });
    HLOCTS_RETURN_IF_ERROR(TransformRows(parallel, inner));
    parallel.For(rows, 2.0 * length, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) {
        for (int64_t k = 0; k < length; ++k) {
          T re = data[i * length + k].real(), im = data[i * length + k].imag();
          MultiplyRoot(re, im, plan->transformed[k]);
          data[i * length + k] = {re, -im};
        }
      }
    });
    HLOCTS_RETURN_IF_ERROR(TransformRows(parallel, inner));
    parallel.For(rows, 2.0 * length, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) ChirpOut(r, *plan, first + i, data + i * length);
    });
  }
  return absl::OkStatus();
}

// Rows one after the other, or spread over the pool whole.
template <typename T, typename One>
absl::Status EachRow(const Parallel& parallel, const RowsRequest<T>& r, One one) {
  if (r.rows < parallel.threads()) {
    for (int64_t row = 0; row < r.rows; ++row) HLOCTS_RETURN_IF_ERROR(one(parallel, row));
    return absl::OkStatus();
  }
  std::atomic<bool> failed{false};
  parallel.For(r.rows, RowNanoseconds<T>(r.n), [&](int64_t row, int64_t end) {
    for (; row < end; ++row) {
      if (!one(Parallel(1), row).ok()) failed = true;
    }
  });
  return failed ? OutOfScratch(r.n * 8) : absl::OkStatus();
}

}  // namespace

template <typename T>
absl::Status TransformRows(const Parallel& parallel, const RowsRequest<T>& r) {
  if (HasLargePrime(r.n)) return RowsByConvolution(parallel, r);
  const bool few = r.rows < kLanes<T> / 2;
  if (r.n >= kShortLength && (few || r.n > kLongLength)) {
    return EachRow(parallel, r,
                   [&](const Parallel& pool, int64_t row) { return SplitRow(pool, r, row); });
  }
  if (few) {
    return EachRow(parallel, r, [&](const Parallel&, int64_t row) { return LoneRow(r, row); });
  }
  return RowsInLanes(parallel, r);
}

template absl::Status TransformRows(const Parallel&, const RowsRequest<float>&);
template absl::Status TransformRows(const Parallel&, const RowsRequest<double>&);

}  // namespace hlocts::kernels::HLOCTS_ISA
