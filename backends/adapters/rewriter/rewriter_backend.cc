// SPDX-License-Identifier: Apache-2.0
// A rewriter as an engine: it rewrites the module, and the reference evaluates the result. No code
// is generated, so a failure is due to the rewriter.
#include <chrono>
#include <filesystem>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "backends/adapters/stablehlo/converter.h"
#include "backends/backend_list.h"
#include "backends/engine_list.h"
#include "backends/passes/dump_folder.h"
#include "spec/files/file_io.h"
#include "spec/files/home_folder.h"
#include "spec/files/module_file.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"
#include "spec/ops/partitions.h"
#include "spec/proto/convert.h"

namespace hlocts::backends {
namespace {

struct Rewriter {
  absl::string_view name;
  ModuleForm form;
  absl::string_view release, pass;
};
constexpr Rewriter kRewriters[] = {
#define HLOCTS_REWRITER(name, form, release, pass) {name, ModuleForm::form, release, pass},
#include "backends/passes/rewriters.def"
#undef HLOCTS_REWRITER
};

constexpr char kWorker[] = "/backends/adapters/rewriter/rewriter_worker.py";

constexpr char kPluginRelease[] = "xla";
constexpr auto kCodeGenerationMax = std::chrono::milliseconds(500);
constexpr char kModuleName[] = "rewritten";  // contains no character that XLA replaces in a name

// The pipelines after the assignment of layouts expect what other passes, here disabled, do to the
// layouts. A run there that crashes proves nothing about the pass.
bool IsBeforeLayouts(const DumpFile& dump) {
  return dump.kind == DumpKind::kPass && !absl::StrContains(dump.pipeline, "_after_");
}

// Returns true if the compiler has written its last text and has generated code for a while.
bool IsGeneratingCode(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (!absl::EndsWith(entry.path().string(), "after_optimizations.txt")) continue;
    const auto written = entry.last_write_time(error);
    return !error && decltype(written)::clock::now() - written > kCodeGenerationMax;
  }
  return false;
}

struct Dumps {
  std::string last;       // the file after the last run of the pass
  bool runs = false;      // a later run of the pass has begun
  bool complete = false;  // code generation has begun
};

Dumps DumpsOf(const std::string& folder, const std::string& pass) {
  Dumps dumps;
  const auto modules = ReadDumpFolder(folder);
  for (const DumpedModule& module : modules.ok() ? *modules : std::vector<DumpedModule>()) {
    if (module.name != kModuleName) continue;  // the worker may test a constant
    dumps.complete = module.complete;
    for (const DumpFile& dump : module.files) {
      if (!IsBeforeLayouts(dump)) continue;
      dumps.runs = dump.after != pass && dump.before == pass;
      if (dump.after == pass) dumps.last = dump.file;
    }
  }
  return dumps;
}

// One pass of XLA, run by the compiler of the installed engine `xla` with all other passes
// disabled. The module is compiled for its dump and is never executed: without the other passes,
// code generation may fail or produce wrong code.
class PluginPass {
 public:
  // Returns kUnavailable if the engine is not installed.
  static absl::StatusOr<std::unique_ptr<PluginPass>> Make(std::string pass) {
    HLOCTS_RETURN_IF_ERROR(PluginOf(kPluginRelease).status());
    HLOCTS_ASSIGN_OR_RETURN(TemporaryFolder folder, TemporaryFolder::Make("hlocts-rewriter"));
    auto made = std::unique_ptr<PluginPass>(new PluginPass(std::move(pass), std::move(folder)));
    HLOCTS_ASSIGN_OR_RETURN(made->compiler_, made->MakeCompiler(made->pass_));
    HLOCTS_ASSIGN_OR_RETURN(made->without_, made->MakeCompiler("none"));
    return made;
  }

  BackendInfo info() {
    BackendInfo info = compiler_->info();  // starts the compiler
    info.version = ListedEngine(kPluginRelease)->name();
    return info;
  }

