// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/substitute.h"
#include "backends/adapters/compiled/compiled_backend.h"
#include "backends/backend_list.h"
#include "backends/differ/differ.h"
#include "spec/ir/module.h"
#include "spec/proto/convert.h"
#include "spec/proto/hlo.pb.h"
#include "spec/text/parser.h"

namespace hlocts::backends {
namespace {

using ::testing::HasSubstr;

class TextExecutable : public Executable {
 public:
  explicit TextExecutable(std::string module) : module_(std::move(module)) {}
  absl::StatusOr<ExecuteResult> Execute(const ExecuteRequest&) override {
    return absl::UnimplementedError("executes nothing");
  }
  absl::StatusOr<std::string> OptimizedModule() override { return module_; }

 private:
  std::string module_;
};

// A fake compiler that turns every module into `text`. If `placed` is not empty, the compiled
// module's shardings place the tiles of its argument on the devices placed[0] and those of its
// result on the devices placed[1].
class FakeCompiler : public Backend {
 public:
  FakeCompiler(std::string text, std::vector<std::vector<int64_t>> placed)
      : text_(std::move(text)), placed_(std::move(placed)) {}
  BackendInfo info() override {
    BackendInfo info;
    info.name = "fake";
    info.capabilities = {"compile-only", "proto", "optimized-module", "partitions"};
    return info;
  }
  absl::StatusOr<std::unique_ptr<Executable>> Load(const Module&, const LoadOptions&) override {
    HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Module> made, ParseModule(text_));
    HLOCTS_ASSIGN_OR_RETURN(std::string proto, SerializeModule(*made));
    return std::make_unique<TextExecutable>(placed_.empty() ? proto : Placed(proto));
  }

 private:
  std::string Placed(const std::string& made) const {
    proto::HloModuleProto module;
    HLOCTS_CHECK(module.ParseFromString(made));
    const auto place = [](const std::vector<int64_t>& devices, proto::OpSharding& sharding) {
      sharding.set_type(proto::OpSharding::OTHER);
      sharding.add_tile_assignment_dimensions(static_cast<int64_t>(devices.size()));
      for (const int64_t device : devices) sharding.add_tile_assignment_devices(device);
    };
    place(placed_[0], *module.add_spmd_parameters_shardings());
    place(placed_[1], *module.mutable_spmd_output_sharding());
    return module.SerializeAsString();
  }

