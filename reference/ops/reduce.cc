// SPDX-License-Identifier: Apache-2.0
// Implements reduce (reduce.*): each result element starts at the init value and combines it with
// the operand elements of its slice by computation(accumulator, element), in row-major order.
//
// Since the order is free (rulings 0019, 0021), a recognised computation folds a long contiguous
// run in several lanes. Sums and products of floats are computed in f64 and rounded at the end,
// with a smaller error bound than any order in a narrower type.
#include "reference/kernels/reduce.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "reference/number_system.h"
#include "reference/ops/applied_computation.h"
#include "reference/ops/families.h"
#include "reference/recognized.h"
#include "spec/ir/module.h"

namespace hlocts::reference {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr int64_t kLanes = 256;     // lanes in which a run is folded
constexpr int64_t kColumns = 1024;  // result elements that advance together
constexpr int64_t kLongRun = 32;

// Applies the computation: for i < count and each result j, replaces accumulators[j][i] by result j
// of the accumulators and elements at i.
using Combine = std::function<void(absl::Span<uint8_t* const> accumulators,
                                   absl::Span<const uint8_t* const> elements, int64_t count)>;

ElementwiseOp Conversion(PrimitiveType from, PrimitiveType to) {
  ElementwiseOp op;
  op.operand_type = from, op.result_type = to;
  op.operand_count = 1;
  op.run = ConvertKernel(from, to);
  return op;
}

// One of the N operands with its init value and result. Accumulators have the working type, which
// is the operand's type or a wider one.
class Column {
 public:
  Column(const Literal& input, const Literal& init, PrimitiveType working, Literal& result)
      : data_(input.raw_data()),
        out_(result.mutable_raw_data()),
        converts_(working != input.element_type()),
        width_(StorageBytes(input.element_type())),
        working_width_(StorageBytes(working)) {
    if (converts_) {
      widen_ = Conversion(input.element_type(), working);
      narrow_ = Conversion(working, input.element_type());
    }
    const uint8_t* start = Widened(init.raw_data(), 1);
    init_.assign(start, start + working_width_);
  }

  int working_width() const { return working_width_; }
  uint8_t* Start(int64_t count) {
    accumulators_.resize(static_cast<size_t>(count * working_width_));
    for (int64_t i = 0; i < count; ++i) {
      std::memcpy(accumulators_.data() + i * working_width_, init_.data(), init_.size());
    }
    return accumulators_.data();
  }
  void Finish(int64_t count) {
    const void* from = accumulators_.data();
    if (converts_) {
      narrow_(&from, out_, count);
    } else {
      std::memcpy(out_, from, static_cast<size_t>(count * width_));
    }
    out_ += count * width_;
  }

  // Returns the elements at base + offsets[i], in place if they are adjacent, otherwise copied.
  const uint8_t* At(const std::vector<int64_t>& offsets, bool neighbours, int64_t base) {
    const int64_t count = static_cast<int64_t>(offsets.size());
    if (neighbours) return Run(offsets[0] + base, count);
    gathered_.resize(offsets.size() * static_cast<size_t>(width_));
    DispatchStorage(width_, [&](auto zero) {
      using T = decltype(zero);
      const T* from = reinterpret_cast<const T*>(data_) + base;
      T* to = reinterpret_cast<T*>(gathered_.data());
      for (size_t i = 0; i < offsets.size(); ++i) to[i] = from[offsets[i]];
    });
    return Widened(gathered_.data(), count);
  }
  const uint8_t* Run(int64_t first, int64_t count) {
    return Widened(data_ + first * width_, count);
  }

 private:
  const uint8_t* Widened(const void* elements, int64_t count) {
    if (!converts_) return static_cast<const uint8_t*>(elements);
    widened_.resize(static_cast<size_t>(count * working_width_));
    widen_(&elements, widened_.data(), count);
    return widened_.data();
  }

