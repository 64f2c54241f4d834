// SPDX-License-Identifier: Apache-2.0
// Faults in the remainder of a loop that proceeds in steps. They appear in arrays so large that
// compilers use such a loop (as in openxla/xla#48687, #48119, #13054).

#include "absl/strings/str_cat.h"
#include "backends/selftest/elements.h"
#include "backends/selftest/faults/fault.h"

namespace hlocts::backends {
namespace {

struct TailRow {
  Opcode opcode;
  int64_t threshold;  // least element count of the result for which the loop proceeds in steps
  int64_t step;
};
constexpr TailRow kTailRows[] = {
    {Opcode::kAdd, 8, 8},
    {Opcode::kAdd, 64, 8},
    {Opcode::kMultiply, 8, 4},
    {Opcode::kSubtract, 1024, 16},
    {Opcode::kExponential, 8, 8},
    {Opcode::kSelect, 8, 8},
    {Opcode::kConvert, 8, 8},
    {Opcode::kCompare, 16, 16},
    {Opcode::kTranspose, 64, 8},
    {Opcode::kConcatenate, 16, 8},
    {Opcode::kReverse, 8, 4},
    {Opcode::kPad, 16, 8},
    {Opcode::kBroadcast, 16, 8},
    {Opcode::kIota, 64, 16},
    {Opcode::kDot, 64, 16},
    {Opcode::kDot, 1000, 64},
    {Opcode::kConvolution, 64, 8},
    {Opcode::kReduce, 16, 8},
    {Opcode::kReduceWindow, 64, 8},
    {Opcode::kGather, 16, 8},
    {Opcode::kScatter, 16, 8},
    {Opcode::kDynamicSlice, 16, 8},
    {Opcode::kSlice, 16, 8},
    {Opcode::kMaximum, 16, 16},
    {Opcode::kTanh, 16, 8},
    {Opcode::kClamp, 8, 4},
    {Opcode::kMap, 8, 4},
    {Opcode::kSort, 64, 32},
    {Opcode::kTopk, 8, 4},
    {Opcode::kRngBitGenerator, 8, 4},
    {Opcode::kBitcastConvert, 16, 8},
    {Opcode::kAllReduce, 8, 4},
};

// Sets the elements after the last full step to zero, as if they were never written.
void DropTail(const TailRow& row, FaultSite& site) {
  std::vector<Literal> leaves = FlattenLeaves(*site.result);
  for (Literal& leaf : leaves) {
    int64_t count = leaf.element_count();
    if (!IsArrayType(leaf.element_type()) || count < row.threshold) continue;
    for (int64_t i = count - count % row.step; i < count; ++i) ZeroElement(leaf, i);
  }
  auto rebuilt = UnflattenLeaves(site.result->shape(), std::move(leaves));
  if (rebuilt.ok()) *site.result = *std::move(rebuilt);
}

// Omits the last n mod `kRow` elements of each row of n > `kRow` elements from a reduction.
template <int64_t kRow>
void LongRowsCutShort(FaultSite& site) {
  if (site.operands.size() != 2) return;
  Literal& operand = site.operands[0];
  if (!(operand.element_type() == site.operands[1].element_type())) return;
  const std::vector<int64_t>& along = site.instruction.IntList(Attr::kDimensions);
  const std::vector<int64_t>& sizes = operand.shape().dimensions();
  if (along.empty() || along.back() + 1 != operand.shape().rank()) return;
  int64_t n = sizes.back();
  if (n <= kRow) return;
  for (int64_t i = 0; i < operand.element_count(); ++i) {
    if (i % n >= n - n % kRow) CopyElement(site.operands[1], 0, operand, i);
  }
}

}  // namespace

void AddTailFaults(std::vector<Fault>& faults) {
  for (const TailRow& row : kTailRows) {
    faults.push_back(
        AfterFault(absl::StrCat(OpcodeName(row.opcode), ".tail-dropped-from-", row.threshold),
                   FaultClass::kDroppedTail, row.opcode,
                   absl::StrCat("from ", row.threshold, " elements on, those after the last full ",
                                row.step, " are not written"),
                   [row](FaultSite& site) { DropTail(row, site); }));
  }
  faults.push_back(BeforeFault("reduce.rows-cut-to-8", FaultClass::kDroppedTail, Opcode::kReduce,
                               "rows are reduced 8 elements at a time without the rest",
                               LongRowsCutShort<8>));
  faults.push_back(BeforeFault("reduce.rows-cut-to-1024", FaultClass::kDroppedTail, Opcode::kReduce,
                               "rows are reduced 1024 elements at a time without the rest",
                               LongRowsCutShort<1024>));
}

}  // namespace hlocts::backends
