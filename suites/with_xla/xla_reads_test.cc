// SPDX-License-Identifier: Apache-2.0
// Tests, through the plugin, that XLA's own parser accepts every text that our printer writes: all
// modules of the suites and of the benchmarks, with three PrintOptions.
//
// A build without the wheel (HLOCTS_XLA_DIR) omits this directory. Its tests use only xla_c_api.h
// of XLA.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <set>

#include "backends/adapters/xla/xla_c_api.h"
#include "spec/base/status_testing.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"
#include "suites/case.h"

namespace hlocts::suites {
namespace {

// Opcodes that the pinned XLA does not know yet.
constexpr const char* kNewerOpcodes[] = {" mulhi(", " atan("};

class XlaReads : public ::testing::Test {
 protected:
  void SetUp() override {
    void* library = dlopen(HLOCTS_BINARY_DIR "/libhlocts_xla.so", RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    parse_ = reinterpret_cast<Parse>(dlsym(library, "hlocts_xla_parse_text"));
    free_ = reinterpret_cast<Free>(dlsym(library, "hlocts_xla_free"));
    ASSERT_TRUE(parse_ && free_);
  }

  // Returns XLA's error for the text, or "" if XLA accepts it.
  std::string Refusal(const std::string& text) {
    hlocts_xla_bytes module{}, error{};
    hlocts_xla_status status = parse_({text.data(), text.size()}, &module, &error);
    std::string refusal = status == HLOCTS_XLA_OK ? "" : std::string(error.data, error.size);
    free_(&module);
    free_(&error);
    return refusal;
  }

  void ExpectRead(const std::string& name, const std::string& text) {
    auto module = ParseModule(text);
    ASSERT_TRUE(module.ok()) << name << ": " << module.status();
    for (const PrintOptions& options :
         {PrintOptions::Default(), PrintOptions::Short(), PrintOptions::Canonical()}) {
      const std::string printed = PrintModule(**module, options);
      bool newer = false;
      for (const char* opcode : kNewerOpcodes) {
        newer = newer || printed.find(opcode) != std::string::npos;
      }
      const std::string refusal = Refusal(printed);
      EXPECT_EQ(newer, !refusal.empty()) << name << ": " << refusal << "\n" << printed;
      ++texts_;
    }
  }

  using Parse = hlocts_xla_status (*)(hlocts_xla_view, hlocts_xla_bytes*, hlocts_xla_bytes*);
  using Free = void (*)(hlocts_xla_bytes*);
  Parse parse_ = nullptr;
  Free free_ = nullptr;
  int texts_ = 0;
};

TEST_F(XlaReads, TheModulesOfTheSuites) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto cases, LoadCases(HLOCTS_SOURCE_DIR "/suites/cases"));
  std::set<std::string> seen;
  for (const Case& one : cases) {
    const std::string& text = one.reject_rule.empty() ? one.module_text : one.control_text;
    if (seen.insert(text).second) ExpectRead(one.address, text);
  }
  EXPECT_GT(texts_, 3000);
}

// A constant that is written as one number for a whole array is printed in the same form.
TEST_F(XlaReads, LargeConstantsOfOneNumber) {
  for (const char* text : {"HloModule m\nENTRY e { ROOT x = f32[100000] constant(-1.5) }",
                           "HloModule m\nENTRY e { ROOT x = pred[512,512] constant(true) }",
                           "HloModule m\nENTRY e { ROOT x = (s8[3], s32[100000]) constant(({1, "
                           "2, 3}, 4)) }"}) {
    ExpectRead("large constant", text);
  }
}

TEST_F(XlaReads, TheModulesOfTheBenchmarks) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto cases, LoadCases(HLOCTS_SOURCE_DIR "/tools/bench/modules.case"));
  for (const Case& one : cases) ExpectRead(one.address, one.module_text);
  EXPECT_GT(texts_, 20);
}

}  // namespace
}  // namespace hlocts::suites
