// SPDX-License-Identifier: Apache-2.0
// Tests the order of a comparison, which the XLA of jaxlib 0.12.0 writes instead of its type.
#include <gtest/gtest.h>

#include "spec/ir/module.h"
#include "spec/proto/convert.h"
#include "spec/proto/hlo.pb.h"
#include "spec/text/parser.h"

namespace hlocts {
namespace {

TEST(ComparisonOrderTest, AnOrderIsAType) {
  const auto compared = ParseModule(
      "HloModule m\nENTRY e { p = f32[2] parameter(0)\n"
      " ROOT c = pred[2] compare(p, p), direction=LT }");
  ASSERT_TRUE(compared.ok()) << compared.status();
  for (const char* order : {"TOTAL", "PARTIAL"}) {
    proto::HloModuleProto proto = *ModuleToProto(**compared);
    proto::HloInstructionProto* compare = proto.mutable_computations(0)->mutable_instructions(1);
    compare->clear_comparison_type();
    compare->set_comparison_order(order);
    const auto module = ModuleFromProto(proto);
    ASSERT_TRUE(module.ok()) << module.status();
    EXPECT_EQ((*module)->entry()->root()->WordOr(Attr::kType, "FLOAT"),
              order[0] == 'T' ? "TOTALORDER" : "FLOAT");
  }
}

}  // namespace
}  // namespace hlocts
