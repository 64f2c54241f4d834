// SPDX-License-Identifier: Apache-2.0
// reduce-windows that are inclusive scans along one dimension. The work is linear in the size.

#include "backends/engine/cuda/compile/op_list.h"
#include "backends/engine/cuda/compile/reduce_plan.h"

namespace hlocts::cuda {
namespace {

// A thread scans a whole line if lines >= kLinesForThreads and inner >= kInnerForThreads.
constexpr int64_t kLinesForThreads = 1 << 14, kInnerForThreads = 32;

struct Cumulative {
  size_t dimension = 0;
  bool reversed = false;
};

// Returns the only dimension with a window, if the window at each position covers this position and
// all positions before it (or after it, if `reversed`).
std::optional<Cumulative> CumulativeOf(const Window* window, const plan::Dimensions& base) {
  if (window == nullptr || window->dimensions.size() != base.size()) return std::nullopt;
  std::optional<Cumulative> found;
  for (size_t d = 0; d < base.size(); ++d) {
    const WindowDimension& w = window->dimensions[d];
    if (w.stride != 1 || w.base_dilation != 1) return std::nullopt;
    if (w.size == 1 && w.padding_low == 0 && w.padding_high == 0) continue;
    const bool forward = w.padding_low == base[d] - 1 && w.padding_high == 0;
    const bool backward = w.padding_low == 0 && w.padding_high == base[d] - 1;
    if (found.has_value() || w.size != base[d] || w.window_dilation != 1) return std::nullopt;
    if (!forward && !backward) return std::nullopt;
    found = Cumulative{d, !forward};
  }
  return found;
}

struct ScanRun {
  hl::ScanArgs args = {};
  int64_t code = -1;
  std::shared_ptr<const Body> body;

  absl::Status operator()(Run& run, In in, Out out) const {
    hl::ScanArgs now = args;
    now.in = in[0];
    now.init = in[1];
    now.out = out[0];
    return by_lines() ? run.Launch(hl::kScanLineKernel, now, now.lines, code) : Scan(run, now);
  }
  bool by_lines() const { return args.lines >= kLinesForThreads && args.inner >= kInnerForThreads; }
  // Scans a line in chunks. The totals of the chunks are themselves scanned as a line.
  absl::Status Scan(Run& run, hl::ScanArgs now) const {
    Buffer totals, carries;
    now.chunks = (now.size + hl::kScanChunk - 1) / hl::kScanChunk;
    if (now.chunks > 1) {
      HLOCTS_ASSIGN_OR_RETURN(totals,
                              run.Allocate(now.lines * now.chunks * int64_t{sizeof(hl::Value)}));
      HLOCTS_ASSIGN_OR_RETURN(carries,
                              run.Allocate(now.lines * now.chunks * int64_t{sizeof(hl::Value)}));
      hl::ScanArgs first = now;
      first.stage = hl::kScanTotals;
      first.out = totals->data();
      HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kScanBlockKernel, first, now.lines * now.chunks, code));
      hl::ScanArgs second = now;
      second.values_in = second.values_out = 1;
      second.reversed = 0;
      second.size = now.chunks;
      second.inner = 1;
      second.in = totals->data();
      second.init = nullptr;
      second.out = carries->data();
      HLOCTS_RETURN_IF_ERROR(Scan(run, second));
      now.carries = static_cast<const hl::Value*>(carries->data());
    }
    now.stage = hl::kScanResults;
    return run.Launch(hl::kScanBlockKernel, now, now.lines * now.chunks, code);
  }
};

}  // namespace

absl::StatusOr<bool> MakeScan(const OpContext& context, StepDraft& draft) {
  const plan::ArrayType& operand = context.in(0);
  const auto cumulative =
      CumulativeOf(context.source().Get<Window>(Attr::kWindow), operand.dimensions);
  const auto ops = KnownBody(context.called(0));
  if (!cumulative.has_value() || !ops.has_value() || ops->size() != 1) return false;
  if (operand.elements == 0 || context.out(0).dimensions != operand.dimensions) return false;
  const PrimitiveType sum = SumTypeOf((*ops)[0], operand.type);
  ProgramBuilder program;
  const int left = program.Parameter(0, sum), right = program.Parameter(1, sum);
  HLOCTS_ASSIGN_OR_RETURN(auto code,
                          program.Finish({program.Apply((*ops)[0], sum, sum, left, right)}));
  ScanRun job;
  HLOCTS_ASSIGN_OR_RETURN(job.body, context.compiler.UploadProgram(std::move(code)));
  job.args.body = job.body->code;
  job.args.type = TypeNumber(operand.type);
  job.args.phases = hl::kScanSteps + 2;
  job.args.reversed = cumulative->reversed ? 1 : 0;
  job.args.size = operand.dimensions[cumulative->dimension];
  job.args.inner = Strides(operand.dimensions)[cumulative->dimension];
  job.args.lines = operand.elements / job.args.size;
  const hl::Kernel kernel = job.by_lines() ? hl::kScanLineKernel : hl::kScanBlockKernel;
  HLOCTS_ASSIGN_OR_RETURN(
      job.code,
      context.compiler.CompileKernel(kernel, *job.body, {}, operand.elements, {{job.args.type}}));
  draft.work = std::move(job);
  return true;
}

}  // namespace hlocts::cuda
