// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts convert`: converts a module to another format.
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "backends/backend_list.h"
#include "generators/arguments.h"
#include "generators/shardings.h"
#include "nlohmann/json.hpp"
#include "reports/finding_file.h"
#include "spec/files/file_io.h"
#include "spec/files/module_file.h"
#include "spec/ir/module.h"
#include "spec/proto/convert.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"
#include "tools/cli/common.h"
#include "tools/cli/judging.h"
#include "tools/cli/stablehlo.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kForms[] =
    "text, short, canonical, pb, pbtxt, snapshot, stablehlo or stablehlo-bytecode";

struct ConvertOptions {
  std::string module, to, output, batch, compiled_by, inputs;
  bool no_metadata = false, fill_elided = false;
  int64_t partitions = 0;
  std::optional<uint64_t> seed;
};

// Returns the value of --to for a file name; "" if its extension is unknown.
std::string FormatOfName(const std::string& output) {
  constexpr std::pair<const char*, const char*> kRows[] = {{".hlo", "text"},
                                                           {".txt", "text"},
                                                           {".pb", "pb"},
                                                           {".pbtxt", "pbtxt"},
                                                           {".snapshot", "snapshot"},
                                                           {".mlir", "stablehlo"},
                                                           {".mlirbc", "stablehlo-bytecode"}};
  for (const auto& [extension, format] : kRows)
    if (absl::EndsWith(output, extension)) return format;
  return "";
}

// Returns the shape at the end of the text, after `=`, `(` or a space: in "= (f32[2], s32[])", "=
// f32[2]{0:T(256)}", "reshape(f32[2]".
absl::string_view ShapeAtEnd(absl::string_view text) {
  const size_t begin = absl::EndsWith(text, ")") ? text.rfind("= ") : text.rfind(' ');
  text.remove_prefix(std::min(begin, text.size()));
  absl::ConsumePrefix(&text, "=");
  if (absl::EndsWith(text, ")")) return text;
  const size_t parenthesis = text.find('(');
  return parenthesis < text.find('[') ? text.substr(parenthesis + 1) : text;
}

// Reads HLO text with elided large constants. Their elements become random numbers.
absl::StatusOr<LoadedModule> OpenElided(const std::string& path, uint64_t seed) {
  constexpr absl::string_view kElided = " constant({...})";
  constexpr int64_t kBytesMax = int64_t{1} << 28;
  HLOCTS_ASSIGN_OR_RETURN(const std::string content, ReadFile(path));
  absl::string_view rest = content;
  std::string filled;
  int64_t bytes = 0;
  for (size_t at = rest.find(kElided); at != rest.npos; at = rest.find(kElided)) {
    const auto shape = ParseShape(ShapeAtEnd(rest.substr(0, at)));
    if (!shape.ok())
      return Annotate(shape.status(), absl::StrCat(path, ": before constant({...})"));
    bytes += shape->StorageSizeBytes();
    if (bytes > kBytesMax)
      return InvalidInput(path, ": elided constants of more than ", kBytesMax, " bytes");
    HLOCTS_ASSIGN_OR_RETURN(
        const Literal literal,
        UnflattenLeaves(*shape, generators::GenerateArguments(LeafShapes(*shape), seed++)));
    absl::StrAppend(&filled, rest.substr(0, at), " constant(", PrintLiteralBody(literal), ")");
    rest.remove_prefix(at + kElided.size());
  }
  return ParseModuleFile(path, absl::StrCat(filled, rest));
}

// Replaces the module by the compiler's optimized module.
absl::Status Compile(backends::Backend& compiler, LoadedModule& loaded) {
  backends::LoadOptions options;
  options.replicas = loaded.module->replica_count;
  options.partitions = loaded.module->num_partitions;
  HLOCTS_ASSIGN_OR_RETURN(auto executable, compiler.Load(*loaded.module, options));
  const auto optimized = executable->OptimizedModule();
  if (absl::IsUnimplemented(optimized.status()))
    return InvalidInput("--compiled-by: ", optimized.status().message());
  HLOCTS_RETURN_IF_ERROR(optimized.status());
  HLOCTS_ASSIGN_OR_RETURN(loaded.module, ParseSerializedModule(*optimized));
  return absl::OkStatus();
}

// Returns the inputs for a snapshot: the given ones, those of a bundle, or random ones. Without
// any, says on stderr that the snapshot has none.
absl::StatusOr<std::vector<Literal>> InputsForSnapshot(const ConvertOptions& options,
                                                       const Module& module) {
  const bool has_any =
      !options.inputs.empty() || options.seed || reports::HasRecordedVerdict(options.module);
  if (!has_any && !module.entry()->parameters().empty())
    std::cerr << "hlocts: the snapshot has no inputs; --inputs=FILE or --seed=N adds them\n";
  if (!has_any) return std::vector<Literal>();
  HLOCTS_ASSIGN_OR_RETURN(
      fuzz::Bundle subject,
      LoadSubject(options.module, options.inputs, options.seed, "default", CommonOptions()));
  return std::move(subject.sample.arguments);
}

