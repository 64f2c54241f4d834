// SPDX-License-Identifier: Apache-2.0
#include "generators/plan.h"

#include <array>
#include <iterator>

#include "generators/op_generators.h"

namespace hlocts::generators {
namespace {

struct TypeWeight {
  PrimitiveType type;
  int weight;
};
constexpr TypeWeight kTypeWeights[] = {
    {PrimitiveType::kF32, 24},       {PrimitiveType::kS32, 12},
    {PrimitiveType::kPred, 6},       {PrimitiveType::kF64, 6},
    {PrimitiveType::kBF16, 8},       {PrimitiveType::kF16, 6},
    {PrimitiveType::kS64, 4},        {PrimitiveType::kU32, 5},
    {PrimitiveType::kU8, 5},         {PrimitiveType::kS8, 5},
    {PrimitiveType::kU16, 3},        {PrimitiveType::kS16, 3},
    {PrimitiveType::kU64, 3},        {PrimitiveType::kC64, 4},
    {PrimitiveType::kC128, 2},       {PrimitiveType::kF8E5M2, 2},
    {PrimitiveType::kF8E4M3FN, 2},   {PrimitiveType::kS4, 2},
    {PrimitiveType::kU4, 2},         {PrimitiveType::kF8E4M3, 1},
    {PrimitiveType::kF8E3M4, 1},     {PrimitiveType::kF8E4M3B11FNUZ, 1},
    {PrimitiveType::kF8E4M3FNUZ, 1}, {PrimitiveType::kF8E5M2FNUZ, 1},
    {PrimitiveType::kF8E8M0FNU, 1},  {PrimitiveType::kF4E2M1FN, 1},
    {PrimitiveType::kS2, 1},         {PrimitiveType::kU2, 1},
    {PrimitiveType::kS1, 1},         {PrimitiveType::kU1, 1},
};

constexpr int64_t kSmallSizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17};
constexpr int64_t kBoundarySizes[] = {0,    1,    31,   32,   33,   63,   64,   65,   127,  128,
                                      129,  255,  256,  257,  511,  512,  513,  1023, 1024, 1025,
                                      2047, 2048, 2049, 4095, 4096, 4097, 8191, 8192, 8193};
constexpr int64_t kElementsMaxOfSizes = 16384;

bool UsableIn(Stream stream, PrimitiveType type) {
  // f8e8m0fnu has no zero and no sign: few results would be exact or in range.
  return stream == Stream::kEdge || type != PrimitiveType::kF8E8M0FNU;
}

const DrawWeights& WeightsOf(const GeneratorOptions& options) {
  return options.weights ? *options.weights : PlainWeights();
}

// Returns true if all choices are equally likely: with swarm and without guided weights.
bool IsEven(const GeneratorOptions& options) { return options.swarm && !options.weights; }

void DrawTypes(ChoiceSource& choose, const GeneratorOptions& options, ModulePlan& plan) {
  constexpr uint64_t kTypesMax = 7;
  // In one of twelve modules, types that are frequent in programs are more likely.
  const bool even = IsEven(options) && !choose.OneIn(12);
  std::vector<TypeWeight> allowed;
  std::vector<int> weights;
  allowed.reserve(std::size(kTypeWeights));
  weights.reserve(std::size(kTypeWeights));
  // The edge stream rarely uses 8-bit floats and complex numbers: too few bits of the results can
  // be checked.
  const bool all = options.types != ~TypeSet{0} || plan.stream != Stream::kEdge || choose.OneIn(4);
  for (TypeWeight row : kTypeWeights) {
    if (!Contains(options.types, row.type) || !UsableIn(plan.stream, row.type)) continue;
    const bool vague = IsComplex(row.type) || (IsFloat(row.type) && BitWidth(row.type) <= 8);
    if (!all && vague) continue;
    row.weight = even ? 1 : std::max(1, WeightsOf(options).types[static_cast<size_t>(row.type)]);
    allowed.push_back(row);
    weights.push_back(row.weight);
  }
  HLOCTS_CHECK(!allowed.empty());
  size_t wanted = options.swarm ? 1 + choose.Below(kTypesMax) : allowed.size();
  for (size_t drawn = 0; drawn < wanted; ++drawn) {
    size_t i = options.swarm ? choose.Weighted(weights) : drawn;
    if (Contains(plan.types, allowed[i].type)) continue;
    plan.types |= TypeBit(allowed[i].type);
    plan.type_draw.insert(plan.type_draw.end(), static_cast<size_t>(allowed[i].weight),
                          allowed[i].type);
  }
  // Predicates control branches and selections: every module may use them if the options do.
  if (Contains(options.types, PrimitiveType::kPred)) plan.types |= TypeBit(PrimitiveType::kPred);
}

// Makes all families equally likely, however many operations they have.
void EvenFamilies(ModulePlan& plan) {
  constexpr int kFamilyWeight = 120;
  std::array<int, 64> sizes = {};
  auto size_of = [&](Opcode opcode) -> int& {
    return sizes[static_cast<size_t>(RowOf(opcode).family)];
  };
  for (Opcode opcode : plan.opcodes) ++size_of(opcode);
  for (size_t i = 0; i < plan.opcodes.size(); ++i)
    plan.weights[i] = kFamilyWeight / size_of(plan.opcodes[i]);
}

// Keeps only a few operations, so that the module combines them more often.
void RestrictOpcodes(ChoiceSource& choose, ModulePlan& plan) {
  constexpr uint64_t kFewMax = 10;
  std::vector<Opcode> few;
  for (uint64_t count = 1 + choose.Below(kFewMax); count > 0; --count)
    few.push_back(plan.opcodes[choose.Weighted(plan.weights)]);
  plan.opcodes = std::move(few);
  plan.weights.assign(plan.opcodes.size(), 1);
}

// With swarm, draws half of the operations of half of the families; otherwise all operations.
void DrawOpcodes(ChoiceSource& choose, const GeneratorOptions& options, ModulePlan& plan) {
  const std::vector<Opcode>& all = options.opcodes.empty() ? GeneratedOpcodes() : options.opcodes;
  uint64_t families = options.swarm ? choose.Below(uint64_t{1} << 18) : ~uint64_t{0};
  families |= uint64_t{1} << static_cast<int>(Family::kElementwiseBinary);
  uint64_t mask = 0;
  int bits = 0;
  plan.opcodes.reserve(all.size());
  plan.weights.reserve(all.size());
  for (Opcode opcode : all) {
    if (bits == 0) {
      mask = options.swarm ? choose.Below(uint64_t{1} << 32) : ~uint64_t{0};
      bits = 32;
    }
    bool drawn = (mask >> --bits) & 1;
    const OpRow& row = RowOf(opcode);
    if (!drawn || ((families >> static_cast<int>(row.family)) & 1) == 0 || row.weight == 0)
      continue;
    if (row.family == Family::kCollective && plan.replicas == 1) continue;
    plan.opcodes.push_back(opcode);
    plan.weights.push_back(WeightsOf(options).opcodes[static_cast<size_t>(opcode)]);
  }
  const bool even = IsEven(options);
  if (even) EvenFamilies(plan);
  if (even && !plan.opcodes.empty() && choose.Below(3) != 0) RestrictOpcodes(choose, plan);
  if (!plan.opcodes.empty()) return;
  for (Opcode opcode : all) {
    plan.opcodes.push_back(opcode);
    plan.weights.push_back(std::max(RowOf(opcode).weight, 1));
  }
}

// With swarm, allows a few consecutive ranks; otherwise all.
void DrawRanks(ChoiceSource& choose, const GeneratorOptions& options, bool boundary,
               ModulePlan& plan) {
  constexpr int64_t kRankMax = 4, kRankMaxOfSizes = 2;
  plan.rank_max = boundary ? kRankMaxOfSizes : options.swarm ? choose.Range(1, kRankMax) : kRankMax;
  plan.rank_min = options.swarm ? choose.Range(0, plan.rank_max) : 0;
}

void DrawSizes(ChoiceSource& choose, const GeneratorOptions& options, ModulePlan& plan) {
  bool boundary = plan.stream == Stream::kSizes;
  if (boundary) plan.elements_max = kElementsMaxOfSizes;
  const absl::Span<const int64_t> all = boundary                ? kBoundarySizes
                                        : options.sizes.empty() ? kSmallSizes
                                                                : absl::MakeSpan(options.sizes);
  if (boundary || options.swarm) {
    for (uint64_t i = 0, count = 2 + choose.Below(4); i < count; ++i)
      plan.sizes.push_back(choose.Pick(all));
  } else {
    plan.sizes.assign(all.begin(), all.end());
  }
  // Arrays without elements are rare but always possible.
  if (choose.OneIn(24)) plan.sizes.push_back(0);
  if (boundary) plan.sizes.push_back(1);
  DrawRanks(choose, options, boundary, plan);
  for (uint64_t i = 0, count = 1 + choose.Below(3); i < count; ++i) {
    Dims dims;
    int64_t elements = 1;
    for (int64_t d = 0, rank = choose.Range(plan.rank_min, plan.rank_max); d < rank; ++d) {
      int64_t size = choose.Pick(plan.sizes);
      if (elements * size > plan.elements_max) size = 1;
      elements *= size;
      dims.push_back(size);
    }
    // Many matrices are square.
    const size_t rank = dims.size();
    if (rank >= 2 && dims[rank - 1] > dims[rank - 2] && choose.OneIn(3))
      dims[rank - 1] = dims[rank - 2];
    plan.common_shapes.push_back(std::move(dims));
  }
}

DrawWeights MakePlainWeights() {
  DrawWeights weights;
  for (Opcode opcode : AllOpcodes())
    weights.opcodes[static_cast<size_t>(opcode)] = RowOf(opcode).weight;
  for (const TypeWeight& row : kTypeWeights)
    weights.types[static_cast<size_t>(row.type)] = row.weight;
  return weights;
}

}  // namespace

