// SPDX-License-Identifier: Apache-2.0
// Recognizes called computations that consist of one known operation: reducers and comparators.
#pragma once

#include <cstdint>
#include <optional>

#include "spec/ir/module_fwd.h"
#include "spec/ops/kinds.h"

namespace hlocts::reference {

// The reducers with native loops: one operation on parameters 0 and 1, in either order, of one
// type.
enum class RecognizedReducer : uint8_t { kNone, HLOCTS_REDUCERS(HLOCTS_MEMBER) };
// Returns kNone if the operation is not one of these reducers.
constexpr RecognizedReducer RecognizedReducerOf(Opcode opcode) {
  const std::optional<ops::Reducer> reducer = ops::ReducerOf(opcode);
  return reducer.has_value() ? static_cast<RecognizedReducer>(static_cast<int>(*reducer) + 1)
                             : RecognizedReducer::kNone;
}
// Returns the opcode of a reducer other than kNone.
constexpr Opcode OpcodeOf(RecognizedReducer reducer) {
  return ops::kReducerOpcodes[static_cast<int>(reducer) - 1];
}
RecognizedReducer Recognize(const Computation& computation);
// A comparator of sort: compares parameters 2i and 2i+1, in either order, by LT or GT. `key` is i.
struct RecognizedComparator {
  bool recognized = false;
  bool descending = false;
  bool total_order = false;
  int64_t key = 0;  // the operand of sort that is compared
};
RecognizedComparator RecognizeComparator(const Computation& computation);

}  // namespace hlocts::reference
