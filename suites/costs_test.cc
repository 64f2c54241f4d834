// SPDX-License-Identifier: Apache-2.0
#include "suites/costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <set>

#include "spec/base/status_testing.h"

namespace hlocts::suites {
namespace {

using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

std::string TempPath(const char* name) { return ::testing::TempDir() + "/costs_test_" + name; }

std::vector<std::string> Addresses(const std::string& stem, int count) {
  std::vector<std::string> addresses;
  for (int i = 0; i < count; ++i) addresses.push_back(absl::StrCat("area/", stem, ":case:n=", i));
  return addresses;
}

int64_t Sum(const std::vector<int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), int64_t{0});
}

// Tests realistic costs, which differ by a factor of a hundred. If only the hash selected shards,
// their times would be very different.
TEST(CostsTest, ShardsAreOfOneLengthAndTogetherComplete) {
  std::vector<std::string> addresses = Addresses("cheap", 400);
  CaseCosts costs;
  for (const std::string& address : Addresses("costly", 60)) {
    int64_t i = static_cast<int64_t>(costs.size());
    costs[address] = 300 + i * i * 10;
    addresses.push_back(address);
  }
  for (int count : {1, 3, 8}) {
    std::vector<int> shards = ShardsOf(addresses, count, costs);
    std::vector<int64_t> load(count), by_hash(count);
    ASSERT_EQ(shards.size(), addresses.size());
    for (size_t i = 0; i < addresses.size(); ++i) {
      ASSERT_TRUE(shards[i] >= 1 && shards[i] <= count) << addresses[i];
      auto cost = costs.find(addresses[i]);
      int64_t milliseconds = cost == costs.end() ? 0 : cost->second;
      load[shards[i] - 1] += milliseconds;
      by_hash[ShardOf(addresses[i], count) - 1] += milliseconds;
      if (cost == costs.end()) {
        EXPECT_EQ(shards[i], ShardOf(addresses[i], count)) << addresses[i];
      }
    }
    int64_t longest = *std::max_element(load.begin(), load.end());
    EXPECT_LE(longest * count, Sum(load) * 21 / 20) << count << " shards: within 5 %";
    if (count > 1) {
      EXPECT_GT(*std::max_element(by_hash.begin(), by_hash.end()), longest) << "costs are of use";
    }
  }
}

TEST(CostsTest, TheOrderOfTheCasesChangesNothing) {
  std::vector<std::string> addresses = Addresses("a", 50);
  CaseCosts costs = {{addresses[3], 500}, {addresses[40], 500}, {addresses[41], 900}};
  std::vector<int> shards = ShardsOf(addresses, 3, costs);
  std::reverse(addresses.begin(), addresses.end());
  std::reverse(shards.begin(), shards.end());
  EXPECT_EQ(ShardsOf(addresses, 3, costs), shards);
}

TEST(CostsTest, WhatIsWrittenIsRead) {
  std::string path = TempPath("written.txt");
  CaseCosts costs = {{"a/b:c", 300}, {"a/b:d:type=f32,n=1", 90000}};
  ASSERT_TRUE(WriteCosts(costs, path).ok());
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto read, LoadCosts(path));
  EXPECT_EQ(read, costs);
  EXPECT_TRUE(LoadCosts(TempPath("no_such_file"))->empty());
  for (const char* line : {"a/b:c\n", "a/b:c many\n", "a/b:c -1\n", "a/b:c 1 2\n"}) {
    std::ofstream(path) << "# first\n" << line;
    EXPECT_THAT(std::string(LoadCosts(path).status().message()), HasSubstr(":2: expected")) << line;
  }
}

TEST(CostsTest, UnmeasuredSweepsAreDistributed) {
  std::vector<Case> suite(9);
  std::vector<std::string> addresses = Addresses("sweep", 9);
  for (size_t i = 0; i < suite.size(); ++i) {
    suite[i].address = addresses[i];
    suite[i].sweep = i != 8;
  }
  CaseCosts costs = {{addresses[0], 1000}};
  AddUnmeasuredSweeps(suite, costs);
  EXPECT_EQ(costs.size(), 8u) << "the last one is none";
  EXPECT_EQ(costs[addresses[0]], 1000) << "measured";
  std::vector<int> shards = ShardsOf(addresses, 7, costs);
  EXPECT_EQ(std::set<int>(shards.begin() + 1, shards.begin() + 8).size(), 7u);
}

TEST(CostsTest, AnUpdateKeepsWhatWasNotMeasuredAndDropsWhatIsGoneOrCheap) {
  std::vector<Case> suite(4);
  suite[0].address = "a/b:kept";
  suite[1].address = "a/b:measured";
  suite[2].address = "a/b:cheaper";
  suite[3].address = "a/b:always_cheap";
  CaseCosts known = {
      {"a/b:kept", 700}, {"a/b:measured", 700}, {"a/b:cheaper", 700}, {"a/b:gone", 700}};
  CaseCosts measured = {{"a/b:measured", 900}, {"a/b:cheaper", 20}, {"a/b:always_cheap", 3}};
  EXPECT_THAT(UpdatedCosts(known, measured, suite),
              UnorderedElementsAre(Pair("a/b:kept", 700), Pair("a/b:measured", 900)));
}

// Tests that the cases of costs.txt exist, and that a few shards of the whole suite are balanced.
TEST(CostsTest, TheRecordFitsTheSuite) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto costs, LoadCosts(HLOCTS_SOURCE_DIR "/suites/costs.txt"));
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto cases, LoadCases(HLOCTS_SOURCE_DIR "/suites/cases"));
  std::vector<std::string> addresses;
  for (const Case& one : cases) {
    if (one.tier < Tier::kExhaustive) addresses.push_back(one.address);
  }
  std::set<absl::string_view> all;
  for (const Case& one : cases) all.insert(one.address);
  for (const auto& [address, milliseconds] : costs) EXPECT_TRUE(all.count(address)) << address;
  for (int count : {3, 8}) {
    std::vector<int> shards = ShardsOf(addresses, count, costs);
    std::vector<int64_t> load(count);
    int64_t dearest = 0;
    for (size_t i = 0; i < addresses.size(); ++i) {
      auto cost = costs.find(addresses[i]);
      if (cost == costs.end()) continue;
      load[shards[i] - 1] += cost->second;
      dearest = std::max(dearest, cost->second);
    }
    int64_t longest = *std::max_element(load.begin(), load.end());
    EXPECT_LE(longest, std::max(dearest, Sum(load) / count * 21 / 20)) << count << " shards";
  }
}

}  // namespace
}  // namespace hlocts::suites
