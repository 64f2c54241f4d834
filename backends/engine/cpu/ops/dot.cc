// SPDX-License-Identifier: Apache-2.0
// dot and ragged-dot. A kernel computes products. The operands of ragged-dot, and operands of types
// that the kernel does not support, are copied to [batch, rows, contracting].
#include "backends/engine/cpu/kernels/gemm/dot.h"

#include <algorithm>

#include "backends/engine/cpu/compile/op_list.h"
#include "backends/engine/cpu/loops/load_view.h"
#include "backends/engine/cpu/moves/strided.h"
#include "backends/engine/plan/index_elements.h"
#include "spec/infer/dimension_numbers.h"

namespace hlocts::cpu {
namespace {

int64_t SizeOf(absl::Span<const int64_t> dimensions, const std::vector<int64_t>& chosen) {
  int64_t size = 1;
  for (int64_t d : chosen) size *= dimensions[d];
  return size;
}

// Returns a view of the operand with its dimensions in the given order: batch, free, contracting,
// or batch, contracting, free.
plan::View Ordered(const plan::View& operand, const std::vector<int64_t>& order) {
  return plan::Transposed(operand, order).Simplified();
}

struct MatrixSizes {
  int64_t batch, rows, columns, depth;
};

// Returns the operand's elements in the order of the view, converted to type `computed`.
std::vector<uint8_t> Laid(PrimitiveType type, PrimitiveType computed, const plan::View& view,
                          int64_t elements, const uint8_t* data) {
  std::vector<uint8_t> moved(elements * StorageBytes(type));
  LoadView(view, StorageBytes(type), data, 0, elements, moved.data());
  if (type == computed) return moved;
  std::vector<uint8_t> converted(elements * StorageBytes(computed));
  ConvertInto(type, computed, moved.data(), elements, converted.data());
  return converted;
}

struct DotPlan {
  PrimitiveType lhs_type, rhs_type, computed, out_type;
  plan::View lhs, rhs;
  MatrixSizes sizes;

  absl::Status Run(const kernels::Parallel& parallel, const uint8_t* a, const uint8_t* b,
                   uint8_t* out) const {
    const int64_t elements = sizes.batch * sizes.rows * sizes.columns;
    const auto x = Laid(lhs_type, computed, lhs, sizes.batch * sizes.rows * sizes.depth, a);
    const auto y = Laid(rhs_type, computed, rhs, sizes.batch * sizes.columns * sizes.depth, b);
    const int64_t lhs_sizes[] = {sizes.batch, sizes.rows, sizes.depth};
    const int64_t rhs_sizes[] = {sizes.batch, sizes.depth, sizes.columns};
    const Strides lhs_strides = RowMajor(lhs_sizes), rhs_strides = RowMajor(rhs_sizes);
    const int64_t batch[] = {0}, last[] = {2}, middle[] = {1};
    return IntoConverted(computed, out_type, elements, out, [&](uint8_t* result) {
      return kernels::Dot(parallel, {{x.data(), computed, lhs_sizes, lhs_strides, batch, last},
                                     {y.data(), computed, rhs_sizes, rhs_strides, batch, middle},
                                     computed,
                                     result});
    });
  }
};

plan::Dimensions SizesOf(const plan::View& view) {
  plan::Dimensions sizes;
  for (const plan::ViewDimension& d : view.dimensions) sizes.push_back(d.size);
  return sizes;
}

MatrixSizes MatrixSizesOf(const DotDimensionNumbers& numbers, absl::Span<const int64_t> lhs,
                          absl::Span<const int64_t> rhs) {
  const auto free = [](absl::Span<const int64_t> dimensions, const std::vector<int64_t>& batch,
                       const std::vector<int64_t>& contracting) {
    const auto rank = static_cast<int64_t>(dimensions.size());
    return SizeOf(dimensions, DimensionsExcept(rank, Joined(batch, contracting)));
  };
  return {SizeOf(lhs, numbers.lhs_batch), free(lhs, numbers.lhs_batch, numbers.lhs_contracting),
          free(rhs, numbers.rhs_batch, numbers.rhs_contracting),
          SizeOf(lhs, numbers.lhs_contracting)};
}

// Plans a product that reads its operands in place.
DotPlan PlanOf(const DotDimensionNumbers& numbers, PrimitiveType lhs_type,
               const plan::View& lhs_view, PrimitiveType rhs_type, const plan::View& rhs_view,
               PrimitiveType out_type) {
  const plan::Dimensions lhs = SizesOf(lhs_view), rhs = SizesOf(rhs_view);
  const std::vector<int64_t> lhs_free = DimensionsExcept(
      static_cast<int64_t>(lhs.size()), Joined(numbers.lhs_batch, numbers.lhs_contracting));
  const std::vector<int64_t> rhs_free = DimensionsExcept(
      static_cast<int64_t>(rhs.size()), Joined(numbers.rhs_batch, numbers.rhs_contracting));
  DotPlan plan;
  plan.lhs_type = lhs_type;
  plan.rhs_type = rhs_type;
  plan.out_type = out_type;
  plan.computed = ContractionType(lhs_type, rhs_type, out_type);
  plan.lhs =
      Ordered(lhs_view, Joined(Joined(numbers.lhs_batch, lhs_free), numbers.lhs_contracting));
  plan.rhs =
      Ordered(rhs_view, Joined(Joined(numbers.rhs_batch, numbers.rhs_contracting), rhs_free));
  plan.sizes = MatrixSizesOf(numbers, lhs, rhs);
  return plan;
}

struct KernelOperand {
  plan::ArrayType type;
  Strides strides;
  std::vector<int64_t> batch, contracting;

