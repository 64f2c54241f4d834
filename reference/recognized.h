// SPDX-License-Identifier: Apache-2.0
// Called computations that are one known operation: reducers and comparators.
#ifndef HLOCTS_REFERENCE_RECOGNIZED_H_
#define HLOCTS_REFERENCE_RECOGNIZED_H_

#include <cstdint>
#include <optional>

#include "spec/ir/module_fwd.h"
#include "spec/ops/kinds.h"

namespace hlocts::reference {

// Bodies that have native loops: a single operation of parameter 0 and parameter 1, in either
// order, of one element type.
enum class RecognizedReducer : uint8_t { kNone, HLOCTS_REDUCERS(HLOCTS_MEMBER) };
// kNone: the operation is not one of them.
constexpr RecognizedReducer RecognizedReducerOf(Opcode opcode) {
  const std::optional<ops::Reducer> reducer = ops::ReducerOf(opcode);
  return reducer.has_value() ? static_cast<RecognizedReducer>(static_cast<int>(*reducer) + 1)
                             : RecognizedReducer::kNone;
}
// The reducer is not kNone.
constexpr Opcode OpcodeOf(RecognizedReducer reducer) {
  return ops::kReducerOpcodes[static_cast<int>(reducer) - 1];
}
RecognizedReducer Recognize(const Computation& computation);
// Comparators of sort: compare(parameter 2i, parameter 2i+1) with LT or GT (or GT/LT of the swapped
// pair), on pair `key`.
struct RecognizedComparator {
  bool recognized = false;
  bool descending = false;
  bool total_order = false;
  int64_t key = 0;  // which operand of sort is compared
};
RecognizedComparator RecognizeComparator(const Computation& computation);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_RECOGNIZED_H_
