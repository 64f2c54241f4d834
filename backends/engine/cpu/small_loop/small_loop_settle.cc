// SPDX-License-Identifier: Apache-2.0
// Selects the function that runs each instruction of a small loop, depending on which values are in
// the vector registers.
#include "backends/engine/cpu/small_loop/small_loop.h"

namespace hlocts::cpu {
namespace {

bool IsStore(const MicroOp& op) {
  for (int width : {1, 2, 4, 8}) {
    if (op.run == MicroOps().put_element(width)) return true;
  }
  return false;
}

}  // namespace

MicroOperands SmallLoop::Registers::OperandsOf(const MicroOp& op) const {
  auto is = [](const void* place, const void* known) { return known != nullptr && place == known; };
  if (is(op.a, last)) return MicroOperands::kLastFirst;
  if (is(op.b, last)) return MicroOperands::kLastSecond;
  if (is(op.a, before)) return MicroOperands::kBeforeFirst;
  return is(op.b, before) ? MicroOperands::kBeforeSecond : MicroOperands::kMemory;
}

// Records a result. It replaces an earlier result at the same address.
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

SmallLoop::Registers SmallLoop::Settle(Registers registers, Chain& chain) {
  const MicroTable& micro = MicroOps();
  chain.micro.first = chain.ops.data();
  chain.micro.last = registers.last;
  chain.micro.before = registers.before;
  // The last instruction only passes the vector registers to the next chain.
  for (size_t i = 0; i + 1 < chain.ops.size(); ++i) {
    MicroOp& op = chain.ops[i];
    const bool one_vector = op.vectors == 1;
    if (chain.kernels[i] != nullptr) {
      op.run = micro.binary(chain.kernels[i], registers.OperandsOf(op), one_vector);
    }
    const bool notes = one_vector && op.run != micro.call && op.run != micro.thunk;
    if (IsStore(op)) {
      registers.NoteWriteInto(*static_cast<const MicroElement*>(op.a));
    } else if (notes) {
      registers.Note(op.out);
    } else {
      registers = {};
    }
  }
  return registers;
}

}  // namespace hlocts::cpu
