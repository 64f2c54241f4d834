// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/loops/element_function.h"

#include "backends/engine/plan/fusion.h"

namespace hlocts::cpu {
namespace {

std::vector<int> WidthsOf(const plan::Graph& graph, const std::vector<plan::ValueId>& values) {
  std::vector<int> widths;
  for (plan::ValueId value : values) widths.push_back(graph.type(value).width());
  return widths;
}

}  // namespace

ElementFunction::ElementFunction(std::shared_ptr<const LoopProgram> loop, const plan::Graph& graph)
    : loop_(std::move(loop)),
      argument_widths_(WidthsOf(graph, graph.parameters)),
      result_widths_(WidthsOf(graph, graph.results)) {
  for (const Literal& constant : graph.constants) constants_.push_back(constant.raw_data());
}

ElementFunction::ElementFunction(const Function& function, const plan::Graph& graph)
    : function_(&function),
      argument_widths_(WidthsOf(graph, graph.parameters)),
      result_widths_(WidthsOf(graph, graph.results)) {}

void ElementFunction::ApplyStraight(const uint8_t* const* arguments, uint8_t* const* results,
                                    int64_t count) const {
  absl::InlinedVector<const uint8_t*, 16> arrays(arguments, arguments + argument_widths_.size());
  arrays.insert(arrays.end(), constants_.begin(), constants_.end());
  loop_->Run(arrays.data(), results, 0, count);
}

absl::Status ElementFunction::Apply(Run& run, const uint8_t* const* arguments,
                                    uint8_t* const* results, int64_t count) const {
  if (loop_ != nullptr) {
    ApplyStraight(arguments, results, count);
    return absl::OkStatus();
  }
  // Results are first written to separate memory, because arguments may be read after results.
  std::vector<uint8_t> apart(16 * result_widths_.size());
  for (int64_t i = 0; i < count; ++i) {
    for (size_t k = 0; k < argument_widths_.size(); ++k) {
      run.SetParameter(*function_, k, const_cast<uint8_t*>(arguments[k]) + i * argument_widths_[k]);
    }
    for (size_t r = 0; r < result_widths_.size(); ++r) {
      run.SetResult(*function_, r, apart.data() + 16 * r);
    }
    HLOCTS_RETURN_IF_ERROR(run.Execute(*function_));
    for (size_t r = 0; r < result_widths_.size(); ++r) {
      std::copy_n(apart.data() + 16 * r, result_widths_[r], results[r] + i * result_widths_[r]);
    }
  }
  return absl::OkStatus();
}

std::optional<SimpleBody> SimpleBodyOf(const plan::Graph& graph) {
  if (graph.parameters.size() != 2 || graph.results.size() != 1) return std::nullopt;
  const plan::Node& root = graph.producer(graph.results[0]);
  if (root.operands.size() != 2 || root.outputs.size() != 1 || !plan::IsElementwise(root.opcode)) {
    return std::nullopt;
  }
  if (root.opcode == Opcode::kCompare) return std::nullopt;
  const plan::ValueId a = graph.parameters[0], b = graph.parameters[1];
  const bool straight = root.operands[0] == a && root.operands[1] == b;
  const bool swapped = root.operands[0] == b && root.operands[1] == a;
  if (!straight && !swapped) return std::nullopt;
  return SimpleBody{root.opcode, swapped};
}

std::optional<SimpleComparator> SimpleComparatorOf(const plan::Graph& graph) {
  if (graph.results.size() != 1) return std::nullopt;
  const plan::Node& root = graph.producer(graph.results[0]);
  if (root.opcode != Opcode::kCompare) return std::nullopt;
  const plan::Node &lhs = graph.producer(root.operands[0]), &rhs = graph.producer(root.operands[1]);
  if (!lhs.IsParameter() || !rhs.IsParameter()) return std::nullopt;
  SimpleComparator simple;
  if (!DirectionOf(*root.source, simple.direction)) return std::nullopt;
  simple.total_order = root.source->WordOr(Attr::kType, "") == "TOTALORDER";
  int32_t first = lhs.parameter, second = rhs.parameter;
  if (first == second + 1) {
    constexpr Direction kMirrored[] = {Direction::kEq, Direction::kNe, Direction::kGt,
                                       Direction::kGe, Direction::kLt, Direction::kLe};
    simple.direction = kMirrored[static_cast<int>(simple.direction)];
    std::swap(first, second);
  }
  if (second != first + 1 || first % 2 != 0) return std::nullopt;
  simple.operand = first / 2;
  return simple;
}

}  // namespace hlocts::cpu
