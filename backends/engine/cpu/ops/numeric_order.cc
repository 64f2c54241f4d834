// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/ops/numeric_order.h"

#include <cmath>
#include <limits>

#include "backends/engine/cpu/moves/strided.h"
#include "spec/ops/kinds.h"

namespace hlocts::cpu {
namespace {

using plan::Graph;
using plan::Node;
using plan::ValueId;

bool IsParameter(const Graph& graph, ValueId value, int32_t number) {
  const Node& node = graph.producer(value);
  return node.IsParameter() && node.parameter == number;
}

bool IsZero(const Graph& graph, ValueId value) {
  const Literal* constant = graph.ConstantOf(value);
  if (constant == nullptr || !IsFloat(constant->element_type())) return false;
  double number;
  ConvertInto(constant->element_type(), PrimitiveType::kF64, constant->raw_data(), 1,
              reinterpret_cast<uint8_t*>(&number));
  return number == 0;
}

// Returns true if the value depends on the parameter only by tests for NaN and zero. The value is
// then the same for all numbers except zeros.
bool TestsForSpecials(const Graph& graph, ValueId value, int32_t parameter) {
  const Node& node = graph.producer(value);
  if (ops::IsOneOf(node.opcode, {Opcode::kAnd, Opcode::kOr, Opcode::kNot})) {
    for (ValueId operand : node.operands) {
      if (!TestsForSpecials(graph, operand, parameter)) return false;
    }
    return true;
  }
  Direction direction;
  if (node.opcode != Opcode::kCompare || !DirectionOf(*node.source, direction)) return false;
  const bool tests = (direction == Direction::kEq || direction == Direction::kNe) &&
                     node.source->WordOr(Attr::kType, "") != "TOTALORDER";
  const ValueId x = node.operands[0], y = node.operands[1];
  const bool first = IsParameter(graph, x, parameter), second = IsParameter(graph, y, parameter);
  return tests && ((first && (second || IsZero(graph, y))) || (second && IsZero(graph, x)));
}

// Returns true if the value is the parameter or, if a test for NaN or zero holds, a constant.
bool IsParameterOrSpecial(const Graph& graph, ValueId value, int32_t parameter) {
  const Node& node = graph.producer(value);
  if (node.opcode != Opcode::kSelect) {
    return node.IsConstant() || IsParameter(graph, value, parameter);
  }
  return TestsForSpecials(graph, node.operands[0], parameter) &&
         IsParameterOrSpecial(graph, node.operands[1], parameter) &&
         IsParameterOrSpecial(graph, node.operands[2], parameter);
}

// Numbers of all classes that such a comparator can distinguish.
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kNumbers[] = {-kNan, -kInfinity, -2, -1, -0.0, 0.0, 1, 2, kInfinity, kNan};

bool Precedes(double a, double b) {
  return std::isnan(b) ? !std::isnan(a) : a < b;  // NaN follows all numbers
}

// Returns the result of comparing `a` and `b` as elements of one operand. Other operands are zero.
bool Answer(const Graph& graph, const ElementFunction& body, int32_t parameter, double a,
            double b) {
  static constexpr uint8_t kZeros[16] = {};
  const PrimitiveType type = graph.type(graph.parameters[parameter]).type;
  alignas(16) uint8_t numbers[2][16] = {};
  ConvertInto(PrimitiveType::kF64, type, &a, 1, numbers[0]);
  ConvertInto(PrimitiveType::kF64, type, &b, 1, numbers[1]);
  std::vector<const uint8_t*> in(graph.parameters.size(), kZeros);
  in[parameter] = numbers[0];
  in[parameter + 1] = numbers[1];
  uint8_t less = 0;
  uint8_t* out = &less;
  body.ApplyStraight(in.data(), &out, 1);
  return less != 0;
}

bool Answers(const Graph& graph, const ElementFunction& body, const NumericOrder& order) {
  for (double a : kNumbers) {
    for (double b : kNumbers) {
      const bool wanted = order.descending ? Precedes(b, a) : Precedes(a, b);
      const auto parameter = static_cast<int32_t>(2 * order.operand);
      if (Answer(graph, body, parameter, a, b) != wanted) return false;
    }
  }
  return true;
}

}  // namespace

std::optional<NumericOrder> NumericOrderOf(const Graph& graph, const ElementFunction& body) {
  if (graph.results.size() != 1 || !body.is_straight()) return std::nullopt;
  const Node& root = graph.producer(graph.results[0]);
  if (root.opcode != Opcode::kCompare) return std::nullopt;
  const auto count = static_cast<int32_t>(graph.parameters.size());
  for (int32_t first = 0; first + 1 < count; first += 2) {
    if (!IsFloat(graph.type(graph.parameters[first]).type)) continue;
    for (const int side : {0, 1}) {
      if (!IsParameterOrSpecial(graph, root.operands[side], first) ||
          !IsParameterOrSpecial(graph, root.operands[1 - side], first + 1)) {
        continue;
      }
      for (const bool descending : {false, true}) {
        const NumericOrder order = {first / 2, descending};
        if (Answers(graph, body, order)) return order;
      }
    }
  }
  return std::nullopt;
}

}  // namespace hlocts::cpu
