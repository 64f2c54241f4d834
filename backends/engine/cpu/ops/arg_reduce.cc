// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/ops/arg_reduce.h"

#include <cmath>
#include <limits>

#include "backends/engine/cpu/moves/strided.h"
#include "spec/ops/kinds.h"

namespace hlocts::cpu {
namespace {

using plan::Node;
using plan::ValueId;

bool IsParameter(const plan::Graph& graph, ValueId value) {
  return graph.producer(value).IsParameter();
}

bool ComparesOneRole(const plan::Graph& graph, const Node& compare) {
  const Node& lhs = graph.producer(compare.operands[0]);
  const Node& rhs = graph.producer(compare.operands[1]);
  return lhs.IsParameter() && rhs.IsParameter() && lhs.parameter % 2 == rhs.parameter % 2 &&
         compare.source->WordOr(Attr::kType, "") != "TOTALORDER";
}

// Returns true if the body contains only comparisons of corresponding parameters, logic on
// predicates, and selections, and if its results are parameters or selections.
bool OnlyPicks(const plan::Graph& graph) {
  for (const Node& node : graph.nodes) {
    if (node.removed) continue;
    const bool logic =
        ops::IsOneOf(node.opcode, {Opcode::kAnd, Opcode::kOr, Opcode::kXor, Opcode::kNot});
    const bool compares = node.opcode == Opcode::kCompare;
    if (compares && !ComparesOneRole(graph, node)) return false;
    if (!compares && !logic && !node.IsParameter() && node.opcode != Opcode::kSelect) return false;
    const PrimitiveType type = graph.type(node.outputs[0]).type;
    if (logic && type != PrimitiveType::kPred) return false;
  }
  for (ValueId result : graph.results) {
    if (!IsParameter(graph, result) && graph.producer(result).opcode != Opcode::kSelect) {
      return false;
    }
  }
  return true;
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
struct Case {
  double first, second;
};
// Pairs of values that yield all results of comparisons. Integers require only the first three.
constexpr Case kCases[] = {{1, 2}, {2, 1}, {1, 1}, {kNan, 1}, {1, kNan}, {kNan, kNan}};

// Returns 0 if the body selected the first pair, 1 if the second, and -1 if neither.
int Picked(const plan::Graph& graph, const ElementFunction& body, const Case& one) {
  const PrimitiveType value = graph.type(graph.parameters[0]).type;
  const PrimitiveType index = graph.type(graph.parameters[1]).type;
  alignas(16) uint8_t arguments[4][16] = {}, results[2][16] = {};
  const int64_t indices[2] = {3, 5};
  ConvertInto(PrimitiveType::kF64, value, &one.first, 1, arguments[0]);
  ConvertInto(PrimitiveType::kS64, index, &indices[0], 1, arguments[1]);
  ConvertInto(PrimitiveType::kF64, value, &one.second, 1, arguments[2]);
  ConvertInto(PrimitiveType::kS64, index, &indices[1], 1, arguments[3]);
  const uint8_t* in[4] = {arguments[0], arguments[1], arguments[2], arguments[3]};
  uint8_t* out[2] = {results[0], results[1]};
  body.ApplyStraight(in, out, 1);
  for (int pick = 0; pick < 2; ++pick) {
    const bool same = std::equal(results[0], results[0] + StorageBytes(value), in[2 * pick]) &&
                      std::equal(results[1], results[1] + StorageBytes(index), in[2 * pick + 1]);
    if (same) return pick;
  }
  return -1;
}

}  // namespace

std::optional<ArgBody> ArgBodyOf(const plan::Graph& graph, const ElementFunction& body) {
  if (graph.parameters.size() != 4 || graph.results.size() != 2 || !body.is_straight()) {
    return std::nullopt;
  }
  const PrimitiveType value = graph.type(graph.parameters[0]).type;
  const PrimitiveType index = graph.type(graph.parameters[1]).type;
  const bool fits =
      (IsFloat(value) ? BitWidth(value) >= 16 : IsInteger(value) && !IsSubByte(value)) &&
      (index == PrimitiveType::kS32 || index == PrimitiveType::kU32 ||
       index == PrimitiveType::kS64 || index == PrimitiveType::kU64);
  if (!fits || !OnlyPicks(graph)) return std::nullopt;
  for (const bool maximum : {true, false}) {
    for (const bool nan_wins : {true, false}) {
      const int larger = maximum ? 1 : 0, nan_first = nan_wins ? 0 : 1;
      const int expected[] = {larger, 1 - larger, 0, nan_first, 1 - nan_first, 0};
      bool all = true;
      for (int c = 0; all && c < (IsFloat(value) ? 6 : 3); ++c) {
        all = Picked(graph, body, kCases[c]) == expected[c];
      }
      if (all) return ArgBody{maximum, nan_wins};
    }
  }
  return std::nullopt;
}

bool IsNeutral(const ArgBody& body, PrimitiveType type, const Literal& init) {
  if (IsFloat(type)) {
    double value;
    ConvertInto(type, PrimitiveType::kF64, init.raw_data(), 1, reinterpret_cast<uint8_t*>(&value));
    return std::isinf(value) && (value < 0) == body.maximum;
  }
  uint64_t key,
      worst[2] = {0, BitWidth(type) == 64 ? ~uint64_t{0} : (uint64_t{1} << BitWidth(type)) - 1};
  TotalOrderKeys(type, init.raw_data(), &key, 1);
  return key == worst[body.maximum ? 0 : 1];
}

}  // namespace hlocts::cpu
