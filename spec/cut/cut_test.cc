// SPDX-License-Identifier: Apache-2.0
#include "spec/cut/cut.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/infer/verifier.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::unique_ptr<Module> Parse(const std::string& text) {
  auto module = ParseModule("HloModule m\n" + text);
  EXPECT_TRUE(module.ok()) << module.status();
  absl::Status valid = VerifyModule(**module);
  EXPECT_TRUE(valid.ok()) << valid;
  return *std::move(module);
}

struct Cut {
  std::unique_ptr<Module> module;
  CutComputation cut;

  // Returns the members of each piece: "a b | c".
  std::string Members() const {
    std::vector<std::string> pieces;
    for (const Piece& piece : cut.pieces) {
      pieces.push_back(absl::StrJoin(piece.instructions, " ", [](std::string* out, auto* i) {
        absl::StrAppend(out, i->name());
      }));
    }
    return absl::StrJoin(pieces, " | ");
  }
  std::string Text(size_t piece) const {
    return PrintModule(*cut.pieces[piece].module, PrintOptions::Short());
  }
};

Cut CutText(const std::string& text, int64_t operations) {
  Cut result;
  result.module = Parse(text);
  CutOptions options;
  options.operations = operations;
  auto cut = CutIntoPieces(*result.module, *result.module->entry(), options);
  EXPECT_TRUE(cut.ok()) << cut.status();
  if (cut.ok()) result.cut = *std::move(cut);
  for (const Piece& piece : result.cut.pieces) {
    absl::Status valid = VerifyModule(*piece.module);
    EXPECT_TRUE(valid.ok()) << valid << "\n" << PrintModule(*piece.module, PrintOptions::Short());
    ProgramShape program = piece.module->EntryProgramShape();
    EXPECT_EQ(program.parameters.size(), piece.inputs.size());
    EXPECT_EQ(LeafShapes(program.result).size(), piece.outputs.size());
  }
  return result;
}

constexpr char kChain[] = R"(ENTRY e {
  p = f32[4] parameter(0)
  c = f32[] constant(2)
  b = f32[4] broadcast(c), dimensions={}
  m = f32[4] multiply(p, b)
  a = f32[4] add(m, p)
  n = f32[4] subtract(a, m)
  t = f32[4] tanh(n)
  r = f32[4] reverse(t), dimensions={0}
  ROOT z = f32[4] add(r, a)
})";

TEST(CutTest, EveryInstructionByItself) {
  Cut cut = CutText(kChain, 1);
  EXPECT_EQ(cut.Members(), "b | m | a | n | t | r | z");
  EXPECT_THAT(cut.Text(0), HasSubstr("constant(2)"));
  // The broadcast value is a parameter of the piece. The piece does not recompute it.
  EXPECT_THAT(cut.Text(1), Not(HasSubstr("constant")));
}

TEST(CutTest, AboutTwoOperationsAndAfterFunctions) {
  Cut cut = CutText(kChain, 2);
  EXPECT_EQ(cut.Members(), "m a | n t | r z");
  EXPECT_THAT(cut.Text(0), HasSubstr("constant(2)"));
}

TEST(CutTest, OneInputPerValueAndEveryReaderServed) {
  Cut cut = CutText(kChain, 2);
  ASSERT_EQ(cut.cut.pieces.size(), 3u);
  const Piece& last = cut.cut.pieces[2];
  ASSERT_EQ(last.inputs.size(), 2u);
  EXPECT_EQ(last.inputs[0].instruction->name(), "t");
  EXPECT_EQ(last.inputs[1].instruction->name(), "a");
  EXPECT_EQ(cut.cut.pieces[0].outputs.size(), 2u);  // m and a are both read outside
}

TEST(CutTest, UnrelatedChainsAreDifferentPieces) {
  Cut cut = CutText(R"(ENTRY e {
    p = f32[4] parameter(0)
    q = f32[4] parameter(1)
    a = f32[4] add(p, p)
    b = f32[4] multiply(q, q)
    a2 = f32[4] add(a, a)
    ROOT t = (f32[4], f32[4]) tuple(a2, b)
  })",
                    4);
  EXPECT_EQ(cut.Members(), "a a2 | b");
}

TEST(CutTest, JointValuesAreSeparatePieces) {
  constexpr char kSort[] = R"(
  less { x = f32[] parameter(0)
         y = f32[] parameter(1)
         ROOT l = pred[] compare(x, y), direction=LT }
  ENTRY e {
    p = f32[4] parameter(0)
    a = f32[4] add(p, p)
    s = f32[4] sort(a), dimensions={0}, to_apply=less
    ROOT z = f32[4] multiply(s, p)
  })";
  EXPECT_EQ(CutText(kSort, 4).Members(), "a | s | z");
  EXPECT_EQ(CutText(kSort, CutOptions::kOnlyAtJointValues).Members(), "a | s | z");
  EXPECT_EQ(CutText(kChain, CutOptions::kOnlyAtJointValues).cut.pieces.size(), 1u);
}

