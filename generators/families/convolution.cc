// SPDX-License-Identifier: Apache-2.0
// Generates convolution with dimension labels in any order, windows, and feature or batch groups.
#include <cmath>
#include <numeric>

#include "generators/families/reducers.h"
#include "generators/families/windows.h"
#include "generators/op_generators.h"

namespace hlocts::generators {
namespace {

// The sizes of a convolution's dimensions, and its window.
struct Sizes {
  int64_t batch = 1, input_features = 1, output_features = 1;
  int64_t feature_groups = 1, batch_groups = 1;
  Dims base, result;
  Window window;
  bool in_order = false;  // the dimensions of the left-hand side are batch, features, spatial
};

void AddSpatial(ModuleWriter& w, int64_t base, Sizes& sizes) {
  sizes.base.push_back(base);
  WindowDimension window = DrawWindowDimension(w, 3);
  window.window_reversal = w.choose.OneIn(6);
  sizes.window.dimensions.push_back(window);
  sizes.result.push_back(WindowedSize(base, window));
}

// Uses the sizes of an existing value, interpreted as batch, features and spatial dimensions.
bool DrawOf(ModuleWriter& w, const Dims& lhs, Sizes& sizes) {
  constexpr int64_t kSizeMax = 8;
  for (int64_t size : lhs) {
    if (size < 1 || size > kSizeMax) return false;
  }
  sizes.in_order = true;
  sizes.batch = lhs[0];
  sizes.input_features = lhs[1];
  sizes.output_features = w.choose.Range(1, 3);
  for (size_t d = 2; d < lhs.size(); ++d) AddSpatial(w, lhs[d], sizes);
  return true;
}

Sizes DrawConvolution(ModuleWriter& w) {
  Sizes sizes;
  if (w.choose.Below(2) && DrawOf(w, w.DrawDims(2, 4), sizes)) return sizes;
  sizes.batch = w.choose.Range(1, 3);
  sizes.input_features = w.choose.Range(1, 3);
  sizes.output_features = w.choose.Range(1, 3);
  if (w.choose.OneIn(4)) {
    sizes.feature_groups = w.choose.Range(2, 3);
    sizes.input_features *= sizes.feature_groups;
    sizes.output_features *= sizes.feature_groups;
  } else if (w.choose.OneIn(6)) {
    sizes.batch_groups = 2;
    sizes.batch *= 2;
    sizes.output_features *= 2;
  }
  for (int64_t spatial = w.choose.Range(0, 2); spatial > 0; --spatial)
    AddSpatial(w, std::min<int64_t>(w.DrawSize(), 16), sizes);
  return sizes;
}

// The positions of the two non-spatial dimensions and of the spatial ones.
struct Places {
  int64_t first, second;
  Dims spatial;
  Dims dims;
};

Places Place(ModuleWriter& w, int64_t first, int64_t second, const Dims& spatial,
             bool in_order = false) {
  Dims order(spatial.size() + 2);
  std::iota(order.begin(), order.end(), int64_t{0});
  if (!in_order && w.choose.Below(2)) {
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[w.choose.Below(i)]);
  }
  Places places = {order[0], order[1], Dims(order.begin() + 2, order.end()), Dims(order.size())};
  places.dims[order[0]] = first;
  places.dims[order[1]] = second;
  for (size_t i = 0; i < spatial.size(); ++i) places.dims[places.spatial[i]] = spatial[i];
  return places;
}

void SetAttributes(Instruction* convolution, const Sizes& sizes,
                   ConvolutionDimensionNumbers numbers) {
  convolution->Set(Attr::kWindow, sizes.window);
  convolution->Set(Attr::kDimLabels, std::move(numbers));
  if (sizes.feature_groups > 1) convolution->Set(Attr::kFeatureGroupCount, sizes.feature_groups);
  if (sizes.batch_groups > 1) convolution->Set(Attr::kBatchGroupCount, sizes.batch_groups);
}

// Draws the result type: often 32 bits for narrow integers, else the operand type.
PrimitiveType DrawSumType(ModuleWriter& w, PrimitiveType type) {
  PrimitiveType sum = IsSigned(type) ? PrimitiveType::kS32 : PrimitiveType::kU32;
  bool narrow = IsInteger(type) && BitWidth(type) <= 8 && Contains(w.plan.allowed, sum);
  return narrow && w.choose.OneIn(3) ? sum : type;
}

}  // namespace

bool GenerateConvolution(ModuleWriter& w, Opcode) {
  PrimitiveType type = w.DrawType(GeneratedTypes(Opcode::kConvolution));
  if (type == PrimitiveType::kInvalid || w.scalars_only()) return false;
  Sizes sizes = DrawConvolution(w);
  Dims taps;
  double terms = static_cast<double>(sizes.input_features) * (IsComplex(type) ? 2 : 1);
  for (const WindowDimension& window : sizes.window.dimensions) {
    taps.push_back(window.size);
    terms *= static_cast<double>(window.size);
  }
  Places lhs = Place(w, sizes.batch, sizes.input_features, sizes.base, sizes.in_order);
  Places rhs = Place(w, sizes.input_features / sizes.feature_groups, sizes.output_features, taps);
  Places result = Place(w, sizes.batch / sizes.batch_groups, sizes.output_features, sizes.result);
  if (!w.Fits(lhs.dims) || !w.Fits(rhs.dims) || !w.Fits(result.dims)) return false;
  double bound = std::floor(std::sqrt(w.Limit(type) / terms));
  bool floating = IsFloat(type) || IsComplex(type);
  if (IsOpenSum(w, type, terms)) return false;
  Requirement demand;
  if (floating && w.plan.checked()) {
    if (bound < 1) return false;
    demand = SumRequirement(w, type, bound, terms);
  }
  Value* a = w.FindOrMake(type, lhs.dims, demand);
  Value* b = w.FindOrMake(type, rhs.dims, demand);
  double most = terms * a->facts.magnitude() * b->facts.magnitude();
  ValueFacts facts = RangeFacts(-most, most, a->facts.integral && b->facts.integral);
  if (IsUnsigned(type)) facts.low = 0;
  PrimitiveType sum = DrawSumType(w, type);
  Value* made =
      w.Emit(Opcode::kConvolution, Shape(sum, result.dims), {a, b}, w.Satisfy(sum, facts));
  SetAttributes(made->instruction, sizes,
                {lhs.first, lhs.second, lhs.spatial, rhs.first, rhs.second, rhs.spatial,
                 result.first, result.second, result.spatial});
  return true;
}

}  // namespace hlocts::generators
