// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "absl/strings/str_join.h"
#include "reference/ops/module_testing.h"
#include "spec/ir/index_util.h"

namespace hlocts::reference {
namespace {

// A random convolution of whole numbers with dimensions in the order b f spatial, o i spatial, b f
// spatial. The expected result adds the product of each pair of elements to its output element.
struct RandomConvolution {
  std::mt19937 random;
  explicit RandomConvolution(int seed) : random(seed) {}
  int Draw(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }

  int rank, feature_groups, batch_groups;
  std::vector<int64_t> lhs, rhs, out;
  std::vector<WindowDimension> window;

  bool Make() {
    rank = Draw(0, 3);
    feature_groups = Draw(0, 2) == 0 ? Draw(2, 3) : 1;
    batch_groups = feature_groups == 1 && Draw(0, 2) == 0 ? Draw(2, 3) : 1;
    const int outputs = Draw(1, 3) * feature_groups * batch_groups;
    const int inputs = Draw(1, 3), batch = Draw(1, 2);
    lhs = {batch * batch_groups, inputs * feature_groups};
    rhs = {outputs, inputs};
    out = {batch, outputs};
    window.clear();
    for (int d = 0; d < rank; ++d) {
      WindowDimension w;
      w.size = Draw(1, 3);
      w.stride = Draw(1, 3);
      w.window_dilation = Draw(1, 3);
      w.base_dilation = Draw(1, 3);
      w.padding_low = Draw(-2, 3);
      w.padding_high = Draw(-2, 3);
      w.window_reversal = Draw(0, 2) == 0;
      const int64_t base = Draw(1, 5);
      const int64_t padded = (base - 1) * w.base_dilation + 1 + w.padding_low + w.padding_high;
      const int64_t extent = (w.size - 1) * w.window_dilation + 1;
      if (padded < extent) return false;
      window.push_back(w);
      lhs.push_back(base);
      rhs.push_back(w.size);
      out.push_back((padded - extent) / w.stride + 1);
    }
    return true;
  }
};

// Returns the output index to which the element pair (l, r) contributes, or -1.
int64_t PlaceOf(const RandomConvolution& c, absl::Span<const int64_t> l,
                absl::Span<const int64_t> r) {
  const int64_t group = r[0] / (c.out[1] / c.feature_groups);
  const int64_t batch_group = r[0] / (c.out[1] / c.batch_groups);
  if (l[1] != group * c.rhs[1] + r[1] || l[0] / c.out[0] != batch_group) return -1;
  int64_t place = l[0] % c.out[0] * c.out[1] + r[0];
  for (int d = 0; d < c.rank; ++d) {
    const WindowDimension& w = c.window[d];
    const int64_t tap = w.window_reversal ? w.size - 1 - r[d + 2] : r[d + 2];
    const int64_t begin =
        l[d + 2] * w.base_dilation + w.padding_low - tap * w.window_dilation;  // window position
    if (begin < 0 || begin % w.stride != 0 || begin / w.stride >= c.out[d + 2]) return -1;
    place = place * c.out[d + 2] + begin / w.stride;
  }
  return place;
}

std::vector<double> Direct(const RandomConvolution& c, const std::vector<double>& lhs,
                           const std::vector<double>& rhs) {
  std::vector<double> sums(Shape(PrimitiveType::kF64, c.out).ElementCount());
  size_t i = 0;
  ForEachIndex(c.lhs, [&](absl::Span<const int64_t> l) {
    size_t j = 0;
    ForEachIndex(c.rhs, [&](absl::Span<const int64_t> r) {
      if (const int64_t place = PlaceOf(c, l, r); place >= 0) sums[place] += lhs[i] * rhs[j];
      ++j;
    });
    ++i;
  });
  return sums;
}

std::string ShapeOf(absl::string_view type, const std::vector<int64_t>& dims) {
  return absl::StrCat(type, "[", absl::StrJoin(dims, ","), "]");
}

TEST(Convolution, AgreesWithTheDirectSumWhateverTheWindow) {
  int64_t compared = 0;
  for (int seed = 0; seed < 400; ++seed) {
    RandomConvolution c(seed);
    if (!c.Make()) continue;
    Window window{c.window};
    const std::string spatial = std::string("012").substr(0, c.rank);
    const std::string text = absl::StrCat(
        "l = ", ShapeOf("f32", c.lhs), " parameter(0)\nr = ", ShapeOf("f32", c.rhs),
        " parameter(1)\nROOT c = ", ShapeOf("f32", c.out), " convolution(l, r), ",
        c.rank == 0 ? "" : absl::StrCat("window=", PrintWindow(window), ", "), "dim_labels=bf",
        spatial, "_oi", spatial, "->bf", spatial, ", feature_group_count=", c.feature_groups,
        ", batch_group_count=", c.batch_groups);
    const std::unique_ptr<Module> module = ModuleOf(text);
    ASSERT_NE(module, nullptr);
    std::vector<Literal> arguments;
    std::vector<std::vector<double>> values;
    for (const auto& dims : {c.lhs, c.rhs}) {
      arguments.emplace_back(Shape(PrimitiveType::kF32, dims));
      values.emplace_back();
      for (float& x : arguments.back().mutable_data<float>()) {
        x = static_cast<float>(c.Draw(-9, 9));
        values.back().push_back(x);
      }
    }
    absl::StatusOr<Literal> result = Evaluate(*module, arguments);
    ASSERT_TRUE(result.ok()) << text << result.status();
    ASSERT_EQ(result->shape().dimensions(), c.out) << text;
    const std::vector<double> sums = Direct(c, values[0], values[1]);
    for (size_t i = 0; i < sums.size(); ++i, ++compared) {
      ASSERT_EQ(result->data<float>()[i], sums[i]) << text;
    }
  }
  EXPECT_GT(compared, 2000);
}

}  // namespace
}  // namespace hlocts::reference