TEST(CutTest, TuplesAreTakenApart) {
  Cut cut = CutText(R"(
  body { s = (f32[4], s32[]) parameter(0)
         x = f32[4] get-tuple-element(s), index=0
         i = s32[] get-tuple-element(s), index=1
         y = f32[4] add(x, x)
         one = s32[] constant(1)
         j = s32[] add(i, one)
         ROOT r = (f32[4], s32[]) tuple(y, j) }
  condition { s = (f32[4], s32[]) parameter(0)
              i = s32[] get-tuple-element(s), index=1
              three = s32[] constant(3)
              ROOT l = pred[] compare(i, three), direction=LT }
  ENTRY e {
    t = (f32[4], f32[4]) parameter(0)
    p = f32[4] get-tuple-element(t), index=1
    a = f32[4] add(p, p)
    zero = s32[] constant(0)
    init = (f32[4], s32[]) tuple(a, zero)
    w = (f32[4], s32[]) while(init), condition=condition, body=body
    g = f32[4] get-tuple-element(w), index=0
    ROOT z = f32[4] multiply(g, p)
  })",
                    4);
  EXPECT_EQ(cut.Members(), "a | w | z");
  ASSERT_EQ(cut.cut.pieces.size(), 3u);
  ASSERT_EQ(cut.cut.pieces[0].inputs.size(), 1u);
  EXPECT_THAT(cut.cut.pieces[0].inputs[0].index, ElementsAre(1));
  EXPECT_TRUE(CanCutInside(*cut.cut.pieces[1].instructions[0]));
}

TEST(CutTest, NestedTuplesAreReturnedFlat) {
  Cut cut = CutText(R"(
  inner { p = f32[4] parameter(0)
          n = f32[4] negate(p)
          i = (f32[4], f32[4]) tuple(p, n)
          ROOT r = ((f32[4], f32[4]), f32[4]) tuple(i, p) }
  ENTRY e {
    p = f32[4] parameter(0)
    c = ((f32[4], f32[4]), f32[4]) call(p), to_apply=inner
    i = (f32[4], f32[4]) get-tuple-element(c), index=0
    n = f32[4] get-tuple-element(i), index=1
    ROOT z = f32[4] add(n, n)
  })",
                    1);
  EXPECT_EQ(cut.Members(), "c | z");
  EXPECT_EQ(cut.cut.pieces[0].module->EntryProgramShape().result.tuple_shapes().size(), 3u);
  EXPECT_THAT(cut.cut.pieces[1].inputs[0].index, ElementsAre(0, 1));
}

TEST(CutTest, RunTimeSizesDoNotTravel) {
  Cut cut = CutText(R"(
  add { x = f32[] parameter(0)
        y = f32[] parameter(1)
        ROOT a = f32[] add(x, y) }
  ENTRY e {
    p = f32[4] parameter(0)
    n = s32[] parameter(1)
    zero = f32[] constant(0)
    m = s32[] add(n, n)
    d = f32[<=4] set-dimension-size(p, m), dimensions={0}
    q = f32[<=4] multiply(d, d)
    s = f32[] reduce(q, zero), dimensions={0}, to_apply=add
    ROOT z = f32[] add(s, s)
  })",
                    1);
  EXPECT_EQ(cut.Members(), "m | d q s | z");
}

TEST(CutTest, ValuesBetweenTiedInstructionsStay) {
  // The run-time size of d keeps d, k and d2 in one piece. This piece must also contain u and v,
  // because they are on a path from k to d2.
  Cut cut = CutText(R"(ENTRY e {
    p = f32[4] parameter(0)
    n = s32[] parameter(1)
    d = f32[<=4] set-dimension-size(p, n), dimensions={0}
    k = s32[] get-dimension-size(d), dimensions={0}
    u = s32[] add(k, k)
    v = s32[] subtract(u, n)
    d2 = f32[<=4] set-dimension-size(d, v), dimensions={0}
    ROOT z = s32[] get-dimension-size(d2), dimensions={0}
  })",
                    1);
  EXPECT_EQ(cut.Members(), "d k u v d2 z");
}

TEST(CutTest, TokensAreMadeAnewAndInfeedsNumbered) {
  Cut cut = CutText(R"(ENTRY e {
    k = token[] after-all()
    i = ((f32[2], s32[]), token[]) infeed(k)
    k2 = token[] get-tuple-element(i), index=1
    j = (f32[4], token[]) infeed(k2)
    x = f32[4] get-tuple-element(j), index=0
    ROOT z = f32[4] add(x, x)
  })",
                    1);
  EXPECT_EQ(cut.Members(), "i | j | z");
  EXPECT_EQ(cut.cut.pieces[1].infeed_begin, 2);
  EXPECT_EQ(cut.cut.pieces[1].infeed_count, 1);
  EXPECT_TRUE(cut.cut.pieces[1].inputs.empty());
}

TEST(CutTest, StartAndDoneStayTogether) {
  Cut cut = CutText(R"(
  add { x = f32[] parameter(0)
        y = f32[] parameter(1)
        ROOT a = f32[] add(x, y) }
  ENTRY e {
    p = f32[4] parameter(0)
    a = f32[4] add(p, p)
    s = f32[4] all-reduce-start(a), replica_groups={}, to_apply=add
    b = f32[4] multiply(a, p)
    d = f32[4] all-reduce-done(s)
    ROOT z = f32[4] add(d, b)
  })",
                    1);
  EXPECT_EQ(cut.Members(), "a | s d | b | z");
}

TEST(CutTest, WhatIsNotCutIsSaid) {
  auto module = Parse(R"(ENTRY e {
    p = f32[4] parameter(0)
    k = token[] after-all()
    s = (f32[4], u32[], token[]) send(p, k), channel_id=1, is_host_transfer=true
    d = token[] send-done(s), channel_id=1, is_host_transfer=true
    ROOT t = (f32[4], token[]) tuple(p, d)
  })");
  auto cut = CutIntoPieces(*module, *module->entry(), {});
  EXPECT_EQ(cut.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(cut.status().message()), HasSubstr("send"));
  CutOptions none;
  none.operations = 0;
  EXPECT_EQ(CutIntoPieces(*module, *module->entry(), none).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hlocts
