// SPDX-License-Identifier: Apache-2.0
#include "spec/files/module_file.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "spec/files/file_io.h"
#include "spec/ir/module.h"
#include "spec/proto/convert.h"
#include "spec/text/module_printer.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts {
namespace {

struct FormatName {
  ModuleFormat format;
  absl::string_view name;
};
constexpr FormatName kFormatNames[] = {
    {ModuleFormat::kText, "text"},           {ModuleFormat::kShort, "short"},
    {ModuleFormat::kCanonical, "canonical"}, {ModuleFormat::kProto, "pb"},
    {ModuleFormat::kProtoText, "pbtxt"},     {ModuleFormat::kSnapshot, "snapshot"},
};

enum class Encoding { kHloText, kProtoBytes, kProtoText };

struct Extension {
  absl::string_view extension;
  Encoding encoding;
};
constexpr Extension kExtensions[] = {
    {"hlo", Encoding::kHloText},         {"txt", Encoding::kHloText},
    {"pb", Encoding::kProtoBytes},       {"pbtxt", Encoding::kProtoText},
    {"textproto", Encoding::kProtoText}, {"snapshot", Encoding::kProtoBytes},
};

// Returns true if the content is a serialized module. Its field tags are control characters, which
// text does not contain.
bool LooksBinary(absl::string_view content) {
  for (char c : content.substr(0, 4096)) {
    unsigned char byte = static_cast<unsigned char>(c);
    if (byte < 0x20 && !absl::ascii_isspace(byte)) return true;
  }
  return false;
}

// Returns true if the content begins with a field of a message, such as `name: "m"` or `hlo {`. HLO
// text begins with HloModule, ENTRY or a name.
bool LooksLikeProtoText(absl::string_view content) {
  content = absl::StripLeadingAsciiWhitespace(content);
  while (absl::StartsWith(content, "#")) {
    content.remove_prefix(std::min(content.find('\n'), content.size()));
    content = absl::StripLeadingAsciiWhitespace(content);
  }
  size_t end = 0;
  while (end < content.size() && (absl::ascii_isalnum(content[end]) || content[end] == '_')) ++end;
  absl::string_view word = content.substr(0, end);
  absl::string_view rest = absl::StripLeadingAsciiWhitespace(content.substr(end));
  if (word.empty()) return false;
  if (absl::StartsWith(rest, ":")) return true;
  return absl::StartsWith(rest, "{") &&
         (word == "hlo" || word == "hlo_module" || word == "computations");
}

Encoding EncodingOf(const std::string& name, absl::string_view content) {
  std::string extension = ExtensionOf(name);
  const bool dumped_proto = extension == "txt" && LooksLikeProtoText(content);  // XLA's snapshots
  for (const Extension& known : kExtensions) {
    if (known.extension == extension && !dumped_proto) return known.encoding;
  }
  if (LooksBinary(content)) return Encoding::kProtoBytes;
  return LooksLikeProtoText(content) ? Encoding::kProtoText : Encoding::kHloText;
}

absl::StatusOr<LoadedModule> FromAny(absl::StatusOr<AnyModule> any, ModuleFormat plain) {
  if (!any.ok()) return any.status();
  LoadedModule loaded;
  loaded.format = any->is_snapshot ? ModuleFormat::kSnapshot : plain;
  loaded.module = std::move(any->snapshot.module);
  for (const Literal& argument : any->snapshot.arguments) {
    for (Literal& leaf : FlattenLeaves(argument)) loaded.arguments.push_back(std::move(leaf));
  }
  if (any->snapshot.result.shape().element_type() != PrimitiveType::kInvalid) {
    loaded.results = FlattenLeaves(any->snapshot.result);
  }
  return loaded;
}

// Returns the only graph of a dump of PyTorch/XLA, which follows a Python stack trace. Returns any
// other content unchanged.
absl::StatusOr<absl::string_view> GraphOf(absl::string_view content) {
  constexpr absl::string_view kBegin = "## BEGIN_GRAPH\n";
  const size_t begin = content.find(kBegin);
  if (begin == content.npos || (begin > 0 && content[begin - 1] != '\n')) return content;
  content.remove_prefix(begin + kBegin.size());
  const absl::string_view graph = content.substr(0, content.find("## END_GRAPH"));
  if (!absl::StrContains(content.substr(graph.size()), kBegin)) return graph;
  return InvalidInput("expected one graph after ## BEGIN_GRAPH, found several");
}

absl::StatusOr<LoadedModule> Decode(Encoding encoding, absl::string_view content) {
  if (encoding == Encoding::kProtoBytes) {
    if (content.empty()) return InvalidInput("expected a serialized HloModuleProto, found nothing");
    return FromAny(ParseAnyModule(content), ModuleFormat::kProto);
  }
  absl::ConsumePrefix(&content, "\xef\xbb\xbf");  // a byte order mark
  if (LooksBinary(content)) return InvalidInput("expected text, found binary data");
  if (encoding == Encoding::kProtoText) {
    return FromAny(ParseAnyModuleText(content), ModuleFormat::kProtoText);
  }
  LoadedModule loaded;
  HLOCTS_ASSIGN_OR_RETURN(loaded.module, ParseModule(content));
  return loaded;
}

// Makes a snapshot. Its arguments are one literal per parameter of the entry.
absl::StatusOr<Snapshot> MakeSnapshot(const Module& module, const SaveOptions& options) {
  Snapshot snapshot;
  snapshot.module = module.Clone();
  ProgramShape program = module.EntryProgramShape();
  Shape all = Shape::Tuple(program.parameters);
  if (options.arguments.empty() && !LeafShapes(all).empty()) return snapshot;
  HLOCTS_ASSIGN_OR_RETURN(Literal arguments, UnflattenLeaves(all, options.arguments));
  snapshot.arguments = arguments.elements();
  if (!options.results.empty()) {
    HLOCTS_ASSIGN_OR_RETURN(snapshot.result, UnflattenLeaves(program.result, options.results));
  }
  return snapshot;
}

void RemoveMetadata(Module* module) {
  module->stack_frame_index = StackFrameIndex();
  for (const auto& computation : module->computations()) {
    for (const auto& instruction : computation->instructions()) {
      instruction->Remove(Attr::kMetadata);
    }
  }
}

// Returns an error that names the kind of content if it is not a module. XLA writes files of all
// these kinds to a dump directory.
absl::Status CheckIsModule(absl::string_view content) {
  struct Other {
    absl::string_view begins, what;
  };
  constexpr Other kOthers[] = {
      {"BufferAssignment:", "a buffer assignment"},
      {"Total bytes used:", "a report of memory"},
      {"HloLiveRange", "live ranges of buffers"},
      {"; ModuleID =", "LLVM IR"},
  };
  if (LooksLikeMlir(content)) {
    return InvalidInput("expected HLO, found MLIR (StableHLO): ",
                        "`hlocts convert FILE --to=text` converts it to HLO");
  }
  absl::string_view text = absl::StripLeadingAsciiWhitespace(content);
  for (const Other& other : kOthers) {
    if (absl::StartsWith(text, other.begins))
      return InvalidInput("expected a module, found ", other.what);
  }
  // After the `=`, an HLO instruction has a shape and an MLIR operation has a dialect.
  absl::string_view first = text.substr(0, text.find('\n'));
  first.remove_prefix(std::min(first.find(" = "), first.size()));
  for (absl::string_view dialect : {"stablehlo.", "mhlo.", "chlo."}) {
    if (absl::StartsWith(first, absl::StrCat(" = ", dialect)) ||
        absl::StartsWith(first, absl::StrCat(" = \"", dialect))) {
      return InvalidInput("expected a module, found operations of MLIR outside of a function: put ",
                          "them into `func.func @main(%x: tensor<...>) -> tensor<...> {`, ",
                          "and their result into `return`");
    }
  }
  return absl::OkStatus();
}

}  // namespace