  // Returns the module after the last run of the pass before layouts are assigned. Returns the
  // error of a compiler that fails in the pass: without the pass, it does not fail.
  absl::StatusOr<std::unique_ptr<Module>> Rewrite(const Module& module, LoadOptions options) {
    if (IsSharded(module)) return Unsupported("one pass of the engine xla gets no sharded module");
    const std::unique_ptr<Module> named = module.Clone();
    named->set_name(kModuleName);
    options.reuse = false;  // a kept executable has no dump
    options.stop = [this, stop = options.stop] {
      return IsGeneratingCode(folder_.path()) || (stop && stop());
    };
    auto rewritten = Compile(*named, options);
    folder_.Clear();
    return rewritten;
  }

 private:
  PluginPass(std::string pass, TemporaryFolder folder)
      : pass_(std::move(pass)), folder_(std::move(folder)) {}

  absl::StatusOr<std::unique_ptr<Backend>> MakeCompiler(const std::string& pass) const {
    return MakeBackend(absl::StrCat(
        kPluginRelease, "?xla_enable_hlo_passes_only=", pass, "&xla_dump_to=", folder_.path(),
        "&xla_dump_hlo_pass_re=^", pass,
        "$&xla_dump_hlo_as_text=true&xla_dump_hlo_as_proto=true&xla_backend_optimization_level=0"));
  }

  // The module is read from the proto, since the text rounds some attributes, e.g. `epsilon`.
  absl::StatusOr<std::unique_ptr<Module>> Compile(const Module& module,
                                                  const LoadOptions& options) {
    const absl::Status compiled = compiler_->Load(module, options).status();
    if (absl::IsUnavailable(compiled)) return compiled;
    const Dumps dumps = DumpsOf(folder_.path(), pass_);
    if (!compiled.ok() && !dumps.complete && (dumps.last.empty() || dumps.runs)) {
      folder_.Clear();
      without_->Load(module, options).IgnoreError();
      if (DumpsOf(folder_.path(), pass_).complete) return compiled;
      return Unsupported("the compiler also fails without ", pass_, ": ",
                         ErrorOf(compiled).message);
    }
    if (dumps.last.empty()) return Unsupported("the compiler did not run ", pass_);
    const absl::string_view stem = absl::StripSuffix(dumps.last, ".txt");
    auto loaded = LoadModule(absl::StrCat(folder_.path(), "/", stem, ".hlo.pb"));
    if (loaded.ok()) return std::move(loaded->module);
    return Unsupported("the dump after ", pass_, ": ", loaded.status().message());
  }

  std::string pass_;
  TemporaryFolder folder_;
  std::unique_ptr<Backend> compiler_, without_;  // with and without the pass
};

bool HasDynamicConstant(const Module& module) {
  return absl::c_any_of(module.computations(), [](const auto& computation) {
    return absl::c_any_of(computation->instructions(), [](const auto& one) {
      return one->opcode() == Opcode::kConstant && one->shape().is_dynamic();
    });
  });
}

struct Programs {
  std::unique_ptr<Converter> xla;      // converts from and to HLO, and runs passes of its wheel
  std::unique_ptr<Converter> foreign;  // runs a pass of another release, or converts
  std::unique_ptr<PluginPass> plugin;  // replaces `xla`
};

class RewriterBackend : public Backend {
 public:
  RewriterBackend(std::string name, Rewriter rewriter, Programs programs,
                  std::unique_ptr<Backend> reference)
      : name_(std::move(name)),
        rewriter_(rewriter),
        programs_(std::move(programs)),
        reference_(std::move(reference)) {}

