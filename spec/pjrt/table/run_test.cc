// SPDX-License-Identifier: Apache-2.0
// Tests compiling and running modules: leaves, donation, several devices, options, malformed input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_format.h"
#include "spec/pjrt/table/test_support.h"

namespace hlocts::pjrt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Runs the executable and returns the only output's values.
template <typename T>
std::vector<T> RunOne(Client& client, const std::string& text,
                      const std::vector<HostArray>& arguments,
                      const std::string& options = CompileOptions()) {
  RunResult result = CompileAndRun(client, text, arguments, options);
  EXPECT_EQ(result.error, "");
  if (result.outputs.size() != 1) {
    ADD_FAILURE() << "expected one output, found " << result.outputs.size();
    return {};
  }
  return Values<T>(result.outputs[0].bytes);
}

TEST(Run, WrongArgumentsAreRefused) {
  Client client;
  EXPECT_THAT(CompileAndRun(client, kAdd, {F32({2}, {1, 2})}).error, HasSubstr("2"));
  EXPECT_NE(CompileAndRun(client, kAdd, {F32({2}, {1, 2}), F32({3}, {1, 2, 3})}).error, "");
}

TEST(Run, TupleRootBecomesAListOfOutputs) {
  Client client;
  RunResult result = CompileAndRun(client, R"(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  n = f32[2] negate(x)
  ROOT r = (f32[2], f32[2]) tuple(n, x)
})",
                                   {F32({2}, {1, 2})});
  ASSERT_EQ(result.error, "");
  ASSERT_EQ(result.outputs.size(), 2u);
  EXPECT_THAT(Values<float>(result.outputs[0].bytes), ElementsAre(-1, -2));
  EXPECT_THAT(Values<float>(result.outputs[1].bytes), ElementsAre(1, 2));
}

TEST(Run, FusionsAreCompiled) {
  Client client;
  EXPECT_THAT(RunOne<float>(client, R"(HloModule m
fused {
  p = f32[2,3]{1,0} parameter(0)
  t = f32[3,2]{1,0} transpose(p), dimensions={1,0}
  ROOT n = f32[3,2]{1,0} negate(t)
}
ENTRY e {
  x = f32[2,3]{1,0} parameter(0)
  ROOT r = f32[3,2]{1,0} fusion(x), kind=kLoop, calls=fused
})",
                            {F32({2, 3}, {1, 2, 3, 4, 5, 6})}),
              ElementsAre(-1, -4, -2, -5, -3, -6));
}

TEST(Run, EmptyTupleRootHasNoOutputs) {
  Client client;
  RunResult result = CompileAndRun(client, "HloModule m\nENTRY e { ROOT r = () tuple() }", {});
  EXPECT_EQ(result.error, "");
  EXPECT_THAT(result.outputs, IsEmpty());
}

TEST(Flatten, NestedTupleRootGivesItsLeavesDepthFirst) {
  Client client;
  RunResult result = CompileAndRun(client, R"(HloModule m
ENTRY e {
  x = f32[] parameter(0)
  a = f32[] constant(1)
  b = f32[] constant(2)
  c = f32[] constant(3)
  inner = (f32[], f32[]) tuple(b, x)
  none = () tuple()
  middle = ((f32[], f32[]), (), f32[]) tuple(inner, none, c)
  ROOT r = (f32[], ((f32[], f32[]), (), f32[])) tuple(a, middle)
})",
                                   {F32({}, {7})});
  ASSERT_EQ(result.error, "");
  ASSERT_EQ(result.outputs.size(), 4u);
  std::vector<float> leaves;
  for (const HostArray& output : result.outputs) leaves.push_back(Values<float>(output.bytes)[0]);
  EXPECT_THAT(leaves, ElementsAre(1, 2, 7, 3));
}

TEST(Flatten, TupleParametersTakeTheirLeaves) {
  Client client;
  EXPECT_THAT(RunOne<float>(client, R"(HloModule m
ENTRY e {
  p = (f32[2], (f32[2], f32[])) parameter(0)
  q = f32[] parameter(1)
  a = f32[2] get-tuple-element(p), index=0
  inner = (f32[2], f32[]) get-tuple-element(p), index=1
  b = f32[2] get-tuple-element(inner), index=0
  c = f32[] get-tuple-element(inner), index=1
  s = f32[] subtract(c, q)
  bs = f32[2] broadcast(s), dimensions={}
  d = f32[2] divide(a, b)
  ROOT r = f32[2] add(d, bs)
})",
                            {F32({2}, {8, 9}), F32({2}, {2, 3}), F32({}, {100}), F32({}, {1})}),
              ElementsAre(103, 102));
}

