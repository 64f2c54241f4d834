// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "spec/text/values.h"

namespace hlocts {
namespace {

// Reads "2x3x4" and calls `item` for each number.
template <typename Item>
bool ReadByX(Cursor& in, const Item& item) {
  do {
    if (!item()) return false;
  } while (in.Raw() == 'x' && (in.Advance(1), true));
  return true;
}

struct WindowField {
  absl::string_view name;
  int64_t WindowDimension::*value;
};
constexpr WindowField kWindowFields[] = {
    {"size", &WindowDimension::size},
    {"stride", &WindowDimension::stride},
    {"lhs_dilate", &WindowDimension::base_dilation},
    {"rhs_dilate", &WindowDimension::window_dilation},
};

// Returns dimension i and adds it if necessary, because fields may come before "size".
WindowDimension& At(Window* window, size_t i) {
  if (window->dimensions.size() <= i) window->dimensions.resize(i + 1);
  return window->dimensions[i];
}

bool ReadWindowField(Cursor& in, absl::string_view name, Window* window, size_t* count) {
  size_t i = 0;
  bool known = false;
  for (const WindowField& field : kWindowFields) {
    if (field.name != name) continue;
    known = true;
    if (!ReadByX(in, [&] { return in.Integer(&(At(window, i++).*field.value)); })) return false;
  }
  if (name == "pad") {
    known = true;
    if (!ReadByX(in, [&] {
          WindowDimension& dimension = At(window, i++);
          return in.Integer(&dimension.padding_low) && in.Expect('_') &&
                 in.Integer(&dimension.padding_high);
        })) {
      return false;
    }
  }
  if (name == "rhs_reversal") {
    known = true;
    if (!ReadByX(in, [&] {
          int64_t reversed;
          if (!in.Integer(&reversed)) return false;
          At(window, i++).window_reversal = reversed != 0;
          return true;
        })) {
      return false;
    }
  }
  *count = i;
  return known || in.Fail("text.attribute",
                          absl::StrCat("expected size, stride, pad, lhs_dilate, rhs_dilate or "
                                       "rhs_reversal, found '",
                                       name, "'"));
}

// One of the words of dim_labels: letters for batch and features, digits for spatial dimensions.
struct LabelWord {
  absl::string_view text;
  char first, second;  // "bf" or "io"
  int64_t *first_dimension, *second_dimension;
  std::vector<int64_t>* spatial;
};

bool ReadLabelWord(Cursor& in, const LabelWord& word) {
  const char* where = word.text.data();
  auto fail = [&](absl::string_view why) {
    return in.FailAt(where, "text.attribute",
                     absl::StrCat("expected dim_labels with each of '", std::string(1, word.first),
                                  "', '", std::string(1, word.second),
                                  "' and the spatial digits once, found '", word.text, "': ", why));
  };
  int64_t first = -1, second = -1;
  std::vector<int64_t> spatial(std::count_if(word.text.begin(), word.text.end(),
                                             [](char c) { return c >= '0' && c <= '9'; }),
                               -1);
  for (size_t i = 0; i < word.text.size(); ++i) {
    char c = word.text[i];
    int64_t* target = nullptr;
    if (c == word.first) target = &first;
    if (c == word.second) target = &second;
    if (c >= '0' && c <= '9') {
      if (static_cast<size_t>(c - '0') >= spatial.size()) return fail("a digit is missing");
      target = &spatial[c - '0'];
    }
    if (c == '?') continue;  // a dimension that is not used
    if (target == nullptr) return fail("there is another letter");
    if (*target >= 0) return fail("a letter or digit occurs twice");
    *target = static_cast<int64_t>(i);
  }
  if (first < 0 || second < 0) return fail("a letter is missing");
  *word.first_dimension = first;
  *word.second_dimension = second;
  *word.spatial = std::move(spatial);
  return true;
}

bool IsLabel(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '?'; }

absl::string_view LabelToken(Cursor& in) {
  const char* start = in.Here();
  while (IsLabel(in.Raw())) in.Advance(1);
  return {start, static_cast<size_t>(in.raw_position() - start)};
}

}  // namespace

bool ReadIntList(Cursor& in, std::vector<int64_t>* values) {
  return ReadList(in, '{', '}', [&] { return in.Integer(&values->emplace_back()); });
}

bool ReadShapeIndex(Cursor& in, ShapeIndex* index) {
  return ReadList(in, '{', '}', [&] { return in.NonNegative(&index->emplace_back()); });
}

bool ReadWindow(Cursor& in, Window* window) {
  if (!in.Expect('{')) return false;
  const char* start = in.Here();
  bool sized = false;
  std::vector<std::pair<absl::string_view, size_t>> counts;
  while (!in.Try('}')) {
    absl::string_view name;
    size_t count;
    if (!in.Identifier(&name, "a field of the window") || !in.Expect('=')) return false;
    if (!ReadWindowField(in, name, window, &count)) return false;
    sized |= name == "size";
    counts.push_back({name, count});
    in.Try(',');
  }
  if (!counts.empty() && !sized) {
    return in.FailAt(start, "text.attribute", "expected a window with size=, found none");
  }
  for (auto& [name, count] : counts) {
    if (count != window->dimensions.size()) {
      return in.FailAt(start, "text.attribute",
                       absl::StrCat("expected ", window->dimensions.size(), " numbers in ", name,
                                    " of the window, found ", count));
    }
  }
  return true;
}

bool ReadPadding(Cursor& in, PaddingConfig* padding) {
  char next = in.Peek();
  if (next != '-' && (next < '0' || next > '9')) return true;  // the padding of a scalar
  return ReadByX(in, [&] {
    PaddingDimension& dimension = padding->dimensions.emplace_back();
    if (!in.Integer(&dimension.low) || !in.Expect('_') || !in.Integer(&dimension.high)) {
      return false;
    }
    if (in.Raw() != '_') return true;
    in.Advance(1);
    return in.Integer(&dimension.interior);
  });
}

bool ReadSliceRanges(Cursor& in, SliceRanges* slice) {
  return ReadList(in, '{', '}', [&] {
    SliceRange& range = slice->dimensions.emplace_back();
    if (!in.Expect('[') || !in.Integer(&range.start) || !in.Expect(':')) return false;
    if (!in.Integer(&range.limit)) return false;
    if (in.Try(':') && !in.Integer(&range.stride)) return false;
    return in.Expect(']');
  });
}

bool ReadConvolutionDimensionNumbers(Cursor& in, ConvolutionDimensionNumbers* n) {
  const char* start = in.Here();
  absl::string_view input = LabelToken(in);
  if (!in.Try('_')) return in.Expected("dim_labels such as b01f_01io->b01f", "text.attribute");
  absl::string_view kernel = LabelToken(in);
  if (!in.Try("->")) return in.Expected("dim_labels such as b01f_01io->b01f", "text.attribute");
  absl::string_view output = LabelToken(in);
  if (!ReadLabelWord(in,
                     {input, 'b', 'f', &n->input_batch, &n->input_feature, &n->input_spatial}) ||
      !ReadLabelWord(in, {kernel, 'i', 'o', &n->kernel_input_feature, &n->kernel_output_feature,
                          &n->kernel_spatial}) ||
      !ReadLabelWord(
          in, {output, 'b', 'f', &n->output_batch, &n->output_feature, &n->output_spatial})) {
    return false;
  }
  if (n->input_spatial.size() != n->kernel_spatial.size() ||
      n->input_spatial.size() != n->output_spatial.size()) {
    return in.FailAt(start, "text.attribute",
                     "expected dim_labels with equal numbers of spatial dimensions");
  }
  return true;
}

}  // namespace hlocts