  const uint8_t* data_;
  uint8_t* out_;
  bool converts_;
  int width_, working_width_;
  ElementwiseOp widen_, narrow_;
  Bytes init_, accumulators_, gathered_, widened_;
};

// Reduces `count` elements, starting at `first`, to one: first in lanes, then by halving the lanes.
const uint8_t* FoldRun(const Combine& combine, Column& column, int64_t first, int64_t count,
                       Bytes& lanes) {
  const int width = column.working_width();
  int64_t size = std::min(count, kLanes);
  const uint8_t* start = column.Run(first, size);
  lanes.assign(start, start + size * width);
  uint8_t* const to = lanes.data();
  for (int64_t at = size; at < count; at += size) {
    const int64_t n = std::min(size, count - at);
    combine({to}, {column.Run(first + at, n)}, n);
  }
  while (size > 1) {
    const int64_t half = size / 2;
    combine({to}, {to + (size - half) * width}, half);
    size -= half;
  }
  return to;
}

// Lists offsets of the kept indices, `count` at a time. Next() returns true if they are adjacent.
class KeptOffsets {
 public:
  explicit KeptOffsets(const std::vector<StridedDimension>& kept)
      : kept_(kept), index_(kept.size()) {}

  bool Next(int64_t count, std::vector<int64_t>& offsets) {
    offsets.clear();
    bool neighbours = true;
    while (static_cast<int64_t>(offsets.size()) < count) {
      neighbours = neighbours && (offsets.empty() || at_ == offsets.back() + 1);
      offsets.push_back(at_);
      for (size_t d = kept_.size(); d-- > 0;) {
        at_ += kept_[d].stride;
        if (++index_[d] < kept_[d].size) break;
        at_ -= kept_[d].stride * kept_[d].size;
        index_[d] = 0;
      }
    }
    return neighbours;
  }

 private:
  const std::vector<StridedDimension>& kept_;
  std::vector<int64_t> index_;
  int64_t at_ = 0;
};

// Performs the reduction. If `any_order`, first folds long runs of the only operand.
void Reduce(const ReduceGeometry& geometry, bool any_order, const Combine& combine,
            std::vector<Column>& columns) {
  std::vector<StridedDimension> reduced = geometry.reduced;
  int64_t run = 1;
  if (any_order && !reduced.empty() && reduced.back().stride == 1 &&
      reduced.back().size >= kLongRun) {
    run = reduced.back().size;
    reduced.pop_back();
  }
  KeptOffsets kept(geometry.kept);
  std::vector<int64_t> offsets;
  std::vector<uint8_t*> accumulators(columns.size());
  std::vector<const uint8_t*> elements(columns.size());
  Bytes lanes;
  for (int64_t at = 0, count; at < geometry.result_count; at += count) {
    count = run > 1 ? 1 : std::min(kColumns, geometry.result_count - at);
    const bool neighbours = kept.Next(count, offsets);
    for (size_t j = 0; j < columns.size(); ++j) accumulators[j] = columns[j].Start(count);
    ForEachOffset(reduced, 0, [&](int64_t base) {
      for (size_t j = 0; j < columns.size(); ++j) {
        elements[j] = run > 1 ? FoldRun(combine, columns[j], offsets[0] + base, run, lanes)
                              : columns[j].At(offsets, neighbours, base);
      }
      combine(accumulators, elements, count);
    });
    for (Column& column : columns) column.Finish(count);
  }
}

// Returns the type in which a recognised computation yields the most accurate result.
PrimitiveType WorkingType(RecognizedReducer reducer, PrimitiveType type) {
  const bool sums = reducer == RecognizedReducer::kAdd || reducer == RecognizedReducer::kMultiply;
  if (IsFloat(type) && (sums || BitWidth(type) <= 16)) return PrimitiveType::kF64;
  return IsComplex(type) && sums ? PrimitiveType::kC128 : type;
}
Combine ByOperation(const ElementwiseOp& operation) {
  return [operation](auto accumulators, auto elements, int64_t count) {
    const void* operands[2] = {accumulators[0], elements[0]};
    operation(operands, accumulators[0], count);
  };
}

// Runs straight-line scalar code on all elements of a block at a time.
Combine ByBatches(const ScalarFunction& function) {
  return [&function](auto accumulators, auto elements, int64_t count) {
    std::vector<const void*> arguments(accumulators.begin(), accumulators.end());
    arguments.insert(arguments.end(), elements.begin(), elements.end());
    const std::vector<void*> results(accumulators.begin(), accumulators.end());
    function.RunBatch(arguments, results, count);
  };
}
// Runs any computation, one application at a time.
Combine OneByOne(AppliedComputation& computation) {
  const size_t n = static_cast<size_t>(computation.result_count());
  return [&computation, slots = std::vector<Slot>(2 * n)](auto accumulators, auto elements,
                                                          int64_t count) mutable {
    const size_t n = accumulators.size();
    for (int64_t i = 0; i < count; ++i) {
      for (size_t j = 0; j < n; ++j) {
        const int width = computation.result_width(static_cast<int64_t>(j));
        slots[j].Load(accumulators[j] + i * width, width);
        slots[n + j].Load(elements[j] + i * width, width);
      }
      if (!computation(slots.data(), slots.data())) return;
      for (size_t j = 0; j < n; ++j) {
        const int width = computation.result_width(static_cast<int64_t>(j));
        slots[j].Store(accumulators[j] + i * width, width);
      }
    }
  };
}

// Returns true if the computation's parameters and results have the types of the operands.
bool HasTypesOf(const Computation& computation, const std::vector<Literal>& results) {
  const std::vector<Shape> leaves = LeafShapes(computation.root()->shape());
  const size_t n = results.size();
  if (leaves.size() != n || computation.parameters().size() != 2 * n) return false;
  for (size_t j = 0; j < n; ++j) {
    const PrimitiveType type = results[j].element_type();
    for (const Shape& shape : {leaves[j], computation.parameters()[j]->shape(),
                               computation.parameters()[n + j]->shape()}) {
      if (shape.element_type() != type) return false;
    }
  }
  return true;
}

absl::Status Run(EvalContext& context, const Computation& computation,
                 const ReduceGeometry& geometry, absl::Span<const Literal> operands,
                 std::vector<Literal>& results) {
  constexpr int64_t kFewResults = 8;
  if (geometry.result_count == 0) return absl::OkStatus();
  const size_t n = results.size();
  const PrimitiveType type = results[0].element_type();
  if (!HasTypesOf(computation, results)) {
    return Unsupported("reduce of ", PrimitiveTypeName(type), " by computation ",
                       computation.name(), ", whose types differ, is not supported");
  }
  const RecognizedReducer reducer = n == 1 ? Recognize(computation) : RecognizedReducer::kNone;
  ElementwiseOp operation;
  if (reducer != RecognizedReducer::kNone) {
    operation = BinaryOp(OpcodeOf(reducer), WorkingType(reducer, type));
  }
  const bool recognized = operation.run != nullptr;
  std::vector<Column> columns;
  for (size_t j = 0; j < n; ++j) {
    const PrimitiveType own = results[j].element_type();
    columns.emplace_back(operands[j], operands[n + j], recognized ? WorkingType(reducer, own) : own,
                         results[j]);
  }
  if (recognized) {
    Reduce(geometry, true, ByOperation(operation), columns);
    return absl::OkStatus();
  }
  HLOCTS_ASSIGN_OR_RETURN(AppliedComputation applied, AppliedComputation::Of(context, computation));
  const bool batches = applied.function() != nullptr && geometry.result_count >= kFewResults;
  Reduce(geometry, false, batches ? ByBatches(*applied.function()) : OneByOne(applied), columns);
  return applied.status();
}

}  // namespace

