// SPDX-License-Identifier: Apache-2.0
// Tests of isolation: a worker's misbehaviour is an outcome of one module, and the next one runs.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "backends/backend_list.h"
#include "backends/worker/wire.h"
#include "backends/worker/worker_client.h"
#include "backends/worker/worker_process.h"
#include "generators/arguments.h"
#include "spec/base/frame.h"
#include "spec/base/status_testing.h"
#include "spec/ir/module.h"
#include "spec/text/parser.h"

namespace hlocts::backends {
namespace {

using ::testing::HasSubstr;

constexpr char kMirror[] = HLOCTS_BINARY_DIR "/misbehaving_engine";

std::unique_ptr<Module> Identity(const std::string& name, const std::string& shape = "f32[4]") {
  auto module =
      ParseModule("HloModule " + name + "\nENTRY main { ROOT x = " + shape + " parameter(0) }");
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

RunOutcome RunOn(Backend& backend, const Module& module, LoadOptions options = {}) {
  ExecuteRequest request;
  request.arguments.push_back(generators::GenerateArguments(ArgumentLeafShapes(module), 1));
  return RunModule(backend, module, options, request);
}

// Runs each test with a worker that poses as an engine of this project or as an external one.
class WorkerTest : public ::testing::TestWithParam<bool> {
 protected:
  void ExpectWorks() {
    auto module = Identity("fine");
    RunOutcome outcome = RunOn(*backend_, *module);
    ASSERT_TRUE(outcome.has_values()) << outcome.error.Text();
    Literal expected = generators::GenerateArguments(ArgumentLeafShapes(*module), 1)[0];
    EXPECT_TRUE(outcome.result.outputs[0][0].BitwiseEqual(expected));
  }
  std::unique_ptr<Backend> backend_ =
      MakeWorkerBackend({"mirror", GetParam() ? std::vector<std::string>{kMirror}
                                              : std::vector<std::string>{kMirror, "foreign"}});
};
INSTANTIATE_TEST_SUITE_P(Engines, WorkerTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Ours" : "Foreign"; });

TEST_P(WorkerTest, ValuesComeBack) { ExpectWorks(); }

TEST_P(WorkerTest, TheSameModuleIsLoadedOnceWhereThatIsAllowed) {
  auto module = Identity("count_loads"), other = Identity("count_loads", "f32[5]");
  LoadOptions reuse, other_seed;
  reuse.reuse = other_seed.reuse = true;
  other_seed.rng_seed = 1;
  auto loads = [&](const Module& loaded, const LoadOptions& options) {
    RunOutcome outcome = RunOn(*backend_, loaded, options);
    EXPECT_TRUE(outcome.has_values()) << outcome.error.Text();
    return outcome.result.seconds;
  };
  EXPECT_EQ(loads(*module, reuse), 1);
  EXPECT_EQ(loads(*module, reuse), 1);
  EXPECT_EQ(loads(*module, {}), 2) << "not asked for";
  EXPECT_EQ(loads(*module, reuse), 2);
  EXPECT_EQ(loads(*other, reuse), 3) << "another module";
  EXPECT_EQ(loads(*module, reuse), 4) << "only the last one is kept";
  EXPECT_EQ(loads(*module, other_seed), 5) << "other options";
}

TEST_P(WorkerTest, AnExecutableDoesNotRunTheModuleLoadedAfterIt) {
  const std::unique_ptr<Module> module = Identity("fine");
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto first, backend_->Load(*module, {}));
  auto second = backend_->Load(*module, {});
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(first->Execute({}).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_P(WorkerTest, RunsAreAskedForAndTimedOneByOne) {
  auto module = Identity("count_runs");
  ExecuteRequest request;
  request.arguments.push_back(generators::GenerateArguments(ArgumentLeafShapes(*module), 1));
  for (const int64_t runs : {1, 3}) {
    request.runs = runs;
    const RunOutcome outcome = RunModule(*backend_, *module, {}, request);
    ASSERT_TRUE(outcome.has_values()) << outcome.error.Text();
    EXPECT_EQ(outcome.result.seconds_of_runs, std::vector<double>(static_cast<size_t>(runs), 0.5));
  }
}

// The backend requests the optimized module only if the engine has the capability. A crash during
// this request is an outcome of the module.
TEST_P(WorkerTest, OptimizedModuleIsReported) {
  auto module = Identity("fine"), other = Identity("abort");
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto executable, backend_->Load(*module, {}));
  absl::StatusOr<std::string> optimized = executable->OptimizedModule();
  if (GetParam()) {
    EXPECT_TRUE(absl::IsUnimplemented(optimized.status()));
    return;
  }
  ASSERT_TRUE(optimized.ok()) << optimized.status();
  EXPECT_EQ(*optimized, "what became of fine");
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto later, backend_->Load(*other, {}));
  EXPECT_TRUE(absl::IsFailedPrecondition(executable->OptimizedModule().status()));
  EXPECT_TRUE(absl::IsAborted(later->OptimizedModule().status()));
  ExpectWorks();
}

TEST_P(WorkerTest, LargeArraysTravelThroughSharedMemory) {
  auto module = Identity("large", "f32[1000,1000]");
  RunOutcome outcome = RunOn(*backend_, *module);
  ASSERT_TRUE(outcome.has_values()) << outcome.error.Text();
  Literal expected = generators::GenerateArguments(ArgumentLeafShapes(*module), 1)[0];
  EXPECT_TRUE(outcome.result.outputs[0][0].BitwiseEqual(expected));
}

// The arrays are smaller or larger than kSentAtOnceMax, a pipe and kSharedMemoryThreshold.
TEST_P(WorkerTest, ArraysOfAllSizesComeBackAndNoneOfThemKeepsTheNextModuleWaiting) {
  for (int64_t elements : {0, 1, 11'000, 13'000, 16'000, 16'384, 17'000}) {
    const std::string shape = absl::StrCat("f32[", elements, "]");
    auto module = Identity("sizes", shape), refused = Identity("refuse", shape);
    RunOutcome outcome = RunOn(*backend_, *module);
    ASSERT_TRUE(outcome.has_values()) << shape << ": " << outcome.error.Text();
    Literal expected = generators::GenerateArguments(ArgumentLeafShapes(*module), 1)[0];
    EXPECT_TRUE(outcome.result.outputs[0][0].BitwiseEqual(expected)) << shape;
    EXPECT_EQ(RunOn(*backend_, *refused).failure, Outcome::kRejected) << shape;
    ExpectWorks();
  }
}

TEST_P(WorkerTest, EveryElementTypeComesBack) {
  for (PrimitiveType type : AllPrimitiveTypes()) {
    if (!IsArrayType(type)) continue;
    auto module = Identity("types", absl::StrCat(PrimitiveTypeName(type), "[3,5]"));
    RunOutcome outcome = RunOn(*backend_, *module);
    ASSERT_TRUE(outcome.has_values()) << outcome.error.Text();
    Literal expected = generators::GenerateArguments(ArgumentLeafShapes(*module), 1)[0];
    EXPECT_TRUE(outcome.result.outputs[0][0].BitwiseEqual(expected)) << PrimitiveTypeName(type);
  }
}

struct BadCase {
  const char* module;
  Outcome failure;
  const char* reason;
};

TEST_P(WorkerTest, MisbehaviourIsTheOutcomeOfOneModule) {
  const BadCase cases[] = {
      {"abort", Outcome::kCrash, "signal 6"},
      {"complain", Outcome::kCrash, "last wrote: F0000 here.cc:7] Check failed: a == b\\x1b[0m"},
      {"exit", Outcome::kCrash, "status 7"},
      {"rubbish", Outcome::kCrash, "protocol"},
      {"no_reply_message", Outcome::kCrash, "protocol"},
      {"refuse", Outcome::kRejected, "do not like it"},
      {"colours", Outcome::kRejected,
       "a\ttab\n\\x1b[31m red \\x0d\\x07 \\x9b"
       "2J \xc3\xa9"},
      {"unsupported", Outcome::kUnsupported, "not here"},
  };
  for (const BadCase& bad : cases) {
    RunOutcome outcome = RunOn(*backend_, *Identity(bad.module));
    EXPECT_EQ(outcome.failure, bad.failure) << bad.module << ": " << outcome.error.Text();
    EXPECT_THAT(outcome.error.Text(), HasSubstr(bad.reason));
    ExpectWorks();
  }
}

TEST_P(WorkerTest, StderrOfEarlierModuleIsNotReported) {
  EXPECT_TRUE(RunOn(*backend_, *Identity("warn")).has_values());
  const RunOutcome outcome = RunOn(*backend_, *Identity("abort"));
  EXPECT_THAT(outcome.error.Text(), HasSubstr("signal 6"));
  EXPECT_THAT(outcome.error.Text(), ::testing::Not(HasSubstr("of no account")));
}

TEST_P(WorkerTest, AFreshOneAfterChecksOfItsOwnHaveFailed) {
  const auto loads = [&] { return RunOn(*backend_, *Identity("count_loads")).result.seconds; };
  EXPECT_EQ(loads(), 1);
  RunOn(*backend_, *Identity("refuse"));
  EXPECT_EQ(loads(), 3) << "a refusal is no failure: the constant was the second load";
  const RunOutcome outcome = RunOn(*backend_, *Identity("broken"));
  EXPECT_THAT(outcome.error.Text(), HasSubstr("my own check failed"));
  EXPECT_EQ(loads(), 1);
}

// The next run must work. How long the restart takes depends on the machine and is not tested.
TEST_P(WorkerTest, BackForTheNextRunAfterACrash) {
  ExpectWorks();
  EXPECT_EQ(RunOn(*backend_, *Identity("abort")).failure, Outcome::kCrash);
  ExpectWorks();
}

TEST_P(WorkerTest, AHangIsATimeout) {
  LoadOptions options;
  options.timeout_seconds = 0.5;
  RunOutcome outcome = RunOn(*backend_, *Identity("hang"), options);
  EXPECT_EQ(outcome.failure, Outcome::kTimeout) << outcome.error.Text();
  ExpectWorks();
}

TEST_P(WorkerTest, TooMuchMemoryIsACrash) {
  LoadOptions options;
  options.memory_bytes_max = int64_t{1} << 28;
  RunOutcome outcome = RunOn(*backend_, *Identity("memory"), options);
  EXPECT_EQ(outcome.failure, Outcome::kCrash) << outcome.error.Text();
  EXPECT_THAT(outcome.error.Text(), HasSubstr("memory"));
  ExpectWorks();
}

// Returns a shell command that writes a reply.
std::string Printed(const worker::Reply& reply) {
  std::string frame, text;
  AppendFrame(reply.SerializeAsString(), frame);
  for (const char c : frame) absl::StrAppendFormat(&text, "\\%03o", static_cast<uint8_t>(c));
  return absl::StrCat("printf '", text, "'; ");
}

// A shell command that greets like an engine with shared memory and reads no request.
std::unique_ptr<Backend> DeafEngine(const std::string& then) {
  worker::Reply reply;
  reply.mutable_hello()->set_protocol_version(1);
  reply.mutable_hello()->set_uses_shared_memory(true);
  return MakeWorkerBackend({"deaf", {"/bin/sh", "-c", Printed(reply) + then}});
}

TEST(LimitTest, AnEngineThatDoesNotReadIsATimeout) {
  LoadOptions options;
  options.timeout_seconds = 0.5;
  const std::string longer_than_a_pipe(1 << 18, 'x');
  const RunOutcome outcome =
      RunOn(*DeafEngine("exec sleep 60"), *Identity(longer_than_a_pipe), options);
  EXPECT_EQ(outcome.failure, Outcome::kTimeout) << outcome.error.Text();
}

// The files belong to the driver, so they are in no process's resident memory.
TEST(LimitTest, FilesInMemoryCountAsMemory) {
  LoadOptions options;
  options.memory_bytes_max = int64_t{1} << 26;
  options.timeout_seconds = 30;
  const std::string shared =
      "for f in /proc/$PPID/fd/*; do "
      "case $(readlink $f) in *hlocts-worker*) exec 2>>$f; esac; done; ";
  for (const std::string& file : {std::string(), shared}) {
    const RunOutcome outcome =
        RunOn(*DeafEngine(file + "while sleep 0.05; do head -c 10000000 /dev/zero >&2; done"),
              *Identity("fine"), options);
    EXPECT_EQ(outcome.failure, Outcome::kCrash) << outcome.error.Text();
    EXPECT_THAT(outcome.error.Text(), HasSubstr("memory"));
  }
}

TEST(LimitTest, AReplyLargerThanTheMemoryIsACrash) {
  LoadOptions options;
  options.memory_bytes_max = int64_t{1} << 26;
  const RunOutcome outcome = RunOn(*DeafEngine("printf '\\200\\200\\200\\200\\001'; exec sleep 60"),
                                   *Identity("fine"), options);
  EXPECT_EQ(outcome.failure, Outcome::kCrash);
  EXPECT_THAT(outcome.error.Text(), HasSubstr("a frame of 268435456 bytes"));
}

TEST(LimitTest, ValuesInHolesOfSharedMemoryAreACrash) {
  LoadOptions options;
  options.memory_bytes_max = int64_t{1} << 26;
  worker::Reply loaded, results;
  loaded.set_loaded(true);
  worker::Value* value = results.mutable_results()->add_outputs()->add_leaves();
  value->set_element_type("u8");
  value->add_dimensions(1 << 27);
  value->set_in_shared_memory(true);
  value->set_data_size(1 << 27);
  const RunOutcome outcome =
      RunOn(*DeafEngine(Printed(loaded) + Printed(results) + "exec sleep 60"), *Identity("fine"),
            options);
  EXPECT_EQ(outcome.failure, Outcome::kCrash);
  EXPECT_THAT(outcome.error.Text(), HasSubstr("values exceed its memory limit"));
}

TEST(SharedMemoryTest, AWorkerCanExtendItButNotCutIt) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto memory, SharedMemory::Create());
  ASSERT_TRUE(memory->Append("text").ok());
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto of_worker, SharedMemory::Open(memory->path()));
  EXPECT_EQ(ftruncate(of_worker->fd(), 1 << 20), 0);
  EXPECT_NE(ftruncate(of_worker->fd(), 0), 0);
  EXPECT_NE(fcntl(of_worker->fd(), F_ADD_SEALS, F_SEAL_GROW), 0);
  EXPECT_LT(open(memory->path().c_str(), O_RDWR | O_TRUNC), 0);
}

// A rejection that does not depend on the module is not a verdict on it.
TEST(RefusalTest, PartitionsThatTheEngineNeverTakesAreUnsupported) {
  auto backend = MakeWorkerBackend({"mirror", {kMirror}});
  LoadOptions two;
  two.partitions = 2;
  for (const char* name : {"fine", "refuse"}) {
    const RunOutcome outcome = RunOn(*backend, *Identity(name), two);
    EXPECT_EQ(outcome.failure, Outcome::kUnsupported) << name;
    EXPECT_EQ(outcome.error.kind, ErrorKind::kRejectsEveryModule);
    EXPECT_THAT(outcome.error.message, HasSubstr("every module of 1 replicas and 2 partitions"));
  }
  const RunOutcome own = RunOn(*backend, *Identity("refuse"));
  EXPECT_EQ(own.failure, Outcome::kRejected);
  EXPECT_EQ(own.error.message, "I do not like it");
}

TEST(RefusalTest, AnOptionThatTheEngineDoesNotKnowIsAnErrorOfTheHarness) {
  auto backend = MakeWorkerBackend({"mirror", {kMirror, "options"}});
  const RunOutcome outcome = RunOn(*backend, *Identity("fine"));
  EXPECT_EQ(outcome.failure, Outcome::kError);
  EXPECT_EQ(outcome.error.kind, ErrorKind::kRejectsEveryModule);
}

TEST(RefusalTest, ACustomCallWithoutAHandlerIsUnsupported) {
  auto run = [](const std::string& target) {
    auto backend = MakeWorkerBackend({"mirror", {kMirror}});
    auto module = ParseModule(absl::StrCat(
        "HloModule m\nENTRY e { x = f32[4] parameter(0)\n ROOT c = f32[4] custom-call(x), ",
        "custom_call_target=\"", target, "\" }"));
    EXPECT_TRUE(module.ok()) << module.status();
    return RunOn(*backend, **module);
  };
  const RunOutcome missing = run("lapack_sgeqrf_ffi");
  EXPECT_EQ(missing.failure, Outcome::kUnsupported);
  EXPECT_EQ(missing.error.kind, ErrorKind::kNoHandler);
  EXPECT_EQ(missing.error.target, "lapack_sgeqrf_ffi");
  EXPECT_EQ(run("quiet").failure, Outcome::kRejected) << "only part of a word is the target";
  const RunOutcome callback =
      run("xla_ffi_python_cpu_callback");  // contains an address in another process
  EXPECT_EQ(callback.failure, Outcome::kUnsupported);
  EXPECT_THAT(callback.error.message, testing::StartsWith("not run: xla_ffi_python_cpu_callback"));
}

TEST(WorkerStartTest, AProgramThatIsNotThereIsUnavailable) {
  auto backend = MakeWorkerBackend({"nothing", {"/nonexistent/engine"}});
  EXPECT_FALSE(backend->info().available);
  EXPECT_EQ(RunOn(*backend, *Identity("fine")).failure, Outcome::kError);
}

TEST(WorkerStartTest, APipeThatSaysNothingSensibleIsUnavailable) {
  auto backend = MakeBackend("exec:echo hello");
  ASSERT_TRUE(backend.ok());
  EXPECT_FALSE((*backend)->info().available);
}

TEST(WorkerStartTest, ALogThatIsCutBeginsWithAWholeLine) {
  auto process = WorkerProcess::Start({"/bin/sh", "-c", "printf 'first\\nsecond\\nlast\\n' >&2"});
  ASSERT_TRUE(process.ok());
  (*process)->DescribeEnd();
  EXPECT_EQ((*process)->ErrorTail(), "first\nsecond\nlast");
  EXPECT_EQ((*process)->ErrorTail(12), "second\nlast");
  EXPECT_EQ((*process)->ErrorTail(11), "last");
  EXPECT_EQ((*process)->ErrorTail(3), "st");
}

TEST(WorkerEndTest, TheChildrenOfAShellEndWithAKilledDriver) {
  int fds[2];
  ASSERT_EQ(pipe(fds), 0);
  const pid_t driver = fork();
  if (driver == 0) {
    auto process = WorkerProcess::Start({"/bin/sh", "-c", "(printf s; exec sleep 60); true"});
    char started = 0;
    const bool ready = process.ok() && read((*process)->output_fd(), &started, 1) == 1;
    if (ready && write(fds[1], "s", 1) == 1) pause();
    _exit(1);
  }
  close(fds[1]);
  char byte = 0;
  ASSERT_EQ(read(fds[0], &byte, 1), 1);
  kill(driver, SIGKILL);
  waitpid(driver, nullptr, 0);
  pollfd all_ended{fds[0], POLLIN, 0};  // each of them holds the other end of the pipe
  EXPECT_EQ(poll(&all_ended, 1, 20'000), 1);
  close(fds[0]);
}

TEST(ExampleEngineTest, NumpyEngineAnswers) {
  const char* python = nullptr;
  for (const char* candidate : {"python3", "/usr/bin/python3"}) {
    if (std::system(absl::StrCat(candidate, " -c 'import numpy' 2>/dev/null").c_str()) == 0) {
      python = candidate;
    }
  }
  ASSERT_NE(python, nullptr) << "ci/setup installs python3-numpy";
  auto backend = MakeBackend(
      absl::StrCat("exec:", python, " " HLOCTS_SOURCE_DIR "/backends/examples/numpy_engine.py"));
  ASSERT_TRUE(backend.ok());
  ASSERT_TRUE((*backend)->info().available) << (*backend)->info().error.Text();
  auto module = ParseModule(R"(HloModule sum
ENTRY main {
  x = s32[2,3] parameter(0)
  y = s32[2,3] parameter(1)
  z = s32[2,3] multiply(x, y)
  ROOT r = s32[2,3] add(z, y)
})");
  ASSERT_TRUE(module.ok());
  RunOutcome outcome = RunOn(**backend, **module);
  ASSERT_TRUE(outcome.has_values()) << outcome.error.Text();
  std::vector<Literal> in = generators::GenerateArguments(ArgumentLeafShapes(**module), 1);
  for (int i = 0; i < 6; ++i) {
    int32_t x = in[0].data<int32_t>()[i], y = in[1].data<int32_t>()[i];
    EXPECT_EQ(outcome.result.outputs[0][0].data<int32_t>()[i], x * y + y);
  }
  RunOutcome unsupported = RunOn(**backend, *Identity("half", "f16[2]"));
  EXPECT_EQ(unsupported.failure, Outcome::kUnsupported);
}

TEST(BackendNameTest, NamesAreTakenApart) {
  auto name = ParseBackendName("pjrt:/lib/a.so?client.x=1&level=0");
  ASSERT_TRUE(name.ok());
  EXPECT_EQ(name->name, "pjrt");
  EXPECT_EQ(name->argument, "/lib/a.so");
  ASSERT_EQ(name->options.size(), 2u);
  EXPECT_EQ(name->options[1].second, "0");
  const std::string here = "hlocts_plugin_of_the_working_directory.so";
  EXPECT_EQ(ParseBackendName("pjrt:" + here)->argument, here) << "dlopen may find it elsewhere";
  std::ofstream(here) << "text";
  EXPECT_EQ(ParseBackendName("pjrt:" + here)->argument, "./" + here);
  std::remove(here.c_str());
  auto exec = ParseBackendName("exec:run --a=b?c:d");
  ASSERT_TRUE(exec.ok());
  EXPECT_EQ(exec->argument, "run --a=b?c:d");
  EXPECT_FALSE(ParseBackendName("xla?nonsense").ok());
  EXPECT_EQ(SplitBackendNames({"a,b", "exec:x,y", "pjrt:p,q"}),
            (std::vector<std::string>{"a", "b", "exec:x,y", "pjrt:p,q"}));
  EXPECT_FALSE(MakeBackend("nonesuch").ok());
}

TEST(FrameTest, PiecesMakeFrames) {
  int fds[2];
  ASSERT_EQ(pipe(fds), 0);
  std::string large(300, 'x');
  ASSERT_TRUE(WriteFrame(fds[1], large).ok());
  ASSERT_TRUE(WriteFrame(fds[1], "").ok());
  FrameReader reader(fds[0]);
  EXPECT_FALSE(reader.HasFrame());
  EXPECT_EQ(*reader.Read(1), large);
  EXPECT_TRUE(reader.HasFrame());
  EXPECT_EQ(*reader.Read(1), "");
  EXPECT_FALSE(reader.HasFrame());
  EXPECT_EQ(reader.Read(0.01).status().code(), absl::StatusCode::kDeadlineExceeded);
  close(fds[1]);
  EXPECT_EQ(reader.Read(1).status().code(), absl::StatusCode::kOutOfRange);
  close(fds[0]);
}

// Uses a test engine (misbehaving_engine_main.cc) that fails to start after a crash: its starts
// number `from` to `to` fail. A file counts the starts, from 0.
class StartsTest : public ::testing::Test {
 protected:
  void Make(int from, int to) {
    std::remove(count_.c_str());
    backend_ = MakeWorkerBackend(
        {"mirror",
         {"/bin/sh", "-c",
          absl::StrCat("n=$(cat ", count_, " 2>/dev/null || echo 0); echo $((n+1)) >", count_,
                       "; [ $n -ge ", from, " ] && [ $n -le ", to, " ] && exit 1; exec ",
                       HLOCTS_BINARY_DIR "/misbehaving_engine")}});
    EXPECT_EQ(Run("fine"), std::nullopt);
    EXPECT_EQ(Run("abort"), Outcome::kCrash);
  }
  std::optional<Outcome> Run(const std::string& name) {
    auto module = ParseModule(
        absl::StrCat("HloModule ", name, "\nENTRY main { ROOT x = f32[4] parameter(0) }"));
    EXPECT_TRUE(module.ok()) << module.status();
    ExecuteRequest request;
    request.arguments.push_back(generators::GenerateArguments(ArgumentLeafShapes(**module), 1));
    return RunModule(*backend_, **module, {}, request).failure;
  }
  int Starts() const {
    int count = 0;
    std::ifstream(count_) >> count;
    return count;
  }
  const std::string count_ = ::testing::TempDir() + "/worker_starts";
  std::unique_ptr<Backend> backend_;
};

TEST_F(StartsTest, OneInVainDoesNotEndARun) {
  Make(/*from=*/1, /*to=*/1);
  EXPECT_NE(Run("fine"), std::nullopt);
  EXPECT_EQ(Run("fine"), std::nullopt);
}

TEST_F(StartsTest, CrashedEngineIsNotRestartedPerCase) {
  Make(/*from=*/1, /*to=*/1000);
  for (int i = 0; i < 10; ++i) EXPECT_NE(Run("fine"), std::nullopt);
  EXPECT_EQ(Starts(), 4);
}

}  // namespace
}  // namespace hlocts::backends