TEST(Flatten, TokensAreLeavesToo) {
  Client client;
  const HostArray token{PJRT_Buffer_Type_TOKEN, {}, ""};
  const std::string text = R"(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  t = token[] parameter(1)
  y = f32[2] parameter(2)
  u = token[] after-all(t)
  r = f32[2] subtract(x, y)
  ROOT r2 = (token[], f32[2]) tuple(u, r)
})";
  RunResult result = CompileAndRun(client, text, {F32({2}, {5, 6}), token, F32({2}, {1, 3})});
  ASSERT_EQ(result.error, "");
  ASSERT_EQ(result.outputs.size(), 2u);
  EXPECT_EQ(result.outputs[0].type, PJRT_Buffer_Type_TOKEN);
  EXPECT_THAT(Values<float>(result.outputs[1].bytes), ElementsAre(4, 3));
  EXPECT_THAT(CompileAndRun(client, text, {token, token, F32({2}, {1, 3})}).error,
              HasSubstr("argument 0: expected an array, found a token"));
  EXPECT_THAT(
      CompileAndRun(client, text, {F32({2}, {5, 6}), F32({2}, {5, 6}), F32({2}, {1, 3})}).error,
      HasSubstr("argument 1: expected a token, found an array"));
}

TEST(Flatten, DynamicParametersTakeArraysUpToTheirBound) {
  Client client;
  const std::string text = R"(HloModule m
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}
ENTRY e {
  p = (f32[<=2,<=4], f32[]) parameter(0)
  x = f32[<=2,<=4] get-tuple-element(p), index=0
  start = f32[] get-tuple-element(p), index=1
  e = f32[<=2,<=4] exponential(x)
  total = f32[] reduce(e, start), dimensions={0,1}, to_apply=sum
  ROOT r = (f32[<=2,<=4], f32[]) tuple(e, total)
})";
  const std::vector<float> zeros(6, 0), ones(6, 1);
  RunResult result = CompileAndRun(client, text, {F32({2, 3}, zeros), F32({}, {0})});
  ASSERT_EQ(result.error, "");
  ASSERT_EQ(result.outputs.size(), 2u);
  EXPECT_THAT(result.outputs[0].dims, ElementsAre(2, 3));
  EXPECT_EQ(Values<float>(result.outputs[0].bytes), ones);
  EXPECT_THAT(Values<float>(result.outputs[1].bytes), ElementsAre(6));
  EXPECT_THAT(CompileAndRun(client, text, {F32({1, 5}, {0, 0, 0, 0, 0}), F32({}, {0})}).error,
              HasSubstr("argument 0: expected f32[<=2,<=4], found f32[1,5]"));
  EXPECT_THAT(CompileAndRun(client, text, {F32({2, 3}, zeros)}).error,
              HasSubstr("arguments: expected 2, found 1"));
}

// Runs a module whose output aliases an argument. Returns true for each consumed argument.
std::vector<bool> ConsumedBy(const std::string& text, const std::vector<HostArray>& arguments,
                             const std::vector<int64_t>& non_donatable,
                             std::vector<float>* first_output) {
  Client client;
  std::string error;
  PJRT_LoadedExecutable* loaded = client.Compile(Proto(text), CompileOptions(), &error);
  EXPECT_NE(loaded, nullptr) << error;
  if (loaded == nullptr) return {};
  std::vector<PJRT_Buffer*> buffers;
  for (const HostArray& array : arguments) buffers.push_back(client.ToDevice(array));
  std::vector<std::vector<PJRT_Buffer*>> outputs;
  EXPECT_EQ(Execute(loaded, {buffers}, &outputs, non_donatable), "");
  *first_output = Values<float>(ToHost(outputs[0][0]));
  for (PJRT_Buffer* output : outputs[0]) Destroy(output);
  std::vector<bool> consumed;
  for (PJRT_Buffer* buffer : buffers) {
    consumed.push_back(IsDeleted(buffer));
    Destroy(buffer);
  }
  Destroy(loaded);
  return consumed;
}

