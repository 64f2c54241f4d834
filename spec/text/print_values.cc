// SPDX-License-Identifier: Apache-2.0
#include "spec/text/print_values.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/ir/replica_groups.h"
#include "spec/text/cursor.h"
#include "spec/text/format_number.h"

namespace hlocts {
namespace {

// Appends "name=1x2" if the number of any dimension is not `usual`.
void AppendWindowField(const Window& window, absl::string_view name,
                       int64_t WindowDimension::*field, int64_t usual, std::string* out) {
  bool unusual = std::any_of(window.dimensions.begin(), window.dimensions.end(),
                             [&](const WindowDimension& d) { return d.*field != usual; });
  if (!unusual) return;
  absl::StrAppend(out, " ", name, "=",
                  absl::StrJoin(window.dimensions, "x", [&](std::string* to, const auto& d) {
                    absl::StrAppend(to, d.*field);
                  }));
}

// Returns letters and digits at the positions of the dimensions, and '?' at unused positions.
std::string Labels(char first, int64_t first_dimension, char second, int64_t second_dimension,
                   const std::vector<int64_t>& spatial) {
  int64_t last = std::max(first_dimension, second_dimension);
  for (int64_t d : spatial) last = std::max(last, d);
  // The length is bounded, since dimension numbers may come from a malformed proto.
  std::string labels(std::clamp<int64_t>(last + 1, 0, 64), '?');
  auto put = [&](int64_t dimension, char label) {
    if (dimension >= 0 && dimension < static_cast<int64_t>(labels.size())) {
      labels[dimension] = label;
    }
  };
  put(first_dimension, first);
  put(second_dimension, second);
  for (size_t i = 0; i < spatial.size(); ++i) put(spatial[i], static_cast<char>('0' + i % 10));
  return labels;
}

}  // namespace

void AppendQuoted(absl::string_view text, std::string* out) {
  absl::StrAppend(out, "\"", absl::CEscape(text), "\"");
}

void AppendRawOrQuoted(absl::string_view text, std::string* out) {
  if (IsBalancedDict(text)) {
    absl::StrAppend(out, text);
  } else {
    AppendQuoted(text, out);
  }
}

void AppendIntList(absl::Span<const int64_t> values, std::string* out) {
  absl::StrAppend(out, "{", absl::StrJoin(values, ","), "}");
}

void AppendWindow(const Window& window, std::string* out) {
  if (window.dimensions.empty()) {
    out->append("{}");
    return;
  }
  const auto& dimensions = window.dimensions;
  absl::StrAppend(
      out, "{size=", absl::StrJoin(dimensions, "x", [](std::string* to, const WindowDimension& d) {
        absl::StrAppend(to, d.size);
      }));
  AppendWindowField(window, "stride", &WindowDimension::stride, 1, out);
  bool padded = std::any_of(dimensions.begin(), dimensions.end(), [](const WindowDimension& d) {
    return d.padding_low != 0 || d.padding_high != 0;
  });
  if (padded) {
    absl::StrAppend(
        out, " pad=", absl::StrJoin(dimensions, "x", [](std::string* to, const WindowDimension& d) {
          absl::StrAppend(to, d.padding_low, "_", d.padding_high);
        }));
  }
  AppendWindowField(window, "lhs_dilate", &WindowDimension::base_dilation, 1, out);
  AppendWindowField(window, "rhs_dilate", &WindowDimension::window_dilation, 1, out);
  bool reversed = std::any_of(dimensions.begin(), dimensions.end(),
                              [](const WindowDimension& d) { return d.window_reversal; });
  if (reversed) {
    absl::StrAppend(out, " rhs_reversal=",
                    absl::StrJoin(dimensions, "x", [](std::string* to, const WindowDimension& d) {
                      absl::StrAppend(to, d.window_reversal ? 1 : 0);
                    }));
  }
  out->push_back('}');
}

void AppendPadding(const PaddingConfig& padding, std::string* out) {
  bool interior = std::any_of(padding.dimensions.begin(), padding.dimensions.end(),
                              [](const PaddingDimension& d) { return d.interior != 0; });
  absl::StrAppend(
      out, absl::StrJoin(padding.dimensions, "x", [&](std::string* to, const PaddingDimension& d) {
        absl::StrAppend(to, d.low, "_", d.high);
        if (interior) absl::StrAppend(to, "_", d.interior);
      }));
}

void AppendSliceRanges(const SliceRanges& slice, std::string* out) {
  bool strided = std::any_of(slice.dimensions.begin(), slice.dimensions.end(),
                             [](const SliceRange& range) { return range.stride != 1; });
  absl::StrAppend(out, "{",
                  absl::StrJoin(slice.dimensions, ", ",
                                [&](std::string* to, const SliceRange& range) {
                                  absl::StrAppend(to, "[", range.start, ":", range.limit);
                                  if (strided) absl::StrAppend(to, ":", range.stride);
                                  to->push_back(']');
                                }),
                  "}");
}

void AppendConvolutionDimensionNumbers(const ConvolutionDimensionNumbers& n, std::string* out) {
  absl::StrAppend(
      out, Labels('b', n.input_batch, 'f', n.input_feature, n.input_spatial), "_",
      Labels('i', n.kernel_input_feature, 'o', n.kernel_output_feature, n.kernel_spatial), "->",
      Labels('b', n.output_batch, 'f', n.output_feature, n.output_spatial));
}

void AppendIota(const std::vector<int64_t>& dimensions, const std::vector<int64_t>& reshape_dims,
                const std::vector<int64_t>& permutation, std::string* out) {
  absl::StrAppend(out, "[", absl::StrJoin(dimensions, ","), "]<=[",
                  absl::StrJoin(reshape_dims, ","), "]");
  if (!permutation.empty()) absl::StrAppend(out, "T(", absl::StrJoin(permutation, ","), ")");
}

void AppendReplicaGroups(const ReplicaGroups& groups, std::string* out) {
  if (!groups.mesh.axes.empty()) {
    absl::StrAppend(out, MeshAxesText(groups.mesh));
  } else if (!groups.iota_dimensions.empty()) {
    AppendIota(groups.iota_dimensions, groups.iota_reshape_dims, groups.iota_transpose_permutation,
               out);
  } else {
    out->push_back('{');
    for (size_t i = 0; i < groups.groups.size(); ++i) {
      if (i > 0) out->push_back(',');
      AppendIntList(groups.groups[i], out);
    }
    out->push_back('}');
  }
}

void AppendStringMap(const StringMap& map, std::string* out) {
  std::vector<const std::pair<std::string, std::string>*> sorted;
  for (const auto& entry : map.entries) sorted.push_back(&entry);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto* a, const auto* b) { return a->first < b->first; });
  out->push_back('{');
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (i > 0) out->push_back(',');
    Cursor key(sorted[i]->first);
    bool plain = key.PeekIdentifier().size() == sorted[i]->first.size();
    if (plain) {
      out->append(sorted[i]->first);
    } else {
      AppendQuoted(sorted[i]->first, out);
    }
    out->push_back('=');
    AppendRawOrQuoted(sorted[i]->second, out);
  }
  out->push_back('}');
}

