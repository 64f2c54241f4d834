// SPDX-License-Identifier: Apache-2.0
// Which function runs each instruction of a small loop: that depends on what is in a register by
// then. Instructions that belong together move next to each other first.
#include <algorithm>

#include "backends/engine/cpu/small_loop/small_loop.h"

namespace hlocts::cpu {
namespace {

bool Overlap(const void* x, const void* y) {
  const auto a = reinterpret_cast<uintptr_t>(x), b = reinterpret_cast<uintptr_t>(y);
  return (a > b ? a - b : b - a) < kMicroPadding;
}
// Whether `op` may as well run before `other`, both on one vector.
bool Commute(const MicroOp& op, const MicroOp& other) {
  for (const void* place : {op.a, op.b, static_cast<const void*>(op.out)}) {
    if (Overlap(place, other.out)) return false;
  }
  return !Overlap(op.out, other.a) && !Overlap(op.out, other.b);
}

bool IsPut(const MicroOp& op) {
  for (int width : {1, 2, 4, 8}) {
    if (op.run == MicroOps().put_element(width)) return true;
  }
  return false;
}

}  // namespace

void SmallLoop::BringAddition(Chain& chain) {
  const size_t end = chain.ops.size() - 1;
  size_t k = end;
  while (k > 0 && (chain.kernels[k - 1] == nullptr || chain.ops[k - 1].vectors != 1 ||
                   chain.ops[k - 1].out != chain.ops[end].a)) {
    --k;
    if (chain.kernels[k] == nullptr || chain.ops[k].vectors != 1) return;
  }
  if (k == 0) return;
  --k;
  for (size_t j = k + 1; j < end; ++j) {
    if (!Commute(chain.ops[j], chain.ops[k])) return;
  }
  std::rotate(chain.ops.begin() + k, chain.ops.begin() + k + 1, chain.ops.begin() + end);
  std::rotate(chain.kernels.begin() + k, chain.kernels.begin() + k + 1,
              chain.kernels.begin() + end);
}

MicroOperands SmallLoop::Registers::OperandsOf(const MicroOp& op) const {
  auto is = [](const void* place, const void* known) { return known != nullptr && place == known; };
  if (is(op.a, last)) return MicroOperands::kLastFirst;
  if (is(op.b, last)) return MicroOperands::kLastSecond;
  if (is(op.a, before)) return MicroOperands::kBeforeFirst;
  return is(op.b, before) ? MicroOperands::kBeforeSecond : MicroOperands::kMemory;
}

// What lay at the result's place before is no more.
void SmallLoop::Registers::Note(const void* result) {
  before = last == result ? nullptr : last;
  last = result;
}

void SmallLoop::Registers::NoteWriteInto(const MicroElement& element) {
  for (const void** place : {&last, &before}) {
    const uint8_t* at = static_cast<const uint8_t*>(*place);
    if (at >= element.array && at < element.array + element.bytes) *place = nullptr;
  }
}

void SmallLoop::Registers::Forget(const void* place) {
  if (last == place) last = nullptr;
  if (before == place) before = nullptr;
}

// Of a binary instruction; returns how many instructions it stands for.
size_t SmallLoop::SettleOne(Registers& registers, Chain& chain, size_t i) {
  const MicroTable& micro = MicroOps();
  MicroOp& op = chain.ops[i];
  const MicroOp& next = chain.ops[i + 1];
  const MicroOperands operands = registers.OperandsOf(op);
  const bool uses = next.a == op.out || next.b == op.out;
  if (op.vectors == 1 && uses && chain.kernels[i + 1] != nullptr && next.vectors == 1) {
    const bool second =
        operands == MicroOperands::kLastSecond || operands == MicroOperands::kBeforeSecond;
    const auto pair = micro.pair(chain.kernels[i], chain.kernels[i + 1],
                                 second ? MicroOperands::kMemory : operands, next.a == op.out);
    if (pair != nullptr) {
      op.run = pair;
      registers.Forget(op.out);
      registers.Note(next.out);
      return 2;
    }
  }
  const bool decides = i + 2 == chain.ops.size() && chain.compares != nullptr;
  if (op.vectors == 1 && decides && next.a == op.out) {
    const auto both = micro.add_and_turn_if(chain.kernels[i], chain.compares, operands);
    if (both != nullptr) {
      op.run = both;
      registers.Note(op.out);
      return 2;
    }
  }
  op.run = micro.binary(chain.kernels[i], operands, op.vectors == 1);
  if (op.vectors == 1) {
    registers.Note(op.out);
  } else {
    registers = {};
  }
  return 1;
}

SmallLoop::Registers SmallLoop::Settle(Registers registers, Chain& chain) {
  const MicroTable& micro = MicroOps();
  chain.micro.first = chain.ops.data();
  chain.micro.last = registers.last;
  chain.micro.before = registers.before;
  // The last instruction hands registers on.
  for (size_t i = 0; i + 1 < chain.ops.size();) {
    const MicroOp& op = chain.ops[i];
    if (chain.kernels[i] != nullptr) {
      i += SettleOne(registers, chain, i);
      continue;
    }
    const bool splats = op.vectors == 1 && op.run != micro.call && op.run != micro.thunk;
    if (IsPut(op)) {
      registers.NoteWriteInto(*static_cast<const MicroElement*>(op.a));
    } else if (splats) {
      registers.Note(op.out);
    } else {
      registers = {};
    }
    ++i;
  }
  return registers;
}

}  // namespace hlocts::cpu