TEST(Donation, AliasedInputsAreConsumedUnlessHeldBack) {
  const std::string text = R"(HloModule m, input_output_alias={ {}: (1, {}, may-alias) }
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] parameter(1)
  ROOT r = f32[2] add(x, y)
})";
  const std::vector<HostArray> arguments = {F32({2}, {1, 2}), F32({2}, {10, 20})};
  std::vector<float> sum;
  EXPECT_THAT(ConsumedBy(text, arguments, {}, &sum), ElementsAre(false, true));
  EXPECT_THAT(sum, ElementsAre(11, 22));
  EXPECT_THAT(ConsumedBy(text, arguments, {1}, &sum), ElementsAre(false, false));
  EXPECT_THAT(sum, ElementsAre(11, 22));
}

TEST(Donation, AliasesFollowTheirLeavesThroughFlattening) {
  std::vector<float> first;
  EXPECT_THAT(ConsumedBy(R"(HloModule m, input_output_alias={ {1,0}: (0, {1}, must-alias) }
ENTRY e {
  p = (f32[2], f32[2]) parameter(0)
  a = f32[2] get-tuple-element(p), index=0
  b = f32[2] get-tuple-element(p), index=1
  s = f32[2] add(a, b)
  d = f32[2] subtract(b, a)
  inner = (f32[2]) tuple(s)
  ROOT r = (f32[2], (f32[2])) tuple(d, inner)
})",
                         {F32({2}, {1, 2}), F32({2}, {10, 20})}, {}, &first),
              ElementsAre(false, true));
  EXPECT_THAT(first, ElementsAre(9, 18));
}

TEST(Devices, TwoReplicasReduceOnTwoDevices) {
  Client client(2);
  std::string error;
  PJRT_LoadedExecutable* loaded = client.Compile(Proto(R"(HloModule m, replica_count=2
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}
ENTRY e {
  x = f32[2] parameter(0)
  all = f32[2] all-reduce(x), replica_groups={{0,1}}, to_apply=sum
  id = u32[] replica-id()
  ROOT r = (f32[2], u32[]) tuple(all, id)
})"),
                                                 CompileOptions(2), &error);
  ASSERT_NE(loaded, nullptr) << error;
  std::vector<std::vector<PJRT_Buffer*>> arguments = {{client.ToDevice(F32({2}, {1, 2}), 0)},
                                                      {client.ToDevice(F32({2}, {10, 20}), 1)}};
  std::vector<std::vector<PJRT_Buffer*>> outputs;
  ASSERT_EQ(Execute(loaded, arguments, &outputs), "");
  for (uint32_t replica = 0; replica < 2; ++replica) {
    EXPECT_THAT(Values<float>(ToHost(outputs[replica][0])), ElementsAre(11, 22));
    EXPECT_THAT(Values<uint32_t>(ToHost(outputs[replica][1])), ElementsAre(replica));
    for (PJRT_Buffer* output : outputs[replica]) Destroy(output);
    Destroy(arguments[replica][0]);
  }
  outputs.clear();
  EXPECT_THAT(Execute(loaded, {{}}, &outputs), HasSubstr("num_devices: expected 2, found 1"));
  Destroy(loaded);
}

// Returns the compile options of one program for all partitions.
std::string SpmdOptions(int partitions) {
  return CompileOptions(1, partitions) + Field(3, Field(6, uint64_t{1}));
}

// Runs the module with one partition for each of `tiles`, the tiles of its only argument. Returns
// the values of the only output on each device, or the error.
std::vector<std::vector<float>> RunOnTiles(const std::string& text,
                                           const std::vector<HostArray>& tiles,
                                           std::string* error) {
  Client client(static_cast<int>(tiles.size()));
  PJRT_LoadedExecutable* loaded =
      client.Compile(Proto(text), SpmdOptions(static_cast<int>(tiles.size())), error);
  if (loaded == nullptr) return {};
  std::vector<std::vector<PJRT_Buffer*>> arguments, outputs;
  for (size_t d = 0; d < tiles.size(); ++d)
    arguments.push_back({client.ToDevice(tiles[d], static_cast<int>(d))});
  *error = Execute(loaded, arguments, &outputs);
  std::vector<std::vector<float>> values;
  for (const auto& list : outputs) {
    values.push_back(Values<float>(ToHost(list[0])));
    Destroy(list[0]);
  }
  for (const auto& list : arguments) Destroy(list[0]);
  Destroy(loaded);
  return values;
}

