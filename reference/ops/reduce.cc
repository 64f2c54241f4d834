// SPDX-License-Identifier: Apache-2.0
// reduce (reduce.*): each result element starts at the init value and takes in the operand elements
// of its slice by computation(accumulator, element), in row-major order.
//
// The order is free (rulings 0019, 0021), and used where it helps: sums and products of floats are
// carried in f64 and rounded at the end, with a smaller bound of the error than any order in a
// narrower type has. Recognised computations run in several lanes, others go left to right.
#include "reference/kernels/reduce.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "reference/eval_context.h"
#include "reference/number_system.h"
#include "reference/ops/families.h"
#include "reference/recognized.h"
#include "spec/ir/module.h"

namespace hlocts::reference {
namespace {

constexpr int64_t kLanes = 256;         // of a contiguous fold
constexpr int64_t kColumnBlock = 1024;  // result elements that advance together
constexpr int64_t kLongRun = 32;

struct Reduction {
  ReduceGeometry geometry;
  absl::Span<const Literal> inputs;
  absl::Span<const Literal> inits;
  std::vector<Literal> results;
  std::vector<int> widths;  // bytes per element
};

// Offsets of the kept indices, `count` at a time.
class KeptOffsets {
 public:
  explicit KeptOffsets(const std::vector<StridedDimension>& kept)
      : kept_(kept), index_(kept.size()) {}

  void Next(int64_t count, std::vector<int64_t>& offsets) {
    offsets.clear();
    while (static_cast<int64_t>(offsets.size()) < count) {
      offsets.push_back(at_);
      for (size_t d = kept_.size(); d-- > 0;) {
        at_ += kept_[d].stride;
        if (++index_[d] < kept_[d].size) break;
        at_ -= kept_[d].stride * kept_[d].size;
        index_[d] = 0;
      }
    }
  }