  std::string text_;
  std::vector<std::vector<int64_t>> placed_;
};

// Returns the verdict on a compiler that turns `given` into `made`. `arguments` are the arguments
// of a run on `partitions` devices.
reports::Verdict Judge(const std::string& given, const std::string& made,
                       const std::vector<std::string>& arguments, int64_t partitions = 1,
                       const std::vector<std::vector<int64_t>>& placed = {}) {
  auto module = ParseModule(given);
  HLOCTS_CHECK(module.ok());
  ExecuteRequest request;
  request.arguments.emplace_back();
  for (const std::string& text : arguments) {
    auto literal = ParseLiteralWithShape(text);
    HLOCTS_CHECK(literal.ok());
    request.arguments[0].push_back(*literal);
  }
  request.arguments.resize(static_cast<size_t>(partitions), request.arguments[0]);
  DiffOptions options;
  options.load.partitions = partitions;
  auto reference = MakeBackend("reference");
  HLOCTS_CHECK(reference.ok());
  auto backend =
      MakeCompiledBackend(std::make_unique<FakeCompiler>(made, placed), *std::move(reference));
  return Differ(**module, request, options).Diff(*backend);
}

constexpr char kSubtract[] =
    "HloModule m\nENTRY e { x = f32[2] parameter(0) y = f32[2] parameter(1)\n"
    " ROOT r = f32[2] subtract(x, y) }";
const std::vector<std::string> kTwo = {"f32[2] {5, 3}", "f32[2] {1, 2}"};

TEST(CompiledTest, AFusionInTilesMeansItsComputation) {
  const reports::Verdict verdict =
      Judge(kSubtract,
            "HloModule m, is_scheduled=true\n"
            "f { a = f32[2]{0:T(128)} parameter(0) b = f32[2]{0:T(128)S(1)} parameter(1)\n"
            " ROOT s = f32[2]{0:T(128)} subtract(a, b), backend_config={\"flag_configs\":[]} }\n"
            "ENTRY e { x = f32[2]{0:T(128)} parameter(0) y = f32[2]{0:T(128)} parameter(1)\n"
            " c = (f32[2]{0:T(128)S(1)}, f32[2]{0:T(128)}, u32[]{:S(2)}) copy-start(y)\n"
            " d = f32[2]{0:T(128)S(1)} copy-done(c)\n"
            " ROOT r = f32[2]{0:T(128)} fusion(x, d), kind=kLoop, calls=f }",
            kTwo);
  EXPECT_EQ(verdict.kind, Outcome::kPass) << verdict.reason;
}

// XLA:TPU folds a reverse into its operand, whose window then names the reversed dimensions.
TEST(CompiledTest, AWindowReversesTheResultOfItsInstruction) {
  const std::string given =
      "HloModule m\nENTRY e { x = f32[2] parameter(0) y = f32[2] parameter(1)\n"
      " n = f32[2] subtract(x, y) ROOT r = f32[2] reverse(n), dimensions={0} }";
  const auto verdict = [&](const std::string& dimensions) {
    return Judge(given,
                 absl::StrCat("HloModule m\nENTRY e { x = f32[2] parameter(0) y = f32[2] "
                              "parameter(1)\n ROOT n = f32[2] subtract(x, y), backend_config={"
                              "\"window_config\":{\"output_reverse_dimensions\":",
                              dimensions, "}} }"),
                 kTwo);
  };
  EXPECT_EQ(verdict("[\"0\"]").kind, Outcome::kPass);
  EXPECT_EQ(verdict("[]").kind, Outcome::kFail);
  EXPECT_EQ(verdict("[\"1\"]").reason, "not evaluated: n: output_reverse_dimensions");
}

TEST(CompiledTest, WhatIsWrongIsTheOptimizedModule) {
  const reports::Verdict verdict =
      Judge(kSubtract,
            "HloModule m\nENTRY e { x = f32[2] parameter(0) y = f32[2] parameter(1)\n"
            " ROOT r = f32[2] subtract(y, x) }",
            kTwo);
  EXPECT_EQ(verdict.kind, Outcome::kFail);
  EXPECT_THAT(reports::VerdictToText(verdict), HasSubstr("the optimized module is wrong"));
}

TEST(CompiledTest, WhatHasNoMeaningIsNotEvaluated) {
  const reports::Verdict verdict =
      Judge(kSubtract,
            "HloModule m\nENTRY e { x = f32[2] parameter(0) y = f32[2] parameter(1)\n"
            " ROOT r = f32[2] custom-call(x, y), custom_call_target=\"Mystery\" }",
            kTwo);
  EXPECT_EQ(verdict.kind, Outcome::kUnsupported);
  EXPECT_EQ(verdict.reason, "not evaluated: custom-call Mystery: the target is not known");
}

// The module computes the largest element of each row and its index. Only the index is used, so
// XLA:TPU narrows the type of the largest elements.
TEST(CompiledTest, AReduceThatNarrowsIsAReduceAndAConvert) {
  const auto module = [](const std::string& direction, const std::string& type) {
    return absl::StrCat(
        "HloModule m\nc { a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2) "
        "j = s32[] parameter(3) g = pred[] compare(a, b), direction=",
        direction,
        " s = f32[] select(g, a, b) k = s32[] select(g, i, j) ROOT r = (f32[], s32[]) tuple(s, k) "
        "}\n"
        "ENTRY e { x = f32[2,2] parameter(0) n = s32[2,2] iota(), iota_dimension=1 "
        "z = f32[] constant(0) y = s32[] constant(7) r = (",
        type,
        "[2], s32[2]) reduce(x, n, z, y), dimensions={1}, to_apply=c "
        "ROOT o = s32[2] get-tuple-element(r), index=1 }");
  };
  const std::vector<std::string> argument = {"f32[2,2] {{1, 1.001}, {3, 2}}"};
  EXPECT_EQ(Judge(module("GE", "f32"), module("GE", "bf16"), argument).kind, Outcome::kPass);
  EXPECT_EQ(Judge(module("GE", "f32"), module("LE", "bf16"), argument).kind, Outcome::kFail);
}

// XLA:TPU reduces arrays whose type is narrower than that of the computation's parameters. Elements
// and init value are converted to the wider type before they are added.
TEST(CompiledTest, AReduceOfNarrowElementsHasTheTypeOfItsComputation) {
  const std::string head =
      "HloModule m\nadd { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) "
      "}\nENTRY e { x = bf16[2,3] parameter(0) ";
  const auto verdict = [&](const std::string& made) {
    return Judge(head +
                     "w = f32[2,3] convert(x) z = f32[] constant(0) "
                     "ROOT r = f32[2] reduce(w, z), dimensions={1}, to_apply=add }",
                 head + made + " }", {"bf16[2,3] {{256, 1, 0}, {-1, 2, 0.5}}"})
        .kind;
  };
  const std::string sum = "ROOT r = f32[2] reduce(x, z), dimensions={1}, to_apply=add";
  EXPECT_EQ(verdict("z = f32[] constant(0) " + sum), Outcome::kPass);
  EXPECT_EQ(verdict("z = bf16[] constant(0) " + sum), Outcome::kPass);
  EXPECT_EQ(verdict("z = f32[] constant(1) " + sum), Outcome::kFail);
  EXPECT_EQ(verdict("z = f32[] constant(0) q = bf16[2] reduce(x, z), dimensions={1}, to_apply=add "
                    "ROOT r = f32[2] convert(q)"),
            Outcome::kFail);
}

// The sum of an array without elements is 0. A program that counts the padding as an element is
// wrong, regardless of the padding's content.
TEST(CompiledTest, PaddingHoldsAnyContent) {
  const std::string head =
      "HloModule m\nadd { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) "
      "}\n"
      "ENTRY e { x = f32[<=1] parameter(0) z = f32[] constant(0)\n ";
  const std::string apart =
      head +
      "p = (f32[1], s32[]) custom-call(x), custom_call_target=\"PadToStatic\" "
      "a = f32[1] get-tuple-element(p), index=0 ";
  const auto verdict = [&](const std::string& rest) {
    return Judge(head + "ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=add }",
                 apart + rest + " }", {"f32[<=1](0) {}"})
        .kind;
  };
  EXPECT_EQ(verdict("n = s32[] get-tuple-element(p), index=1 i = s32[1] iota(), iota_dimension=0 "
                    "b = s32[1] reshape(n) m = pred[1] compare(i, b), direction=LT "
                    "y = f32[1] reshape(z) s = f32[1] select(m, a, y) ROOT r = f32[] reshape(s)"),
            Outcome::kPass);
  EXPECT_EQ(verdict("ROOT r = f32[] reshape(a)"), Outcome::kFail);
}

// Returns a module for two devices whose computation `add` is a sum of the given type.
std::string OnTwo(const std::string& type, const std::string& body) {
  return absl::Substitute(
      "HloModule m, num_partitions=2\nadd { a = $0[] parameter(0) b = $0[] parameter(1) "
      "ROOT r = $0[] add(a, b) }\nENTRY e { $1 }",
      type, body);
}
const std::string kOfBoth =
    ", replica_groups={{0,1}}, to_apply=add, channel_id=1, use_global_device_ids=true ";

// The optimized form of a sharded module is the program that every device runs.
TEST(CompiledTest, TilesAreEvaluatedOnEveryDevice) {
  const auto verdict = [](const std::string& sum) {
    const std::string reduce =
        " z = f32[] constant(0) p = f32[] reduce(x, z), dimensions={0}, to_apply=add ";
    return Judge(OnTwo("f32", "x = f32[4] parameter(0), sharding={devices=[2]<=[2]}" + reduce +
                                  "ROOT r = f32[] copy(p), sharding={replicated}"),
                 OnTwo("f32", "x = f32[2] parameter(0)" + reduce + sum), {"f32[4] {1, 2, 3, 5}"});
  };
  const std::string sum = "r = bf16[] all-reduce(p)" + kOfBoth + "ROOT c = f32[] convert(r)";
  EXPECT_EQ(verdict(sum).kind, Outcome::kPass) << verdict(sum).reason;
  EXPECT_EQ(verdict("ROOT r = f32[] copy(p)").kind, Outcome::kFail);
}

// Each device adds its tile of the updates to 0. The operand is added once, after the all-reduce.
TEST(CompiledTest, AScatterIntoAScalarIsEvaluatedOnEveryDevice) {
  const std::string rest =
      ", i, u), update_window_dims={}, inserted_window_dims={}, scatter_dims_to_operand_dims={}, "
      "index_vector_dim=1, to_apply=add";
  const auto verdict = [&](const std::string& operand, const std::string& result) {
    return Judge(
        OnTwo("s32",
              "x = s32[] parameter(0) i = s32[4,0] parameter(1), sharding={devices=[2,1]<=[2]} "
              "u = s32[4] parameter(2), sharding={devices=[2]<=[2]} ROOT r = s32[] scatter(x" +
                  rest + ", sharding={replicated}"),
        OnTwo("s32",
              "x = s32[] parameter(0) z = s32[] constant(0) i = s32[2,0] parameter(1) "
              "u = s32[2] parameter(2) p = s32[] scatter(" +
                  operand + rest + " s = s32[] all-reduce(p)" + kOfBoth + result),
        {"s32[] 1", "s32[4,0] {{}, {}, {}, {}}", "s32[4] {1, 2, 3, 5}"});
  };
  EXPECT_EQ(verdict("z", "ROOT r = s32[] add(x, s)").kind, Outcome::kPass);
  EXPECT_EQ(verdict("x", "ROOT r = s32[] copy(s)").kind, Outcome::kFail);
}

// In the optimized form, each device slices its tile from the whole argument, and returns a tile.
TEST(CompiledTest, AManualRegionIsEvaluatedOnEveryDevice) {
  const std::string sum = "r = f32[2] all-reduce(l)" + kOfBoth;
  const auto verdict = [&](const std::string& offset) {
    return Judge(
        OnTwo("f32",
              "x = f32[4] parameter(0) s = f32[4] custom-call(x), custom_call_target=\"Sharding\", "
              "sharding={devices=[2]<=[2]} l = f32[2] custom-call(s), "
              "custom_call_target=\"SPMDFullToShardShape\", sharding={manual} " +
                  sum +
                  "ROOT f = f32[4] custom-call(r), custom_call_target=\"SPMDShardToFullShape\", "
                  "sharding={devices=[2]<=[2]}"),
        OnTwo("f32",
              "x = f32[4] parameter(0) i = u32[] partition-id() t = u32[] constant(2) "
              "o = u32[] " +
                  offset + " l = f32[2] dynamic-slice(x, o), dynamic_slice_sizes={2} ROOT " + sum),
        {"f32[4] {1, 2, 4, 5}"}, /*partitions=*/2);
  };
  EXPECT_EQ(verdict("multiply(i, t)").kind, Outcome::kPass) << verdict("multiply(i, t)").reason;
  EXPECT_EQ(verdict("copy(i)").kind, Outcome::kFail);
}

// XLA:TPU drops a final copy between devices and records which device then has which tile.
TEST(CompiledTest, TilesAreWhereTheCompilerRecordsThem) {
  const auto verdict = [](const std::vector<int64_t>& results) {
    return Judge(
        "HloModule m, num_partitions=2\nENTRY e { x = f32[2] parameter(0), "
        "sharding={devices=[2]<=[2]} ROOT r = f32[2] copy(x), sharding={devices=[2]1,0} }",
        "HloModule m, num_partitions=2\nENTRY e { x = f32[1] parameter(0) ROOT r = f32[1] copy(x) "
        "}",
        {"f32[2] {1, 2}"}, /*partitions=*/1, {{0, 1}, results});
  };
  EXPECT_EQ(verdict({0, 1}).kind, Outcome::kPass) << verdict({0, 1}).reason;
  EXPECT_EQ(verdict({1, 0}).kind, Outcome::kFail);
}

// A given instruction, an optimized form of it, and the expected verdict.
struct Meant {
  const char *given, *made;
  Outcome verdict;
};
class MeaningsTest : public ::testing::TestWithParam<Meant> {};
TEST_P(MeaningsTest, ACustomCallMeansHlo) {
  const std::string head = "HloModule m\nENTRY e { x = f32[2,2] parameter(0)\n ";
  const reports::Verdict verdict = Judge(
      head + GetParam().given + " }", head + GetParam().made + " }", {"f32[2,2] {{4, 2}, {2, 5}}"});
  EXPECT_EQ(verdict.kind, GetParam().verdict) << verdict.reason;
}
constexpr char kCholesky[] = "ROOT r = f32[2,2] cholesky(x), lower=true";
constexpr char kSolve[] =
    "i = f32[2,2] constant({{1,0},{0,1}}) ROOT r = f32[2,2] triangular-solve(x, i), "
    "left_side=true, lower=true, unit_diagonal=false, transpose_a=NO_TRANSPOSE";
constexpr char kOfPredicates[] =
    "p = f32[2,2] constant({{1,0},{1,1}}) ROOT r = f32[2,2] dot(p, x), lhs_contracting_dims={1}, "
    "rhs_contracting_dims={0}";
constexpr char kPadded[] =
    "c = bf16[2,2] convert(x) z = bf16[] constant(3) ROOT r = bf16[2,4] pad(c, z), padding=0_0x1_1";
INSTANTIATE_TEST_SUITE_P(
    All, MeaningsTest,
    ::testing::Values(
        Meant{kCholesky, "ROOT r = f32[2,2] custom-call(x), custom_call_target=\"Cholesky\"",
              Outcome::kPass},
        Meant{kSolve,
              "ROOT r = f32[2,2] custom-call(x), "
              "custom_call_target=\"InvertDiagBlocksLowerTriangular\"",
              Outcome::kPass},
        Meant{kSolve,
              "ROOT r = f32[2,2] custom-call(x), "
              "custom_call_target=\"InvertDiagBlocksUpperTriangular\"",
              Outcome::kFail},
        Meant{kSolve,
              "ROOT r = f32[2,2] custom-call(x), custom_call_target=\"AssumeGatherIndicesInBound\"",
              Outcome::kFail},
        Meant{"ROOT r = bf16[2,2] convert(x)", "ROOT r = bf16[2,2] copy(x)", Outcome::kPass},
        Meant{"ROOT r = bf16[2,2] convert(x)", "ROOT r = bf16[2,2] transpose(x), dimensions={1,0}",
              Outcome::kPass},
        Meant{"ROOT r = bf16[2,2] convert(x)", "ROOT r = bf16[2,2] reverse(x), dimensions={1}",
              Outcome::kFail},
        Meant{"m = f32[2,2] maximum(x, x) ROOT r = bf16[2,2] convert(m)",
              "p = pred[2,2] compare(x, x), direction=EQ ROOT r = bf16[2,2] select(p, x, x)",
              Outcome::kPass},
        Meant{kPadded,
              "c = bf16[2,2] convert(x) z = f32[] constant(3) ROOT r = bf16[2,4] pad(c, z), "
              "padding=0_0x1_1",
              Outcome::kPass},
        Meant{kPadded,
              "c = bf16[2,2] convert(x) z = f32[] constant(4) ROOT r = bf16[2,4] pad(c, z), "
              "padding=0_0x1_1",
              Outcome::kFail},
        Meant{
            "c = bf16[2,2] convert(x) p = pred[2,2] compare(x, x), direction=EQ ROOT r = bf16[2,2] "
            "select(p, c, c)",
            "c = bf16[2,2] convert(x) p = pred[2,2] compare(x, x), direction=EQ ROOT r = bf16[2,2] "
            "select(p, c, x)",
            Outcome::kPass},
        Meant{kOfPredicates,
              "p = pred[2,2] constant({{1,0},{1,1}}) ROOT r = f32[2,2] dot(p, x), "
              "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
              Outcome::kPass},
        Meant{"c = s32[2,2] convert(x) p = s32[2,2] constant({{1,0},{1,1}}) ROOT r = s32[2,2] "
              "dot(p, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
              "c = s32[2,2] convert(x) p = pred[2,2] constant({{1,0},{1,1}}) ROOT r = s32[2,2] "
              "dot(p, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
              Outcome::kPass},
        Meant{kOfPredicates,
              "p = pred[2,2] constant({{1,0},{0,1}}) ROOT r = f32[2,2] dot(p, x), "
              "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
              Outcome::kFail}));
INSTANTIATE_TEST_SUITE_P(
    Parts, MeaningsTest,
    ::testing::Values(
        Meant{"ROOT r = f32[2,2] copy(x)",
              "a = f32[1,2] slice(x), slice={[1:2], [0:2]} "
              "b = ((f32[2,2]), f32[1,2], s32[]) slice-start(x), slice={[0:1], [0:2]} "
              "d = f32[1,2] slice-done(b) "
              "ROOT r = f32[2,2] custom-call(a, d), custom_call_target=\"ConcatBitcast\"",
              Outcome::kPass},
        Meant{"ROOT r = f32[2,2] reverse(x), dimensions={0}",
              "a = f32[1,2] slice(x), slice={[1:2], [0:2]} b = f32[1,2] slice(x), "
              "slice={[0:1], [0:2]} ROOT r = f32[2,2] custom-call(a, b), "
              "custom_call_target=\"ConcatBitcast\"",
              Outcome::kFail},
        Meant{"ROOT r = f32[4,2] concatenate(x, x), dimensions={0}",
              "ROOT r = f32[4,2] custom-call(x, x), custom_call_target=\"ConcatBitcast\"",
              Outcome::kUnsupported},
        Meant{"c = s64[2,2] convert(x) n = s64[2,2] negate(c) ROOT r = s64[2,2] multiply(n, c)",
              "c = s64[2,2] convert(x) n = s64[2,2] negate(c) m = s64[2,2] multiply(n, c) "
              "l = u32[2,2] custom-call(m), custom_call_target=\"X64SplitLow\" "
              "h = u32[2,2] custom-call(m), custom_call_target=\"X64SplitHigh\" "
              "ROOT r = s64[2,2] custom-call(l, h), custom_call_target=\"X64Combine\"",
              Outcome::kPass},
        Meant{"ROOT r = s64[2,2] convert(x)",
              "c = s64[2,2] convert(x) l = u32[2,2] custom-call(c), "
              "custom_call_target=\"X64SplitHigh\" ROOT r = s64[2,2] convert(l)",
              Outcome::kFail},
        Meant{"ROOT r = f64[2,2] convert(x)",
              "c = f64[2,2] convert(x) l = f32[2,2] custom-call(c), "
              "custom_call_target=\"X64SplitHigh\" ROOT r = f64[2,2] convert(l)",
              Outcome::kUnsupported}));

// The calls return the two largest elements of each row. A call that is not stable may return equal
// elements in another order than `topk`, so the verdict is then a failure.
TEST(CompiledTest, ACallThatSortsHasAnOrder) {
  const auto verdict = [](const std::string& call, const std::string& rows) {
    return Judge(
               "HloModule m\nENTRY e { x = f32[2,3] parameter(0) ROOT r = (f32[2,2], s32[2,2]) "
               "topk(x), k=2, largest=true }",
               absl::StrCat(
                   "HloModule m\nc { a = f32[] parameter(0) b = f32[] parameter(1) i = s32[] "
                   "parameter(2) j = s32[] parameter(3) ROOT g = pred[] compare(a, b), "
                   "direction=GT }\nENTRY e { x = f32[2,3] parameter(0) ",
                   call, " }"),
               {"f32[2,3] " + rows})
        .kind;
  };
  const std::string by_comparator =
      "ROOT r = (f32[2,2], s32[2,2]) custom-call(x), custom_call_target=\"TopK\", "
      "called_computations={c}";
  const std::string total = absl::StrCat(
      "t = (f32[2,2], s32[2,2], u8[64]) custom-call(x), custom_call_target=\"__gpu$TopK\", "
      "backend_config={is_stable = true, order = \"TOTAL\"} v = f32[2,2] get-tuple-element(t), "
      "index=0 w = s32[2,2] get-tuple-element(t), index=1 ROOT r = (f32[2,2], s32[2,2]) "
      "tuple(v, w)");
  const std::string any_order =
      absl::StrReplaceAll(total, {{"is_stable = true", "is_stable = false"}});
  const std::string different = "{{1, 5, 2}, {-1, -3, 2}}", equal = "{{1, 5, 5}, {-1, -3, 2}}";
  EXPECT_EQ(verdict(by_comparator, equal), Outcome::kPass);
  EXPECT_EQ(verdict(absl::StrCat(by_comparator, ", backend_config={is_stable = false}"), equal),
            Outcome::kFail);
  EXPECT_EQ(verdict(total, equal), Outcome::kPass);
  EXPECT_EQ(verdict(any_order, equal), Outcome::kFail);
  EXPECT_EQ(verdict(any_order, different), Outcome::kPass);
  EXPECT_EQ(verdict(absl::StrReplaceAll(total, {{"TOTAL", "PARTIAL"}}), different),
            Outcome::kUnsupported);
}

// Library calls: the product of x with itself; the solution r of T r = x, where T is a triangle of
// x; the gradients of a convolution, with a two-element filter, with respect to input and filter.
constexpr char kGemm[] =
    R"(g = (f32[2,2], s8[16]) custom-call(x, x), custom_call_target="__cublas$gemm", )"
    R"(backend_config={"gemm_backend_config":{"alpha_real":1,"beta":0,"epilogue":"DEFAULT",)"
    R"("dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],)"
    R"("rhs_contracting_dimensions":["0"]}}} ROOT r = f32[2,2] get-tuple-element(g), index=0)";