TEST(Partitions, ArgumentsAndResultsAreTiles) {
  std::string error;
  constexpr char kText[] = R"(HloModule m
ENTRY e {
  x = f32[%d] parameter(0), sharding={devices=[2]<=[2]}
  ROOT r = f32[%d] reverse(x), dimensions={0}, sharding=%s
})";
  EXPECT_THAT(RunOnTiles(absl::StrFormat(kText, 4, 4, "{replicated}"),
                         {F32({2}, {1, 2}), F32({2}, {3, 4})}, &error),
              ElementsAre(ElementsAre(4, 3, 2, 1), ElementsAre(4, 3, 2, 1)));
  EXPECT_EQ(error, "");
  // The padding of the last argument tile is ignored; the padding of a result tile is zero.
  EXPECT_THAT(RunOnTiles(absl::StrFormat(kText, 3, 3, "{devices=[2]<=[2]}"),
                         {F32({2}, {1, 2}), F32({2}, {3, 99})}, &error),
              ElementsAre(ElementsAre(3, 2), ElementsAre(1, 0)));
  EXPECT_EQ(error, "");
  // The devices are in another order, and the result has no annotation.
  EXPECT_THAT(RunOnTiles(R"(HloModule m
ENTRY e {
  x = f32[4] parameter(0), sharding={devices=[2]1,0}
  ROOT r = f32[4] negate(x)
})",
                         {F32({2}, {3, 4}), F32({2}, {1, 2})}, &error),
              ElementsAre(ElementsAre(-1, -2, -3, -4), ElementsAre(-1, -2, -3, -4)));
  EXPECT_EQ(error, "");
}

TEST(Partitions, DevicesMeetInManualRegions) {
  std::string error;
  EXPECT_THAT(RunOnTiles(R"(HloModule m
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}
ENTRY e {
  x = f32[4] parameter(0), sharding={devices=[2]<=[2]}
  mine = f32[2] custom-call(x), custom_call_target="SPMDFullToShardShape", sharding={manual}
  all = f32[2] all-reduce(mine), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=sum, sharding={manual}
  id = u32[] partition-id(), sharding={manual}
  number = f32[] convert(id), sharding={manual}
  numbers = f32[2] broadcast(number), dimensions={}, sharding={manual}
  r = f32[2] add(all, numbers), sharding={manual}
  ROOT whole = f32[4] custom-call(r), custom_call_target="SPMDShardToFullShape", sharding={devices=[2]<=[2]}
})",
                         {F32({2}, {1, 2}), F32({2}, {30, 40})}, &error),
              ElementsAre(ElementsAre(31, 42), ElementsAre(32, 43)));
  EXPECT_EQ(error, "");
}

TEST(Partitions, MistakesAreRefused) {
  std::string error;
  const std::vector<HostArray> tiles = {F32({2}, {1, 2}), F32({2}, {3, 4})};
  constexpr char kText[] = R"(HloModule m
ENTRY e {
  x = f32[4] parameter(0), sharding={devices=%s}
  ROOT r = f32[4] negate(x)
})";
  RunOnTiles(absl::StrFormat(kText, "[4]<=[4]"), tiles, &error);
  EXPECT_THAT(error, HasSubstr("each of 2 devices once"));
  RunOnTiles(absl::StrFormat(kText, "[1,2]<=[2] last_tile_dim_replicate"), tiles, &error);
  EXPECT_THAT(error, HasSubstr("argument 0: expected f32[4], found f32[2]"));
  RunOnTiles(
      "HloModule m\nENTRY e {\n  ROOT x = f32[<=4] parameter(0), sharding={devices=[2]<=[2]}\n}",
      tiles, &error);
  EXPECT_THAT(error, HasSubstr("x: an array of dynamic size cannot be partitioned"));
}

