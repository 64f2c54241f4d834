// SPDX-License-Identifier: Apache-2.0
#include "reference/kernels/reduce_window.h"

#include <utility>

#include "reference/kernels/window_geometry.h"
#include "reference/number_system.h"
#include "reference/ops/applied_computation.h"
#include "reference/ops/structured.h"
#include "reference/recognized.h"

namespace hlocts::reference {
namespace {

// Computes window sums, which are rounded once at the end.
Literal WindowSums(const WindowGeometry& geometry, const Literal& operand, const Literal& init) {
  const PrimitiveType type = operand.element_type(), system_type = SumSystem({type}, type);
  const Literal elements = ToSystem(operand, system_type), start = ToSystem(init, system_type);
  Literal out(Shape(system_type, geometry.output_dimensions));
  VisitSystem(system_type, [&](auto system) {
    using Element = typename decltype(system)::Element;
    auto new_sum = [&, first = start.data<Element>()[0]] {
      auto sum = system.NewSum();
      sum.Add(first);
      return sum;
    };
    const absl::Span<const Element> from = elements.data<Element>();
    const absl::Span<Element> to = out.mutable_data<Element>();
    if (const std::optional<GrowingWindows> growing = GrowingWindowsOf(geometry)) {
      auto sum = new_sum();
      ForEachGrowingWindow(
          geometry, *growing, [&] { sum = new_sum(); }, [&](int64_t at) { sum.Add(from[at]); },
          [&](int64_t at) { to[at] = sum.Finish(); });
    } else {
      ReduceWindowKernel<Element>(geometry, from, new_sum, to);
    }
  });
  return FromSystem(std::move(out), type);
}

// Applies any computation. `slots` has the N current results, then the N elements of one index.
absl::Status ReduceByApplication(AppliedComputation body, const WindowGeometry& geometry,
                                 const std::optional<GrowingWindows>& growing,
                                 absl::Span<const Literal> arrays, absl::Span<const Literal> inits,
                                 absl::Span<Literal> results) {
  const size_t n = arrays.size();
  const std::vector<int> widths = ElementWidths(arrays);
  std::vector<uint8_t*> out;
  for (Literal& result : results) out.push_back(result.mutable_raw_data());
  std::vector<Slot> slots(2 * n);
  auto begin = [&] { LoadSlots(inits, widths, 0, slots.data()); };
  auto add = [&](int64_t at) {
    LoadSlots(arrays, widths, at, slots.data() + n);
    body(slots.data(), slots.data());
  };
  auto finish = [&](int64_t at) {
    for (size_t k = 0; k < n; ++k) slots[k].Store(out[k] + at * widths[k], widths[k]);
  };
  if (growing) {
    ForEachGrowingWindow(geometry, *growing, begin, add, finish);
    return body.status();
  }
  ForEachWindow(geometry, [&](int64_t index, absl::Span<const int64_t> position) {
    begin();
    ForEachWindowRun(geometry, position, [&](int64_t first, int64_t count, int64_t step) {
      for (int64_t i = 0; i < count; ++i) add(first + i * step);
    });
    finish(index);
  });
  return body.status();
}

}  // namespace

// reduce_window.1-4, 25-26: reduces the elements of the window at each position, starting from the
// init value, which is the left argument. The window's taps are window_dilation apart on a base
// whose elements are base_dilation apart, padded by low and high (ruling 0049). Padding and holes
// are absent, which is equivalent to init if it is an identity (ruling 0019). A window without
// elements yields init (ruling 0020).
absl::StatusOr<Literal> EvaluateReduceWindow(EvalContext& context, const Instruction& instruction,
                                             absl::Span<Literal> operands) {
  const size_t n = operands.size() / 2;
  const Computation& computation = *instruction.CalledComputation(Attr::kToApply);
  const Window* given = instruction.Get<Window>(Attr::kWindow);
  const Window window = given != nullptr ? *given : Window();
  const std::vector<int64_t>& dimensions = operands[0].shape().dimensions();
  HLOCTS_RETURN_IF_ERROR(context.ReserveBytes(WindowGeometryBytes(dimensions, window)));
  const WindowGeometry geometry = MakeWindowGeometry(dimensions, window);
  std::vector<Literal> results;
  for (size_t k = 0; k < n; ++k) {
    const Shape shape(operands[k].element_type(), geometry.output_dimensions);
    HLOCTS_RETURN_IF_ERROR(context.ReserveMemory(shape));
    if (n == 1 && Recognize(computation) == RecognizedReducer::kAdd) {
      results.push_back(WindowSums(geometry, operands[0], operands[1]));
      return Collated(instruction.shape(), std::move(results));
    }
    results.emplace_back(shape);
  }
  HLOCTS_ASSIGN_OR_RETURN(AppliedComputation body, AppliedComputation::Of(context, computation));
  // Does not use windows that grow backwards: the computation must get the elements in order.
  std::optional<GrowingWindows> growing = GrowingWindowsOf(geometry);
  if (growing && growing->backwards) growing.reset();
  HLOCTS_RETURN_IF_ERROR(ReduceByApplication(std::move(body), geometry, growing, operands.first(n),
                                             operands.subspan(n), absl::MakeSpan(results)));
  return Collated(instruction.shape(), std::move(results));
}

}  // namespace hlocts::reference
