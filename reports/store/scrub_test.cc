// SPDX-License-Identifier: Apache-2.0
#include "reports/store/scrub.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace hlocts::reports {
namespace {

TEST(ScrubTest, PathsLoseTheirFolders) {
  EXPECT_EQ(Scrubbed("pjrt:/opt/alice/x/plugin.so?a=/srv/k/b.txt in '/var/x/y'", ""),
            "pjrt:plugin.so?a=b.txt in 'y'");
  EXPECT_EQ(Scrubbed("../alice/w.cc:7 ~/x/y ./z/t", ""), "w.cc:7 y t");
  const std::string home = absl::StrCat("/ho", "me/alice");
  EXPECT_EQ(Scrubbed(absl::StrCat("in ", home, " and ", home, "/"), ""), "in HOME and HOME");
}

TEST(ScrubTest, WhatOnlyLooksLikeAPathStays) {
  for (const char* text :
       {"elementwise/not:a/b and/or", "https://openxla.org/xla/shapes", "/cpu:0", "a // b",
        "op_name=\"jit(f)/while/body/add\"", "xla/service/hlo.cc:12", "f32[2]{0} divide(a, b)"}) {
    EXPECT_EQ(Scrubbed(text, ""), text);
  }
}

TEST(ScrubTest, TheMachineHasNoName) {
  EXPECT_EQ(Scrubbed("on bobsbox: bobsbox2, bobsbox.", "bobsbox"), "on HOST: bobsbox2, HOST.");
}

}  // namespace
}  // namespace hlocts::reports
