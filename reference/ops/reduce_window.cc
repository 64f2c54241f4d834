// SPDX-License-Identifier: Apache-2.0
#include "reference/kernels/reduce_window.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "reference/kernels/growing_windows.h"
#include "reference/number_system.h"
#include "reference/ops/applied_computation.h"
#include "reference/ops/structured.h"
#include "reference/recognized.h"

namespace hlocts::reference {
namespace {

constexpr int64_t kResultsForLanes = 16;

// Sums, rounded once at the end.
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

// Any computation: slots hold the N results so far and take the N elements of one index after them.
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

// The windows of up to kLanes results, each a list of base indices.
class Lanes {
 public:
  static constexpr size_t kLanes = 512;
  static constexpr size_t kIndices = 1 << 18;  // of all windows together, to bound the memory

  bool full() const { return lanes_.size() >= kLanes || indices_.size() >= kIndices; }
  void Add(const WindowGeometry& geometry, int64_t result, absl::Span<const int64_t> position) {
    const size_t begin = indices_.size();
    ForEachWindowRun(geometry, position, [&](int64_t first, int64_t count, int64_t step) {
      for (int64_t i = 0; i < count; ++i) indices_.push_back(first + i * step);
    });
    lanes_.push_back({result, begin, indices_.size() - begin});
  }
  void Sort() {  // longest first
    std::stable_sort(lanes_.begin(), lanes_.end(),
                     [](const Lane& a, const Lane& b) { return a.count > b.count; });
  }
  size_t size() const { return lanes_.size(); }
  int64_t result(size_t lane) const { return lanes_[lane].result; }
  // How many lanes, from the first on, have more than n elements; `lanes` is the answer for n - 1.
  size_t LongerThan(size_t n, size_t lanes) const {
    while (lanes > 0 && lanes_[lanes - 1].count <= n) --lanes;
    return lanes;
  }
  int64_t element(size_t lane, size_t n) const { return indices_[lanes_[lane].begin + n]; }
  void Clear() { lanes_.clear(), indices_.clear(); }

 private:
  struct Lane {
    int64_t result;
    size_t begin, count;
  };
  std::vector<Lane> lanes_;
  std::vector<int64_t> indices_;
};

// The same for many results at a time: their n-th elements are reduced together, so that each
// result still sees its window in order.
class LaneReduction {
 public:
  LaneReduction(const ScalarFunction& body, absl::Span<const Literal> arrays,
                absl::Span<const Literal> inits, absl::Span<Literal> results)
      : body_(body), arrays_(arrays), inits_(inits), widths_(ElementWidths(arrays)) {
    for (Literal& result : results) out_.push_back(result.mutable_raw_data());
    for (int width : widths_) {
      accumulators_.emplace_back(Lanes::kLanes * width);
      elements_.emplace_back(Lanes::kLanes * width);
    }
  }

  void Reduce(Lanes& lanes) {
    lanes.Sort();
    for (size_t k = 0; k < widths_.size(); ++k) {
      for (size_t i = 0; i < lanes.size(); ++i) {
        std::memcpy(&accumulators_[k][i * widths_[k]], inits_[k].raw_data(), widths_[k]);
      }
    }
    size_t active = lanes.size();
    for (size_t n = 0; (active = lanes.LongerThan(n, active)) > 0; ++n) Step(lanes, n, active);
    for (size_t k = 0; k < widths_.size(); ++k) {
      for (size_t i = 0; i < lanes.size(); ++i) {
        std::memcpy(out_[k] + lanes.result(i) * widths_[k], &accumulators_[k][i * widths_[k]],
                    widths_[k]);
      }
    }
    lanes.Clear();
  }

 private:
  void Step(const Lanes& lanes, size_t n, size_t active) {
    std::vector<const void*> arguments;
    std::vector<void*> results;
    for (std::vector<uint8_t>& accumulator : accumulators_) {
      arguments.push_back(accumulator.data());
      results.push_back(accumulator.data());
    }
    for (size_t k = 0; k < widths_.size(); ++k) {
      DispatchStorage(widths_[k], [&](auto element) {
        using T = decltype(element);
        const T* from = arrays_[k].data<T>().data();
        T* to = reinterpret_cast<T*>(elements_[k].data());
        for (size_t i = 0; i < active; ++i) to[i] = from[lanes.element(i, n)];
      });
      arguments.push_back(elements_[k].data());
    }
    body_.RunBatch(arguments, absl::MakeSpan(results), static_cast<int64_t>(active));
  }

  const ScalarFunction& body_;
  absl::Span<const Literal> arrays_, inits_;
  std::vector<int> widths_;
  std::vector<uint8_t*> out_;
  std::vector<std::vector<uint8_t>> accumulators_, elements_;
};

void ReduceInLanes(const ScalarFunction& body, const WindowGeometry& geometry,
                   absl::Span<const Literal> arrays, absl::Span<const Literal> inits,
                   absl::Span<Literal> results) {
  LaneReduction reduction(body, arrays, inits, results);
  Lanes lanes;
  ForEachWindow(geometry, [&](int64_t result, absl::Span<const int64_t> position) {
    lanes.Add(geometry, result, position);
    if (lanes.full()) reduction.Reduce(lanes);
  });
  reduction.Reduce(lanes);
}

}  // namespace

// reduce_window.1-4, 25-26: at each position of the window its elements are reduced, starting from
// the init value, which stays the left argument. The window's taps lie window_dilation apart on a
// base whose elements lie base_dilation apart, padded by low and high (ruling 0049); padding and
// holes are absent, which for an identity is the same as init (ruling 0019). A window that sees no
// element gives init (ruling 0020).
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
  // A computation sees its window's elements from the first to the last.
  std::optional<GrowingWindows> growing = GrowingWindowsOf(geometry);
  if (growing && growing->backwards) growing.reset();
  if (!growing && body.function() != nullptr && results[0].element_count() >= kResultsForLanes) {
    ReduceInLanes(*body.function(), geometry, operands.first(n), operands.subspan(n),
                  absl::MakeSpan(results));
    return Collated(instruction.shape(), std::move(results));
  }
  HLOCTS_RETURN_IF_ERROR(ReduceByApplication(std::move(body), geometry, growing, operands.first(n),
                                             operands.subspan(n), absl::MakeSpan(results)));
  return Collated(instruction.shape(), std::move(results));
}

}  // namespace hlocts::reference