std::string Solve(bool lower) {
  return absl::StrCat(
      R"(s = (f32[2,2], s8[16]) custom-call(x, x), custom_call_target="__cublas$triangularSolve", )"
      R"(backend_config={"left_side":true,"unit_diagonal":false,"transpose_a":"NO_TRANSPOSE",)"
      R"("lower":)",
      lower ? "true" : "false", "} ROOT r = f32[2,2] get-tuple-element(s), index=0");
}
constexpr char kOperands[] =
    "y = f32[1,4,1] reshape(x) w = f32[2,1,1] constant({{{3}},{{7}}}) "
    "g = f32[1,3,1] constant({{{1},{2},{3}}}) v = f32[1] constant({-30}) "
    "x2 = f32[1,4,2] constant({{{1,2},{3,5},{4,7},{6,8}}}) ";
constexpr char kConfig[] =
    R"(, backend_config={"cudnn_conv_backend_config":{"activation_mode":"kNone",)"
    R"("conv_result_scale":1,"side_input_scale":0}} )";
std::string Library(const std::string& result, const std::string& operands,
                    const std::string& target, const std::string& window = "{size=2}") {
  return absl::StrCat(kOperands, "c = (", result, ", u8[0]) custom-call(", operands,
                      "), window=", window,
                      ", dim_labels=b0f_0io->b0f, custom_call_target=\"__cudnn$", target, "\"",
                      kConfig, "ROOT r = ", result, " get-tuple-element(c), index=0");
}
std::string Plain(const std::string& text) { return absl::StrCat(kOperands, text); }
const std::string kForward =
    Plain("ROOT r = f32[1,3,1] convolution(y, w), window={size=2}, dim_labels=b0f_0io->b0f");
