// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/bench_record.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iostream>

#include "nlohmann/json.hpp"

namespace hlocts::tools {
namespace {

TEST(BenchRecord, KeepsTheLinesWithTheCommandAndTheMachine) {
  const std::string file = testing::TempDir() + "/bench_record.json";
  const auto status = RecordBench("hlocts bench judge/dot", file, [] {
    std::cout << R"({"benchmark":"judge/dot","ratio":2.5})" << std::endl;
    return 1;
  });
  ASSERT_TRUE(status.ok()) << status.status();
  EXPECT_EQ(*status, 1);
  std::ifstream in(file);
  const auto record = nlohmann::json::parse(in);
  EXPECT_EQ(record["command"], "hlocts bench judge/dot");
  EXPECT_GE(record["cores"], 1);
  ASSERT_EQ(record["rows"].size(), 1u);
  EXPECT_EQ(record["rows"][0]["ratio"], 2.5);
  std::remove(file.c_str());
}

TEST(BenchRecord, RefusesWhatIsNoJson) {
  const std::string file = testing::TempDir() + "/bench_record_wrong.json";
  const auto status = RecordBench("hlocts bench judge", file, [] {
    std::cout << "1.5 times as fast\n";
    return 0;
  });
  EXPECT_FALSE(status.ok());
  EXPECT_FALSE(std::ifstream(file).good());
}

}  // namespace
}  // namespace hlocts::tools