const DrawWeights& PlainWeights() {
  static const DrawWeights* const kWeights = new DrawWeights(MakePlainWeights());
  return *kWeights;
}

ModulePlan DrawPlan(ChoiceSource& choose, const GeneratorOptions& options) {
  ModulePlan plan{.stream = options.stream, .elements_max = options.elements_max};
  // Two of three modules with long arrays use exact data, in which every error is visible.
  plan.exact_data = options.stream == Stream::kExact ||
                    (options.stream == Stream::kSizes && choose.Below(3) != 0);
  plan.joint_operations = options.joint_operations && !plan.exact_data;
  // The last operation and the root may exceed the drawn number, so its mean is an eighth lower.
  const int aim = std::max(1, options.instructions - options.instructions / 8);
  plan.instructions = std::max(1, aim / 2 + static_cast<int>(choose.Below(aim + 1)));
  // In half of the modules the nesting is less deep.
  plan.nesting = options.nesting;
  if (options.swarm && options.nesting > 0) plan.nesting -= static_cast<int>(choose.Below(2));
  if (options.replicas_max > 1) plan.replicas = choose.Range(1, options.replicas_max);
  plan.allowed = options.types;
  plan.dynamic_parameters = options.dynamic_parameters;
  plan.idioms = options.opcodes.empty() && (!options.swarm || choose.Below(2) == 0);
  plan.moves_only = options.moves_only;
  plan.adapts = !options.swarm || choose.Below(2) == 0;
  plan.layouts = choose.OneIn(4);
  plan.numbers_shuffled = choose.OneIn(4);
  DrawTypes(choose, options, plan);
  DrawOpcodes(choose, options, plan);
  DrawSizes(choose, options, plan);
  return plan;
}

}  // namespace hlocts::generators