bool LooksLikeMlir(absl::string_view content) {
  constexpr absl::string_view kBytecode = "ML\xEFR";
  if (absl::StartsWith(content, kBytecode)) return true;
  while (true) {
    content = absl::StripLeadingAsciiWhitespace(content);
    const absl::string_view line = content.substr(0, content.find('\n'));
    const bool alias = line.size() > 1 && (line[0] == '#' || line[0] == '!') &&
                       absl::ascii_isalpha(line[1]) && absl::StrContains(line, " = ");
    if (!alias && !absl::StartsWith(line, "//")) break;
    content.remove_prefix(line.size());
  }
  for (absl::string_view first : {"func.func ", "func @", "sdy.mesh ", "\"builtin.module\""}) {
    if (absl::StartsWith(content, first)) return true;
  }
  if (!absl::ConsumePrefix(&content, "module")) return false;
  content = absl::StripLeadingAsciiWhitespace(content);
  return absl::StartsWith(content, "@") || absl::StartsWith(content, "{") ||
         absl::StartsWith(content, "attributes");
}

std::optional<ModuleFormat> ModuleFormatFromName(absl::string_view name) {
  for (const FormatName& known : kFormatNames) {
    if (known.name == name) return known.format;
  }
  return std::nullopt;
}

absl::StatusOr<LoadedModule> ParseModuleFile(const std::string& name, absl::string_view content) {
  const absl::StatusOr<absl::string_view> graph = GraphOf(content);
  const absl::Status is_module = graph.ok() ? CheckIsModule(*graph) : graph.status();
  absl::StatusOr<LoadedModule> loaded =
      is_module.ok() ? Decode(EncodingOf(name, *graph), *graph) : is_module;
  if (!loaded.ok()) return Annotate(loaded.status(), name == "-" ? "standard input" : name);
  return loaded;
}