absl::StatusOr<Literal> EvaluateReduce(EvalContext& context, const Instruction& instruction,
                                       absl::Span<Literal> operands) {
  const Computation* computation = instruction.CalledComputation(Attr::kToApply);
  size_t n = operands.size() / 2;
  if (computation == nullptr || computation->root() == nullptr || n == 0) {
    return InvalidInput(instruction.name(), ": reduce: expected a computation and operands");
  }
  const ReduceGeometry geometry =
      ReduceGeometryOf(operands[0].shape().dimensions(), instruction.IntList(Attr::kDimensions));
  std::vector<Literal> results;
  const Shape& shape = instruction.shape();
  for (size_t j = 0; j < n; ++j) {
    const Shape& own = shape.IsTuple() ? shape.tuple_shapes()[j] : shape;
    // Mixed precision: operands are converted to the type of the result and of the computation.
    for (Literal* operand : {&operands[j], &operands[n + j]}) {
      if (operand->element_type() == own.element_type()) continue;
      if (!IsFloat(operand->element_type()) || !IsFloat(own.element_type())) {
        return Unsupported(instruction.name(), ": reduce of ", operand->shape().ToString(false),
                           " to ", own.ToString(false), " is not supported");
      }
      *operand = FromSystem(*operand, own.element_type());
    }
    results.push_back(Literal::Uninitialized(own));
  }
  HLOCTS_RETURN_IF_ERROR(Run(context, *computation, geometry, operands, results));
  return Collated(shape, std::move(results));
}

}  // namespace hlocts::reference
