// SPDX-License-Identifier: Apache-2.0
// Tests PJRT executables: properties, serialization, deletion.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/base/status_testing.h"
#include "spec/ir/module.h"
#include "spec/pjrt/table/test_support.h"
#include "spec/proto/convert.h"

namespace hlocts::pjrt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A compiled program with two results, and the executable from which it is loaded.
class ExecutableTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string error;
    loaded_ = client_.Compile(Proto(R"(HloModule two
ENTRY e {
  x = f32[2,3] parameter(0)
  c = s32[] constant(7)
  n = f32[2,3] negate(x)
  ROOT r = (f32[2,3], s32[]) tuple(n, c)
})"),
                              CompileOptions(), &error);
    ASSERT_NE(loaded_, nullptr) << error;
    HLOCTS_ASK(PJRT_LoadedExecutable_GetExecutable, get, loaded_executable, loaded_);
    executable_ = get.executable;
  }
  void TearDown() override {
    HLOCTS_ASK(PJRT_Executable_Destroy, destroy, executable, executable_);
    Destroy(loaded_);
  }

  Client client_;
  PJRT_LoadedExecutable* loaded_ = nullptr;
  PJRT_Executable* executable_ = nullptr;
};

TEST_F(ExecutableTest, KnowsItsNameAndSize) {
  HLOCTS_ASK(PJRT_Executable_Name, name, executable, executable_);
  EXPECT_EQ(std::string(name.executable_name, name.executable_name_size), "two");
  HLOCTS_ASK(PJRT_Executable_NumReplicas, replicas, executable, executable_);
  EXPECT_EQ(replicas.num_replicas, 1u);
  HLOCTS_ASK(PJRT_Executable_NumPartitions, partitions, executable, executable_);
  EXPECT_EQ(partitions.num_partitions, 1u);
  HLOCTS_ASK(PJRT_Executable_SizeOfGeneratedCodeInBytes, size, executable, executable_);
  HLOCTS_ASK(PJRT_Executable_GetCompiledMemoryStats, stats, executable, executable_);
  EXPECT_GE(stats.argument_size_in_bytes, 24);
}

TEST_F(ExecutableTest, KnowsItsOutputs) {
  EXPECT_EQ(NumOutputs(loaded_), 2u);
  HLOCTS_ASK(PJRT_Executable_OutputElementTypes, types, executable, executable_);
  ASSERT_EQ(types.num_output_types, 2u);
  EXPECT_EQ(types.output_types[0], PJRT_Buffer_Type_F32);
  EXPECT_EQ(types.output_types[1], PJRT_Buffer_Type_S32);
  HLOCTS_ASK(PJRT_Executable_OutputDimensions, dims, executable, executable_);
  ASSERT_EQ(dims.num_outputs, 2u);
  EXPECT_EQ(dims.dim_sizes[0], 2u);
  EXPECT_EQ(dims.dim_sizes[1], 0u);
  EXPECT_EQ(dims.dims[1], 3);
  HLOCTS_ASK(PJRT_Executable_OutputMemoryKinds, kinds, executable, executable_);
  EXPECT_EQ(kinds.num_outputs, 2u);
}

TEST_F(ExecutableTest, ReturnsTheProgramThatItRuns) {
  HLOCTS_ARGS(PJRT_Program, program);
  HLOCTS_ARGS(PJRT_Executable_OptimizedProgram_Args, args);
  args.executable = executable_;
  args.program = &program;
  ASSERT_EQ(Text(Api().PJRT_Executable_OptimizedProgram(&args)), "");
  EXPECT_EQ(std::string(program.format, program.format_size), "hlo_with_config");
  std::string code(program.code_size, ' ');
  program.code = code.data();
  ASSERT_EQ(Text(Api().PJRT_Executable_OptimizedProgram(&args)), "");
  HLOCTS_ASSERT_OK_AND_ASSIGN(const auto module,
                              ParseSerializedModule(ModuleWithoutConfig(code).value_or("")));
  EXPECT_EQ(module->name(), "two");
  program.code_size = 1;
  EXPECT_THAT(Text(Api().PJRT_Executable_OptimizedProgram(&args)), HasSubstr("code_size"));
}