absl::StatusOr<LoadedModule> LoadModule(const std::string& path) {
  HLOCTS_ASSIGN_OR_RETURN(std::string content, ReadFile(path));
  return ParseModuleFile(path, content);
}

absl::StatusOr<std::string> FormatModuleFile(const Module& module, const SaveOptions& options) {
  PrintOptions print;
  switch (options.format) {
    case ModuleFormat::kText:
    case ModuleFormat::kShort:
    case ModuleFormat::kCanonical:
      if (options.format == ModuleFormat::kShort) print = PrintOptions::Short();
      if (options.format == ModuleFormat::kCanonical) print = PrintOptions::Canonical();
      if (!options.metadata) print.metadata = false;
      if (std::string text = PrintModule(module, print);
          !print.inline_called_computations || text.size() <= kInlineBytesMax) {
        return text;
      }
      return absl::ResourceExhaustedError(
          absl::StrCat("canonical: the text, with the body of each call, exceeds ", kInlineBytesMax,
                       " bytes; --to=text prints each body once"));
    case ModuleFormat::kProto:
    case ModuleFormat::kProtoText:
    case ModuleFormat::kSnapshot:
      break;
  }
  std::unique_ptr<Module> stripped;
  if (!options.metadata) {
    stripped = module.Clone();
    RemoveMetadata(stripped.get());
  }
  const Module& written = stripped ? *stripped : module;
  if (options.format == ModuleFormat::kProto) return SerializeModule(written);
  if (options.format == ModuleFormat::kProtoText) return PrintModuleProto(written);
  HLOCTS_ASSIGN_OR_RETURN(Snapshot snapshot, MakeSnapshot(written, options));
  return SerializeSnapshot(snapshot);
}

absl::Status SaveModule(const Module& module, const SaveOptions& options, const std::string& path) {
  HLOCTS_ASSIGN_OR_RETURN(std::string content, FormatModuleFile(module, options));
  return WriteFile(path, content);
}

}  // namespace hlocts
