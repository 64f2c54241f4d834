// SPDX-License-Identifier: Apache-2.0
// Tests of handlers of custom calls on a fake plugin with 5 functions and version 0.4.
#include "backends/check/handlers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace hlocts::check {
namespace {

using ::testing::HasSubstr;

// The part of XLA_FFI that plugin and handler see, as 8-byte words.
struct Words {
  uint64_t at[24] = {};
};
struct ErrorArgs {
  uint64_t struct_size, extension_start;
  const char* message;
  int code;
};
std::string last_error;
void* MakeError(ErrorArgs* args) {
  last_error = args->message;
  EXPECT_EQ(args->code, 12);  // UNIMPLEMENTED
  return &last_error;
}
uint64_t Version(int major, int minor) {
  return static_cast<uint64_t>(minor) << 32 | static_cast<uint64_t>(major);
}

using Handler = void* (*)(Words*);
Handler registered;
PJRT_Error* Register(Words* args) {
  registered = reinterpret_cast<Handler>(args->at[3]);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(args->at[1]), args->at[2]), "f");
  return nullptr;
}

class HandlersTest : public testing::Test {
 protected:
  HandlersTest() {
    extension_.at[0] = 48;
    extension_.at[1] = PJRT_Extension_Type_FFI;
    extension_.at[5] = reinterpret_cast<uint64_t>(&Register);
    plugin_.extension_start = reinterpret_cast<PJRT_Extension_Base*>(&extension_);
    // The fields of the table are: size, extension, version (size, extension, numbers), internal,
    // and then a function that creates an error, ...
    functions_.at[0] = 15 * 8;
    functions_.at[4] = Version(0, 4);
    functions_.at[6] = reinterpret_cast<uint64_t>(&MakeError);
    frame_.at[2] = reinterpret_cast<uint64_t>(&functions_);
  }

  void* Call(Handler handler) {
    EXPECT_EQ(RegisterHandler(plugin_, "f", "Host", reinterpret_cast<void*>(handler), /*traits=*/0),
              nullptr);
    return registered(&frame_);
  }
  // Returns the version in the metadata of a handler that reports version 0.`minor`.
  uint64_t VersionOf(Handler handler) {
    metadata_.at[0] = 44;
    extension_of_frame_.at[0] = 32;
    extension_of_frame_.at[1] = 1;
    extension_of_frame_.at[3] = reinterpret_cast<uint64_t>(&metadata_);
    frame_.at[1] = reinterpret_cast<uint64_t>(&extension_of_frame_);
    EXPECT_EQ(Call(handler), nullptr);
    return metadata_.at[3];
  }

  PJRT_Api plugin_ = {};
  Words extension_, functions_, frame_, extension_of_frame_, metadata_;
};

Words* FunctionsOf(Words* frame) { return reinterpret_cast<Words*>(frame->at[2]); }
Words* MetadataOf(Words* frame) {
  return reinterpret_cast<Words*>(reinterpret_cast<Words*>(frame->at[1])->at[3]);
}
void* CallFunction(Words* frame, size_t word) {
  return reinterpret_cast<void* (*)(void*)>(FunctionsOf(frame)->at[word])(nullptr);
}

TEST_F(HandlersTest, ANewerHandlerHasTheVersionOfThePlugin) {
  EXPECT_EQ(VersionOf([](Words* frame) -> void* {
              MetadataOf(frame)->at[3] = Version(0, 7);
              return nullptr;
            }),
            Version(0, 4));
  EXPECT_EQ(VersionOf([](Words* frame) -> void* {
              MetadataOf(frame)->at[3] = Version(0, 1);
              return nullptr;
            }),
            Version(0, 1));
  // Another major version is reported unchanged, so that the plugin can reject it.
  EXPECT_EQ(VersionOf([](Words* frame) -> void* {
              MetadataOf(frame)->at[3] = Version(1, 7);
              return nullptr;
            }),
            Version(1, 7));
}

TEST_F(HandlersTest, AFunctionThatThePluginLacksIsAnError) {
  EXPECT_NE(Call([](Words* frame) { return CallFunction(frame, 15); }), nullptr);
  EXPECT_THAT(last_error, HasSubstr("newer than the plugin"));
  EXPECT_EQ(frame_.at[2], reinterpret_cast<uint64_t>(&functions_));
}

TEST_F(HandlersTest, AStageBeforeExecutionIsAnError) {
  EXPECT_NE(Call([](Words* frame) { return CallFunction(frame, 14); }), nullptr);
  EXPECT_THAT(last_error, HasSubstr("a stage before execution"));
  last_error.clear();
  EXPECT_NE(Call(nullptr), nullptr);
  EXPECT_THAT(last_error, HasSubstr("a stage before execution"));
  EXPECT_EQ(VersionOf(nullptr), Version(0, 4));
}

TEST_F(HandlersTest, APluginWithoutTheExtensionTakesNone) {
  plugin_.extension_start = nullptr;
  registered = nullptr;
  EXPECT_EQ(RegisterHandler(plugin_, "f", "Host", nullptr, 0), nullptr);
  EXPECT_EQ(registered, nullptr);
}

}  // namespace
}  // namespace hlocts::check