TEST_F(ExecutableTest, KnowsHowItWasCompiledAndWhereItRuns) {
  HLOCTS_ARGS(PJRT_Executable_Fingerprint_Args, fingerprint);
  fingerprint.executable = executable_;
  const std::string fingerprint_error = Text(Api().PJRT_Executable_Fingerprint(&fingerprint));
  HLOCTS_ARGS(PJRT_LoadedExecutable_Fingerprint_Args, loaded_fingerprint);
  loaded_fingerprint.executable = loaded_;
  EXPECT_EQ(Text(Api().PJRT_LoadedExecutable_Fingerprint(&loaded_fingerprint)), fingerprint_error);
  HLOCTS_ASK(PJRT_Executable_GetCompileOptions, options, executable, executable_);
  EXPECT_GT(options.serialized_bytes_size, 0u);
  options.serialized_compile_options_deleter(options.serialized_compile_options);
  HLOCTS_ASK(PJRT_LoadedExecutable_GetDeviceAssignment, assignment, executable, loaded_);
  EXPECT_GT(assignment.serialized_bytes_size, 0u);
  assignment.serialized_device_assignment_deleter(assignment.serialized_device_assignment);
  HLOCTS_ASK(PJRT_LoadedExecutable_AddressableDevices, devices, executable, loaded_);
  ASSERT_EQ(devices.num_addressable_devices, 1u);
  EXPECT_EQ(devices.addressable_devices[0], client_.device(0));
}

TEST(Executables, SerializedOnesLoadAndRun) {
  Client client;
  std::string error;
  PJRT_LoadedExecutable* loaded = client.Compile(Proto(kAdd), CompileOptions(), &error);
  ASSERT_NE(loaded, nullptr) << error;
  HLOCTS_ASK(PJRT_LoadedExecutable_GetExecutable, get, loaded_executable, loaded);
  HLOCTS_ASK(PJRT_Executable_Serialize, serialize, executable, get.executable);
  HLOCTS_ARGS(PJRT_Executable_DeserializeAndLoad_Args, load);
  load.client = client.get();
  load.serialized_executable = serialize.serialized_bytes;
  load.serialized_executable_size = serialize.serialized_bytes_size;
  ASSERT_EQ(Text(Api().PJRT_Executable_DeserializeAndLoad(&load)), "");
  serialize.serialized_executable_deleter(serialize.serialized_executable);
  std::vector<PJRT_Buffer*> arguments = {client.ToDevice(F32({2}, {1, 2})),
                                         client.ToDevice(F32({2}, {10, 20}))};
  std::vector<std::vector<PJRT_Buffer*>> outputs;
  ASSERT_EQ(Execute(load.loaded_executable, {arguments}, &outputs), "");
  EXPECT_THAT(Values<float>(ToHost(outputs[0][0])), ElementsAre(11, 22));
  Destroy(outputs[0][0]);
  for (PJRT_Buffer* buffer : arguments) Destroy(buffer);
  HLOCTS_ASK(PJRT_Executable_Destroy, destroy, executable, get.executable);
  Destroy(load.loaded_executable);
  Destroy(loaded);
}

TEST(Executables, DeletedOnesDoNotRun) {
  Client client;
  std::string error;
  PJRT_LoadedExecutable* loaded = client.Compile(
      Proto("HloModule m\nENTRY e { ROOT c = f32[] constant(1) }"), CompileOptions(), &error);
  ASSERT_NE(loaded, nullptr) << error;
  HLOCTS_ASK(PJRT_LoadedExecutable_IsDeleted, deleted, executable, loaded);
  EXPECT_FALSE(deleted.is_deleted);
  HLOCTS_ASK(PJRT_LoadedExecutable_Delete, erase, executable, loaded);
  EXPECT_EQ(Text(Api().PJRT_LoadedExecutable_IsDeleted(&deleted)), "");
  EXPECT_TRUE(deleted.is_deleted);
  std::vector<std::vector<PJRT_Buffer*>> outputs;
  EXPECT_THAT(Execute(loaded, {{}}, &outputs), StartsWith("9: "));
  Destroy(loaded);
}

}  // namespace
}  // namespace hlocts::pjrt
