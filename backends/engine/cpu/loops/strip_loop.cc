// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/loops/strip_loop.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "backends/engine/cpu/base/scratch.h"
#include "backends/engine/cpu/loops/load_view.h"

namespace hlocts::cpu {
namespace {

constexpr int64_t kWidth = 4;  // bytes of an element

}  // namespace

// One pass over the program, which knows what the strip in registers holds.
class StripLoop::Builder {
 public:
  explicit Builder(const LoopProgram& program)
      : registers_(program.registers()),
        operations_(program.operations()),
        cells_(registers_.size(), -1) {}

  // False if the program is not all operations of strips.
  bool Build(int result) {
    for (size_t r = 0; r < registers_.size(); ++r) {
      if (!AddRegister(static_cast<int>(r))) return false;
    }
    for (size_t o = 0; o < operations_.size(); ++o) {
      if (!AddOperation(o)) return false;
    }
    return held_ == result;
  }

  StripLoop loop;

 private:
  using Kind = LoopProgram::Kind;

  bool AddRegister(int r) {
    const LoopProgram::Register& reg = registers_[r];
    const bool is_laid_out = reg.kind == Kind::kLoaded || reg.kind == Kind::kAssembled;
    if (reg.width != kWidth || is_laid_out) return false;
    if (reg.kind == Kind::kDirect) return !reg.view.dimensions.empty();
    if (reg.kind == Kind::kSplat) {
      cells_[r] = loop.cells_++;
      loop.splats_.push_back({reg.array, reg.view.offset, cells_[r]});
    }
    if (reg.kind != Kind::kLine) return true;
    if (!IsStripLine(reg.line.run)) return false;
    loop.drafts_.push_back({StripCode::kLine, -1, -1, reg.view.offset});
    Hold(r, IsLastLine(r) ? 0 : operations_.size());
    return true;
  }
  bool IsLastLine(int r) const {
    return std::none_of(registers_.begin() + r + 1, registers_.end(),
                        [](const auto& reg) { return reg.kind == Kind::kLine; });
  }

  bool AddOperation(size_t o) {
    const LoopProgram::Operation& operation = operations_[o];
    const auto known = StripOperationOf(operation.kernel.run);
    if (!known.has_value() || operation.b < 0 || operation.c >= 0) return false;
    if (held_ == operation.b && held_ != operation.a && known->commutes) {
      Add(known->code, operation.a);
    } else {
      if (held_ != operation.a) Add(StripCode::kLoad, operation.a);
      Add(known->code, operation.b);
    }
    Hold(operation.out, o + 1);
    return true;
  }

  // The strip holds register r now; a cell does too if anything but operation `next` wants it.
  void Hold(int r, size_t next) {
    held_ = r;
    if (!IsReadInMemory(r, next)) return;
    cells_[r] = loop.cells_++;
    Add(StripCode::kStore, r);
  }
  bool IsReadInMemory(int r, size_t next) const {
    for (size_t o = 0; o < operations_.size(); ++o) {
      const LoopProgram::Operation& operation = operations_[o];
      if (operation.a != r && operation.b != r) continue;
      const auto known = StripOperationOf(operation.kernel.run);
      const bool takes_strip = operation.a == r || (known.has_value() && known->commutes);
      if (o != next || operation.a == operation.b || !takes_strip) return true;
    }
    return false;
  }

  void Add(StripCode code, int r) {
    const LoopProgram::Register& reg = registers_[r];
    const bool is_array = reg.kind == Kind::kDirect;
    loop.drafts_.push_back({code, is_array ? reg.array : -1, is_array ? -1 : cells_[r],
                            is_array ? reg.view.offset : 0});
  }

  const std::vector<LoopProgram::Register>& registers_;
  const std::vector<LoopProgram::Operation>& operations_;
  std::vector<int64_t> cells_;  // of each register, -1: none
  int held_ = -1;
};

std::optional<StripLoop> StripLoop::Of(const LoopProgram& program) {
  if (Strips().elements == 0 || program.outputs().size() != 1) return std::nullopt;
  Builder builder(program);
  if (!builder.Build(program.outputs()[0])) return std::nullopt;
  return std::move(builder.loop);
}

void StripLoop::Run(StripOp last, const uint8_t* const* arrays, int64_t begin, int64_t end) const {
  const int64_t strip = Strips().elements, bytes = strip * kWidth;
  const ScratchBuffer cells(cells_ * bytes);
  for (const Splat& splat : splats_) {
    Fill(arrays[splat.array] + splat.offset * kWidth, kWidth, strip,
         cells.data() + splat.cell * bytes);
  }
  absl::InlinedVector<StripOp, 16> ops;
  for (const Draft& draft : drafts_) {
    StripOp op;
    op.code = draft.code;
    op.number = draft.offset;
    if (draft.array >= 0) {
      op.moves = -1;
      op.at = const_cast<uint8_t*>(arrays[draft.array]) + draft.offset * kWidth;
    } else if (draft.cell >= 0) {
      op.at = cells.data() + draft.cell * bytes;
    }
    ops.push_back(op);
  }
  last.moves = -1;
  ops.push_back(last);
  ops.push_back({});
  const int64_t whole = begin + (end - begin) / strip * strip;
  Strips().run(ops.data(), begin, whole);
  if (whole < end) Strips().run(ops.data(), end - strip, end);
}

void StripLoop::Make(const uint8_t* const* arrays, int64_t begin, int64_t end, uint8_t* out) const {
  StripOp store;
  store.code = StripCode::kStore;
  store.at = out;
  Run(store, arrays, begin, end);
}

void StripLoop::Take(const Table& table, const uint8_t* const* arrays, int64_t begin, int64_t end,
                     uint8_t* out) const {
  StripOp gather;
  gather.code = table.is_signed ? StripCode::kGatherSigned : StripCode::kGatherUnsigned;
  gather.at = out;
  gather.table = table.elements;
  gather.number = table.last;
  Run(gather, arrays, begin, end);
}

}  // namespace hlocts::cpu
