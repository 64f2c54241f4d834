// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/gemm/dot.h"

#include <algorithm>
#include <cstring>

#include "backends/engine/cpu/kernels/gemm/dot_types.h"
#include "backends/engine/cpu/kernels/runtime/checks.h"
#include "backends/engine/cpu/kernels/runtime/isa.h"

namespace hlocts::kernels {
namespace {

bool IsExact(PrimitiveType type) { return IsInteger(type) || type == PrimitiveType::kPred; }

absl::Status Check(const DotRequest& request) {
  const DotOperand &lhs = request.lhs, &rhs = request.rhs;
  if (!DotSupported(lhs.type, rhs.type, request.output_type)) {
    return Unsupported("dot of ", PrimitiveTypeName(lhs.type), " and ", PrimitiveTypeName(rhs.type),
                       " to ", PrimitiveTypeName(request.output_type));
  }
  if (lhs.batch.size() != rhs.batch.size() || lhs.contracting.size() != rhs.contracting.size() ||
      lhs.strides.size() != lhs.dimensions.size() || rhs.strides.size() != rhs.dimensions.size()) {
    return InvalidInput("dot: dimension numbers or strides that do not match");
  }
  for (size_t i = 0; i < lhs.batch.size(); ++i) {
    if (lhs.dimensions[lhs.batch[i]] != rhs.dimensions[rhs.batch[i]]) {
      return InvalidInput("dot: batch dimension ", i, " has two sizes");
    }
  }
  for (size_t i = 0; i < lhs.contracting.size(); ++i) {
    if (lhs.dimensions[lhs.contracting[i]] != rhs.dimensions[rhs.contracting[i]]) {
      return InvalidInput("dot: contracting dimension ", i, " has two sizes");
    }
  }
  return absl::OkStatus();
}

absl::Status OutputCount(const DotRequest& request, int64_t& count) {
  std::vector<int64_t> sizes;
  const auto add = [&](const DotOperand& operand, bool with_batch) {
    for (size_t d = 0; d < operand.dimensions.size(); ++d) {
      const auto in = [&](absl::Span<const int64_t> list) {
        return std::count(list.begin(), list.end(), static_cast<int64_t>(d)) > 0;
      };
      if (in(operand.contracting) || (in(operand.batch) && !with_batch)) continue;
      sizes.push_back(operand.dimensions[d]);
    }
  };
  add(request.lhs, true);
  add(request.rhs, false);
  return CountElements(sizes, count);
}

}  // namespace

PrimitiveType ProductType(PrimitiveType lhs, PrimitiveType rhs, PrimitiveType output) {
  const bool is_complex = IsComplex(output);
  if (IsComplex(lhs) != is_complex || IsComplex(rhs) != is_complex) return PrimitiveType::kInvalid;
  if (is_complex)
    return lhs == output && rhs == output ? ComponentType(output) : PrimitiveType::kInvalid;
  for (PrimitiveType type : {lhs, rhs, output}) {
    if (!IsArrayType(type)) return PrimitiveType::kInvalid;
  }
  if (IsExact(lhs) && IsExact(rhs) && IsExact(output)) {
    return BitWidth(output) == 64 ? PrimitiveType::kU64 : PrimitiveType::kU32;
  }
  if (!IsFloat(output)) return PrimitiveType::kInvalid;
  const auto wide = [](PrimitiveType type) { return BitWidth(type) >= (IsExact(type) ? 32 : 64); };
  return wide(lhs) || wide(rhs) || wide(output) ? PrimitiveType::kF64 : PrimitiveType::kF32;
}

bool StoredAs(PrimitiveType type, PrimitiveType compute) {
  if (IsFloat(compute)) return ComponentType(type) == compute;
  return IsInteger(type) && BitWidth(type) == BitWidth(compute);
}

bool DotSupported(PrimitiveType lhs, PrimitiveType rhs, PrimitiveType output) {
  return ProductType(lhs, rhs, output) != PrimitiveType::kInvalid;
}

bool TellsDone(PrimitiveType lhs, PrimitiveType rhs, PrimitiveType output) {
  return DotSupported(lhs, rhs, output) && !IsComplex(output) &&
         StoredAs(output, ProductType(lhs, rhs, output));
}

absl::Status Dot(const Parallel& parallel, const DotRequest& request) {
  HLOCTS_RETURN_IF_ERROR(Check(request));
  int64_t outputs = 0, lhs_count = 0, rhs_count = 0;
  HLOCTS_RETURN_IF_ERROR(OutputCount(request, outputs));
  HLOCTS_RETURN_IF_ERROR(CountElements(request.lhs.dimensions, lhs_count));
  HLOCTS_RETURN_IF_ERROR(CountElements(request.rhs.dimensions, rhs_count));
  if (outputs == 0) return absl::OkStatus();
  if (lhs_count == 0 || rhs_count == 0) {  // sums of nothing; all bits zero is 0 in every type
    if (request.output_type == PrimitiveType::kF8E8M0FNU) {
      return Unsupported("dot: an empty sum in f8e8m0fnu");
    }
    std::memset(request.output, 0, outputs * StorageBytes(request.output_type));
    return absl::OkStatus();
  }
  return Kernels().dot(parallel, request);
}

}  // namespace hlocts::kernels
