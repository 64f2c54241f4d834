// SPDX-License-Identifier: Apache-2.0
#include "spec/infer/dimension_numbers.h"

#include <algorithm>

#include "spec/ir/instruction.h"

namespace hlocts {

DotDimensionNumbers DotDimensionsOf(const Instruction& dot) {
  return {dot.IntList(Attr::kLhsBatchDims), dot.IntList(Attr::kRhsBatchDims),
          dot.IntList(Attr::kLhsContractingDims), dot.IntList(Attr::kRhsContractingDims)};
}

GatherDimensionNumbers GatherDimensionsOf(const Instruction& gather) {
  return {gather.IntList(Attr::kOffsetDims),
          gather.IntList(Attr::kCollapsedSliceDims),
          gather.IntList(Attr::kStartIndexMap),
          gather.IntList(Attr::kOperandBatchingDims),
          gather.IntList(Attr::kStartIndicesBatchingDims),
          gather.IntOr(Attr::kIndexVectorDim, 0)};
}

ScatterDimensionNumbers ScatterDimensionsOf(const Instruction& scatter) {
  return {scatter.IntList(Attr::kUpdateWindowDims),
          scatter.IntList(Attr::kInsertedWindowDims),
          scatter.IntList(Attr::kScatterDimsToOperandDims),
          scatter.IntList(Attr::kInputBatchingDims),
          scatter.IntList(Attr::kScatterIndicesBatchingDims),
          scatter.IntOr(Attr::kIndexVectorDim, 0)};
}

std::vector<int64_t> DimensionsExcept(int64_t rank, absl::Span<const int64_t> excluded) {
  std::vector<int64_t> kept;
  for (int64_t d = 0; d < rank; ++d) {
    if (std::find(excluded.begin(), excluded.end(), d) == excluded.end()) kept.push_back(d);
  }
  return kept;
}

}  // namespace hlocts
