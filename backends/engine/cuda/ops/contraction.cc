// SPDX-License-Identifier: Apache-2.0
// dot, ragged-dot and convolution. A library computes the operations that it supports. The
// kernels of device/contraction.h compute the others.
#include <algorithm>

#include "backends/engine/cuda/ops/gemm.h"
#include "backends/engine/cuda/ops/image_convolution.h"
#include "backends/engine/plan/windows.h"
#include "spec/infer/dimension_numbers.h"

namespace hlocts::cuda {
namespace {

// Returns the type in which sums of products are computed.
int SumType(PrimitiveType a, PrimitiveType b, PrimitiveType result) {
  const PrimitiveType types[] = {a, b, result};
  bool any_complex = false, any_double = false, any_float = false, all_pred = true;
  for (PrimitiveType type : types) {
    any_complex = any_complex || IsComplex(type);
    any_double = any_double || type == PrimitiveType::kF64;
    any_float = any_float || IsFloat(type);
    all_pred = all_pred && type == PrimitiveType::kPred;
  }
  if (any_complex) return hl::kC128;
  if (any_double) return hl::kF64;
  return any_float ? hl::kF32 : all_pred ? hl::kPred : hl::kU64;
}

bool Has(const std::vector<int64_t>& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

using Operand = DotOperand;

Operand OperandOf(const plan::ArrayType& type, const std::vector<int64_t>& batch,
                  const std::vector<int64_t>& contracting, const std::vector<int64_t>& group) {
  Operand o = {type.dimensions, Strides(type.dimensions), batch, contracting, {}};
  o.free = DimensionsExcept(type.rank(), Joined(Joined(batch, contracting), group));
  return o;
}

absl::StatusOr<hl::View> TermsOf(const Operand& o) {
  plan::View view;
  for (int64_t d : o.contracting) view.dimensions.push_back({o.dimensions[d], o.strides[d]});
  return DeviceView(view);
}

// The result's dimensions are [group], batch, the free dimensions of lhs, then those of rhs.
struct DotShape {
  Operand lhs, rhs;
  int64_t first = 0;  // 1 if the result has a group dimension
};

absl::Status SetViews(const OpContext& context, const DotShape& shape, hl::DotArgs& args) {
  std::vector<Coordinate> lhs, rhs;
  int64_t d = shape.first;
  for (size_t b = 0; b < shape.lhs.batch.size(); ++b, ++d) {
    lhs.push_back({d, shape.lhs.strides[shape.lhs.batch[b]]});
    rhs.push_back({d, shape.rhs.strides[shape.rhs.batch[b]]});
  }
  for (int64_t free : shape.lhs.free) lhs.push_back({d++, shape.lhs.strides[free]});
  for (int64_t free : shape.rhs.free) rhs.push_back({d++, shape.rhs.strides[free]});
  const plan::ArrayType& out = context.out(0);
  HLOCTS_ASSIGN_OR_RETURN(args.lhs_out, CoordinateView(out.dimensions, lhs));
  HLOCTS_ASSIGN_OR_RETURN(args.rhs_out, CoordinateView(out.dimensions, rhs));
  HLOCTS_ASSIGN_OR_RETURN(args.lhs_terms, TermsOf(shape.lhs));
  HLOCTS_ASSIGN_OR_RETURN(args.rhs_terms, TermsOf(shape.rhs));
  args.terms = 1;
  for (int64_t c : shape.lhs.contracting) args.terms *= shape.lhs.dimensions[c];
  args.lhs_type = TypeNumber(context.in(0).type);
  args.rhs_type = TypeNumber(context.in(1).type);
  args.type = TypeNumber(out.type);
  args.computed = SumType(context.in(0).type, context.in(1).type, out.type);
  return absl::OkStatus();
}

StepDraft DotStep(const hl::DotArgs& args, int64_t elements) {
  StepDraft draft;
  draft.work = [args, elements](Run& run, In in, Out out) {
    hl::DotArgs now = args;
    now.lhs = in[0];
    now.rhs = in[1];
    if (now.ragged != hl::kDense) now.sizes = in[2];
    now.out = out[0];
    return run.Launch(hl::kDotKernel, now, elements);
  };
  return draft;
}

// With fewer rows, columns or terms, most elements of a tile would be unused.
constexpr int64_t kTileLeast = 8;

absl::StatusOr<hl::View> LinesOf(const Operand& o) {
  plan::View view;
  for (const std::vector<int64_t>* list : {&o.batch, &o.free}) {
    for (int64_t d : *list) view.dimensions.push_back({o.dimensions[d], o.strides[d]});
  }
  return DeviceView(view);
}
int Adjoins(const hl::View& terms) {
  return terms.rank > 0 && terms.stride[terms.rank - 1] == 1 ? 1 : 0;
}

// Makes the step compute by tiles. Leaves `draft` unchanged if most of a tile would be unused.
absl::Status UseTiles(const DotShape& shape, const hl::DotArgs& dot, StepDraft& draft) {
  hl::DotTileArgs args = {};
  args.rows = SizeOf(shape.lhs, shape.lhs.free);
  args.columns = SizeOf(shape.rhs, shape.rhs.free);
  args.terms = dot.terms;
  if (dot.computed == hl::kC128 || std::min({args.rows, args.columns, args.terms}) < kTileLeast) {
    return absl::OkStatus();
  }
  args.lhs_type = dot.lhs_type;
  args.rhs_type = dot.rhs_type;
  args.type = dot.type;
  args.computed = dot.computed;
  args.phases = static_cast<int>(2 * ((args.terms + hl::kDotDepth - 1) / hl::kDotDepth));
  args.row_tiles = (args.rows + hl::kDotSide - 1) / hl::kDotSide;
  args.column_tiles = (args.columns + hl::kDotSide - 1) / hl::kDotSide;
  HLOCTS_ASSIGN_OR_RETURN(args.lhs, LinesOf(shape.lhs));
  HLOCTS_ASSIGN_OR_RETURN(args.rhs, LinesOf(shape.rhs));
  args.lhs_terms = dot.lhs_terms;
  args.rhs_terms = dot.rhs_terms;
  args.lhs_adjoins = Adjoins(args.lhs_terms);
  args.rhs_adjoins = Adjoins(args.rhs_terms);
  const int64_t blocks = SizeOf(shape.lhs, shape.lhs.batch) * args.row_tiles * args.column_tiles;
  draft.work = [args, blocks](Run& run, In in, Out out) {
    hl::DotTileArgs now = args;
    now.in[0] = in[0];
    now.in[1] = in[1];
    now.out = out[0];
    return run.Launch(hl::kDotTileKernel, now, blocks);
  };
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<StepDraft> MakeDot(const OpContext& context) {
  const DotDimensionNumbers n = DotDimensionsOf(context.source());
  DotShape shape;
  shape.lhs = OperandOf(context.in(0), n.lhs_batch, n.lhs_contracting, {});
  shape.rhs = OperandOf(context.in(1), n.rhs_batch, n.rhs_contracting, {});
  hl::DotArgs args = {};
  HLOCTS_RETURN_IF_ERROR(SetViews(context, shape, args));
  StepDraft draft = DotStep(args, context.out(0).elements);
  HLOCTS_RETURN_IF_ERROR(UseTiles(shape, args, draft));
  const std::optional<GemmJob> gemm = PlanGemm(context, shape.lhs, shape.rhs);
  if (!gemm.has_value()) return draft;
  draft.work = [gemm = *gemm, general = std::move(draft.work)](Run& run, In in,
                                                               Out out) -> absl::Status {
    HLOCTS_ASSIGN_OR_RETURN(const bool done, gemm(run, in, out[0]));
    return done ? absl::OkStatus() : general(run, in, out);
  };
  return draft;
}

namespace {

// Makes the ragged dimension the outermost contracting one, so each group's terms are contiguous.
void PutFirst(int64_t ragged, DotDimensionNumbers& n) {
  const auto found = std::find(n.lhs_contracting.begin(), n.lhs_contracting.end(), ragged);
  const auto at = found - n.lhs_contracting.begin();
  for (std::vector<int64_t>* list : {&n.lhs_contracting, &n.rhs_contracting}) {
    std::rotate(list->begin(), list->begin() + at, list->begin() + at + 1);
  }
}

hl::DotArgs RaggedArgs(const OpContext& context, int64_t ragged, const DotDimensionNumbers& n) {
  const plan::ArrayType& sizes = context.in(2);
  hl::DotArgs args = {};
  args.groups = sizes.elements;
  args.limit = context.in(0).dimensions[ragged];
  args.sizes_type = TypeNumber(sizes.type);
  if (Has(n.lhs_contracting, ragged)) {
    args.ragged = hl::kRaggedTerms;
  } else if (!Has(n.lhs_batch, ragged)) {
    args.ragged = hl::kRaggedRows;
  }
  return args;
}

}  // namespace

// A ragged free dimension of lhs: the rows of group g are multiplied by rhs[g], and rows outside
// all groups become zeros. A ragged contracting dimension: result[g] contracts over the elements of
// group g. A ragged batch dimension: the group sizes have no effect.
absl::StatusOr<StepDraft> MakeRaggedDot(const OpContext& context) {
  DotDimensionNumbers n = DotDimensionsOf(context.source());
  const plan::ArrayType &lhs = context.in(0), &sizes = context.in(2);
  if (sizes.rank() != 1) {
    return Unsupported(context.name(), ": group sizes: expected rank 1, found ", sizes.rank());
  }
  const int64_t ragged = context.source().IntList(Attr::kLhsRaggedDims)[0];
  hl::DotArgs args = RaggedArgs(context, ragged, n);
  DotShape shape;
  std::vector<int64_t> group;
  std::vector<Coordinate> place;
  if (args.ragged == hl::kRaggedTerms) {
    PutFirst(ragged, n);
    shape.first = 1;
    place.push_back({0, 1});
  } else if (args.ragged == hl::kRaggedRows) {
    group = {context.source().IntList(Attr::kRhsGroupDims)[0]};
  }
  shape.lhs = OperandOf(lhs, n.lhs_batch, n.lhs_contracting, {});
  shape.rhs = OperandOf(context.in(1), n.rhs_batch, n.rhs_contracting, group);
  if (args.ragged == hl::kRaggedRows) {
    const auto& free = shape.lhs.free;
    const int64_t at = std::find(free.begin(), free.end(), ragged) - free.begin();
    place.push_back({static_cast<int64_t>(n.lhs_batch.size()) + at, 1});
    args.group_stride = shape.rhs.strides[group[0]];
  }
  HLOCTS_RETURN_IF_ERROR(SetViews(context, shape, args));
  HLOCTS_ASSIGN_OR_RETURN(args.group_place, CoordinateView(context.out(0).dimensions, place));
  if (args.ragged == hl::kRaggedTerms) {
    args.lhs_step = shape.lhs.strides[n.lhs_contracting[0]];
    args.rhs_step = shape.rhs.strides[n.rhs_contracting[0]];
  }
  return DotStep(args, context.out(0).elements);
}

namespace {

absl::Status SetAxes(const OpContext& context, hl::ConvolutionArgs& args) {
  const auto& numbers = *context.source().Get<ConvolutionDimensionNumbers>(Attr::kDimLabels);
  const plan::ArrayType &lhs = context.in(0), &rhs = context.in(1), &out = context.out(0);
  std::vector<int64_t> inputs, outputs;
  for (int64_t d : numbers.input_spatial) inputs.push_back(lhs.dimensions[d]);
  for (int64_t d : numbers.output_spatial) outputs.push_back(out.dimensions[d]);
  HLOCTS_ASSIGN_OR_RETURN(const auto windows, plan::WindowsOf(context.source(), inputs, outputs));
  const std::vector<int64_t> left = Strides(lhs.dimensions), right = Strides(rhs.dimensions);
  args.spatial = static_cast<int>(numbers.input_spatial.size());
  if (args.spatial > 6) {
    return Unsupported(context.name(), ": ", args.spatial, " spatial dimensions");
  }
  for (int d = 0; d < args.spatial; ++d) {
    const WindowDimension& window = windows[d];
    const int64_t in = numbers.input_spatial[d], tap = numbers.kernel_spatial[d],
                  to = numbers.output_spatial[d];
    args.axes[d] = {lhs.dimensions[in],   rhs.dimensions[tap],
                    out.dimensions[to],   left[in],
                    right[tap],           window.stride,
                    window.padding_low,   window.window_dilation,
                    window.base_dilation, window.window_reversal ? 1 : 0};
    HLOCTS_ASSIGN_OR_RETURN(args.out_place[d], CoordinateView(out.dimensions, {{to, 1}}));
  }
  return absl::OkStatus();
}

absl::StatusOr<hl::ConvolutionArgs> ConvolutionArgsOf(const OpContext& context) {
  const Instruction& source = context.source();
  const auto& numbers = *source.Get<ConvolutionDimensionNumbers>(Attr::kDimLabels);
  const plan::ArrayType &lhs = context.in(0), &rhs = context.in(1), &out = context.out(0);
  const std::vector<int64_t> left = Strides(lhs.dimensions), right = Strides(rhs.dimensions);
  hl::ConvolutionArgs args = {};
  args.lhs_type = TypeNumber(lhs.type);
  args.rhs_type = TypeNumber(rhs.type);
  args.type = TypeNumber(out.type);
  args.computed = SumType(lhs.type, rhs.type, out.type);
  args.batch = out.dimensions[numbers.output_batch];
  args.features = out.dimensions[numbers.output_feature];
  args.inputs = rhs.dimensions[numbers.kernel_input_feature];
  args.feature_groups = source.IntOr(Attr::kFeatureGroupCount, 1);
  args.batch_groups = source.IntOr(Attr::kBatchGroupCount, 1);
  args.lhs_batch = left[numbers.input_batch];
  args.lhs_feature = left[numbers.input_feature];
  args.rhs_input = right[numbers.kernel_input_feature];
  args.rhs_output = right[numbers.kernel_output_feature];
  HLOCTS_ASSIGN_OR_RETURN(args.out_batch,
                          CoordinateView(out.dimensions, {{numbers.output_batch, 1}}));
  HLOCTS_ASSIGN_OR_RETURN(args.out_feature,
                          CoordinateView(out.dimensions, {{numbers.output_feature, 1}}));
  HLOCTS_RETURN_IF_ERROR(SetAxes(context, args));
  return args;
}

}  // namespace

absl::StatusOr<StepDraft> MakeConvolution(const OpContext& context) {
  HLOCTS_ASSIGN_OR_RETURN(const hl::ConvolutionArgs args, ConvolutionArgsOf(context));
  const int64_t elements = context.out(0).elements;
  StepDraft draft;
  draft.work = [args, elements](Run& run, In in, Out result) {
    hl::ConvolutionArgs now = args;
    now.lhs = in[0];
    now.rhs = in[1];
    now.out = result[0];
    return run.Launch(hl::kConvolutionKernel, now, elements);
  };
  HLOCTS_ASSIGN_OR_RETURN(const std::optional<ConvolutionJob> job, PlanConvolution(context));
  if (!job.has_value()) return draft;
  draft.work = [job = *job, general = std::move(draft.work)](Run& run, In in,
                                                             Out result) -> absl::Status {
    HLOCTS_ASSIGN_OR_RETURN(const bool done, job(run, in, result[0]));
    return done ? absl::OkStatus() : general(run, in, result);
  };
  return draft;
}

}  // namespace hlocts::cuda
