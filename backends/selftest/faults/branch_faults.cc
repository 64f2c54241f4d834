// SPDX-License-Identifier: Apache-2.0
// A fault by which a branch index out of range selects the first branch instead of the last.
#include "backends/selftest/elements.h"
#include "backends/selftest/faults/fault.h"

namespace hlocts::backends {
namespace {

template <bool below, bool above>
void OutsideTakesFirst(FaultSite& site) {
  Literal& index = site.operands[0];
  if (index.element_type() == PrimitiveType::kPred) return;
  const int64_t branches = static_cast<int64_t>(site.operands.size()) - 1;
  const int64_t at = ReadInteger(index, 0);
  if ((below && at < 0) || (above && at >= branches)) WriteInteger(index, 0, 0);
}

struct BranchRow {
  const char* id;
  const char* what;
  void (*before)(FaultSite&);
};
constexpr BranchRow kBranchRows[] = {
    {"conditional.outside-takes-first",
     "an out-of-range branch index selects the first branch instead of the last",
     OutsideTakesFirst<true, true>},
    {"conditional.negative-takes-first",
     "a negative branch index selects the first branch instead of the last",
     OutsideTakesFirst<true, false>},
    {"conditional.too-large-takes-first",
     "a branch index beyond the last selects the first branch instead of the last",
     OutsideTakesFirst<false, true>},
};

}  // namespace

void AddBranchFaults(std::vector<Fault>& faults) {
  for (const BranchRow& row : kBranchRows) {
    Fault fault{row.id, FaultClass::kIndexClamping, row.what, {Opcode::kConditional}};
    fault.before = row.before;
    faults.push_back(std::move(fault));
  }
}

}  // namespace hlocts::backends
