// SPDX-License-Identifier: Apache-2.0
// Arrays without elements whose other dimensions are larger than any memory: of valid modules, so
// that they have a value like others, and nothing loops over what is not there.
#include "gtest/gtest.h"
#include "reference/ops/module_testing.h"

namespace hlocts::reference {
namespace {

struct Row {
  const char* name;
  const char* entry;
  std::vector<const char*> results;
  const char* called = "";
};

std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.name; }

class NoElementsTest : public testing::TestWithParam<Row> {};

TEST_P(NoElementsTest, Result) {
  std::vector<std::string> expected(GetParam().results.begin(), GetParam().results.end());
  EXPECT_EQ(ResultOf(GetParam().entry, GetParam().called, {}), LeafTexts(expected));
}

#define X "x = f32[1000000000000,0] iota(), iota_dimension=0\n"
constexpr const char kEmpty[] = "f32[1000000000000,0] 0";
constexpr const char kLess[] =
    "less { a = f32[] parameter(0) b = f32[] parameter(1)\n"
    "ROOT r = pred[] compare(a, b), direction=LT }\n";
constexpr const char kLessOfPairs[] =
    "less { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] parameter(2)\n"
    "d = f32[] parameter(3) ROOT r = pred[] compare(a, b), direction=LT }\n";

const Row kRows[] = {
    {"iota", "ROOT r = f32[1000000000000,0] iota(), iota_dimension=0", {kEmpty}},
    {"iota_of_a_narrow_type",
     "ROOT r = bf16[1000000000000,0] iota(), iota_dimension=0",
     {"bf16[1000000000000,0] 0"}},
    {"broadcast",
     "c = f32[] constant(1)\nROOT r = f32[0,1000000000000,1000000000000] broadcast(c), "
     "dimensions={}",
     {"f32[0,1000000000000,1000000000000] {}"}},
    {"constant", "ROOT r = f32[1000000000000,0] constant(1)", {kEmpty}},
    {"transpose",
     X "ROOT r = f32[0,1000000000000] transpose(x), dimensions={1,0}",
     {"f32[0,1000000000000] {}"}},
    {"reverse", X "ROOT r = f32[1000000000000,0] reverse(x), dimensions={0,1}", {kEmpty}},
    {"reshape", X "ROOT r = f32[0] reshape(x)", {"f32[0] {}"}},
    {"slice",
     X "ROOT r = f32[500000000000,0] slice(x), slice={[0:1000000000000:2], [0:0]}",
     {"f32[500000000000,0] 0"}},
    {"concatenate",
     X "ROOT r = f32[2000000000000,0] concatenate(x, x), dimensions={0}",
     {"f32[2000000000000,0] 0"}},
    {"arithmetic",
     X "a = f32[1000000000000,0] add(x, x)\nb = f32[1000000000000,0] negate(a)\n"
       "p = pred[1000000000000,0] compare(a, b), direction=LT\n"
       "ROOT r = f32[1000000000000,0] select(p, a, b)",
     {kEmpty}},
    {"bitcast_convert",
     X "ROOT r = s8[1000000000000,0,4] bitcast-convert(x)",
     {"s8[1000000000000,0,4] 0"}},
    {"pad_away",
     X "c = f32[] constant(7)\nROOT r = f32[2,2] pad(x, c), padding=0_-999999999998x1_1",
     {"f32[2,2] {{7, 7}, {7, 7}}"}},
    {"dot_of_no_products",
     "x = f32[2,1000000000000,0] constant(0)\n"
     "ROOT r = f32[2,2] dot(x, x), lhs_contracting_dims={1,2}, rhs_contracting_dims={1,2}",
     {"f32[2,2] {{0, 0}, {0, 0}}"}},
    {"reduce_to_a_scalar",
     X "c = f32[] constant(3)\nROOT r = f32[] reduce(x, c), dimensions={0,1}, to_apply=add",
     {"f32[] 3"},
     kAdd},
    {"reduce_to_rows",
     "x = f32[3,1000000000000,0] iota(), iota_dimension=0\nc = f32[] constant(3)\n"
     "ROOT r = f32[3] reduce(x, c), dimensions={1,2}, to_apply=add",
     {"f32[3] {3, 3, 3}"},
     kAdd},
    {"reduce_to_columns",
     "x = f32[1000000000000,0,3] iota(), iota_dimension=0\nc = f32[] constant(3)\n"
     "ROOT r = f32[3] reduce(x, c), dimensions={0,1}, to_apply=add",
     {"f32[3] {3, 3, 3}"},
     kAdd},
    {"map",
     X "ROOT r = f32[1000000000000,0] map(x, x), dimensions={0,1}, to_apply=add",
     {kEmpty},
     kAdd},
    {"sort",
     X "ROOT r = f32[1000000000000,0] sort(x), dimensions={1}, to_apply=less",
     {kEmpty},
     kLess},
    {"sort_of_pairs",
     X "ROOT r = (f32[1000000000000,0], f32[1000000000000,0]) sort(x, x), dimensions={1}, "
       "to_apply=less",
     {kEmpty, kEmpty},
     kLessOfPairs},
    {"topk",
     X "ROOT r = (f32[1000000000000,0], s32[1000000000000,0]) topk(x), k=0, largest=true",
     {kEmpty, "s32[1000000000000,0] 0"}},
    {"gather",
     X "i = s32[3] constant({0, 1, 2})\n"
       "ROOT r = f32[3,0] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, "
       "start_index_map={0}, index_vector_dim=1, slice_sizes={1,0}",
     {"f32[3,0] {{}, {}, {}}"}},
    {"scatter_of_nothing",
     "x = f32[3] constant({1, 2, 3})\ni = s32[1000000000000,0] constant(0)\n"
     "u = f32[1000000000000,0] constant(0)\n"
     "ROOT r = f32[3] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, index_vector_dim=2, to_apply=add",
     {"f32[3] {1, 2, 3}"},
     kAdd},
    {"batch_norm",
     "x = f32[1000000000000,0,2] iota(), iota_dimension=0\ns = f32[2] constant({1, 1})\n"
     "ROOT r = f32[1000000000000,0,2] batch-norm-inference(x, s, s, s, s), epsilon=0.5, "
     "feature_index=2",
     {"f32[1000000000000,0,2] 0"}},
    {"cholesky",
     "x = f32[1000000000000,0,0] iota(), iota_dimension=0\n"
     "ROOT r = f32[1000000000000,0,0] cholesky(x), lower=true",
     {"f32[1000000000000,0,0] 0"}},
    {"rng",
     "a = f32[] constant(0)\nb = f32[] constant(1)\n"
     "ROOT r = f32[1000000000000,0] rng(a, b), distribution=rng_uniform",
     {kEmpty}},
    {"dynamic_slice",
     X "z = s32[] constant(0)\n"
       "ROOT r = f32[5,0] dynamic-slice(x, z, z), dynamic_slice_sizes={5,0}",
     {"f32[5,0] {{}, {}, {}, {}, {}}"}},
    {"dynamic_update_slice",
     X "z = s32[] constant(0)\nROOT r = f32[1000000000000,0] dynamic-update-slice(x, x, z, z)",
     {kEmpty}},
    {"tuple",
     X "t = (f32[1000000000000,0], f32[1000000000000,0]) tuple(x, x)\n"
       "ROOT r = f32[1000000000000,0] get-tuple-element(t), index=1",
     {kEmpty}},
    {"copy", X "ROOT r = f32[1000000000000,0] copy(x)", {kEmpty}},
    {"bitcast", X "ROOT r = f32[1000000000000,0] bitcast(x)", {kEmpty}},
};
INSTANTIATE_TEST_SUITE_P(Rows, NoElementsTest, testing::ValuesIn(kRows),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace hlocts::reference
