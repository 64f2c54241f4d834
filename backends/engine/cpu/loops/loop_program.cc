// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/loops/loop_program.h"

#include <algorithm>
#include <utility>

#include "backends/engine/cpu/elementwise/stream.h"
#include "backends/engine/cpu/loops/load_view.h"

namespace hlocts::cpu {

int LoopProgram::AddInput(int array, const plan::View& view, int width) {
  Register reg;
  reg.view = view.Simplified();
  for (size_t r = 0; r < registers_.size(); ++r) {
    const Register& other = registers_[r];
    if (other.array == array && other.kind != Kind::kAssembled && other.view == reg.view) {
      return static_cast<int>(r);
    }
  }
  // A single element is contiguous, so it is read directly.
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

int LoopProgram::AddPieces(int filling, std::vector<LoadedPiece> pieces, int width) {
  Register reg;
  reg.kind = Kind::kAssembled;
  reg.array = filling;
  reg.width = width;
  reg.pieces = std::move(pieces);
  registers_.push_back(std::move(reg));
  return static_cast<int>(registers_.size()) - 1;
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
  // Usually only the last operation may write directly to the caller's memory, because an earlier
  // one could overwrite an input. After WriteOutputsStraight, every operation may.
  const bool is_last = !operations_.empty() && operations_.back().out == reg;
  if (!outputs_apart_ && (is_last || outputs_straight_) && registers_[reg].output < 0) {
    registers_[reg].output = static_cast<int>(outputs_.size());
  }
  outputs_.push_back(reg);
}

namespace {

// The shortest row for which a kernel is called. Arrays with shorter rows are copied to scratch.
constexpr int64_t kRowMin = kShortRow + 1;

bool IsRow(const LoopProgram::Register& reg, int64_t stride) {
  const auto& dimensions = reg.view.dimensions;
  return reg.kind == LoopProgram::Kind::kLoaded && dimensions.size() > 1 &&
         dimensions.back().stride == stride && dimensions.back().size >= kRowMin;
}
// Returns true if rows are too short for separate calls, but the same row occurs several times.
bool IsRepeatedRow(const LoopProgram::Register& reg) {
  constexpr int64_t kShortest = 16;
  const auto& dimensions = reg.view.dimensions;
  return reg.kind == LoopProgram::Kind::kLoaded && dimensions.size() > 1 &&
         dimensions.back().stride == 1 && dimensions.end()[-2].stride == 0 &&
         dimensions.back().size >= kShortest && dimensions.back().size < kRowMin;
}
int64_t RowSize(const LoopProgram::Register& reg) { return reg.view.dimensions.back().size; }

}  // namespace

// Returns which operand (0 to 2) the kernel reads as a single element, or -1. An operand with one
// element for each row takes precedence over a splat.
int LoopProgram::SingleOf(const Operation& operation) const {
  const std::array<int, 3> operands = operation.operands();
  int chosen = -1;
  for (int k = 0; k < 3; ++k) {
    if (operands[k] < 0 || ((operation.kernel.singles >> k) & 1) == 0) continue;
    const Register& reg = registers_[operands[k]];
    const bool is_single = reg.stays && (reg.kind == Kind::kSplat || IsRow(reg, 0));
    if (is_single && (chosen < 0 || IsRow(reg, 0))) chosen = k;
  }
  return chosen;
}

// Decides which operands are read in place. A kernel may support single elements; it gets
// at most one such operand. If operands are read in place by rows, the kernel runs row by row, so
// their rows must be equally long. An operand that all its readers read in place is not copied.
void LoopProgram::LeaveInPlace() {
  for (Register& reg : registers_) {
    reg.stays = reg.kind == Kind::kSplat || IsRow(reg, 0) || IsRow(reg, 1) || IsRepeatedRow(reg);
  }
  for (int r : outputs_) registers_[r].stays = false;
  for (Operation& operation : operations_) {
    const std::array<int, 3> operands = operation.operands();
    const int single = SingleOf(operation);
    int64_t size = 0;
    if (single >= 0 && IsRow(registers_[operands[single]], 0)) {
      size = RowSize(registers_[operands[single]]);
    }
    for (int k = 0; k < 3; ++k) {
      if (operands[k] < 0 || k == single) continue;
      Register& reg = registers_[operands[k]];
      const bool fits = IsRepeatedRow(reg) ? operation.kernel.repeats && single < 0 && size == 0
                                           : IsRow(reg, 1) && (size == 0 || size == RowSize(reg));
      reg.stays = reg.stays && fits;
      if (reg.stays) size = RowSize(reg);
    }
  }
  for (Operation& operation : operations_) {
    const std::array<int, 3> operands = operation.operands();
    const int single = SingleOf(operation);
    for (int k = 0; k < 3; ++k) {
      if (operands[k] < 0 || !registers_[operands[k]].stays) continue;
      const Register& reg = registers_[operands[k]];
      const auto bit = static_cast<uint8_t>(k == single ? 1 << k : 0);
      if (reg.kind == Kind::kSplat) {
        operation.kernel.parameters.single |= bit;
      } else {
        operation.row_size = RowSize(reg);
        operation.row_single |= bit;
        if (!IsRepeatedRow(reg)) continue;
        operation.row_repeats = reg.view.dimensions.end()[-2].size;
        // The address of an absent third operand is null, so it must not advance.
        const int absent = operation.c < 0 ? 1 << 2 : 0;
        operation.kernel.parameters.repeated |= static_cast<uint8_t>(1 << k | absent);
      }
    }
  }
}

// Removes operations whose results became unused when operations were merged.
void LoopProgram::DropUnread() {
  std::vector<bool> read(registers_.size(), false);
  for (int r : outputs_) read[r] = true;
  for (size_t o = operations_.size(); o-- > 0;) {
    const Operation& operation = operations_[o];
    if (!read[operation.out]) continue;
    for (int r : operation.operands()) {
      if (r >= 0) read[r] = true;
    }
  }
  std::erase_if(operations_, [&](const Operation& operation) { return !read[operation.out]; });
}

namespace {

// Fuses the first operation into the second, which reads its result, if a kernel computes both.
bool TakeIn(const LoopProgram::Operation& first, LoopProgram::Operation& second) {
  if (first.b < 0 || first.c >= 0 || second.b < 0 || second.c >= 0) return false;
  const bool right = second.b == first.out, square = second.a == second.b;
  Kernel last = second.kernel;
  if (square) last.paired = last.paired == Paired::kMultiply ? Paired::kSquare : Paired::kNone;
  const Kernel both = PairKernel(first.kernel, last, right && !square);
  if (both.run == nullptr) return false;
  const int other = square ? -1 : right ? second.a : second.b;
  second = {both, first.a, first.b, other, second.out};
  return true;
}

}  // namespace

// Fuses operations into their only reader, so that the value between them is not stored.
void LoopProgram::FindPairs() {
  std::vector<int> readers(registers_.size(), 0), maker(registers_.size(), -1);
  for (int r : outputs_) ++readers[r];
  for (const Operation& operation : operations_) {
    const auto [a, b, c] = operation.operands();
    for (int r : {a, b == a ? -1 : b, c}) {
      if (r >= 0) ++readers[r];
    }
  }
  std::vector<bool> gone(operations_.size(), false);
  for (size_t o = 0; o < operations_.size(); ++o) {
    Operation& second = operations_[o];
    for (int r : {second.a, second.b}) {
      if (r < 0 || readers[r] != 1 || maker[r] < 0) continue;
      gone[maker[r]] = TakeIn(operations_[maker[r]], second);
      if (gone[maker[r]]) break;
    }
    maker[second.out] = static_cast<int>(o);
  }
  size_t at = 0;
  std::erase_if(operations_, [&](const Operation&) { return gone[at++]; });
}

void LoopProgram::Finish() {
  DropUnread();
  if (paired_) FindPairs();
  LeaveInPlace();
  for (Register& reg : registers_) {
    const bool is_laid_out = reg.kind != Kind::kDirect && reg.kind != Kind::kComputed;
    if (is_laid_out && !reg.stays) reg.scratch = NewScratch(reg.width);
  }
  ShareScratch();
  // Streaming saves nothing if the last result is copied to the output.
  streams_ = streams_ && !operations_.empty() && registers_[operations_.back().out].output >= 0;
  if (!streams_) return;
  stream_buffer_offset_ =
      (scratch_bytes_ + kStreamAlignment - 1) / kStreamAlignment * kStreamAlignment;
  scratch_bytes_ = stream_buffer_offset_ + kBlock * kWidthMax;
}

// Returns the offset of new scratch memory for one block of elements.
int64_t LoopProgram::NewScratch(int width) {
  const int64_t offset = scratch_bytes_;
  scratch_bytes_ += kBlock * width;
  return offset;
}

// Returns for each register the index of the last operation that reads it, or -1 if none does. For
// an output, returns operations_.size().
std::vector<int> LoopProgram::LastReaders() const {
  std::vector<int> last(registers_.size(), -1);
  for (size_t o = 0; o < operations_.size(); ++o) {
    for (int r : operations_[o].operands()) {
      if (r >= 0) last[r] = static_cast<int>(o);
    }
  }
  for (int r : outputs_) last[r] = static_cast<int>(operations_.size());
  return last;
}

// Assigns scratch memory to computed registers. Memory is reused after a register's last reader.
void LoopProgram::ShareScratch() {
  std::vector<int> last_use = LastReaders();
  std::vector<std::pair<int, int64_t>> free;  // width, offset
  auto take = [&](Register& reg) {
    for (size_t i = 0; i < free.size(); ++i) {
      if (free[i].first != reg.width) continue;
      reg.scratch = free[i].second;
      free.erase(free.begin() + static_cast<int64_t>(i));
      return;
    }
    reg.scratch = NewScratch(reg.width);
  };
  for (size_t o = 0; o < operations_.size(); ++o) {
    Register& out = registers_[operations_[o].out];
    if (out.output < 0) take(out);
    const auto [a, b, c] = operations_[o].operands();
    for (int r : {a, b, c, operations_[o].out}) {
      if (r < 0 || last_use[r] > static_cast<int>(o)) continue;
      Register& reg = registers_[r];
      if (reg.kind != Kind::kComputed || reg.scratch < 0 || last_use[r] < -1) continue;
      free.push_back({reg.width, reg.scratch});
      last_use[r] = -2;
    }
  }
}

namespace {

bool Reads(const LoopProgram::Register& reg, int array) {
  return reg.array == array || std::any_of(reg.pieces.begin(), reg.pieces.end(),
                                           [&](const LoadedPiece& p) { return p.array == array; });
}

}  // namespace

bool LoopProgram::ReadsInPlace(int array, int width) const {
  bool reads = false;
  for (const Register& reg : registers_) {
    if (!Reads(reg, array)) continue;
    if (reg.kind != Kind::kDirect || reg.view.offset != 0 || reg.width != width) return false;
    reads = true;
  }
  return reads;
}

bool LoopProgram::HasPieces() const {
  return std::any_of(registers_.begin(), registers_.end(),
                     [](const Register& reg) { return reg.kind == Kind::kAssembled; });
}

bool LoopProgram::MayOverwrite(int array, int output) const {
  const int written = outputs_[output];
  if (!ReadsInPlace(array, registers_[written].width)) return false;
  const auto writes = std::find_if(operations_.begin(), operations_.end(),
                                   [&](const Operation& o) { return o.out == written; });
  if (writes == operations_.end()) return false;
  return std::none_of(writes + 1, operations_.end(), [&](const Operation& later) {
    const std::array<int, 3> operands = later.operands();
    return std::any_of(operands.begin(), operands.end(),
                       [&](int r) { return r >= 0 && Reads(registers_[r], array); });
  });
}

int LoopProgram::WidthOf(int array) const {
  for (const Register& reg : registers_) {
    if (Reads(reg, array)) return reg.width;
  }
  return 0;
}

std::vector<const plan::View*> LoopProgram::ViewsOf(int array) const {
  std::vector<const plan::View*> views;
  for (const Register& reg : registers_) {
    if (Reads(reg, array)) views.push_back(reg.kind == Kind::kAssembled ? nullptr : &reg.view);
  }
  return views;
}

}  // namespace hlocts::cpu