  BackendInfo info() override {
    BackendInfo info = reference_->info();
    info.name = name_;
    if (programs_.plugin) {
      const BackendInfo plugin = programs_.plugin->info();
      info.available = plugin.available;
      info.error = plugin.error;
      info.version = absl::StrCat(rewriter_.name, " of ", plugin.version);
      return info;
    }
    // Converts an empty module, to start each converter or to report why it cannot start.
    absl::Status started;
    if (programs_.xla)
      started = programs_.xla->Convert("", ModuleForm::kStablehlo, ModuleForm::kHlo).status();
    if (programs_.foreign && !absl::IsUnavailable(started)) {
      started = programs_.foreign->Convert("", rewriter_.form, rewriter_.form).status();
    }
    info.available = !absl::IsUnavailable(started);
    if (!info.available) info.error = ErrorOf(started);
    info.version = absl::StrCat(rewriter_.name, " of ",
                                (programs_.foreign ? programs_.foreign : programs_.xla)->version());
    return info;
  }

  absl::StatusOr<std::unique_ptr<Executable>> Load(const Module& module,
                                                   const LoadOptions& options) override {
    HLOCTS_RETURN_IF_ERROR(VerifyModule(module));  // an invalid module has no meaning
    HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Module> rewritten, Rewrite(module, options));
    absl::Status valid = VerifyModule(*rewritten);
    if (!valid.ok()) return Annotate(valid, "the rewritten module is invalid");
    if (OutputLeafShapes(*rewritten).size() != OutputLeafShapes(module).size())
      return InvalidInput("expected ", OutputLeafShapes(module).size(),
                          " outputs of the rewritten module, found ",
                          OutputLeafShapes(*rewritten).size());
    if (HasDynamicConstant(*rewritten))
      return Unsupported("the proto of a constant of dynamic size does not contain the size");
    rewritten->replica_count = module.replica_count;
    rewritten->num_partitions = module.num_partitions;
    return reference_->Load(*rewritten, options);
  }

 private:
  absl::StatusOr<std::unique_ptr<Module>> Rewrite(const Module& module,
                                                  const LoadOptions& options) {
    if (programs_.plugin) return programs_.plugin->Rewrite(module, options);
    ConvertOptions plain;
    plain.timeout_seconds = options.timeout_seconds;
    plain.memory_bytes_max = options.memory_bytes_max;
    ConvertOptions with_pass = plain;
    with_pass.rewrite = std::string(rewriter_.pass);
    HLOCTS_ASSIGN_OR_RETURN(std::string proto, SerializeModule(module));
    if (rewriter_.form == ModuleForm::kHlo) {
      Converter& rewrites = programs_.foreign ? *programs_.foreign : *programs_.xla;
      HLOCTS_ASSIGN_OR_RETURN(
          proto, rewrites.Convert(proto, ModuleForm::kHlo, ModuleForm::kHlo, with_pass));
      return ParseSerializedModule(proto);
    }
    HLOCTS_ASSIGN_OR_RETURN(std::string mlir,
                            programs_.xla->Convert(proto, ModuleForm::kHlo, rewriter_.form, plain));
    if (programs_.foreign) {
      HLOCTS_ASSIGN_OR_RETURN(mlir, programs_.foreign->Convert(mlir, rewriter_.form,
                                                               ModuleForm::kStablehlo, with_pass));
    }
    return HloFromStablehlo(*programs_.xla, mlir, plain);
  }

  std::string name_;
  Rewriter rewriter_;
  Programs programs_;
  std::unique_ptr<Backend> reference_;
};

absl::StatusOr<Rewriter> FindRewriter(const BackendName& name) {
  std::vector<absl::string_view> known;
  for (const Rewriter& rewriter : kRewriters) {
    if (rewriter.name == name.argument) return rewriter;
    known.push_back(rewriter.name);
  }
  return absl::NotFoundError(absl::StrCat("backend \"", name.text, "\": expected rewriter: and ",
                                          absl::StrJoin(known, ", "), " or exec:COMMAND"));
}

bool IsInWheel(const Rewriter& rewriter) {
  return rewriter.release.empty() || rewriter.release == kPluginRelease;
}

bool NeedsXla(const Rewriter& rewriter) {
  return rewriter.release.empty() || rewriter.form != ModuleForm::kHlo;
}

