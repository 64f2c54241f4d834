// SPDX-License-Identifier: Apache-2.0
// Tables that map kernels to the functions of micro_ops-inl.h.
#include "backends/engine/cpu/elementwise/micro_ops.h"

#include <algorithm>
#include <iterator>

#include "backends/engine/cpu/elementwise/families.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/elementwise/micro_ops.cc"
#include "hwy/foreach_target.h"
// Must follow foreach_target.h, which includes this file again for each target.
#include "backends/engine/cpu/elementwise/micro_ops-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {

struct BinaryRow {
  KernelFunction kernel;
  Function one[5];  // indexed by MicroOperands
  Function many;
};
template <class F, typename T>
BinaryRow RowOf(Opcode opcode, PrimitiveType type) {
  using Operands = MicroOperands;
  return {VectorArithmetic(opcode, type),
          {One<F, T, Operands::kMemory>, One<F, T, Operands::kLastFirst>,
           One<F, T, Operands::kLastSecond>, One<F, T, Operands::kBeforeFirst>,
           One<F, T, Operands::kBeforeSecond>},
          Many<F, T>};
}

const BinaryRow* FindBinary(KernelFunction kernel) {
  using P = PrimitiveType;
  static const BinaryRow rows[] = {
      RowOf<Add, float>(Opcode::kAdd, P::kF32),
      RowOf<Subtract, float>(Opcode::kSubtract, P::kF32),
      RowOf<Multiply, float>(Opcode::kMultiply, P::kF32),
      RowOf<Divide, float>(Opcode::kDivide, P::kF32),
      RowOf<Maximum, float>(Opcode::kMaximum, P::kF32),
      RowOf<Minimum, float>(Opcode::kMinimum, P::kF32),
      RowOf<Add, double>(Opcode::kAdd, P::kF64),
      RowOf<Subtract, double>(Opcode::kSubtract, P::kF64),
      RowOf<Multiply, double>(Opcode::kMultiply, P::kF64),
      RowOf<Divide, double>(Opcode::kDivide, P::kF64),
      RowOf<Maximum, double>(Opcode::kMaximum, P::kF64),
      RowOf<Minimum, double>(Opcode::kMinimum, P::kF64),
      RowOf<Add, uint32_t>(Opcode::kAdd, P::kU32),
      RowOf<Subtract, uint32_t>(Opcode::kSubtract, P::kU32),
      RowOf<Multiply, uint32_t>(Opcode::kMultiply, P::kS32),
      RowOf<And, uint32_t>(Opcode::kAnd, P::kU32),
      RowOf<Or, uint32_t>(Opcode::kOr, P::kU32),
      RowOf<Xor, uint32_t>(Opcode::kXor, P::kU32),
      RowOf<Maximum, int32_t>(Opcode::kMaximum, P::kS32),
      RowOf<Minimum, int32_t>(Opcode::kMinimum, P::kS32),
      RowOf<Add, uint64_t>(Opcode::kAdd, P::kU64),
      RowOf<Subtract, uint64_t>(Opcode::kSubtract, P::kU64),
      RowOf<And, uint64_t>(Opcode::kAnd, P::kU64),
      RowOf<Xor, uint64_t>(Opcode::kXor, P::kU64),
      RowOf<And, uint8_t>(Opcode::kAnd, P::kPred),
      RowOf<Or, uint8_t>(Opcode::kOr, P::kPred),
  };
  const auto* found = std::find_if(std::begin(rows), std::end(rows),
                                   [&](const BinaryRow& row) { return row.kernel == kernel; });
  return found == std::end(rows) ? nullptr : found;
}

void (*Binary(KernelFunction kernel, MicroOperands operands, bool one_vector))() {
  const BinaryRow* row = FindBinary(kernel);
  if (row == nullptr) return nullptr;
  const Function function = one_vector ? row->one[static_cast<int>(operands)] : row->many;
  return reinterpret_cast<void (*)()>(function);
}

template <typename T>
Function Turning(KernelFunction kernel, PrimitiveType type) {
  constexpr Function kFunctions[] = {ConditionalLoopBranch<Eq, T>, ConditionalLoopBranch<Ne, T>,
                                     ConditionalLoopBranch<Lt, T>, ConditionalLoopBranch<Le, T>,
                                     ConditionalLoopBranch<Gt, T>, ConditionalLoopBranch<Ge, T>};
  for (int d = 0; d < 6; ++d) {
    if (VectorCompare(static_cast<Direction>(d), type) == kernel) return kFunctions[d];
  }
  return nullptr;
}
void (*TurningIf(KernelFunction kernel))() {
  Function found = Turning<int32_t>(kernel, PrimitiveType::kS32);
  if (found == nullptr) found = Turning<uint32_t>(kernel, PrimitiveType::kU32);
  if (found == nullptr) found = Turning<int64_t>(kernel, PrimitiveType::kS64);
  if (found == nullptr) found = Turning<float>(kernel, PrimitiveType::kF32);
  return reinterpret_cast<void (*)()>(found);
}

// Returns the function for elements of this width, or null for 16 bytes.
#define HLOCTS_BY_WIDTH(name, function)                          \
  void (*name(int width))() {                                    \
    switch (width) {                                             \
      case 1:                                                    \
        return reinterpret_cast<void (*)()>(function<uint8_t>);  \
      case 2:                                                    \
        return reinterpret_cast<void (*)()>(function<uint16_t>); \
      case 4:                                                    \
        return reinterpret_cast<void (*)()>(function<uint32_t>); \
      case 8:                                                    \
        return reinterpret_cast<void (*)()>(function<uint64_t>); \
      default:                                                   \
        return nullptr;                                          \
    }                                                            \
  }
HLOCTS_BY_WIDTH(SplatOf, Splat)
HLOCTS_BY_WIDTH(ElementOf, ReadElement)
HLOCTS_BY_WIDTH(PutElementOf, PutElement)
#undef HLOCTS_BY_WIDTH

void RunFrom(const MicroChain& first, const int64_t& steps_left) {
  const MicroChain* chain = &first;
  while (chain != nullptr) {
    const Last last = chain->last == nullptr ? Last{} : LoadAs<Last>(chain->last);
    const Last before = chain->before == nullptr ? Last{} : LoadAs<Last>(chain->before);
    chain = reinterpret_cast<Function>(chain->first->run)(chain->first, last, before, steps_left,
                                                          chain->first, chain->next);
  }
}

const MicroTable* Table() {
  static const MicroTable table = {kBytes,
                                   Binary,
                                   TurningIf,
                                   SplatOf,
                                   ElementOf,
                                   PutElementOf,
                                   reinterpret_cast<void (*)()>(Call),
                                   reinterpret_cast<void (*)()>(Thunk),
                                   reinterpret_cast<void (*)()>(LoopBranch),
                                   reinterpret_cast<void (*)()>(End),
                                   RunFrom};
  return &table;
}

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::cpu {
HWY_EXPORT(Table);
const MicroTable& MicroOps() {
  static const MicroTable& table = *HWY_DYNAMIC_DISPATCH(Table)();
  return table;
}
}  // namespace hlocts::cpu
#endif