  kernels::DotOperand On(const uint8_t* data) const {
    return {data, type.type, type.dimensions, strides, batch, contracting};
  }
};

Strides StridesOf(const plan::View& view) {
  Strides strides;
  for (const plan::ViewDimension& d : view.dimensions) strides.push_back(d.stride);
  return strides;
}

// Returns the stride between adjacent batch entries of an operand, or nullopt if it varies.
std::optional<int64_t> BatchStride(const KernelOperand& operand) {
  int64_t stride = 0, next = -1;
  for (size_t i = operand.batch.size(); i-- > 0;) {
    const int64_t d = operand.batch[i], size = operand.type.dimensions[d];
    if (size == 1) continue;
    if (next >= 0 && operand.strides[d] != next) return std::nullopt;
    if (next < 0) stride = operand.strides[d];
    next = operand.strides[d] * size;
  }
  return stride;
}

// Returns true if the operand is dense, and its batch dimensions are the outermost ones.
bool IsStack(const KernelOperand& operand) {
  const Strides dense = RowMajor(operand.type.dimensions);
  for (size_t d = 0; d < operand.strides.size(); ++d) {
    if (operand.type.dimensions[d] > 1 && operand.strides[d] != dense[d]) return false;
  }
  for (size_t i = 0; i < operand.batch.size(); ++i) {
    if (operand.batch[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

// Returns the operand for a product over `entries` batch entries, which are `stride` apart.
KernelOperand OfEntries(KernelOperand operand, int64_t entries, int64_t stride) {
  for (int64_t d : operand.batch) operand.type.dimensions[d] = 1;
  operand.type.dimensions[operand.batch.back()] = entries;
  operand.strides[operand.batch.back()] = stride;
  return operand;
}

struct KernelProduct {
  KernelOperand lhs, rhs;
  PrimitiveType out_type;

  absl::Status Run(const kernels::Parallel& parallel, const uint8_t* a, const uint8_t* b,
                   uint8_t* out) const {
    return kernels::Dot(parallel, {lhs.On(a), rhs.On(b), out_type, out});
  }
};

// Returns the product as parts that have several batch entries each.
PartWorkFactory PartsOf(const KernelProduct& product, const MatrixSizes& sizes) {
  const std::optional<int64_t> lhs = BatchStride(product.lhs), rhs = BatchStride(product.rhs);
  // Splitting a long sum changes its bits, and a group does not split. So products with long sums
  // are not grouped. A complex sum has twice as many terms as a real one.
  const bool is_deep = 2 * sizes.depth >= kernels::kDeepSum;
  if (!lhs || !rhs || product.lhs.batch.empty() || is_deep) return nullptr;
  return [=, from_a = *lhs, from_b = *rhs](int64_t parts) -> std::optional<PartitionedStep> {
    if (sizes.batch % parts != 0) return std::nullopt;
    const int64_t entries = sizes.batch / parts, results = entries * sizes.rows * sizes.columns;
    const int64_t a_step = entries * from_a * product.lhs.type.width();
    const int64_t b_step = entries * from_b * product.rhs.type.width();
    const int64_t out_step = results * StorageBytes(product.out_type);
    const KernelProduct part = {OfEntries(product.lhs, entries, from_a),
                                OfEntries(product.rhs, entries, from_b), product.out_type};
    const double cost = 0.02 * static_cast<double>(results * sizes.depth);
    return PartitionedStep{
        {IsStack(product.lhs), IsStack(product.rhs)},
        cost,
        [=](In in, Out out, int64_t begin, int64_t end) {
          for (int64_t n = begin; n < end; ++n) {
            HLOCTS_RETURN_IF_ERROR(part.Run(kernels::Parallel(1), in[0] + n * a_step,
                                            in[1] + n * b_step, out[0] + n * out_step));
          }
          return absl::OkStatus();
        }};
  };
}

StepDraft KernelDot(const OpContext& context, const DotDimensionNumbers& numbers) {
  const MatrixSizes sizes =
      MatrixSizesOf(numbers, context.in(0).dimensions, context.in(1).dimensions);
  const KernelProduct product = {
      {context.in(0), StridesOf(context.view(0)), numbers.lhs_batch, numbers.lhs_contracting},
      {context.in(1), StridesOf(context.view(1)), numbers.rhs_batch, numbers.rhs_contracting},
      context.out(0).type};
  const kernels::Parallel parallel(context.compiler.options().threads);
  StepDraft draft;
  draft.run = [=](Run&, In in, Out out) { return product.Run(parallel, in[0], in[1], out[0]); };
  draft.batch = sizes.batch;
  if (context.out(0).elements > 0) draft.parts = PartsOf(product, sizes);
  return draft;
}

}  // namespace

absl::StatusOr<StepDraft> MakeDot(const OpContext& context) {
  const DotDimensionNumbers numbers = DotDimensionsOf(context.source());
  if (kernels::DotSupported(context.in(0).type, context.in(1).type, context.out(0).type)) {
    return KernelDot(context, numbers);
  }
  const DotPlan plan = PlanOf(numbers, context.in(0).type, context.view(0), context.in(1).type,
                              context.view(1), context.out(0).type);
  StepDraft draft;
  draft.run = [plan, parallel = kernels::Parallel(context.compiler.options().threads)](
                  Run&, In in, Out out) { return plan.Run(parallel, in[0], in[1], out[0]); };
  return draft;
}

namespace {

struct RaggedPlan {
  enum class Kind { kBatch, kRows, kContraction } kind = Kind::kRows;
  DotDimensionNumbers numbers;
  plan::ArrayType lhs, rhs, sizes, out;
  int64_t ragged = 0, rhs_ragged = 0, out_dimension = 0;
};

// Returns elements [start, start + size) along one dimension as a dense array.
std::vector<uint8_t> Part(const plan::ArrayType& type, int64_t dimension, int64_t start,
                          int64_t size, const uint8_t* data) {
  std::vector<SliceRange> ranges;
  for (int64_t d : type.dimensions) ranges.push_back({0, d, 1});
  ranges[dimension] = {start, start + size, 1};
  const plan::View view = plan::Sliced(plan::View::Dense(type.dimensions), ranges).Simplified();
  const int64_t elements =
      type.dimensions[dimension] == 0 ? 0 : type.elements / type.dimensions[dimension] * size;
  std::vector<uint8_t> part(elements * type.width() + 1);
  LoadView(view, type.width(), data, 0, elements, part.data());
  return part;
}

// Sets result[..., start : start + size, ...] = block.
void Paste(const plan::ArrayType& type, int64_t dimension, int64_t start, int64_t size,
           const uint8_t* block, uint8_t* out) {
  plan::Dimensions sizes = type.dimensions;
  sizes[dimension] = size;
  const Strides from = RowMajor(sizes), to = RowMajor(type.dimensions);
  StridedCopy copy;
  for (size_t d = 0; d < sizes.size(); ++d) copy.Add(sizes[d], from[d], to[d]);
  copy.Simplify();
  copy.Run(type.width(), block, out + start * to[dimension] * type.width());
}

// Computes the product group by group. If a free dimension is ragged, the rows of group g are
// multiplied by rhs[g], and rows after all groups become zeros. If a contracting dimension is
// ragged, result[g] contracts over the elements of group g.
absl::Status RunGroups(const RaggedPlan& p, const kernels::Parallel& parallel,
                       const std::vector<int64_t>& sizes, In in, uint8_t* out) {
  const bool rows = p.kind == RaggedPlan::Kind::kRows;
  std::fill(out, out + p.out.bytes, 0);
  DotDimensionNumbers numbers = p.numbers;
  for (std::vector<int64_t>* list : {&numbers.rhs_batch, &numbers.rhs_contracting}) {
    for (int64_t& d : *list) d -= rows && d > p.rhs_ragged ? 1 : 0;
  }
  int64_t start = 0;
  for (size_t g = 0; g < sizes.size(); ++g) {
    const int64_t size = std::clamp<int64_t>(sizes[g], 0, p.lhs.dimensions[p.ragged] - start);
    plan::Dimensions lhs = p.lhs.dimensions, rhs = p.rhs.dimensions;
    lhs[p.ragged] = size;
    if (rows) {
      rhs.erase(rhs.begin() + p.rhs_ragged);
    } else {
      rhs[p.rhs_ragged] = size;
    }
    const auto a = Part(p.lhs, p.ragged, start, size, in[0]);
    const auto b =
        Part(p.rhs, p.rhs_ragged, rows ? static_cast<int64_t>(g) : start, rows ? 1 : size, in[1]);
    const DotPlan dot = PlanOf(numbers, p.lhs.type, plan::View::Dense(lhs), p.rhs.type,
                               plan::View::Dense(rhs), p.out.type);
    const int64_t elements = dot.sizes.batch * dot.sizes.rows * dot.sizes.columns;
    std::vector<uint8_t> block(elements * p.out.width() + 1);
    HLOCTS_RETURN_IF_ERROR(dot.Run(parallel, a.data(), b.data(), block.data()));
    const int64_t place = rows ? start : static_cast<int64_t>(g);
    Paste(p.out, rows ? p.out_dimension : 0, place, rows ? size : 1, block.data(), out);
    start += size;
  }
  return absl::OkStatus();
}

bool Has(const std::vector<int64_t>& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

absl::StatusOr<StepDraft> MakeRaggedDot(const OpContext& context) {
  RaggedPlan p;
  p.numbers = DotDimensionsOf(context.source());
  p.lhs = context.in(0);
  p.rhs = context.in(1);
  p.sizes = context.in(2);
  p.out = context.out(0);
  if (p.sizes.rank() != 1) {
    return Unsupported(context.name(), ": group sizes: expected rank 1, found ", p.sizes.rank());
  }
  p.ragged = context.source().IntList(Attr::kLhsRaggedDims)[0];
  if (Has(p.numbers.lhs_batch, p.ragged)) {
    p.kind = RaggedPlan::Kind::kBatch;
  } else if (Has(p.numbers.lhs_contracting, p.ragged)) {
    p.kind = RaggedPlan::Kind::kContraction;
    const auto at =
        std::find(p.numbers.lhs_contracting.begin(), p.numbers.lhs_contracting.end(), p.ragged);
    p.rhs_ragged = p.numbers.rhs_contracting[at - p.numbers.lhs_contracting.begin()];
  } else {
    p.rhs_ragged = context.source().IntList(Attr::kRhsGroupDims)[0];
    const std::vector<int64_t> free =
        DimensionsExcept(p.lhs.rank(), Joined(p.numbers.lhs_batch, p.numbers.lhs_contracting));
    p.out_dimension = static_cast<int64_t>(p.numbers.lhs_batch.size()) +
                      (std::find(free.begin(), free.end(), p.ragged) - free.begin());
  }
  StepDraft draft;
  draft.run = [p, parallel = kernels::Parallel(context.compiler.options().threads)](Run&, In in,
                                                                                    Out out) {
    if (p.kind == RaggedPlan::Kind::kBatch) {
      return PlanOf(p.numbers, p.lhs.type, plan::View::Dense(p.lhs.dimensions), p.rhs.type,
                    plan::View::Dense(p.rhs.dimensions), p.out.type)
          .Run(parallel, in[0], in[1], out[0]);
    }
    return RunGroups(p, parallel, plan::IndicesOf(p.sizes.type, in[2], p.sizes.elements), in,
                     out[0]);
  };
  return draft;
}

}  // namespace hlocts::cpu
