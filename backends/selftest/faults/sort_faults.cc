// SPDX-License-Identifier: Apache-2.0
// Faults of sort and top-k: ties, dimensions, payloads.
#include "backends/selftest/elements.h"
#include "backends/selftest/faults/fault.h"
#include "spec/ir/index_util.h"

namespace hlocts::backends {
namespace {

// Reverses the order of rows whose first keys are equal.
void TiesReversed(FaultSite& site) {
  if (!site.instruction.BoolOr(Attr::kIsStable, false)) return;
  std::vector<Literal> columns = FlattenLeaves(*site.result);
  const std::vector<int64_t>& sizes = columns[0].shape().dimensions();
  const std::vector<int64_t>& along = site.instruction.IntList(Attr::kDimensions);
  if (along.empty() || columns.size() < 2) return;
  const int64_t stride = RowMajorStrides(sizes)[along[0]], n = sizes[along[0]];
  for (int64_t base = 0; base < columns[0].element_count(); ++base) {
    if (base / stride % n != 0) continue;
    for (int64_t i = 0; i + 1 < n; ++i) {
      int64_t a = base + i * stride, b = a + stride;
      if (!SameElement(columns[0], a, columns[0], b)) continue;
      for (Literal& column : columns) {
        Literal first = column;
        CopyElement(column, b, column, a);
        CopyElement(first, a, column, b);
      }
      ++i;
    }
  }
  *site.result = Literal::Tuple(std::move(columns));
}

// Moves only the keys.
void ValuesStay(FaultSite& site) {
  if (!site.result->shape().IsTuple()) return;
  std::vector<Literal> columns = site.result->elements();
  for (size_t k = 1; k < columns.size(); ++k) columns[k] = site.operands[k];
  *site.result = Literal::Tuple(std::move(columns));
}

// Does not move the last element of each row.
void LastStays(FaultSite& site) {
  if (site.result->shape().IsTuple()) return;
  const std::vector<int64_t>& along = site.instruction.IntList(Attr::kDimensions);
  const std::vector<int64_t>& sizes = site.result->shape().dimensions();
  if (along.empty() || sizes[along[0]] < 2) return;
  const int64_t stride = RowMajorStrides(sizes)[along[0]], n = sizes[along[0]];
  Literal operand = site.operands[0];
  for (int64_t i = 0; i < operand.element_count(); ++i) {
    if (i / stride % n == n - 1) CopyElement(operand, i, *site.result, i);
  }
}

void EditTopK(FaultSite& site, void (*edit)(Literal& values, Literal& indices, int64_t k)) {
  if (!site.result->shape().IsTuple() || site.result->elements().size() != 2) return;
  std::vector<Literal> parts = site.result->elements();
  if (parts[0].shape().rank() == 0) return;
  edit(parts[0], parts[1], parts[0].shape().dimensions().back());
  *site.result = Literal::Tuple(std::move(parts));
}
void TopKAscending(Literal& values, Literal& indices, int64_t k) {
  for (Literal* part : {&values, &indices}) {
    const Literal right = *part;
    for (int64_t i = 0; i < right.element_count(); ++i) {
      CopyElement(right, i - i % k + (k - 1 - i % k), *part, i);
    }
  }
}
void TopKIndexFromOne(Literal&, Literal& indices, int64_t) {
  for (int64_t i = 0; i < indices.element_count(); ++i) {
    WriteInteger(indices, i, ReadInteger(indices, i) + 1);
  }
}
void TopKIndexIn8Bits(Literal&, Literal& indices, int64_t) {
  for (int64_t i = 0; i < indices.element_count(); ++i) {
    WriteInteger(indices, i, ReadInteger(indices, i) & 0xff);
  }
}

}  // namespace

void AddSortFaults(std::vector<Fault>& faults) {
  using FC = FaultClass;
  faults.push_back(AfterFault("sort.stable-ties-reversed", FC::kComparator, Opcode::kSort,
                              "is_stable is ignored", TiesReversed));
  faults.push_back(AfterFault("sort.values-stay", FC::kComparator, Opcode::kSort,
                              "only the first operand is sorted", ValuesStay));
  faults.push_back(AfterFault("sort.last-element-stays", FC::kComparator, Opcode::kSort,
                              "rows are sorted without their last element", LastStays));
  faults.push_back(ModuleEditFault("sort.last-dimension-always", FC::kComparator, Opcode::kSort,
                                   "sorts along the last dimension", [](Instruction& sort) {
                                     const Shape& shape = sort.operand(0).shape();
                                     sort.Set(Attr::kDimensions,
                                              std::vector<int64_t>{shape.rank() - 1});
                                     return shape.rank() > 1;
                                   }));
  faults.push_back(AfterFault("topk.ascending", FC::kComparator, Opcode::kTopk,
                              "the largest element is last",
                              [](FaultSite& site) { EditTopK(site, TopKAscending); }));
  faults.push_back(AfterFault("topk.index-from-one", FC::kComparator, Opcode::kTopk,
                              "indices count from 1",
                              [](FaultSite& site) { EditTopK(site, TopKIndexFromOne); }));
  faults.push_back(AfterFault("topk.index-in-8-bits", FC::kIndexType, Opcode::kTopk,
                              "indices are kept in 8 bits",
                              [](FaultSite& site) { EditTopK(site, TopKIndexIn8Bits); }));
  faults.push_back(ModuleEditFault("topk.smallest", FC::kComparator, Opcode::kTopk,
                                   "largest is read inverted", [](Instruction& topk) {
                                     topk.Set(Attr::kLargest, !topk.BoolOr(Attr::kLargest, true));
                                     return true;
                                   }));
}

}  // namespace hlocts::backends
