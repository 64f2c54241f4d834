// SPDX-License-Identifier: Apache-2.0
// Data movement that no view can express: the result is assembled from bytes of the operands.

#include "backends/engine/cuda/compile/copy_plan.h"
#include "backends/engine/cuda/compile/op_list.h"
#include "backends/engine/plan/segments.h"

namespace hlocts::cuda {
namespace {

plan::View Strided(absl::Span<const int64_t> sizes, absl::Span<const int64_t> strides) {
  plan::View view;
  for (size_t d = 0; d < sizes.size(); ++d) view.dimensions.push_back({sizes[d], strides[d]});
  return view;
}

// The location of a start index: a scalar operand or, in modules from 2018, an array's element.
struct Start {
  size_t operand;
  int64_t byte;
};
struct DynamicBox {
  hl::BoxArgs args = {};
  std::vector<Start> starts;

  absl::Status Launch(Run& run, In in, const void* from, void* to, int64_t elements) const {
    hl::BoxArgs now = args;
    now.in = from;
    now.out = to;
    for (size_t d = 0; d < starts.size(); ++d) {
      now.start[d] = static_cast<const uint8_t*>(in[starts[d].operand]) + starts[d].byte;
    }
    return run.Launch(hl::kBoxKernel, now, elements);
  }
};

// Returns the box of `array` that is copied or replaced. Operands from `first` on are its start.
absl::StatusOr<DynamicBox> BoxOf(const OpContext& context, size_t first,
                                 const plan::Dimensions& array, const plan::Dimensions& box) {
  HLOCTS_RETURN_IF_ERROR(CheckRank(context, array.size()));
  const std::vector<int64_t> strides = Strides(array);
  DynamicBox result;
  for (size_t k = first; k < context.node.operands.size(); ++k) {
    const plan::ArrayType& type = context.in(k);
    if (type.type != context.in(first).type) {
      return Unsupported(context.name(), ": expected start indices of one type");
    }
    for (int64_t i = 0; i < type.elements && result.starts.size() < array.size(); ++i) {
      const size_t d = result.starts.size();
      result.args.last[d] = array[d] - box[d];
      result.args.stride[d] = strides[d];
      result.starts.push_back({k, i * type.width()});
    }
    result.args.index_type = TypeNumber(type.type);
  }
  result.args.starts = static_cast<int>(result.starts.size());
  result.args.bytes = context.out(0).width();
  return result;
}

}  // namespace

absl::StatusOr<hl::PadShape> PadShapeOf(const OpContext& context) {
  const auto* padding = context.source().Get<PaddingConfig>(Attr::kPadding);
  if (padding == nullptr) return InvalidInput(context.name(), ": expected padding, found none");
  const plan::ArrayType &operand = context.in(0), &out = context.out(0);
  HLOCTS_RETURN_IF_ERROR(CheckRank(context, out.dimensions.size()));
  const plan::Piece piece = plan::PieceOfPad(plan::View::Dense(operand.dimensions), out, *padding);
  hl::PadShape shape = {};
  shape.rank = static_cast<int>(out.rank());
  // No number in a division exceeds the size of the result, which fits in 32 bits.
  shape.narrow = out.elements < kNarrowElements / 2 ? 1 : 0;
  shape.offset = piece.offset;
  for (size_t d = 0; d < out.dimensions.size(); ++d) {
    const plan::PieceDimension& at = piece.dimensions[d];
    shape.size[d] = at.size;
    shape.low[d] = at.low;
    shape.interior[d] = at.step - 1;
    shape.operand[d] = at.count;
    shape.stride[d] = at.stride;
  }
  return shape;
}

absl::StatusOr<StepDraft> MakePad(const OpContext& context) {
  const plan::ArrayType& out = context.out(0);
  hl::PadArgs args = {};
  args.bytes = out.width();
  HLOCTS_ASSIGN_OR_RETURN(args.shape, PadShapeOf(context));
  const int64_t elements = out.elements;
  StepDraft draft;
  draft.work = [args, elements](Run& run, In in, Out out) {
    hl::PadArgs now = args;
    now.in = in[0];
    now.value = in[1];
    now.out = out[0];
    return run.Launch(hl::kPadKernel, now, elements);
  };
  return draft;
}

absl::StatusOr<StepDraft> MakeConcatenate(const OpContext& context) {
  const int64_t dimension = context.source().IntList(Attr::kDimensions)[0];
  const plan::ArrayType& out = context.out(0);
  const std::vector<int64_t> strides = Strides(out.dimensions);
  std::vector<BoxPlan> pieces;
  int64_t start = 0;
  for (size_t k = 0; k < context.node.operands.size(); ++k) {
    const plan::ArrayType& in = context.in(k);
    plan::View to = Strided(in.dimensions, strides);
    to.offset = start * strides[dimension];
    start += in.dimensions[dimension];
    HLOCTS_ASSIGN_OR_RETURN(pieces.emplace_back(), PlanBox(plan::View::Dense({in.elements}), to,
                                                           out.width(), /*widen=*/true));
  }
  StepDraft draft;
  draft.work = [pieces](Run& run, In in, Out out) {
    for (size_t k = 0; k < pieces.size(); ++k) {
      hl::BoxArgs now = pieces[k].args;
      now.in = in[k];
      now.out = out[0];
      HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kBoxKernel, now, pieces[k].count));
    }
    return absl::OkStatus();
  };
  return draft;
}