const std::string kBiased = Plain(
    "q = f32[1,3,1] convolution(y, w), window={size=2}, dim_labels=b0f_0io->b0f "
    "b = f32[1,3,1] broadcast(v), dimensions={2} a = f32[1,3,1] add(q, b) "
    "z.s = f32[] constant(0) z = f32[1,3,1] broadcast(z.s), dimensions={} ");
const std::string kOfInput = Plain(
    "ROOT r = f32[1,5,1] convolution(y, w), window={size=2 pad=1_1 rhs_reversal=1}, "
    "dim_labels=b0f_0io->b0f");
const std::string kOfFilter = Plain(
    "q = f32[1,2,1] convolution(y, g), window={size=3}, dim_labels=b0f_i0o->b0f "
    "ROOT r = f32[2,1,1] reshape(q)");

std::string LibraryVerdict(const std::string& given, const std::string& made) {
  const std::string head = "HloModule m\nENTRY e { x = f32[2,2] parameter(0)\n ";
  const reports::Verdict said =
      Judge(head + given + " }", head + made + " }", {"f32[2,2] {{4, 2}, {3, 5}}"});
  return absl::StrCat(OutcomeName(said.kind), " ", said.reason).substr(0, 60);
}

TEST(CompiledTest, CallsOfLibrariesMeanHlo) {
  const auto verdict = LibraryVerdict;
  const std::string dot =
      "ROOT r = f32[2,2] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  const std::string other =
      "ROOT r = f32[2,2] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={1}";
  EXPECT_EQ(verdict(dot, kGemm), "pass ");
  EXPECT_THAT(verdict(other, kGemm), HasSubstr("fail"));
  const std::string scaled = absl::StrReplaceAll(
      dot,
      {{"ROOT r", "c = f32[] constant(0.123456789) b = f32[2,2] broadcast(c), dimensions={} d"}});
  EXPECT_EQ(verdict(absl::StrCat(scaled, " ROOT r = f32[2,2] multiply(d, b)"),
                    absl::StrReplaceAll(kGemm, {{"_real\":1", "_real\":0.123456789"}})),
            "pass ");
  const std::string solve =
      "ROOT r = f32[2,2] triangular-solve(x, x), left_side=true, lower=true, unit_diagonal=false, "
      "transpose_a=NO_TRANSPOSE";
  EXPECT_EQ(verdict(solve, Solve(true)), "pass ");
  EXPECT_THAT(verdict(solve, Solve(false)), HasSubstr("fail"));
  EXPECT_EQ(verdict(kForward, Library("f32[1,3,1]", "y, w", "convForward")), "pass ");
  const std::string biased = Library("f32[1,3,1]", "y, w, v", "convBiasActivationForward");
  EXPECT_EQ(verdict(absl::StrCat(kBiased, "ROOT r = f32[1,3,1] copy(a)"), biased), "pass ");
  EXPECT_THAT(verdict(kForward, biased), HasSubstr("fail"));
  EXPECT_EQ(verdict(absl::StrCat(kBiased, "ROOT r = f32[1,3,1] maximum(a, z)"),
                    absl::StrReplaceAll(biased, {{"kNone", "kRelu"}})),
            "pass ");
  EXPECT_EQ(verdict(kOfInput, Library("f32[1,5,1]", "y, w", "convBackwardInput")), "pass ");
  EXPECT_EQ(verdict(kOfFilter, Library("f32[2,1,1]", "y, g", "convBackwardFilter")), "pass ");
  EXPECT_THAT(verdict(kOfInput, Library("f32[1,5,1]", "y, w", "convForward", "{size=2 pad=1_1}")),
              HasSubstr("fail"));
}

