// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/sampled_check.h"

#include <cstring>

#include "absl/strings/str_format.h"
#include "backends/differ/differ.h"
#include "spec/ir/module.h"

namespace hlocts::tools {
namespace {

absl::StatusOr<Literal> RowsOf(const Literal& whole, const Shape& shape) {
  if (whole.shape() == shape) return whole;
  const auto &from = whole.shape().dimensions(), &to = shape.dimensions();
  const bool fits = !to.empty() && from.size() == to.size() && to[0] > 0 && to[0] <= from[0] &&
                    std::equal(from.begin() + 1, from.end(), to.begin() + 1);
  if (!fits || whole.element_type() != shape.element_type()) {
    return InvalidInput("rows of ", whole.shape().ToString(false), " are no ",
                        shape.ToString(false));
  }
  Literal rows = Literal::Uninitialized(shape);
  const size_t bytes = rows.raw_size() / static_cast<size_t>(to[0]);
  for (int64_t r = 0; r < to[0]; ++r) {
    const int64_t place = to[0] == 1 ? 0 : r * (from[0] - 1) / (to[0] - 1);
    std::memcpy(rows.mutable_raw_data() + static_cast<size_t>(r) * bytes,
                whole.raw_data() + static_cast<size_t>(place) * bytes, bytes);
  }
  return rows;
}

absl::StatusOr<std::vector<Literal>> AllRowsOf(const std::vector<Literal>& whole,
                                               const std::vector<Shape>& shapes) {
  if (whole.size() != shapes.size()) {
    return InvalidInput("expected ", shapes.size(), " arrays, found ", whole.size());
  }
  std::vector<Literal> rows;
  for (size_t k = 0; k < whole.size(); ++k) {
    HLOCTS_ASSIGN_OR_RETURN(rows.emplace_back(), RowsOf(whole[k], shapes[k]));
  }
  return rows;
}

}  // namespace

absl::StatusOr<std::string> CheckSampledRows(const Module& rows,
                                             const std::vector<Literal>& arguments,
                                             const std::vector<Literal>& outputs,
                                             backends::Backend& engine, Profile profile) {
  backends::ExecuteRequest request;
  backends::ExecuteResult result;
  HLOCTS_ASSIGN_OR_RETURN(request.arguments.emplace_back(),
                          AllRowsOf(arguments, backends::ArgumentLeafShapes(rows)));
  HLOCTS_ASSIGN_OR_RETURN(result.outputs.emplace_back(),
                          AllRowsOf(outputs, backends::OutputLeafShapes(rows)));
  const int64_t count = result.outputs[0][0].shape().dimensions()[0];
  backends::DiffOptions options;
  options.profile = profile;
  const reports::Verdict verdict =
      backends::Differ(rows, request, options).DiffOutcome(backends::OutcomeFrom(result), engine);
  if (verdict.kind == reports::VerdictKind::kPass) {
    return absl::StrFormat("judged %d rows, %.1f bits", count, verdict.bits_checked_mean);
  }
  if (verdict.kind == reports::VerdictKind::kFail) return absl::StrCat("WRONG: ", verdict.reason);
  return absl::StrFormat("%d rows, inconclusive", count);
}

}  // namespace hlocts::tools