 private:
  const std::vector<StridedDimension>& kept_;
  std::vector<int64_t> index_;
  int64_t at_ = 0;
};

// The elements at base + offsets[i] side by side: in place where they lie so, else gathered.
const void* Column(const Literal& input, int width, const std::vector<int64_t>& offsets,
                   int64_t base, bool contiguous, std::vector<uint8_t>& scratch) {
  const uint8_t* data = input.raw_data();
  if (contiguous) return data + (offsets[0] + base) * width;
  scratch.resize(offsets.size() * static_cast<size_t>(width));
  DispatchStorage(width, [&](auto zero) {
    using T = decltype(zero);
    const T* from = reinterpret_cast<const T*>(data) + base;
    T* to = reinterpret_cast<T*>(scratch.data());
    for (size_t i = 0; i < offsets.size(); ++i) to[i] = from[offsets[i]];
  });
  return scratch.data();
}

void Fill(const Literal& scalar, int width, uint8_t* out, int64_t count) {
  for (int64_t i = 0; i < count; ++i) std::memcpy(out + i * width, scalar.raw_data(), width);
}

// visit(first result, offsets, contiguous) for blocks of result elements.
template <typename Visit>
void ForEachColumnBlock(const ReduceGeometry& geometry, Visit&& visit) {
  KeptOffsets kept(geometry.kept);
  std::vector<int64_t> offsets;
  for (int64_t at = 0; at < geometry.result_count; at += kColumnBlock) {
    int64_t count = std::min(kColumnBlock, geometry.result_count - at);
    kept.Next(count, offsets);
    bool contiguous = true;
    for (int64_t i = 1; i < count && contiguous; ++i) contiguous = offsets[i] == offsets[0] + i;
    visit(at, offsets, contiguous);
  }
}

// A recognised computation as an operation on a working type: the element type itself, or f64
// (c128) where a wider one makes the result more exact.
struct Fold {
  ElementwiseOp combine;
  ElementwiseOp widen;   // element type to working type; run is null where they are the same
  ElementwiseOp narrow;  // and back
  int width = 0;         // bytes of the working type
  bool is_f32_sum = false;
};

ElementwiseOp Conversion(PrimitiveType from, PrimitiveType to) {
  ElementwiseOp op;
  op.operand_type = from, op.result_type = to;
  op.operand_count = 1;
  if (from != to) op.run = ConvertKernel(from, to);
  return op;
}

Fold FoldOf(RecognizedReducer reducer, PrimitiveType type) {
  bool sums = reducer == RecognizedReducer::kAdd || reducer == RecognizedReducer::kMultiply;
  PrimitiveType working = type;
  if (IsFloat(type) && (sums || BitWidth(type) <= 16)) working = PrimitiveType::kF64;
  if (IsComplex(type) && sums) working = PrimitiveType::kC128;
  Fold fold;
  fold.combine = BinaryOp(OpcodeOf(reducer), working);
  fold.widen = Conversion(type, working);
  fold.narrow = Conversion(working, type);
  fold.width = StorageBytes(working);
  fold.is_f32_sum = type == PrimitiveType::kF32 && reducer == RecognizedReducer::kAdd;
  return fold;
}

void Combine(const Fold& fold, void* accumulator, const void* elements, int64_t count) {
  const void* operands[2] = {accumulator, elements};
  fold.combine(operands, accumulator, count);
}

const void* InLanes(const Fold& fold, const void* elements, int64_t count,
                    std::vector<uint8_t>& scratch) {
  if (!fold.widen.run) return elements;
  scratch.resize(static_cast<size_t>(count * fold.width));
  fold.widen(&elements, scratch.data(), count);
  return scratch.data();
}

// Sixteen independent sums keep the adder busy.
double SumOf(const float* x, int64_t count) {
  double lanes[16];
  std::fill(lanes, lanes + 16, -0.0);
  int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    for (int l = 0; l < 16; ++l) lanes[l] += static_cast<double>(x[i + l]);
  }
  for (; i < count; ++i) lanes[i % 16] += static_cast<double>(x[i]);
  double sum = -0.0;
  for (double lane : lanes) sum += lane;
  return sum;
}

// A contiguous run folded into *out (working type); count >= 1.
void FoldRun(const Fold& fold, const uint8_t* x, int64_t count, int element_width, uint8_t* out,
             std::vector<uint8_t>& lanes, std::vector<uint8_t>& scratch) {
  if (fold.is_f32_sum) {
    double sum = SumOf(reinterpret_cast<const float*>(x), count);
    std::memcpy(out, &sum, sizeof(sum));
    return;
  }
  int64_t width = std::min(count, kLanes);
  lanes.resize(static_cast<size_t>(width * fold.width));
  std::memcpy(lanes.data(), InLanes(fold, x, width, scratch), lanes.size());
  for (int64_t at = width; at < count; at += width) {
    int64_t n = std::min(width, count - at);
    Combine(fold, lanes.data(), InLanes(fold, x + at * element_width, n, scratch), n);
  }
  while (width > 1) {
    int64_t half = width / 2;
    Combine(fold, lanes.data(), lanes.data() + (width - half) * fold.width, half);
    width -= half;
  }
  std::memcpy(out, lanes.data(), static_cast<size_t>(fold.width));
}

// init combined with the fold of each result's slice.
void FoldRows(const Fold& fold, Reduction& reduction) {
  const ReduceGeometry& geometry = reduction.geometry;
  std::vector<StridedDimension> outer = geometry.reduced;
  int64_t run = outer.back().size;
  outer.pop_back();
  int width = reduction.widths[0];
  std::vector<uint8_t> lanes, scratch, init_scratch;
  Slot folded, accumulator;
  const uint8_t* x = reduction.inputs[0].raw_data();
  uint8_t* out = reduction.results[0].mutable_raw_data();
  const void* init = InLanes(fold, reduction.inits[0].raw_data(), 1, init_scratch);
  ForEachOffset(geometry.kept, 0, [&](int64_t base) {
    accumulator.Load(static_cast<const uint8_t*>(init), fold.width);
    ForEachOffset(outer, base, [&](int64_t at) {
      FoldRun(fold, x + at * width, run, width, folded.bytes.data(), lanes, scratch);
      Combine(fold, accumulator.bytes.data(), folded.bytes.data(), 1);
    });
    const void* from = accumulator.bytes.data();
    fold.narrow.run ? fold.narrow(&from, out, 1) : accumulator.Store(out, width);
    out += width;
  });
}

void FoldColumns(const Fold& fold, Reduction& reduction) {
  int width = reduction.widths[0];
  std::vector<uint8_t> accumulators, column, widened, init_scratch;
  uint8_t* out = reduction.results[0].mutable_raw_data();
  const void* init = InLanes(fold, reduction.inits[0].raw_data(), 1, init_scratch);
  ForEachColumnBlock(
      reduction.geometry, [&](int64_t first, const std::vector<int64_t>& offsets, bool contiguous) {
        int64_t count = static_cast<int64_t>(offsets.size());
        accumulators.resize(static_cast<size_t>(count * fold.width));
        for (int64_t i = 0; i < count; ++i) {
          std::memcpy(accumulators.data() + i * fold.width, init, static_cast<size_t>(fold.width));
        }
        ForEachOffset(reduction.geometry.reduced, 0, [&](int64_t base) {
          const void* x = Column(reduction.inputs[0], width, offsets, base, contiguous, column);
          Combine(fold, accumulators.data(), InLanes(fold, x, count, widened), count);
        });
        const void* from = accumulators.data();
        if (fold.narrow.run) {
          fold.narrow(&from, out + first * width, count);
        } else {
          std::memcpy(out + first * width, from, static_cast<size_t>(count * width));
        }
      });
}

void ReduceRecognized(RecognizedReducer reducer, Reduction& reduction) {
  Fold fold = FoldOf(reducer, reduction.inputs[0].element_type());
  const std::vector<StridedDimension>& reduced = reduction.geometry.reduced;
  bool rows = !reduced.empty() && reduced.back().stride == 1 && reduced.back().size >= kLongRun;
  rows ? FoldRows(fold, reduction) : FoldColumns(fold, reduction);
}

// Any scalar computation, many results at a time, each left to right.
void ReduceColumns(const ScalarFunction& function, Reduction& reduction) {
  size_t n = reduction.inputs.size();
  std::vector<std::vector<uint8_t>> columns(n);
  std::vector<const void*> arguments(2 * n);
  std::vector<void*> accumulators(n);
  ForEachColumnBlock(reduction.geometry,
                     [&](int64_t first, const std::vector<int64_t>& offsets, bool contiguous) {
                       int64_t count = static_cast<int64_t>(offsets.size());
                       for (size_t j = 0; j < n; ++j) {
                         int width = reduction.widths[j];
                         uint8_t* out = reduction.results[j].mutable_raw_data() + first * width;
                         Fill(reduction.inits[j], width, out, count);
                         arguments[j] = accumulators[j] = out;
                       }
                       ForEachOffset(reduction.geometry.reduced, 0, [&](int64_t base) {
                         for (size_t j = 0; j < n; ++j) {
                           arguments[n + j] = Column(reduction.inputs[j], reduction.widths[j],
                                                     offsets, base, contiguous, columns[j]);
                         }
                         function.RunBatch(arguments, accumulators, count);
                       });
                     });
}

// The same with few results: one application at a time.
void ReduceOneByOne(const ScalarFunction& function, Reduction& reduction) {
  size_t n = reduction.inputs.size();
  std::vector<Slot> slots(2 * n);
  int64_t next = 0;
  ForEachOffset(reduction.geometry.kept, 0, [&](int64_t base) {
    for (size_t j = 0; j < n; ++j)
      slots[j].Load(reduction.inits[j].raw_data(), reduction.widths[j]);
    ForEachOffset(reduction.geometry.reduced, base, [&](int64_t at) {
      for (size_t j = 0; j < n; ++j) {
        slots[n + j].Load(reduction.inputs[j].raw_data() + at * reduction.widths[j],
                          reduction.widths[j]);
      }
      function.Run(slots.data(), slots.data());
    });
    for (size_t j = 0; j < n; ++j) {
      int width = reduction.widths[j];
      slots[j].Store(reduction.results[j].mutable_raw_data() + next * width, width);
    }
    ++next;
  });
}

Literal ScalarAt(const Literal& array, int64_t at, int width) {
  Literal scalar = Literal::Uninitialized(Shape::Scalar(array.element_type()));
  std::memcpy(scalar.mutable_raw_data(), array.raw_data() + at * width, static_cast<size_t>(width));
  return scalar;
}

// A computation that is not straight-line scalar code is called for every element.
absl::Status ReduceByCalls(EvalContext& context, const Computation& computation,
                           Reduction& reduction) {
  size_t n = reduction.inputs.size();
  absl::Status status;
  int64_t next = 0;
  ForEachOffset(reduction.geometry.kept, 0, [&](int64_t base) {
    std::vector<Literal> accumulators(reduction.inits.begin(), reduction.inits.end());
    ForEachOffset(reduction.geometry.reduced, base, [&](int64_t at) {
      if (!status.ok()) return;
      std::vector<Literal> arguments = accumulators;
      for (size_t j = 0; j < n; ++j) {
        arguments.push_back(ScalarAt(reduction.inputs[j], at, reduction.widths[j]));
      }
      absl::StatusOr<Literal> result = context.Call(computation, std::move(arguments));
      if (!result.ok()) {
        status = result.status();
        return;
      }
      accumulators = result->shape().IsTuple() ? result->elements() : std::vector<Literal>{*result};
    });
    for (size_t j = 0; j < n; ++j) {
      int width = reduction.widths[j];
      std::memcpy(reduction.results[j].mutable_raw_data() + next * width,
                  accumulators[j].raw_data(), static_cast<size_t>(width));
    }
    ++next;
  });
  return status;
}

absl::Status Run(EvalContext& context, const Computation& computation, Reduction& reduction) {
  constexpr int64_t kFewResults = 8;
  if (reduction.geometry.result_count == 0) return absl::OkStatus();
  RecognizedReducer reducer = Recognize(computation);
  bool one = reduction.inputs.size() == 1 &&
             computation.root()->shape().element_type() == reduction.inputs[0].element_type();
  if (one && reducer != RecognizedReducer::kNone &&
      FoldOf(reducer, reduction.inputs[0].element_type()).combine.run) {
    ReduceRecognized(reducer, reduction);
    return absl::OkStatus();
  }
  HLOCTS_ASSIGN_OR_RETURN(const ScalarFunction* function, context.Scalar(computation));
  if (function == nullptr) return ReduceByCalls(context, computation, reduction);
  for (size_t j = 0, n = reduction.inputs.size(); j < n; ++j) {
    PrimitiveType type = reduction.inputs[j].element_type();
    if (function->argument_count() != static_cast<int64_t>(2 * n) ||
        function->result_count() != static_cast<int64_t>(n) || function->argument_type(j) != type ||
        function->argument_type(n + j) != type || function->result_type(j) != type) {
      return Unsupported("reduce of ", PrimitiveTypeName(type), " by computation ",
                         computation.name(), " of other types");
    }
  }
  reduction.geometry.result_count < kFewResults ? ReduceOneByOne(*function, reduction)
                                                : ReduceColumns(*function, reduction);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Literal> EvaluateReduce(EvalContext& context, const Instruction& instruction,
                                       absl::Span<Literal> operands) {
  const Computation* computation = instruction.CalledComputation(Attr::kToApply);
  size_t n = operands.size() / 2;
  if (computation == nullptr || computation->root() == nullptr || n == 0) {
    return InvalidInput(instruction.name(), ": reduce without computation or operands");
  }
  Reduction reduction;
  reduction.geometry =
      ReduceGeometryOf(operands[0].shape().dimensions(), instruction.IntList(Attr::kDimensions));
  reduction.inputs = operands.first(n);
  reduction.inits = operands.subspan(n, n);
  const Shape& shape = instruction.shape();
  for (size_t j = 0; j < n; ++j) {
    const Shape& own = shape.IsTuple() ? shape.tuple_shapes()[j] : shape;
    // Mixed precision: the computation's type, which is the result's, takes the operands in.
    for (Literal* operand : {&operands[j], &operands[n + j]}) {
      if (operand->element_type() == own.element_type()) continue;
      if (!IsFloat(operand->element_type()) || !IsFloat(own.element_type())) {
        return Unsupported(instruction.name(), ": reduce of ", operand->shape().ToString(false),
                           " to ", own.ToString(false));
      }
      *operand = FromSystem(*operand, own.element_type());
    }
    reduction.results.push_back(Literal::Uninitialized(own));
    reduction.widths.push_back(StorageBytes(own.element_type()));
  }
  HLOCTS_RETURN_IF_ERROR(Run(context, *computation, reduction));
  if (!shape.IsTuple()) return std::move(reduction.results[0]);
  return Literal::Tuple(std::move(reduction.results));
}

}  // namespace hlocts::reference
