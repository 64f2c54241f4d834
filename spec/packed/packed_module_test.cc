// SPDX-License-Identifier: Apache-2.0
// A packed module is the module again, whatever the generator makes, malformed ones included; and
// rubbish is refused.
#include "spec/packed/packed_module.h"

#include <gtest/gtest.h>

#include "generators/choice_source.h"
#include "generators/module_generator.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"
#include "spec/proto/convert.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts {
namespace {

// Text and proto together name every field.
void ExpectSame(const Module& a, const Module& b) {
  EXPECT_EQ(PrintModule(a, PrintOptions::Default()), PrintModule(b, PrintOptions::Default()));
  auto one = SerializeModule(a), other = SerializeModule(b);
  ASSERT_EQ(one.status(), other.status());
  if (!one.ok()) return;
  EXPECT_EQ(*one, *other);
}

std::unique_ptr<Module> ThroughBytes(const Module& module) {
  auto packed = PackModule(module);
  EXPECT_TRUE(packed.ok()) << packed.status();
  if (!packed.ok()) return nullptr;
  auto unpacked = UnpackModule(*packed);
  EXPECT_TRUE(unpacked.ok()) << unpacked.status();
  return unpacked.ok() ? *std::move(unpacked) : nullptr;
}

TEST(PackedModuleTest, GeneratedModulesComeBack) {
  generators::GeneratorOptions options;
  options.replicas_max = 4;
  constexpr generators::Stream kStreams[] = {
      generators::Stream::kDefined, generators::Stream::kExact, generators::Stream::kEdge,
      generators::Stream::kSizes, generators::Stream::kNegative};
  for (uint64_t number = 0; number < 3000; ++number) {
    options.stream = kStreams[number % std::size(kStreams)];
    generators::SeedSource choose(7, number);
    generators::Generated generated = generators::Generate(choose, options);
    auto back = ThroughBytes(*generated.module);
    ASSERT_NE(back, nullptr);
    ExpectSame(*generated.module, *back);
  }
}

TEST(PackedModuleTest, WhatIsRarelyWrittenComesBack) {
  auto module = ParseModule(
      R"(HloModule rare, is_scheduled=true, replica_count=2, num_partitions=3, input_output_alias={ {0}: (0, {}, must-alias) }, buffer_donor={ (1, {}) }, entry_computation_layout={(f32[2,<=3]{0,1:T(8,128)S(5)}, f32[])->(f32[2,<=3]{1,0}, token[])}, frontend_attributes={a="b",c={d=e}}, something_new={1,2}

FileNames
1 "a.py"
FunctionNames
1 "main"
FileLocations
1 {file_name_id=1 function_name_id=1 line=5 end_line=6 column=7 end_column=8}
StackFrames
1 {file_location_id=1 parent_frame_id=1}

sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b), metadata={op_type="add" op_name="x/y" source_file="f" source_line=3}
}, execution_thread="other"

ENTRY main {
  p = f32[2,<=3]{0,1:T(8,128)S(5)} parameter(0), sharding={devices=[1,2]<=[2] last_tile_dims={manual}}
  q = f32[] parameter(1), sharding={replicated}
  k = (f32[2]{0}, (s4[3], pred[])) constant(({1, nan}, ({-8, 0, 7}, true)))
  r = f32[] reduce(p, q), dimensions={0,1}, to_apply=sum, backend_config={"deep":{"er":1}}
  t = token[] after-all(), control-predecessors={r}
  ROOT both = (f32[2,<=3]{1,0}, token[]) tuple(p, t), statistics={visualizing_index=0,stat-1=2.5}
})");
  ASSERT_TRUE(module.ok()) << module.status();
  auto back = ThroughBytes(**module);
  ASSERT_NE(back, nullptr);
  ExpectSame(**module, *back);
}

TEST(PackedModuleTest, RunTimeSizesOfALiteralComeBack) {
  auto module = ParseModule("HloModule m\nENTRY e { ROOT c = f32[3] constant({1, 2, 3}) }");
  ASSERT_TRUE(module.ok());
  Instruction* constant = (*module)->entry()->root();
  Literal literal = constant->literal();
  literal.SetRuntimeSize(0, 2);
  constant->set_literal(literal);
  auto back = ThroughBytes(**module);
  ASSERT_NE(back, nullptr);
  EXPECT_TRUE(back->entry()->root()->literal().BitwiseEqual(literal));
  EXPECT_EQ(back->entry()->root()->literal().runtime_size(0), 2);
}

TEST(PackedModuleTest, WhatPointsNowhereComesBack) {
  Module module("broken");
  Computation* one = module.Add(std::make_unique<Computation>("one"));
  Computation* other = module.Add(std::make_unique<Computation>("other"));
  Instruction* there =
      other->Add(std::make_unique<Instruction>("there", Opcode::kAfterAll, Shape::Token()));
  Instruction* here = one->Add(std::make_unique<Instruction>("here", Opcode::kAdd, Shape()));
  here->mutable_operands() = {there, nullptr, here};
  here->Set(Attr::kToApply, AttributeValue(static_cast<Computation*>(nullptr)));
  here->Set(Attr::kCalls, AttributeValue(other));
  auto back = ThroughBytes(module);
  ASSERT_NE(back, nullptr);
  EXPECT_EQ(back->entry(), nullptr);
  const Computation &first = *back->computations()[0], &second = *back->computations()[1];
  EXPECT_EQ(first.root(), nullptr);
  const Instruction* again = first.instructions()[0].get();
  std::vector<Instruction*> expected = {second.instructions()[0].get(), nullptr,
                                        first.instructions()[0].get()};
  EXPECT_EQ(again->operands(), expected);
  EXPECT_EQ(again->CalledComputation(Attr::kToApply), nullptr);
  EXPECT_EQ(again->CalledComputation(Attr::kCalls), &second);
}

TEST(PackedModuleTest, WhatPointsOutOfTheModuleIsRefused) {
  Module module("one");
  Computation* computation = module.Add(std::make_unique<Computation>("c"));
  Instruction* user =
      computation->Add(std::make_unique<Instruction>("u", Opcode::kTuple, Shape::Tuple({})));
  EXPECT_TRUE(PackModule(module).ok());
  auto stranger = std::make_unique<Instruction>("s", Opcode::kAfterAll, Shape::Token());
  user->mutable_operands() = {stranger.get()};
  stranger.reset();
  EXPECT_FALSE(PackModule(module).ok());
  user->mutable_operands().clear();
  auto elsewhere = std::make_unique<Computation>("e");
  user->Set(Attr::kToApply, AttributeValue(elsewhere.get()));
  EXPECT_FALSE(PackModule(module).ok());
}

TEST(PackedModuleTest, RubbishIsRefused) {
  generators::GeneratorOptions options;
  int refused = 0;
  for (uint64_t number = 0; number < 300; ++number) {
    generators::SeedSource choose(11, number);
    std::string bytes = *PackModule(*generators::Generate(choose, options).module);
    EXPECT_FALSE(UnpackModule(absl::string_view(bytes).substr(0, bytes.size() - 1)).ok());
    EXPECT_FALSE(UnpackModule(bytes + '\0').ok());
    for (size_t at = number % 7; at < bytes.size(); at += 7) {
      const char right = std::exchange(bytes[at], static_cast<char>(number * 31 + at));
      refused += !UnpackModule(bytes).ok();  // or another module: it must come to an end
      bytes[at] = right;
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace hlocts