absl::StatusOr<StepDraft> MakeDynamicSlice(const OpContext& context) {
  const plan::Dimensions operand = context.in(0).dimensions, result = context.out(0).dimensions;
  HLOCTS_ASSIGN_OR_RETURN(DynamicBox box, BoxOf(context, 1, operand, result));
  HLOCTS_ASSIGN_OR_RETURN(box.args.from, DeviceView(Strided(result, Strides(operand))));
  HLOCTS_ASSIGN_OR_RETURN(box.args.to, DeviceView(plan::View::Dense({context.out(0).elements})));
  const int64_t elements = context.out(0).elements;
  StepDraft draft;
  draft.work = [box, elements](Run& run, In in, Out out) {
    return box.Launch(run, in, in[0], out[0], elements);
  };
  return draft;
}

absl::StatusOr<StepDraft> MakeDynamicUpdateSlice(const OpContext& context) {
  const plan::Dimensions operand = context.in(0).dimensions, update = context.in(1).dimensions;
  HLOCTS_ASSIGN_OR_RETURN(DynamicBox box, BoxOf(context, 2, operand, update));
  box.args.moves_target = 1;
  HLOCTS_ASSIGN_OR_RETURN(box.args.from, DeviceView(plan::View::Dense({context.in(1).elements})));
  HLOCTS_ASSIGN_OR_RETURN(box.args.to, DeviceView(Strided(update, Strides(operand))));
  const int64_t elements = context.in(1).elements, bytes = context.out(0).bytes;
  StepDraft draft;
  draft.in_place = {{0, 0}};
  draft.work = [box, elements, bytes](Run& run, In in, Out out) {
    if (in[0] != out[0]) HLOCTS_RETURN_IF_ERROR(run.device().Copy(out[0], in[0], bytes));
    return box.Launch(run, in, in[1], out[0], elements);
  };
  return draft;
}

// Copies the bits of elements in order between types of different width.
absl::StatusOr<StepDraft> MakeBitcastConvert(const OpContext& context) {
  const plan::ArrayType &in = context.in(0), &out = context.out(0);
  hl::RepackArgs args = {};
  args.from_bits = BitWidth(in.type);
  args.to_bits = BitWidth(out.type);
  args.to_type = TypeNumber(out.type);
  const int64_t elements = out.elements;
  StepDraft draft;
  draft.work = [args, elements](Run& run, In in, Out out) {
    hl::RepackArgs now = args;
    now.in = in[0];
    now.out = out[0];
    return run.Launch(hl::kRepackKernel, now, elements);
  };
  return draft;
}

// Writes the operand's bytes in the order of its layout, and reads them in the order of the
// result's layout. Runs on the host unless both layouts are row-major.
absl::StatusOr<StepDraft> MakeBitcast(const OpContext& context) {
  const Shape from = context.source().operand(0).shape(), to = context.source().shape();
  if (context.in(0).bytes != context.out(0).bytes || !from.IsArray() || !to.IsArray()) {
    return Unsupported(context.name(), ": cannot bitcast ", from.ToString(), " to ", to.ToString());
  }
  const Layout from_layout = from.layout() ? *from.layout() : DefaultLayout(from.rank());
  const Layout to_layout = to.layout() ? *to.layout() : DefaultLayout(to.rank());
  const bool plain = from_layout.IsMajorToMinor() && to_layout.IsMajorToMinor();
  const int64_t bytes = context.out(0).bytes;
  StepDraft draft;
  draft.work = [=](Run& run, In in, Out out) -> absl::Status {
    if (plain) return run.device().Copy(out[0], in[0], bytes);
    Literal operand = Literal::Uninitialized(from);
    HLOCTS_RETURN_IF_ERROR(run.device().Download(operand.mutable_raw_data(), in[0], bytes));
    HLOCTS_ASSIGN_OR_RETURN(
        const Literal result,
        Literal::FromBytesInLayout(to, to_layout, operand.BytesInLayout(from_layout)));
    return run.device().Upload(out[0], result.raw_data(), bytes);
  };
  return draft;
}

}  // namespace hlocts::cuda
