// SPDX-License-Identifier: Apache-2.0
// Tests clauses about the client (broadcasting, the forms of 2018, paddings by name). Engines
// receive only lowered modules, so the cases of these clauses are lowered modules. This test builds
// each module from the form in the clause and compares it, except for names, with the case's.
#include <functional>

#include "absl/strings/ascii.h"
#include "gtest/gtest.h"
#include "spec/base/status_testing.h"
#include "spec/builder/builder.h"
#include "spec/ir/module.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"
#include "suites/case.h"

namespace hlocts::suites {
namespace {

using Parameters = std::vector<Value>;

struct Lowered {
  const char* address;
  std::function<Value(Builder&, const Parameters&)> make;
};

// Builds the module from the parameters of the case's module.
using B = Builder;
using P = const Parameters&;
const Lowered kLowered[] = {
    {"broadcasting/binary:vector_over_rows", [](B& b, P p) { return b.Add(p[0], p[1], {1}); }},
    {"broadcasting/binary:scalar", [](B& b, P p) { return b.Add(p[0], p[1]); }},
    {"broadcasting/binary:vector_along_dimension_1",
     [](B& b, P p) {
       return b.Tuple({b.BroadcastInDim(p[0], {2, 3}, {1}), b.BroadcastInDim(p[0], {3, 3}, {1})});
     }},
    {"broadcasting/binary:vector_along_dimension_0",
     [](B& b, P p) {
       return b.BroadcastInDim(p[0], {3, 3}, {0});
     }},
    {"broadcasting/binary:matrix_and_cuboid",
     [](B& b, P p) {
       return b.Add(p[0], p[1], {1, 2});
     }},
    {"broadcasting/binary:pairs_of_four_dimensions",
     [](B& b, P p) {
       return b.Tuple({b.BroadcastInDim(p[0], {4, 5, 2, 3}, {2, 3}),
                       b.BroadcastInDim(p[0], {4, 2, 3, 5}, {1, 2}),
                       b.BroadcastInDim(p[0], {2, 4, 5, 3}, {0, 3})});
     }},
    {"broadcasting/binary:degenerate_2_1_and_2_3", [](B& b, P p) { return b.Add(p[0], p[1]); }},
    {"broadcasting/binary:degenerate_1_2_5_and_7_2_5", [](B& b, P p) { return b.Add(p[0], p[1]); }},
    {"broadcasting/binary:degenerate_7_2_5_and_7_1_5", [](B& b, P p) { return b.Add(p[0], p[1]); }},
    {"broadcasting/binary:outer_2_1_and_1_3", [](B& b, P p) { return b.Add(p[0], p[1]); }},
    {"broadcasting/binary:composition_example_1", [](B& b, P p) { return b.Add(p[0], p[1], {0}); }},
    {"broadcasting/binary:composition_example_2",
     [](B& b, P p) {
       return b.Add(p[0], p[1], {1, 2});
     }},
    {"broadcasting/binary:one_with_zero", [](B& b, P p) { return b.Add(p[0], p[1]); }},
    {"broadcasting/binary:comparison",
     [](B& b, P p) {
       return b.Tuple({b.Compare("LT", p[0], p[1], {1}), b.Compare("GE", p[0], p[2])});
     }},
    {"elementwise/square:lowered:type=f32", [](B& b, P p) { return b.Square(p[0]); }},
    {"elementwise/conj:lowered", [](B& b, P p) { return b.Conj(p[0]); }},
    {"elementwise/compare:all_directions:type=f32",
     [](B& b, P p) {
       std::vector<Value> all;
       for (const char* direction : {"EQ", "NE", "GE", "GT", "LE", "LT"}) {
         all.push_back(b.Compare(direction, p[0], p[1]));
       }
       return b.Tuple(all);
     }},
    {"contraction/conv:valid",
     [](B& b, P p) { return b.Conv(p[0], p[1], {1}, PaddingKind::kValid); }},
    {"contraction/conv:same_stride_1",
     [](B& b, P p) { return b.Conv(p[0], p[1], {1}, PaddingKind::kSame); }},
    {"contraction/conv:same_odd",
     [](B& b, P p) { return b.Conv(p[0], p[1], {1}, PaddingKind::kSame); }},
    {"contraction/conv:same_with_stride",
     [](B& b, P p) { return b.Conv(p[0], p[1], {2}, PaddingKind::kSame); }},
    {"contraction/dot:vector_vector:type=f32", [](B& b, P p) { return b.Dot(p[0], p[1]); }},
    {"contraction/dot:matrix_vector:type=f32", [](B& b, P p) { return b.Dot(p[0], p[1]); }},
    {"contraction/dot:matrix_matrix:type=f32", [](B& b, P p) { return b.Dot(p[0], p[1]); }},
    {"edition_2018/sort:key:type=f32", [](B& b, P p) { return b.SortKey(p[0]); }},
    {"edition_2018/sort_key_value:documents_example:key=f32,value=s32",
     [](B& b, P p) { return b.SortKeyValue(p[0], p[1]); }},
    {"edition_2018/reshape:example_24",
     [](B& b, P p) {
       return b.ReshapePermuting(p[0], {1, 2, 0}, {24});
     }},
    {"edition_2018/reshape:example_8_3",
     [](B& b, P p) {
       return b.ReshapePermuting(p[0], {1, 2, 0}, {8, 3});
     }},
    {"edition_2018/reshape:example_2_6_2",
     [](B& b, P p) {
       return b.ReshapePermuting(p[0], {1, 2, 0}, {2, 6, 2});
     }},
    {"edition_2018/iota:vector:type=f32",
     [](B& b, P) { return b.IotaVector(PrimitiveType::kF32, 5); }},
    {"edition_2018/logical_and:table", [](B& b, P p) { return b.LogicalAnd(p[0], p[1]); }},
    {"edition_2018/logical_or:table", [](B& b, P p) { return b.LogicalOr(p[0], p[1]); }},
    {"edition_2018/logical_not:table", [](B& b, P p) { return b.LogicalNot(p[0]); }},
    {"edition_2018/gather:output_rank",
     [](B& b, P p) {
       return b.Gather2018(p[0], p[1], 1, {1}, {1, 3}, {0}, {0});
     }},
    {"edition_2018/convolution:output_batch",
     [](B& b, P p) { return b.ConvWithGeneralPadding(p[0], p[1], {}, {}); }},
    {"edition_2018/reduce_window:one_operand",
     [](B& b, P p) {
       const Value low = b.Constant(*ParseLiteralWithShape("f32[] -inf"));
       Computation* maximum = b.BinaryComputation(Opcode::kMaximum, PrimitiveType::kF32);
       return b.ReduceWindow(p[0], low, maximum, {2, 3}, {2, 3}, PaddingKind::kValid);
     }},
    {"collective/cross_replica_sum:documents_example",
     [](B& b, P p) { return b.CrossReplicaSum(p[0]); }},
    {"collective/cross_replica_sum:edition_2018:replicas=8",
     [](B& b, P p) {
       return b.CrossReplicaSum(p[0], {0, 1, 2, 3, 0, 1, 2, 3});
     }},
};

const std::vector<Case>& Cases() {
  static const auto* cases = new auto(LoadCases(HLOCTS_SOURCE_DIR "/suites/cases"));
  return **cases;
}

// Returns the entry computation as text without names.
std::string TextOf(const Module& module) {
  PrintOptions options = PrintOptions::Canonical();
  options.entry_computation_layout = false;
  return PrintComputation(*module.entry(), options);
}

class LoweredCasesTest : public testing::TestWithParam<Lowered> {};

TEST_P(LoweredCasesTest, IsWhatTheBuilderMakes) {
  const Lowered& lowered = GetParam();
  const auto found = std::find_if(Cases().begin(), Cases().end(),
                                  [&](const Case& one) { return one.address == lowered.address; });
  ASSERT_NE(found, Cases().end()) << lowered.address;
  HLOCTS_ASSERT_OK_AND_ASSIGN(const auto wanted, ParseModule(found->module_text));
  Builder b("m");
  b.module().replica_count = wanted->replica_count;
  Parameters parameters;
  for (const auto& instruction : wanted->entry()->instructions()) {
    if (!instruction->IsParameter()) continue;
    ASSERT_EQ(instruction->parameter_number(), static_cast<int64_t>(parameters.size()));
    parameters.push_back(b.Parameter(instruction->parameter_number(), instruction->shape()));
  }
  HLOCTS_ASSERT_OK_AND_ASSIGN(const auto made, b.Build(lowered.make(b, parameters)));
  EXPECT_EQ(TextOf(*made), TextOf(*wanted));
}
INSTANTIATE_TEST_SUITE_P(Cases, LoweredCasesTest, testing::ValuesIn(kLowered),
                         [](const auto& info) {
                           std::string name = info.param.address;
                           for (char& c : name) c = absl::ascii_isalnum(c) ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace hlocts::suites