// Compares the gradients of a convolution in groups with those that are computed group by group.
// Each of the two groups has one input feature and two output features.
TEST(CompiledTest, GradientsOfConvolutionsInGroups) {
  const std::string in =
      "f = f32[2,1,4] constant({{{1,2,3,4}},{{5,6,7,9}}}) "
      "h = f32[1,3,4] constant({{{1,2,3,4},{5,6,7,8},{9,1,2,3}}}) ";
  const auto grouped = [&](const char* result, const char* operands, const char* target) {
    return absl::StrCat(in,
                        absl::StrReplaceAll(Library(result, operands, target),
                                            {{"dim_labels", "feature_group_count=2, dim_labels"}}));
  };
  const auto alone = [&](const std::string& of_group, const char* joined) {
    std::string text = Plain(in);
    for (const char* group : {"0", "1"}) {
      const bool first = group[0] == '0';
      absl::StrAppend(&text, absl::StrReplaceAll(of_group, {{"#", group},
                                                            {"@2", first ? "[0:2]" : "[2:4]"},
                                                            {"@1", first ? "[0:1]" : "[1:2]"}}));
    }
    return absl::StrCat(text, joined);
  };
  const std::string of_input = alone(
      "h# = f32[1,3,2] slice(h), slice={[0:1], [0:3], @2} f# = f32[2,1,2] slice(f), slice={[0:2], "
      "[0:1], @2} q# = f32[1,4,1] convolution(h#, f#), window={size=2 pad=1_1 rhs_reversal=1}, "
      "dim_labels=b0f_0oi->b0f ",
      "ROOT r = f32[1,4,2] concatenate(q0, q1), dimensions={2}");
  EXPECT_EQ(LibraryVerdict(of_input, grouped("f32[1,4,2]", "h, f", "convBackwardInput")), "pass ");
  const std::string of_filter = alone(
      "y# = f32[1,4,1] slice(x2), slice={[0:1], [0:4], @1} h# = f32[1,3,2] slice(h), slice={[0:1], "
      "[0:3], @2} q# = f32[1,2,2] convolution(y#, h#), window={size=3}, dim_labels=b0f_i0o->b0f ",
      "q = f32[1,2,4] concatenate(q0, q1), dimensions={2} ROOT r = f32[2,1,4] reshape(q)");
  EXPECT_EQ(LibraryVerdict(of_filter, grouped("f32[2,1,4]", "x2, h", "convBackwardFilter")),
            "pass ");
}

}  // namespace
}  // namespace hlocts::backends