// Sets XLA's converter, or the plugin that replaces it. Returns an error that lists the rewriters
// that do not need XLA's C++.
absl::Status SetXla(const BackendName& name, const Rewriter& rewriter, Programs& programs) {
  auto made = MakeXlaConverter();
  if (made.ok()) programs.xla = *std::move(made);
  if (programs.xla) return absl::OkStatus();
  if (rewriter.release == kPluginRelease) {
    HLOCTS_ASSIGN_OR_RETURN(programs.plugin, PluginPass::Make(std::string(rewriter.pass)));
    return absl::OkStatus();
  }
  std::vector<std::string> others;
  for (const Rewriter& one : kRewriters)
    if (!NeedsXla(one)) others.push_back(absl::StrCat("rewriter:", one.name));
  const bool pass = rewriter.form == ModuleForm::kHlo;
  return absl::UnavailableError(absl::StrCat("backend \"", name.text,
                                             "\" needs XLA's C++: ", made.status().message(),
                                             pass ? "; XLA:CPU does not run this pass" : "",
                                             "; without it: ", absl::StrJoin(others, ", ")));
}

absl::StatusOr<std::unique_ptr<Converter>> OfRelease(absl::string_view release) {
  HLOCTS_ASSIGN_OR_RETURN(engines::EngineList list, LoadEngineList());
  const engines::Engine* engine = FindEngine(list, release);
  if (!engine) return absl::NotFoundError(absl::StrCat("no engine has the name ", release));
  HLOCTS_RETURN_IF_ERROR(CheckUsable(*engine));
  HLOCTS_ASSIGN_OR_RETURN(std::string folder, EngineFolder(*engine));
  return std::make_unique<Converter>(std::vector<std::string>{
      PythonOf(*engine), "-IB", absl::StrCat(HomeFolder(), kWorker), folder});
}

}  // namespace

bool IsPassOfXla(absl::string_view name) {
  return absl::c_any_of(kRewriters, [&](const Rewriter& rewriter) {
    return rewriter.name == name && IsInWheel(rewriter) && !rewriter.pass.empty();
  });
}

std::optional<std::string> ConversionOf(const std::string& recorded) {
  const auto name = ParseBackendName(recorded);
  const auto list = LoadEngineList();
  const auto* engine = name.ok() && list.ok() ? FindEngine(*list, name->name) : nullptr;
  if (engine == nullptr || engine->driver().empty()) return std::nullopt;
  const std::string& release = engine->converter().empty() ? engine->name() : engine->converter();
  const bool exists = absl::c_any_of(kRewriters, [&](auto& one) { return one.name == release; });
  return exists ? "rewriter:" + release : "";
}

absl::StatusOr<std::unique_ptr<Backend>> MakeRewriterBackend(BackendName name) {
  if (!name.options.empty())
    return InvalidInput("backend \"", name.text, "\": a rewriter has no options");
  absl::string_view command = name.argument;
  Rewriter rewriter{"exec", ModuleForm::kStablehlo, "", ""};
  Programs programs;
  const bool is_program = absl::ConsumePrefix(&command, "exec:");
  if (!is_program) {
    HLOCTS_ASSIGN_OR_RETURN(rewriter, FindRewriter(name));
  }
  // Checks the library first: without it, installing the release would not help.
  if (NeedsXla(rewriter) || IsInWheel(rewriter))
    HLOCTS_RETURN_IF_ERROR(SetXla(name, rewriter, programs));
  if (is_program) {
    programs.foreign = std::make_unique<Converter>(
        std::vector<std::string>{"/bin/sh", "-c", std::string(command)});
  } else if (!IsInWheel(rewriter)) {
    HLOCTS_ASSIGN_OR_RETURN(programs.foreign, OfRelease(rewriter.release));
  }
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Backend> reference, MakeBackend("reference"));
  return std::unique_ptr<Backend>(std::make_unique<RewriterBackend>(
      std::move(name.text), rewriter, std::move(programs), std::move(reference)));
}

}  // namespace hlocts::backends