// Converts a file. If `compiler` is not null, converts the module that it has optimized.
absl::Status ConvertFile(const ConvertOptions& options, backends::Backend* compiler) {
  const std::string &path = options.module, &output = options.output;
  const std::string to = options.to.empty() ? FormatOfName(output) : options.to;
  const auto stablehlo = StablehloFormFromName(to);
  const auto format = ModuleFormatFromName(to);
  if (to.empty() && !output.empty())
    return InvalidInput(
        "convert: ", output,
        ": unknown format: expected .hlo, .txt, .pb, .pbtxt, .mlir, .mlirbc, or --to");
  if (!format && !stablehlo)
    return InvalidInput("convert: expected --to=", kForms, ", or -o FILE",
                        to.empty() ? "" : absl::StrCat("; found --to=", to));
  const bool binary =
      format && (*format == ModuleFormat::kProto || *format == ModuleFormat::kSnapshot);
  if (binary && (output.empty() || output == "-") && isatty(STDOUT_FILENO) != 0)
    return InvalidInput("convert: binary output to a terminal: expected -o FILE");
  HLOCTS_ASSIGN_OR_RETURN(LoadedModule loaded, options.fill_elided
                                                   ? OpenElided(path, options.seed.value_or(1))
                                                   : OpenModule(path));
  if (compiler) HLOCTS_RETURN_IF_ERROR(Annotate(Compile(*compiler, loaded), path));
  if (options.partitions > 0)
    HLOCTS_RETURN_IF_ERROR(
        generators::Shard(options.partitions, options.seed.value_or(1), *loaded.module));
  if (stablehlo) {
    auto mlir = WriteStablehlo(*loaded.module, *stablehlo);
    if (!mlir.ok()) return Annotate(mlir.status(), path);
    return WriteFile(output.empty() ? "-" : output, *mlir);
  }
  if (*format == ModuleFormat::kSnapshot && loaded.arguments.empty()) {
    HLOCTS_ASSIGN_OR_RETURN(loaded.arguments, InputsForSnapshot(options, *loaded.module));
  } else if (!options.inputs.empty()) {
    return InvalidInput("--inputs: expected --to=snapshot of a module without inputs");
  }
  SaveOptions save{.format = *format,
                   .metadata = !options.no_metadata,
                   .arguments = std::move(loaded.arguments),
                   .results = std::move(loaded.results)};
  return SaveModule(*loaded.module, save, output.empty() ? "-" : output);
}

int RunConvert(const ConvertOptions& options) {
  std::unique_ptr<backends::Backend> compiler;
  if (!options.compiled_by.empty()) {
    auto made = backends::MakeBackend(options.compiled_by);
    if (!made.ok()) return Fail(made.status());
    compiler = *std::move(made);
  }
  if (!options.batch.empty()) {
    const auto answer = [&](const Json& entry) -> absl::StatusOr<std::vector<Json>> {
      ConvertOptions merged = options;
      merged.module = TextField(entry, "module");
      merged.output = TextField(entry, "output");
      merged.to = TextField(entry, "to", options.to);
      const Json bare = entry.value("no-metadata", Json(options.no_metadata));
      if (merged.output.empty() || !bare.is_boolean())
        return InvalidInput("expected \"output\", a path; \"no-metadata\" is true or false");
      merged.no_metadata = bare.get<bool>();
      HLOCTS_RETURN_IF_ERROR(ConvertFile(merged, compiler.get()));
      Json line = BatchResult(merged.module, absl::OkStatus());
      line["output"] = merged.output;
      return std::vector<Json>{line};
    };
    return RunBatch(options.batch, options.module + options.output, answer, {{"output", ""}});
  }
  if (options.module.empty()) return Fail(InvalidInput("convert: expected a module or --batch"));
  absl::Status status = ConvertFile(options, compiler.get());
  return status.ok() ? kExitOk : Fail(status);
}

}  // namespace

Command ConvertCommand() {
  return {"convert", "write a module in another format", [](Flags& flags) {
            auto options = std::make_shared<ConvertOptions>();
            flags.Positional("MODULE", &options->module,
                             "file, case address, bundle or case directory (hlocts help modules)");
            flags.AddChoice(
                "--to", &options->to,
                {"text", "short", "canonical", "pb", "pbtxt", "snapshot", "stablehlo",
                 "stablehlo-bytecode"},
                "format (default: from the name of the output); canonical repeats the body at each "
                "call, and reading it gives copies; StableHLO needs a Python with jax and hlocts "
                "(hlocts help modules)");
            flags.Add("--no-metadata", &options->no_metadata, "omit metadata from texts");
            flags.Add("-o,--output", &options->output, "file to write (default: standard output)");
            flags.Add("--compiled-by", &options->compiled_by,
                      "engine whose optimized module is written");
            flags.Add("--partitions", &options->partitions,
                      "num_partitions; a module without shardings gets random ones", {2, 64});
            flags.Add("--fill-elided", &options->fill_elided,
                      "give constants that a text elides, {...}, random elements");
            flags.Add("--inputs", &options->inputs, "file of the inputs of a snapshot");
            flags.Add(
                "--seed", &options->seed,
                "seed of random annotations and elements (1), and of the inputs of a snapshot");
            flags.Add("--batch", &options->batch, "file with one JSON object per line");
            return [options] { return RunConvert(*options); };
          }};
}

}  // namespace hlocts::tools
