// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/op_modules.h"

#include <gtest/gtest.h>

#include <set>

#include "spec/files/module_file.h"
#include "spec/infer/verifier.h"

namespace hlocts::tools {
namespace {

TEST(OpModulesTest, EveryLineMakesModulesWithANameOfTheirOwn) {
  std::set<std::string> names;
  for (const OpModule& op : OpModules()) {
    EXPECT_TRUE(names.insert(op.name).second) << op.name;
    const auto loaded = ParseModuleFile(op.name + ".hlo", op.text);
    ASSERT_TRUE(loaded.ok()) << loaded.status() << op.text;
    EXPECT_TRUE(VerifyModule(*loaded->module).ok()) << op.name;
  }
  EXPECT_GT(names.size(), 250u);
}

}  // namespace
}  // namespace hlocts::tools