void AppendStatistics(const Statistics& statistics, std::string* out) {
  absl::StrAppend(out, "{visualizing_index=", statistics.visualized_index);
  for (const Statistic& entry : statistics.entries) {
    absl::StrAppend(out, ",", entry.name, "=", FormatShortest(entry.value));
  }
  out->push_back('}');
}

void AppendOutputOperandAliasing(const std::vector<OutputOperandAlias>& aliases, std::string* out) {
  out->push_back('{');
  for (size_t i = 0; i < aliases.size(); ++i) {
    if (i > 0) out->append(", ");
    AppendIntList(aliases[i].output_index, out);
    absl::StrAppend(out, ": (", aliases[i].operand_number, ", ");
    AppendIntList(aliases[i].operand_index, out);
    out->push_back(')');
  }
  out->push_back('}');
}

std::string PrintWindow(const Window& window) {
  std::string out;
  AppendWindow(window, &out);
  return out;
}
std::string PrintConvolutionDimensionNumbers(const ConvolutionDimensionNumbers& numbers) {
  std::string out;
  AppendConvolutionDimensionNumbers(numbers, &out);
  return out;
}
std::string PrintReplicaGroups(const ReplicaGroups& groups) {
  std::string out;
  AppendReplicaGroups(groups, &out);
  return out;
}

}  // namespace hlocts
