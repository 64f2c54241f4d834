// SPDX-License-Identifier: Apache-2.0

#include "reference/kernels/reduce_window.h"
#include "reference/ops/applied_computation.h"
#include "reference/ops/structured.h"

namespace hlocts::reference {
namespace {

absl::StatusOr<std::vector<int64_t>> Selected(EvalContext& context, const Computation& select,
                                              const WindowGeometry& geometry,
                                              const Literal& operand) {
  HLOCTS_ASSIGN_OR_RETURN(AppliedComputation body, AppliedComputation::Of(context, select));
  const uint8_t* data = operand.raw_data();
  const int width = StorageBytes(operand.element_type());
  std::vector<int64_t> selected = SelectElements(geometry, [&](int64_t so_far, int64_t later) {
    Slot arguments[2], keeps;
    arguments[0].Load(data + so_far * width, width);
    arguments[1].Load(data + later * width, width);
    body(arguments, &keeps);
    return keeps.Get<bool>();
  });
  HLOCTS_RETURN_IF_ERROR(body.status());
  return selected;
}

absl::Status ScatterSelected(EvalContext& context, const Computation& scatter,
                             absl::Span<const int64_t> selected, const Literal& source,
                             Literal& out) {
  HLOCTS_ASSIGN_OR_RETURN(AppliedComputation body, AppliedComputation::Of(context, scatter));
  const int width = StorageBytes(source.element_type());
  uint8_t* data = out.mutable_raw_data();
  Slot arguments[2];
  for (size_t i = 0; i < selected.size(); ++i) {
    if (selected[i] < 0) continue;
    arguments[0].Load(data + selected[i] * width, width);
    arguments[1].Load(source.raw_data() + i * width, width);
    body(arguments, arguments);
    arguments[0].Store(data + selected[i] * width, width);
  }
  return body.status();
}

}  // namespace

// select_and_scatter.1-13: select visits each window in index order and keeps the current element
// (true) or replaces it by the later one (false); with `ge`, the first of equal elements wins. The
// result starts as init_value everywhere. Then, window by window, the element at the selected index
// becomes scatter(its current value, the window's source element). Padding is never selected
// (ruling 0050).
absl::StatusOr<Literal> EvaluateSelectAndScatter(EvalContext& context,
                                                 const Instruction& instruction,
                                                 absl::Span<Literal> operands) {
  const Literal &operand = operands[0], &source = operands[1], &init = operands[2];
  const Window* given = instruction.Get<Window>(Attr::kWindow);
  const Window window = given != nullptr ? *given : Window();
  const std::vector<int64_t>& dimensions = operand.shape().dimensions();
  HLOCTS_RETURN_IF_ERROR(context.ReserveBytes(WindowGeometryBytes(dimensions, window)));
  const WindowGeometry geometry = MakeWindowGeometry(dimensions, window);
  HLOCTS_RETURN_IF_ERROR(context.ReserveMemory(operand.shape()));
  HLOCTS_RETURN_IF_ERROR(context.ReserveBytes(source.element_count() * sizeof(int64_t)));
  HLOCTS_ASSIGN_OR_RETURN(
      const std::vector<int64_t> selected,
      Selected(context, *instruction.CalledComputation(Attr::kSelect), geometry, operand));
  if (static_cast<int64_t>(selected.size()) != source.element_count()) {
    return InvalidInput(instruction.name(), ": the window has ", selected.size(),
                        " positions, but the source has ", source.element_count(), " elements");
  }
  Literal out(Shape(operand.element_type(), operand.shape().dimensions()));
  const int width = StorageBytes(operand.element_type());
  uint8_t* data = out.mutable_raw_data();
  for (int64_t i = 0; i < out.element_count(); ++i) {
    std::copy_n(init.raw_data(), width, data + i * width);
  }
  HLOCTS_RETURN_IF_ERROR(ScatterSelected(context, *instruction.CalledComputation(Attr::kScatter),
                                         selected, source, out));
  return out;
}

}  // namespace hlocts::reference
