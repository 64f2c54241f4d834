// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/compile/reduce_plan.h"

#include <algorithm>

#include "spec/ops/kinds.h"

namespace hlocts::cuda {
namespace {

constexpr int64_t kTermsPerLane = 8;  // the minimum, if several threads add
constexpr int64_t kTermsPerSplitLane = 16;
constexpr int64_t kBlocksWanted = 1024;  // several for each multiprocessor of a large GPU
constexpr int kWarp = 32;

int64_t CeilOf(int64_t a, int64_t b) { return (a + b - 1) / b; }

std::optional<hl::Op> KnownOp(Opcode opcode) {
  const std::optional<ops::Reducer> reducer = ops::ReducerOf(opcode);
  if (!reducer.has_value()) return std::nullopt;
  switch (*reducer) {
    case ops::Reducer::kAdd:
      return hl::kOpAdd;
    case ops::Reducer::kMultiply:
      return hl::kOpMultiply;
    case ops::Reducer::kMinimum:
      return hl::kOpMinimum;
    case ops::Reducer::kMaximum:
      return hl::kOpMaximum;
    case ops::Reducer::kAnd:
      return hl::kOpAnd;
    case ops::Reducer::kOr:
      return hl::kOpOr;
    case ops::Reducer::kXor:
      return hl::kOpXor;
  }
  HLOCTS_UNREACHABLE();
}

}  // namespace

ReduceGeometry PlanReduce(int64_t results, int64_t terms, bool terms_adjoin, bool parallel) {
  ReduceGeometry g;
  g.lane_minor = terms_adjoin;
  // A warp reads adjacent results if they are contiguous in memory and there are enough of them.
  int most = 8;
  while (!terms_adjoin && most > 3 && results > hl::kBlockThreads >> most) --most;
  const int64_t wanted = parallel ? terms / kTermsPerLane : 1;
  while (g.lane_bits < most && int64_t{1} << g.lane_bits < wanted) ++g.lane_bits;
  static_assert(hl::kBlockThreads >> 3 == kWarp && hl::kBlockThreads == 1 << 8);
  g.groups = CeilOf(results, hl::kBlockThreads >> g.lane_bits);
  if (parallel && g.groups > 0) {
    const int64_t useful = terms / (kTermsPerSplitLane << g.lane_bits);
    g.splits = std::clamp<int64_t>(kBlocksWanted / g.groups, 1, std::max<int64_t>(useful, 1));
  }
  g.per_split = std::max<int64_t>(CeilOf(terms, g.splits), 1);
  g.splits = std::max<int64_t>(CeilOf(terms, g.per_split), 1);
  return g;
}

std::optional<std::vector<hl::Op>> KnownBody(const plan::Graph& body) {
  std::vector<hl::Op> ops;
  const size_t places = body.results.size();
  if (body.parameters.size() != 2 * places) return std::nullopt;
  for (size_t k = 0; k < places; ++k) {
    const plan::Node& node = body.producer(body.results[k]);
    const std::optional<hl::Op> op = KnownOp(node.opcode);
    if (!op.has_value() || node.operands.size() != 2) return std::nullopt;
    int32_t numbers[2];
    for (int side = 0; side < 2; ++side) {
      const plan::Node& operand = body.producer(node.operands[side]);
      if (!operand.IsParameter()) return std::nullopt;
      numbers[side] = operand.parameter;
    }
    if (numbers[0] > numbers[1]) std::swap(numbers[0], numbers[1]);
    if (numbers[0] != static_cast<int32_t>(k) || numbers[1] != static_cast<int32_t>(places + k)) {
      return std::nullopt;
    }
    ops.push_back(*op);
  }
  return ops;
}

PrimitiveType SumTypeOf(hl::Op op, PrimitiveType type) {
  const bool rounds = op == hl::kOpAdd || op == hl::kOpMultiply;
  const bool narrow = hl::ClassOf(static_cast<int>(type)) == hl::kClassFloat;
  return rounds && narrow ? PrimitiveType::kF32 : type;
}

}  // namespace hlocts::cuda
