// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/compiled/library_meanings.h"

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "spec/ir/float_format.h"
#include "spec/ir/instruction.h"
#include "spec/text/print_values.h"

namespace hlocts::backends {
namespace {

using Json = nlohmann::json;

Json BackendConfig(const Instruction& call) {
  const RawText* text = call.Get<RawText>(Attr::kBackendConfig);
  return ParseJson<Json>(text ? absl::string_view(text->text) : "");
}

// Returns the object `part` of the call's backend_config: the parameters of the library function.
absl::StatusOr<Json> ConfigOf(const Instruction& call, const std::string& part) {
  const Json config = BackendConfig(call);
  if (config.is_discarded() || !config.contains(part))
    return absl::UnimplementedError(absl::StrCat("without ", part));
  return config.at(part);
}

const Shape& ValueOf(const Shape& shape) {
  return shape.IsTuple() ? shape.tuple_shapes()[0] : shape;
}

// Returns `result` with the type in which sums are computed: at least f32. Returns kUnimplemented
// for integers, since no document states whether a library's integers saturate or wrap.
absl::StatusOr<Shape> SumShape(const Shape& result) {
  const PrimitiveType type = result.element_type();
  if (IsInteger(type) || type == PrimitiveType::kPred)
    return absl::UnimplementedError("of integers");
  const bool narrow = IsFloat(type) && BitWidth(type) < 32;
  return Shape(narrow ? PrimitiveType::kF32 : type, result.dimensions());
}

// Appends to `text` the product of `operand` and the number `by`. Returns the product's name.
std::string Scaled(const std::string& name, double by, const std::string& operand,
                   const Shape& shape, std::string& text) {
  if (by == 1) return operand;
  absl::StrAppend(&text, name, ".s = ", PrimitiveTypeName(shape.element_type()), "[] constant(",
                  absl::StrFormat("%.17g", by), ")\n ", name, ".b = ", ShapeText(shape),
                  " broadcast(", name, ".s), dimensions={}\n ", name, " = ", ShapeText(shape),
                  " multiply(", operand, ", ", name, ".b)\n ");
  return name;
}

std::string DimensionList(const Json& numbers, const char* field) {
  return absl::StrCat("{", absl::StrJoin(numbers.value(field, std::vector<std::string>()), ","),
                      "}");
}

absl::Status ExpectPlainConvolution(const Instruction& call) {
  HLOCTS_ASSIGN_OR_RETURN(const Json config, ConfigOf(call, "cudnn_conv_backend_config"));
  const bool plain = config.value("activation_mode", "") == "kNone" &&
                     config.value("conv_result_scale", 0.0) == 1.0 &&
                     config.value("side_input_scale", 1.0) == 0.0 && call.operand_count() == 2 &&
                     call.Get<Window>(Attr::kWindow) != nullptr &&
                     call.Get<ConvolutionDimensionNumbers>(Attr::kDimLabels) != nullptr;
  return plain ? absl::OkStatus() : absl::UnimplementedError("expected no activation and no scale");
}

// The text before and after a convolution `c`: `before` defines `kernel`, `after` defines `value`.
struct Around {
  std::string options, before, kernel = "p1", after, value = "c";
};

absl::StatusOr<std::string> ConvolutionText(const Instruction& call, const Window& window,
                                            const ConvolutionDimensionNumbers& numbers,
                                            const Around& around) {
  const Shape& result = ValueOf(call.shape());
  HLOCTS_ASSIGN_OR_RETURN(const Shape sum, SumShape(result));
  std::string text = absl::StrCat(around.before, "c = ", ShapeText(sum), " convolution(p0, ",
                                  around.kernel, ")", around.options);
  if (!window.dimensions.empty()) {
    absl::StrAppend(&text, ", window=");
    AppendWindow(window, &text);
  }
  absl::StrAppend(&text, ", dim_labels=");
  AppendConvolutionDimensionNumbers(numbers, &text);
  absl::StrAppend(&text, "\n ", around.after, "o = ", ShapeText(result), " convert(", around.value,
                  ")\n ");
  return WithWorkspace(call, std::move(text), {"o"});
}

std::string GroupOption(const char* name, int64_t groups) {
  return groups > 1 ? absl::StrCat(", ", name, "=", groups) : "";
}

// Appends the kernel for the gradient with respect to the input: the filter p1 in which the input
// and output features of each group are exchanged.
void SwapFeatures(const Shape& kernel, const ConvolutionDimensionNumbers& of, int64_t groups,
                  Around& around) {
  std::vector<int64_t> split, order, moved, merged;
  const int64_t in = of.kernel_input_feature, out = of.kernel_output_feature;
  const int64_t of_group = kernel.dimension(out) / groups;
  const auto place = [&](int64_t d) { return d + (d > out ? 1 : 0); };
  for (int64_t d = 0; d < kernel.rank(); ++d) {
    if (d == out) split.push_back(groups);
    split.push_back(d == out ? of_group : kernel.dimension(d));
    if (d == in) order.push_back(out);  // the dimension of groups
    order.push_back(d == out ? out + 1 : place(d));
    merged.push_back(d == out ? of_group : kernel.dimension(d) * (d == in ? groups : 1));
  }
  for (const int64_t d : order) moved.push_back(split[d]);
  const auto text = [&](std::vector<int64_t> dimensions) {
    return ShapeText(Shape(kernel.element_type(), std::move(dimensions)));
  };
  around.before = absl::StrCat("k.s = ", text(split), " reshape(p1)\n k.t = ", text(moved),
                               " transpose(k.s), dimensions={", absl::StrJoin(order, ","),
                               "}\n k = ", text(merged), " reshape(k.t)\n ");
  around.kernel = "k";
}

int64_t GroupsOf(const Instruction& call) { return call.IntOr(Attr::kFeatureGroupCount, 1); }

int64_t Dilated(int64_t size, int64_t dilation) {
  return size == 0 ? 0 : (size - 1) * dilation + 1;
}

struct Forward {
  const Window& window;
  const ConvolutionDimensionNumbers& numbers;
};

absl::StatusOr<Forward> GradientOf(const Instruction& call) {
  HLOCTS_RETURN_IF_ERROR(ExpectPlainConvolution(call));
  return Forward{*call.Get<Window>(Attr::kWindow),
                 *call.Get<ConvolutionDimensionNumbers>(Attr::kDimLabels)};
}

}  // namespace

std::string ShapeText(const Shape& shape) { return shape.WithoutLayout().ToString(); }

std::string AnyContentText(absl::string_view name, const Shape& shape) {
  const PrimitiveType type = shape.element_type();
  const bool has_nan = IsFloat(type) && FormatOf(type).has_nan();
  const absl::string_view content = type == PrimitiveType::kPred ? "true"
                                    : IsComplex(type)            ? "(nan, nan)"
                                    : has_nan                    ? "nan"
                                                                 : "1";
  return absl::StrCat(name, ".s = ", PrimitiveTypeName(type), "[] constant(", content, ")\n ", name,
                      " = ", ShapeText(shape), " broadcast(", name, ".s), dimensions={}\n ");
}

std::string WithWorkspace(const Instruction& call, std::string text,
                          const std::vector<std::string>& values) {
  const Shape& result = call.shape();
  if (!result.IsTuple())
    return absl::StrCat(text, "ROOT r = ", ShapeText(result), " copy(", values[0], ")");
  std::string parts = absl::StrJoin(values, ", ");
  for (size_t i = values.size(); i < result.tuple_shapes().size(); ++i) {
    absl::StrAppend(&text, AnyContentText(absl::StrCat("any", i), result.tuple_shapes()[i]));
    absl::StrAppend(&parts, ", any", i);
  }
  return absl::StrCat(text, "ROOT r = ", ShapeText(result), " tuple(", parts, ")");
}

absl::StatusOr<std::string> MatrixProduct(const Instruction& call) {
  HLOCTS_ASSIGN_OR_RETURN(const Json config, ConfigOf(call, "gemm_backend_config"));
  const double beta = config.value("beta", 0.0), alpha = config.value("alpha_real", 1.0);
  if (config.value("epilogue", "DEFAULT") != "DEFAULT" || config.value("alpha_imag", 0.0) != 0 ||
      config.value("scale_mode", 0) != 0 || call.operand_count() != (beta == 0 ? 2 : 3)) {
    return absl::UnimplementedError("expected no epilogue and no scales");
  }
  const Json numbers = config.value("dot_dimension_numbers", Json::object());
  const Shape& result = ValueOf(call.shape());
  HLOCTS_ASSIGN_OR_RETURN(const Shape sum, SumShape(result));
  const std::string wide = ShapeText(sum);
  std::string text = absl::StrCat(
      "d = ", wide, " dot(p0, p1), lhs_batch_dims=", DimensionList(numbers, "lhs_batch_dimensions"),
      ", lhs_contracting_dims=", DimensionList(numbers, "lhs_contracting_dimensions"),
      ", rhs_batch_dims=", DimensionList(numbers, "rhs_batch_dimensions"),
      ", rhs_contracting_dims=", DimensionList(numbers, "rhs_contracting_dimensions"), "\n ");
  std::string value = Scaled("m", alpha, "d", sum, text);
  if (beta != 0) {
    absl::StrAppend(&text, "x = ", wide, " convert(p2)\n ");
    const std::string scaled = Scaled("n", beta, "x", sum, text);
    absl::StrAppend(&text, "a = ", wide, " add(", value, ", ", scaled, ")\n ");
    value = "a";
  }
  absl::StrAppend(&text, "o = ", ShapeText(result), " convert(", value, ")\n ");
  return WithWorkspace(call, std::move(text), {"o"});
}

absl::StatusOr<std::string> Convolution(const Instruction& call) {
  HLOCTS_RETURN_IF_ERROR(ExpectPlainConvolution(call));
  return ConvolutionText(call, *call.Get<Window>(Attr::kWindow),
                         *call.Get<ConvolutionDimensionNumbers>(Attr::kDimLabels),
                         {GroupOption("feature_group_count", GroupsOf(call))});
}

// Returns act(scale * convolution(p0, p1) + side_scale * p3 + p2), the sum that cuDNN documents for
// cudnnConvolutionBiasActivationForward. The bias p2 has one element per feature.
absl::StatusOr<std::string> ConvolutionBiasActivation(const Instruction& call) {
  HLOCTS_ASSIGN_OR_RETURN(const Json config, ConfigOf(call, "cudnn_conv_backend_config"));
  const std::string activation = config.value("activation_mode", "");
  const double side = config.value("side_input_scale", 0.0);
  const auto* numbers = call.Get<ConvolutionDimensionNumbers>(Attr::kDimLabels);
  const Window* window = call.Get<Window>(Attr::kWindow);
  if ((activation != "kNone" && activation != "kRelu") || !numbers || !window ||
      call.operand_count() != (side == 0 ? 3 : 4))
    return absl::UnimplementedError("expected a bias and no activation other than kRelu");
  HLOCTS_ASSIGN_OR_RETURN(const Shape sum, SumShape(ValueOf(call.shape())));
  const std::string wide = ShapeText(sum);
  const absl::string_view type = PrimitiveTypeName(sum.element_type());
  const Shape bias(sum.element_type(), call.operand(2).shape().dimensions());
  Around around{GroupOption("feature_group_count", GroupsOf(call))};
  std::string& tail = around.after;
  tail = absl::StrCat("b = ", ShapeText(bias), " convert(p2)\n b.b = ", wide,
                      " broadcast(b), dimensions={", numbers->output_feature, "}\n ");
  std::string& value = around.value;
  value = Scaled("m", config.value("conv_result_scale", 1.0), "c", sum, tail);
  if (side != 0) {
    absl::StrAppend(&tail, "x = ", wide, " convert(p3)\n ");
    const std::string scaled = Scaled("n", side, "x", sum, tail);
    absl::StrAppend(&tail, "e = ", wide, " add(", value, ", ", scaled, ")\n ");
    value = "e";
  }
  absl::StrAppend(&tail, "a = ", wide, " add(", value, ", b.b)\n ");
  value = "a";
  if (activation == "kRelu") {
    absl::StrAppend(&tail, "z.s = ", type, "[] constant(0)\n z = ", wide,
                    " broadcast(z.s), dimensions={}\n t = ", wide, " maximum(a, z)\n ");
    value = "t";
  }
  return ConvolutionText(call, *window, *numbers, around);
}

// Returns the gradient with respect to the input: p0 is the gradient of the output, p1 the filter.
// The call has the window and dimension numbers of the forward convolution. The gradient is a
// convolution of p0 with the reversed filter.
absl::StatusOr<std::string> ConvolutionOfInputGradient(const Instruction& call) {
  HLOCTS_ASSIGN_OR_RETURN(const Forward forward, GradientOf(call));
  const ConvolutionDimensionNumbers& of = forward.numbers;
  ConvolutionDimensionNumbers numbers = of;
  std::swap(numbers.input_batch, numbers.output_batch);
  std::swap(numbers.input_feature, numbers.output_feature);
  std::swap(numbers.input_spatial, numbers.output_spatial);
  std::swap(numbers.kernel_input_feature, numbers.kernel_output_feature);
  Window window = forward.window;
  for (size_t d = 0; d < window.dimensions.size(); ++d) {
    const WindowDimension& was = forward.window.dimensions[d];
    WindowDimension& now = window.dimensions[d];
    const int64_t output = call.operand(0).shape().dimension(of.output_spatial[d]);
    const int64_t input = ValueOf(call.shape()).dimension(of.input_spatial[d]);
    const int64_t taps = Dilated(was.size, was.window_dilation);
    now.stride = was.base_dilation;
    now.base_dilation = was.stride;
    now.padding_low = taps - 1 - was.padding_low;
    now.padding_high = input - 1 - Dilated(output, was.stride) - now.padding_low + taps;
    now.window_reversal = !was.window_reversal;
  }
  Around around{GroupOption("feature_group_count", GroupsOf(call))};
  if (GroupsOf(call) > 1) SwapFeatures(call.operand(1).shape(), of, GroupsOf(call), around);
  return ConvolutionText(call, window, numbers, around);
}

// Returns the gradient with respect to the filter: p0 is the input, p1 the gradient of the output.
// The gradient is a convolution of p0 with p1 as the kernel, and contracts the batch dimension.
absl::StatusOr<std::string> ConvolutionOfFilterGradient(const Instruction& call) {
  HLOCTS_ASSIGN_OR_RETURN(const Forward forward, GradientOf(call));
  const ConvolutionDimensionNumbers& of = forward.numbers;
  ConvolutionDimensionNumbers numbers{.input_batch = of.input_feature,
                                      .input_feature = of.input_batch,
                                      .input_spatial = of.input_spatial,
                                      .kernel_input_feature = of.output_batch,
                                      .kernel_output_feature = of.output_feature,
                                      .kernel_spatial = of.output_spatial,
                                      .output_batch = of.kernel_input_feature,
                                      .output_feature = of.kernel_output_feature,
                                      .output_spatial = of.kernel_spatial};
  Window window = forward.window;
  for (size_t d = 0; d < window.dimensions.size(); ++d) {
    const WindowDimension& was = forward.window.dimensions[d];
    if (was.window_reversal) return absl::UnimplementedError("expected no reversed window");
    WindowDimension& now = window.dimensions[d];
    const int64_t input = call.operand(0).shape().dimension(of.input_spatial[d]);
    now.size = call.operand(1).shape().dimension(of.output_spatial[d]);
    now.stride = was.window_dilation;
    now.window_dilation = was.stride;
    now.padding_high = (was.size - 1) * was.window_dilation + Dilated(now.size, was.stride) -
                       Dilated(input, was.base_dilation) - was.padding_low;
  }
  return ConvolutionText(call, window, numbers, {GroupOption("batch_group_count", GroupsOf(call))});
}

absl::StatusOr<std::string> TriangularSolve(const Instruction& call) {
  HLOCTS_ASSIGN_OR_RETURN(const Json transpose, ConfigOf(call, "transpose_a"));
  const Json config = BackendConfig(call);
  std::string solve =
      absl::StrCat("o = ", ShapeText(ValueOf(call.shape())),
                   " triangular-solve(p0, p1), transpose_a=", transpose.get<std::string>());
  for (const char* name : {"left_side", "lower", "unit_diagonal"})
    absl::StrAppend(&solve, ", ", name, "=", config.value(name, false) ? "true" : "false");
  return WithWorkspace(call, absl::StrCat(solve, "\n "), {"o"});
}

absl::StatusOr<std::vector<int64_t>> ReversedOnStore(const Instruction& instruction) {
  constexpr absl::string_view kName = "output_reverse_dimensions";
  const RawText* text = instruction.Get<RawText>(Attr::kBackendConfig);
  if (text == nullptr || !absl::StrContains(text->text, kName)) return std::vector<int64_t>{};
  const auto unknown = [&] {
    return absl::UnimplementedError(absl::StrCat(instruction.name(), ": ", kName));
  };
  const Json config = ParseJson<Json>(text->text);
  const Json window = config.is_object() ? config.value("window_config", Json()) : Json();
  const Json named = window.is_object() ? window.value(kName, Json()) : Json();
  if (!named.is_array()) return unknown();
  std::vector<int64_t> dimensions;
  for (const Json& one : named) {
    int64_t dimension = -1;
    if (!one.is_string() || !absl::SimpleAtoi(one.get<std::string>(), &dimension)) return unknown();
    if (dimension < 0 || dimension >= instruction.shape().rank()) return unknown();
    dimensions.push_back(dimension);
  }
  return dimensions;
}

}  // namespace hlocts::backends
