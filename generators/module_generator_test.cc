// SPDX-License-Identifier: Apache-2.0
#include "generators/module_generator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "generators/negative.h"
#include "generators/op_generators.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"
#include "spec/ir/needed.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts::generators {
namespace {

using ::testing::IsEmpty;

constexpr int kModules = 10000;

std::string Text(const Generated& generated) {
  std::string text = PrintModule(*generated.module);
  for (const Literal& argument : generated.arguments)
    text += PrintLiteralWithShape(argument) + "\n";
  return text;
}

TEST(ModuleGeneratorTest, EveryModuleIsValidAndSurvivesItsText) {
  for (int number = 0; number < kModules; ++number) {
    Generated generated = GenerateNumbered(1, number, {});
    absl::Status status = VerifyModule(*generated.module);
    ASSERT_TRUE(status.ok()) << number << ": " << status << "\n" << Text(generated);
    std::string text = PrintModule(*generated.module);
    auto parsed = ParseModule(text);
    ASSERT_TRUE(parsed.ok()) << number << ": " << parsed.status() << "\n" << text;
    ASSERT_EQ(PrintModule(**parsed), text) << number;
    ASSERT_TRUE(VerifyModule(**parsed).ok()) << number << "\n" << text;
  }
}

TEST(ModuleGeneratorTest, AnInvalidModuleBreaksTheRuleThatIsNamed) {
  GeneratorOptions options{.stream = Stream::kNegative, .replicas_max = 2};
  int broken = 0;
  for (int number = 0; number < kModules / 2; ++number) {
    SeedSource choose(9, number);
    Generated generated = Generate(choose, options);
    absl::Status status = VerifyModule(*generated.module);
    ASSERT_EQ(RuleOf(status), generated.broken_rule) << number << ": " << status << "\n"
                                                     << Text(generated);
    if (status.ok()) continue;
    ++broken;
    // The results must depend on the broken instruction, or a compiler could remove it unchecked.
    const std::unique_ptr<Module> rest = generated.module->Clone();
    const Needed needed(*rest);
    for (const auto& computation : rest->computations()) {
      computation->RemoveIf([&](const Instruction& instruction) {
        return !instruction.IsParameter() && !needed.Has(instruction);
      });
    }
    ASSERT_EQ(RuleOf(VerifyModule(*rest)), generated.broken_rule) << number << Text(generated);
    // The module read back from its text must be invalid, too.
    std::string text = PrintModule(*generated.module);
    auto parsed = ParseModule(text);
    ASSERT_TRUE(!parsed.ok() || !VerifyModule(**parsed).ok()) << number << ": " << status << "\n"
                                                              << text;
  }
  EXPECT_GT(broken, kModules / 4);
}

TEST(ModuleGeneratorTest, EveryListedRuleIsBroken) {
  GeneratorOptions options{.stream = Stream::kNegative, .instructions = 20};
  std::set<std::string> missing;
  for (const std::string& rule : BreakableRules()) missing.insert(rule);
  for (int number = 0; number < 8 * kModules && !missing.empty(); ++number) {
    SeedSource choose(10, number);
    options.replicas_max = number % 4 == 0 ? 4 : 1;
    missing.erase(Generate(choose, options).broken_rule);
  }
  EXPECT_THAT(missing, IsEmpty());
}

TEST(ModuleGeneratorTest, ArgumentsFitTheParametersAndTheirFacts) {
  for (int number = 0; number < kModules / 10; ++number) {
    Generated generated = GenerateNumbered(2, number, {});
    std::vector<Instruction*> parameters = generated.module->entry()->parameters();
    ASSERT_EQ(parameters.size(), generated.arguments.size());
    for (size_t i = 0; i < parameters.size(); ++i) {
      EXPECT_TRUE(parameters[i]->shape().CompatibleWith(generated.arguments[i].shape()));
      if (generated.arguments[i].element_type() != PrimitiveType::kF32) continue;
      const ValueFacts& facts = generated.facts[i];
      for (float value : generated.arguments[i].data<float>()) {
        if (generated.stream == Stream::kEdge) continue;
        EXPECT_GE(value, static_cast<float>(facts.low)) << number;
        EXPECT_LE(value, static_cast<float>(facts.high)) << number;
        EXPECT_TRUE(!facts.integral || value == std::floor(value)) << number;
      }
    }
  }
}

TEST(ModuleGeneratorTest, TheSameNumberMakesTheSameModule) {
  for (int number : {0, 1, 77, 12345}) {
    EXPECT_EQ(Text(GenerateNumbered(3, number, {})), Text(GenerateNumbered(3, number, {})));
  }
  EXPECT_NE(Text(GenerateNumbered(3, 1, {})), Text(GenerateNumbered(4, 1, {})));
}

TEST(ModuleGeneratorTest, EveryGeneratedOpcodeIsReachedInEveryStreamThatAllowsIt) {
  std::map<Opcode, int> seen;
  for (int number = 0; number < kModules; ++number) {
    Generated generated = GenerateNumbered(5, number, {});
    for (const auto& computation : generated.module->computations()) {
      for (const auto& instruction : computation->instructions()) ++seen[instruction->opcode()];
    }
  }
  std::vector<absl::string_view> missing;
  for (Opcode opcode : GeneratedOpcodes()) {
    if (RowOf(opcode).family != Family::kCollective && seen[opcode] < 5)
      missing.push_back(OpcodeName(opcode));
  }
  EXPECT_THAT(missing, IsEmpty());
}

TEST(ModuleGeneratorTest, ModulesHaveTheInstructionsAskedForOnAverage) {
  GeneratorOptions options;
  int64_t instructions = 0;
  for (int number = 0; number < 1000; ++number) {
    Generated generated = GenerateNumbered(6, number, options);
    for (const auto& computation : generated.module->computations()) {
      for (const auto& instruction : computation->instructions()) {
        Opcode opcode = instruction->opcode();
        instructions += opcode != Opcode::kParameter && opcode != Opcode::kConstant;
      }
    }
  }
  EXPECT_GE(instructions, 1000 * options.instructions);
}

TEST(ModuleGeneratorTest, TypesAndOpcodesAreKeptTo) {
  GeneratorOptions options{.types = TypeBit(PrimitiveType::kF32),
                           .opcodes = {Opcode::kAdd, Opcode::kTanh}};
  for (int number = 0; number < 100; ++number) {
    SeedSource choose(7, number);
    Generated generated = Generate(choose, options);
    for (const auto& instruction : generated.module->entry()->instructions()) {
      EXPECT_TRUE(instruction->shape().IsTuple() ||
                  instruction->shape().element_type() == PrimitiveType::kF32)
          << Text(generated);
    }
  }
}

TEST(ModuleGeneratorTest, AnyBytesMakeAValidModule) {
  SplitMix64 random(8);
  for (int i = 0; i < 2000; ++i) {
    std::vector<uint8_t> bytes(random.Below(200));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.Next());
    ByteSource choose(bytes);
    GeneratorOptions options;
    options.stream = static_cast<Stream>(i % 4);
    Generated generated = Generate(choose, options);
    absl::Status status = VerifyModule(*generated.module);
    ASSERT_TRUE(status.ok()) << status << "\n" << Text(generated);
  }
}

}  // namespace
}  // namespace hlocts::generators
