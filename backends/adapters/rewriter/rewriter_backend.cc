// SPDX-License-Identifier: Apache-2.0
// A rewriter as an engine: it rewrites the module, and the reference evaluates the result. No code
// is generated, so a failure is due to the rewriter.
#include "absl/algorithm/container.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "backends/adapters/stablehlo/converter.h"
#include "backends/backend_list.h"
#include "backends/engine_list.h"
#include "spec/files/home_folder.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"
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
#include "backends/adapters/rewriter/rewriters.def"
#undef HLOCTS_REWRITER
};

constexpr char kWorker[] = "/backends/adapters/rewriter/rewriter_worker.py";

class RewriterBackend : public Backend {
 public:
  // `xla` converts from and to HLO; null if the external rewriter `foreign` accepts HLO. `foreign`
  // runs a pass of another release; null if the pass is in the wheel of `xla`.
  RewriterBackend(std::string name, Rewriter rewriter, std::unique_ptr<Converter> xla,
                  std::unique_ptr<Converter> foreign, std::unique_ptr<Backend> reference)
      : name_(std::move(name)),
        rewriter_(rewriter),
        xla_(std::move(xla)),
        foreign_(std::move(foreign)),
        reference_(std::move(reference)) {}

  BackendInfo info() override {
    BackendInfo info = reference_->info();
    info.name = name_;
    // Converts an empty module, to start each converter or to report why it cannot start.
    absl::Status started;
    if (xla_) started = xla_->Convert("", ModuleForm::kStablehlo, ModuleForm::kHlo).status();
    if (foreign_ && !absl::IsUnavailable(started)) {
      started = foreign_->Convert("", rewriter_.form, rewriter_.form).status();
    }
    info.available = !absl::IsUnavailable(started);
    if (!info.available) info.error = ErrorOf(started);
    info.version = absl::StrCat(rewriter_.name, " of ", (foreign_ ? foreign_ : xla_)->version());
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
    rewritten->replica_count = module.replica_count;
    rewritten->num_partitions = module.num_partitions;
    return reference_->Load(*rewritten, options);
  }

 private:
  absl::StatusOr<std::unique_ptr<Module>> Rewrite(const Module& module,
                                                  const LoadOptions& options) {
    ConvertOptions plain;
    plain.timeout_seconds = options.timeout_seconds;
    plain.memory_bytes_max = options.memory_bytes_max;
    ConvertOptions with_pass = plain;
    with_pass.rewrite = std::string(rewriter_.pass);
    HLOCTS_ASSIGN_OR_RETURN(std::string proto, SerializeModule(module));
    if (rewriter_.form == ModuleForm::kHlo) {
      Converter& rewrites = foreign_ ? *foreign_ : *xla_;
      HLOCTS_ASSIGN_OR_RETURN(
          proto, rewrites.Convert(proto, ModuleForm::kHlo, ModuleForm::kHlo, with_pass));
      return ParseSerializedModule(proto);
    }
    HLOCTS_ASSIGN_OR_RETURN(std::string mlir,
                            xla_->Convert(proto, ModuleForm::kHlo, rewriter_.form, plain));
    if (foreign_) {
      HLOCTS_ASSIGN_OR_RETURN(
          mlir, foreign_->Convert(mlir, rewriter_.form, ModuleForm::kStablehlo, with_pass));
    }
    return HloFromStablehlo(*xla_, mlir, plain);
  }

  std::string name_;
  Rewriter rewriter_;
  std::unique_ptr<Converter> xla_, foreign_;
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

bool NeedsXla(const Rewriter& rewriter) {
  return rewriter.release.empty() || rewriter.form != ModuleForm::kHlo;
}

// Returns XLA's converter, or an error that lists the rewriters that do not need it.
absl::StatusOr<std::unique_ptr<Converter>> XlaConverter(const BackendName& name) {
  auto made = MakeXlaConverter();
  if (made.ok()) return made;
  std::vector<std::string> others;
  for (const Rewriter& rewriter : kRewriters)
    if (!NeedsXla(rewriter)) others.push_back(absl::StrCat("rewriter:", rewriter.name));
  return absl::UnavailableError(absl::StrCat("backend \"", name.text,
                                             "\" needs XLA's C++: ", made.status().message(),
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
    return rewriter.name == name && rewriter.release.empty() && !rewriter.pass.empty();
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
  std::unique_ptr<Converter> xla, foreign;
  const bool is_program = absl::ConsumePrefix(&command, "exec:");
  if (!is_program) {
    HLOCTS_ASSIGN_OR_RETURN(rewriter, FindRewriter(name));
  }
  // Checks the library first: without it, installing the release would not help.
  if (NeedsXla(rewriter)) {
    HLOCTS_ASSIGN_OR_RETURN(xla, XlaConverter(name));
  }
  if (is_program) {
    foreign = std::make_unique<Converter>(
        std::vector<std::string>{"/bin/sh", "-c", std::string(command)});
  } else if (!rewriter.release.empty()) {
    HLOCTS_ASSIGN_OR_RETURN(foreign, OfRelease(rewriter.release));
  }
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Backend> reference, MakeBackend("reference"));
  return std::unique_ptr<Backend>(std::make_unique<RewriterBackend>(
      std::move(name.text), rewriter, std::move(xla), std::move(foreign), std::move(reference)));
}

}  // namespace hlocts::backends