TEST(Devices, MoreReplicasThanDevicesAreRefused) {
  Client client(1);
  std::string error;
  EXPECT_EQ(client.Compile(Proto(kAdd), CompileOptions(2), &error), nullptr);
  EXPECT_NE(error, "");
}

TEST(Options, UnknownOverridesAreRefused) {
  Client client;
  const std::vector<HostArray> arguments = {F32({2}, {1, 2}), F32({2}, {10, 20})};
  EXPECT_THAT(RunOne<float>(client, kAdd, arguments,
                            CompileOptions(1, 1, {{HLOCTS_PJRT_STEPS_MAX, IntOverride(100)}})),
              ElementsAre(11, 22));
  EXPECT_THAT(CompileAndRun(client, kAdd, arguments,
                            CompileOptions(1, 1, {{"no_such_option", BoolOverride(true)}}))
                  .error,
              HasSubstr("no_such_option"));
}

TEST(Extension, InfeedAndOutfeed) {
  const auto* extension = reinterpret_cast<const Hlocts_Pjrt_Extension*>(Api().extension_start);
  ASSERT_NE(extension, nullptr);
  ASSERT_EQ(extension->base.type, HLOCTS_PJRT_EXTENSION_TYPE);
  Client client;
  Hlocts_Pjrt_Words_Args words{sizeof(words), client.get(), nullptr};
  ASSERT_EQ(Text(extension->words(&words)), "");
  EXPECT_THAT(words.words, HasSubstr("execute"));
  std::string error;
  PJRT_LoadedExecutable* loaded = client.Compile(Proto(R"(HloModule m
ENTRY e {
  t = token[] after-all()
  i = (f32[2], token[]) infeed(t)
  x = f32[2] get-tuple-element(i), index=0
  u = token[] get-tuple-element(i), index=1
  n = f32[2] negate(x)
  o = token[] outfeed(n, u), outfeed_shape=f32[2]
  ROOT r = f32[2] add(n, n)
})"),
                                                 CompileOptions(), &error);
  ASSERT_NE(loaded, nullptr) << error;
  PJRT_Buffer* item = client.ToDevice(F32({2}, {1, 2}));
  Hlocts_Pjrt_Feed_Args feed{sizeof(feed), loaded, 0, item};
  ASSERT_EQ(Text(extension->infeed(&feed)), "");
  feed.device = 1;
  EXPECT_THAT(Text(extension->infeed(&feed)), HasSubstr("expected one of 1"));
  std::vector<std::vector<PJRT_Buffer*>> outputs;
  ASSERT_EQ(Execute(loaded, {{}}, &outputs), "");
  EXPECT_THAT(Values<float>(ToHost(outputs[0][0])), ElementsAre(-2, -4));
  feed = {sizeof(feed), loaded, 0, nullptr};
  ASSERT_EQ(Text(extension->outfeed(&feed)), "");
  ASSERT_NE(feed.buffer, nullptr);
  EXPECT_THAT(Values<float>(ToHost(feed.buffer)), ElementsAre(-1, -2));
  Destroy(feed.buffer);
  ASSERT_EQ(Text(extension->outfeed(&feed)), "");
  EXPECT_EQ(feed.buffer, nullptr);
  Destroy(outputs[0][0]);
  Destroy(item);
  Destroy(loaded);
}

TEST(Garbage, ProgramsAndOptionsAreRefusedWithReasons) {
  Client client;
  std::string error;
  const std::string proto = Proto(kAdd);
  EXPECT_EQ(client.Compile("rubbish", CompileOptions(), &error), nullptr);
  EXPECT_NE(error, "");
  EXPECT_EQ(client.Compile("", CompileOptions(), &error), nullptr);
  EXPECT_NE(error, "");
  EXPECT_EQ(client.Compile(proto.substr(0, proto.size() / 2), CompileOptions(), &error), nullptr);
  EXPECT_NE(error, "");
  EXPECT_EQ(client.Compile(proto, "rubbish", &error), nullptr);
  EXPECT_THAT(error, HasSubstr("CompileOptionsProto"));
  EXPECT_EQ(client.Compile(proto, CompileOptions(), &error, "mlir"), nullptr);
  EXPECT_THAT(error, HasSubstr("\"mlir\""));
}

}  // namespace
}  // namespace hlocts::pjrt
