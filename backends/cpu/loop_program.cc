#include "backends/cpu/loop_program.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <tuple>
#include <utility>

#include "backends/cpu/elementwise/stream.h"
#include "backends/cpu/kernels/processor.h"
#include "backends/cpu/scratch.h"

namespace hlocts::cpu {
namespace {

// Longer loops than this do not find their arrays in a near cache. They go by smaller steps: all
// arrays then come in side by side, as in one loop over them, and the hardware keeps ahead of each.
constexpr int64_t kFarElements = 1 << 16;
constexpr int64_t kFarStep = 256;
constexpr int64_t kLine = 64;  // bytes

// Which lines a step asks for before it begins.
enum class Ahead : uint8_t {
  kNothing,
  kNextStep,   // Intel's processors gain 8 % by the first half of the next step, AMD's lose 20
  kLaterStep,  // AMD's gain 20 % where results are streamed: into the second cache, eight steps ahead
};
Ahead AheadOf(bool streams) {
  if (kernels::IsIntel()) return Ahead::kNextStep;
  return streams && kernels::IsAmd() ? Ahead::kLaterStep : Ahead::kNothing;
}

struct Wide {
  uint64_t low, high;
};

template <typename T>
void CopyRun(const uint8_t* from, int64_t stride, int64_t count, uint8_t* to) {
  const T* x = reinterpret_cast<const T*>(from);
  T* r = reinterpret_cast<T*>(to);
  if (stride == 0) return FillElements(x, sizeof(T), count, to);
  for (int64_t i = 0; i < count; ++i) r[i] = x[i * stride];
}

// Quotient and remainder; of small numbers several times as fast.
std::pair<int64_t, int64_t> Divided(int64_t number, int64_t by) {
  if (((number | by) >> 32) == 0) {
    const uint32_t n = static_cast<uint32_t>(number), d = static_cast<uint32_t>(by);
    return {n / d, n % d};
  }
  return {number / by, number % by};
}

template <typename T>
void LoadAs(const plan::View& view, const uint8_t* array, int64_t start, int64_t count,
            uint8_t* out) {
  const size_t rank = view.dimensions.size();
  absl::InlinedVector<int64_t, 8> index(rank, 0);
  int64_t at = view.offset, left = start;
  for (size_t d = rank; d-- > 0;) {
    std::tie(left, index[d]) = Divided(left, view.dimensions[d].size);
    at += index[d] * view.dimensions[d].stride;
  }
  const plan::ViewDimension& inner = view.dimensions[rank - 1];
  while (true) {
    const int64_t run = std::min(count, inner.size - index[rank - 1]);
    const uint8_t* from = array + at * static_cast<int64_t>(sizeof(T));
    if (inner.stride == 1) {
      std::memcpy(out, from, static_cast<size_t>(run) * sizeof(T));
    } else {
      CopyRun<T>(from, inner.stride, run, out);
    }
    count -= run;
    if (count == 0) return;
    out += run * static_cast<int64_t>(sizeof(T));
    at -= index[rank - 1] * inner.stride;
    index[rank - 1] = 0;
    for (size_t d = rank - 1; d-- > 0;) {
      at += view.dimensions[d].stride;
      if (++index[d] < view.dimensions[d].size) break;
      at -= index[d] * view.dimensions[d].stride;
      index[d] = 0;
    }
  }
}

}  // namespace

void Fill(const void* element, int width, int64_t count, uint8_t* out) {
  FillElements(element, width, count, out);
}

namespace {

// Where `count` elements from `start` on stand side by side in the array; null when they do not.
const uint8_t* RunIn(const plan::View& view, int width, const uint8_t* array, int64_t start,
                     int64_t count) {
  const plan::ViewDimension& inner = view.dimensions.back();
  if (inner.stride != 1 || inner.size < count) return nullptr;
  auto [left, index] = Divided(start, inner.size);
  if (inner.size - index < count) return nullptr;
  int64_t at = view.offset + index;
  for (size_t d = view.dimensions.size() - 1; d-- > 0;) {
    std::tie(left, index) = Divided(left, view.dimensions[d].size);
    at += index * view.dimensions[d].stride;
  }
  return array + at * width;
}

}  // namespace

void LoadView(const plan::View& view, int width, const uint8_t* array, int64_t start, int64_t count,
              uint8_t* out) {
  if (count <= 0) return;
  if (view.dimensions.empty()) return Fill(array + view.offset * width, width, count, out);
  switch (width) {
    case 1:
      return LoadAs<uint8_t>(view, array, start, count, out);
    case 2:
      return LoadAs<uint16_t>(view, array, start, count, out);
    case 4:
      return LoadAs<uint32_t>(view, array, start, count, out);
    case 8:
      return LoadAs<uint64_t>(view, array, start, count, out);
    default:
      return LoadAs<Wide>(view, array, start, count, out);
  }
}

int LoopProgram::AddInput(int array, const plan::View& view, int width) {
  Register reg;
  reg.view = view.Simplified();
  for (size_t r = 0; r < registers_.size(); ++r) {
    if (registers_[r].array == array && registers_[r].view == reg.view) return static_cast<int>(r);
  }
  // Of one element there is nothing to splat.
  const bool one = reg.view.dimensions.empty();
  reg.kind = one || reg.view.IsContiguous() ? Kind::kDirect
             : reg.view.IsSplat()           ? Kind::kSplat
                                            : Kind::kLoaded;
  reg.width = width;
  reg.array = array;
  registers_.push_back(std::move(reg));
  return static_cast<int>(registers_.size()) - 1;
}

bool LoopProgram::IsLineInOrder(const plan::View& view) { return view.Simplified().IsContiguous(); }

int LoopProgram::AddLine(const Kernel& kernel, const plan::View& view, int width) {
  Register reg;
  reg.view = view.Simplified();
  reg.kind = Kind::kLine;
  reg.line = kernel;
  reg.width = width;
  for (size_t r = 0; r < registers_.size(); ++r) {
    const Register& other = registers_[r];
    if (other.kind == Kind::kLine && other.line.run == kernel.run && other.width == width &&
        other.line.parameters.result_type == kernel.parameters.result_type &&
        other.view == reg.view) {
      return static_cast<int>(r);
    }
  }
  registers_.push_back(std::move(reg));
  return static_cast<int>(registers_.size()) - 1;
}

void LoopProgram::FillLine(const Register& reg, int64_t start, int64_t count, uint8_t* out) {
  const int64_t first = reg.view.offset + start;
  reg.line(&first, nullptr, nullptr, out, count);
}

int LoopProgram::AddOperation(const Kernel& kernel, int a, int b, int c, int width) {
  Register reg;
  reg.width = width;
  registers_.push_back(std::move(reg));
  const int out = static_cast<int>(registers_.size()) - 1;
  operations_.push_back({kernel, a, b, c, out});
  return out;
}

void LoopProgram::AddOutput(int reg) {
  if (outputs_apart_ && registers_[reg].array >= 0) {
    const int width = registers_[reg].width;
    reg = AddOperation(CopyKernel(width), reg, -1, -1, width);
  }
  // Only the last operation may write straight into the caller's memory, which an input may share.
  const bool is_last = !operations_.empty() && operations_.back().out == reg;
  if (!outputs_apart_ && is_last && registers_[reg].output < 0) {
    registers_[reg].output = static_cast<int>(outputs_.size());
  }
  outputs_.push_back(reg);
}

// Computed registers share scratch memory once their last reader has run.
void LoopProgram::Finish() {
  const size_t count = registers_.size();
  std::vector<int> last_use(count, -1);
  for (size_t o = 0; o < operations_.size(); ++o) {
    for (int r : {operations_[o].a, operations_[o].b, operations_[o].c}) {
      if (r >= 0) last_use[r] = static_cast<int>(o);
    }
  }
  for (int r : outputs_) last_use[r] = static_cast<int>(operations_.size());
  std::vector<std::pair<int, int64_t>> free;  // width, offset
  auto take = [&](Register& reg) {
    for (size_t i = 0; i < free.size(); ++i) {
      if (free[i].first != reg.width) continue;
      reg.scratch = free[i].second;
      free.erase(free.begin() + static_cast<int64_t>(i));
      return;
    }
    reg.scratch = scratch_bytes_;
    scratch_bytes_ += kBlock * reg.width;
  };
  for (Register& reg : registers_) {
    if (reg.kind == Kind::kSplat || reg.kind == Kind::kLoaded || reg.kind == Kind::kLine) {
      reg.scratch = scratch_bytes_;
      scratch_bytes_ += kBlock * reg.width;
    }
  }
  for (size_t o = 0; o < operations_.size(); ++o) {
    Register& out = registers_[operations_[o].out];
    if (out.output < 0) take(out);
    for (int r : {operations_[o].a, operations_[o].b, operations_[o].c, operations_[o].out}) {
      if (r < 0 || last_use[r] > static_cast<int>(o)) continue;
      Register& reg = registers_[r];
      if (reg.kind != Kind::kComputed || reg.scratch < 0 || last_use[r] < -1) continue;
      free.push_back({reg.width, reg.scratch});
      last_use[r] = -2;
    }
  }
  // What is copied to the output in the end is read first anyway.
  streams_ = streams_ && !operations_.empty() && registers_[operations_.back().out].output >= 0;
  if (!streams_) return;
  held_ = (scratch_bytes_ + kStreamAlignment - 1) / kStreamAlignment * kStreamAlignment;
  scratch_bytes_ = held_ + kFarStep * static_cast<int64_t>(sizeof(Wide));
}

bool LoopProgram::ReadsInPlace(int array, int width) const {
  bool reads = false;
  for (const Register& reg : registers_) {
    if (reg.array != array) continue;
    if (reg.kind != Kind::kDirect || reg.view.offset != 0 || reg.width != width) return false;
    reads = true;
  }
  return reads;
}

int LoopProgram::WidthOf(int array) const {
  for (const Register& reg : registers_) {
    if (reg.array == array) return reg.width;
  }
  return 0;
}

int LoopProgram::StreamWidth(int array) const {
  for (const Register& reg : registers_) {
    const bool is_stream = reg.kind == Kind::kDirect && !reg.view.dimensions.empty();
    if (reg.array == array && is_stream && reg.view.offset == 0) return reg.width;
  }
  return 0;
}

std::vector<const plan::View*> LoopProgram::ViewsOf(int array) const {
  std::vector<const plan::View*> views;
  for (const Register& reg : registers_) {
    if (reg.array == array) views.push_back(&reg.view);
  }
  return views;
}

void LoopProgram::FillSplats(const uint8_t* const* arrays, int64_t count, uint8_t* scratch,
                             uint8_t** at) const {
  for (size_t r = 0; r < registers_.size(); ++r) {
    const Register& reg = registers_[r];
    at[r] = scratch + reg.scratch;
    if (reg.kind != Kind::kSplat) continue;
    Fill(arrays[reg.array] + reg.view.offset * reg.width, reg.width, count, at[r]);
  }
}

// The first lines of what the next block reads and writes: the hardware goes on from there, but it
// does not look beyond the page that a block often is.
void LoopProgram::FetchNext(const uint8_t* const* at, int64_t count) const {
  constexpr int64_t kLines = 8;
  for (size_t r = 0; r < registers_.size(); ++r) {
    const Register& reg = registers_[r];
    // A streamed result is not read first.
    if (reg.kind != Kind::kDirect && (reg.output < 0 || streams_)) continue;
    for (int64_t line = 0; line < kLines; ++line) {
      __builtin_prefetch(at[r] + count * reg.width + line * kLine);
    }
  }
}

// All lines that a later step reads, into the second cache.
void LoopProgram::FetchLater(const uint8_t* const* at, int64_t count) const {
  constexpr int64_t kSteps = 8;
  for (size_t r = 0; r < registers_.size(); ++r) {
    const Register& reg = registers_[r];
    if (reg.kind != Kind::kDirect) continue;
    const int64_t bytes = count * reg.width;
    for (int64_t line = 0; line < bytes; line += kLine)
      __builtin_prefetch(at[r] + kSteps * bytes + line, 0, 2);
  }
}

// Where the block's registers are; those that lie nowhere side by side are laid out.
void LoopProgram::PlaceBlock(const uint8_t* const* arrays, uint8_t* const* outputs, int64_t start,
                             int64_t count, uint8_t* scratch, uint8_t** at) const {
  for (size_t r = 0; r < registers_.size(); ++r) {
    const Register& reg = registers_[r];
    if (reg.kind == Kind::kDirect) {
      at[r] = const_cast<uint8_t*>(arrays[reg.array]) + (reg.view.offset + start) * reg.width;
    } else if (reg.kind == Kind::kLoaded) {
      const uint8_t* run = RunIn(reg.view, reg.width, arrays[reg.array], start, count);
      at[r] = run != nullptr ? const_cast<uint8_t*>(run) : scratch + reg.scratch;
      if (run == nullptr) LoadView(reg.view, reg.width, arrays[reg.array], start, count, at[r]);
    } else if (reg.kind == Kind::kLine) {
      FillLine(reg, start, count, at[r]);
    } else if (reg.output >= 0) {
      at[r] = outputs[reg.output] + start * reg.width;
    }
  }
}

void LoopProgram::RunOperations(uint8_t* const* at, int64_t count, LineFetcher* fetcher) const {
  for (const Operation& operation : operations_) {
    if (fetcher != nullptr) fetcher->Share();
    operation.kernel(operation.a < 0 ? nullptr : at[operation.a],
                     operation.b < 0 ? nullptr : at[operation.b],
                     operation.c < 0 ? nullptr : at[operation.c], at[operation.out], count);
  }
}

// A step whose result goes by way of `held` where it can be streamed.
void LoopProgram::RunStreamed(uint8_t** at, int64_t count, uint8_t* held) const {
  if (!streams_) return RunOperations(at, count, nullptr);
  const int out = operations_.back().out;
  uint8_t* const to = at[out];
  if (reinterpret_cast<uintptr_t>(to) % kStreamAlignment != 0)
    return RunOperations(at, count, nullptr);
  at[out] = held;
  RunOperations(at, count, nullptr);
  at[out] = to;
  StreamBytes(held, to, count * registers_[out].width);
}

// A placed block of `count` elements by steps of kFarStep; `at` is as before in the end.
void LoopProgram::RunFar(uint8_t** at, int64_t count, uint8_t* held) const {
  const auto advance = [&](int64_t elements) {
    for (size_t r = 0; r < registers_.size(); ++r) at[r] += elements * registers_[r].width;
  };
  const Ahead ahead = AheadOf(streams_);
  int64_t done = 0;
  for (; done < count; done += kFarStep) {
    const int64_t step = std::min(kFarStep, count - done);
    if (ahead == Ahead::kNextStep) FetchNext(at, step);
    if (ahead == Ahead::kLaterStep) FetchLater(at, step);
    RunStreamed(at, step, held);
    advance(kFarStep);
  }
  advance(-done);
}

// How many elements a streamed result's first block has, so that all others begin at a line.
int64_t LoopProgram::FirstBlock(uint8_t* const* outputs, int64_t begin) const {
  const Register& reg = registers_[operations_.back().out];
  const auto place = reinterpret_cast<uintptr_t>(outputs[reg.output] + begin * reg.width);
  const int64_t beyond = static_cast<int64_t>(place % kStreamAlignment);
  if (beyond == 0 || beyond % reg.width != 0) return kBlock;
  return (kStreamAlignment - beyond) / reg.width;
}

void LoopProgram::Run(const uint8_t* const* arrays, uint8_t* const* outputs, int64_t begin,
                      int64_t end, LineFetcher* fetcher) const {
  if (begin >= end) return;
  ScratchBuffer scratch(scratch_bytes_);
  uint8_t* at[kRegistersMax + 1];
  FillSplats(arrays, std::min(kBlock, end - begin), scratch.data(), at);
  const bool far = fetcher == nullptr && end - begin > kFarElements;
  int64_t block = far && streams_ ? FirstBlock(outputs, begin) : kBlock;
  for (int64_t start = begin, count; start < end; start += count, block = kBlock) {
    count = std::min(block, end - start);
    PlaceBlock(arrays, outputs, start, count, scratch.data(), at);
    if (far) {
      RunFar(at, count, scratch.data() + held_);
    } else {
      RunOperations(at, count, fetcher);
    }
    for (size_t o = 0; o < outputs_.size(); ++o) {
      const Register& reg = registers_[outputs_[o]];
      if (reg.output == static_cast<int>(o)) continue;
      std::memmove(outputs[o] + start * reg.width, at[outputs_[o]],
                   static_cast<size_t>(count * reg.width));
    }
  }
  if (far && streams_) FinishStreams();
}

}  // namespace hlocts::cpu
