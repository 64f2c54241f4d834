// SPDX-License-Identifier: Apache-2.0
// What texts of later releases say in another way, and what becomes of it.
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts {
namespace {

struct NewerLine {
  const char *read, *printed;
};

// jaxlib 0.12.0 and later: the order of a comparison for its type, and a topk that says that it is
// stable, as top_k.11 demands of each.
constexpr NewerLine kLines[] = {
    {"%o = pred[4]{0} compare(%a, %a), direction=LT, order=TOTAL",
     "%o = pred[4]{0} compare(%a, %a), direction=LT, type=TOTALORDER"},
    {"%o = pred[4]{0} compare(%a, %a), order=PARTIAL, direction=LT",
     "%o = pred[4]{0} compare(%a, %a), direction=LT"},
    {"%o = pred[] compare(%i, %i), direction=NE, order=TOTAL",
     "%o = pred[] compare(%i, %i), direction=NE"},
    {"%o = (f32[2]{0}, s32[2]{0}) topk(%a), k=2, largest=true, is_stable=true",
     "%o = (f32[2]{0}, s32[2]{0}) topk(%a), k=2, largest=true, is_stable=true"},
};

TEST(NewerTextTest, IsReadAsWhatItMeans) {
  for (const NewerLine& line : kLines) {
    const auto module =
        ParseModule(absl::StrCat("HloModule m\nENTRY e {\n %a = f32[4]{0} parameter(0)\n"
                                 " %i = s32[] parameter(1)\n ROOT ",
                                 line.read, "\n}\n"));
    ASSERT_TRUE(module.ok()) << line.read << ": " << module.status();
    const std::string text = PrintModule(**module, PrintOptions::Default());
    EXPECT_TRUE(absl::StrContains(text, line.printed)) << line.read << " became " << text;
  }
}

}  // namespace
}  // namespace hlocts
