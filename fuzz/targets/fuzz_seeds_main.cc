// SPDX-License-Identifier: Apache-2.0
// fuzz_seeds FOLDER MODULE... writes seed corpora (FOLDER/<target>/*) and dictionaries
// (FOLDER/<target>.dict) for the libFuzzer targets. It uses the given modules and generated ones,
// which together contain every operation. The output is the same on every machine.
#include <cstdio>
#include <filesystem>
#include <set>

#include "generators/arguments.h"
#include "generators/module_generator.h"
#include "spec/files/file_io.h"
#include "spec/files/literals_file.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"
#include "spec/proto/convert.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts::fuzz {
namespace {

constexpr int64_t kElementsMax = 4096;  // per seed, in all arguments together
constexpr uint64_t kGenerated = 96;     // modules

std::string PathOf(const std::string& folder, const std::string& target, const std::string& name) {
  std::string into = absl::StrCat(folder, "/", target);
  std::filesystem::create_directories(into);
  return absl::StrCat(into, "/", name);
}

int64_t Elements(const std::vector<Shape>& shapes) {
  int64_t elements = 0;
  for (const Shape& shape : shapes) elements += shape.IsArray() ? shape.ElementCount() : 0;
  return elements;
}

// Writes the module in every format in which it can be represented.
absl::Status WriteModule(const std::string& folder, const std::string& name,
                         const std::string& text) {
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Module> module, ParseModule(text));
  HLOCTS_ASSIGN_OR_RETURN(std::string proto, SerializeModule(*module));
  HLOCTS_RETURN_IF_ERROR(WriteFile(PathOf(folder, "fuzz_hlo_text", name), text));
  HLOCTS_RETURN_IF_ERROR(WriteFile(PathOf(folder, "fuzz_hlo_proto", name), proto));
  std::vector<Shape> shapes;
  bool plain = true;  // all parameters are arrays
  for (const Instruction* parameter : module->entry()->parameters()) {
    plain = plain && parameter->shape().IsArray();
    shapes.push_back(parameter->shape());
  }
  if (!plain || Elements(shapes) > kElementsMax) return absl::OkStatus();
  LiteralsFile inputs;
  inputs.blocks.push_back(
      {kEvery, kEvery,
       generators::GenerateArguments(shapes, 1, generators::ArgumentStyle::kSpecial)});
  HLOCTS_RETURN_IF_ERROR(WriteFile(PathOf(folder, "fuzz_literal", name), FormatLiterals(inputs)));
  Snapshot snapshot{.module = std::move(module),
                    .arguments = inputs.blocks[0].leaves,
                    .execution_platform = "seed"};
  HLOCTS_ASSIGN_OR_RETURN(std::string bytes, SerializeSnapshot(snapshot));
  return WriteFile(PathOf(folder, "fuzz_snapshot", name), bytes);
}

absl::Status WriteModules(const std::string& folder, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    HLOCTS_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
    HLOCTS_RETURN_IF_ERROR(WriteModule(folder, std::filesystem::path(path).stem(), text));
  }
  generators::GeneratorOptions options{.stream = generators::Stream::kEdge, .replicas_max = 2};
  for (uint64_t number = 0; number < kGenerated; ++number) {
    generators::SeedSource choose(1, number);
    const std::string text =
        PrintModule(*generators::Generate(choose, options).module, PrintOptions::Short());
    HLOCTS_RETURN_IF_ERROR(WriteModule(folder, absl::StrCat("generated_", number), text));
  }
  return absl::OkStatus();
}

// Writes inputs of the generator (its decisions) for modules with few and with many instructions.
absl::Status WriteDecisions(const std::string& folder) {
  generators::SplitMix64 random(1);
  for (size_t size : {16, 64, 128, 192, 256, 384, 512, 768}) {
    for (int i = 0; i < 8; ++i) {
      std::string bytes(size, '\0');
      for (char& byte : bytes) byte = static_cast<char>(random.Next());
      for (const char* target : {"fuzz_diff_cpu", "fuzz_metamorphic"}) {
        HLOCTS_RETURN_IF_ERROR(
            WriteFile(PathOf(folder, target, absl::StrCat(size, ".", i)), bytes));
      }
    }
  }
  return absl::OkStatus();
}

std::string Dictionary(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& word : words) absl::StrAppend(&text, "\"", word, "\"\n");
  return text;
}

absl::Status WriteDictionaries(const std::string& folder) {
  std::set<std::string> types, names;
  for (PrimitiveType type : AllPrimitiveTypes())
    types.insert(absl::StrCat(PrimitiveTypeName(type), "["));
  for (Opcode opcode : AllOpcodes()) names.insert(std::string(OpcodeName(opcode)));
  std::set<std::string> text = types, literals = types;
  for (const std::string& name : names) text.insert(absl::StrCat(name, "("));
  for (int attr = 0; attr < kAttrCount; ++attr) {
    text.insert(absl::StrCat(AttrName(static_cast<Attr>(attr)), "="));
  }
  text.insert({"HloModule ", "ENTRY ", "ROOT ", "parameter(0)", "{1,0}", "<=", "%", "metadata={",
               "sharding={"});
  literals.insert({"nan(0x", "-nan", "-inf", "true", "token[]", "<=4](3)", "replica 0 partition 1",
                   "{1,0}", "arg0.npy", "r0.p0.arg0.npy", "PK\\x03\\x04", "PK\\x01\\x02",
                   "PK\\x05\\x06", "\\x93NUMPY\\x01\\x00",
                   "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"});
  HLOCTS_RETURN_IF_ERROR(WriteFile(absl::StrCat(folder, "/fuzz_hlo_text.dict"), Dictionary(text)));
  HLOCTS_RETURN_IF_ERROR(
      WriteFile(absl::StrCat(folder, "/fuzz_literal.dict"), Dictionary(literals)));
  for (const char* target : {"fuzz_hlo_proto", "fuzz_snapshot"}) {
    HLOCTS_RETURN_IF_ERROR(
        WriteFile(absl::StrCat(folder, "/", target, ".dict"), Dictionary(names)));
  }
  return absl::OkStatus();
}

absl::Status WriteSeeds(const std::string& folder, const std::vector<std::string>& modules) {
  HLOCTS_RETURN_IF_ERROR(WriteModules(folder, modules));
  HLOCTS_RETURN_IF_ERROR(WriteDecisions(folder));
  return WriteDictionaries(folder);
}

}  // namespace
}  // namespace hlocts::fuzz

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: fuzz_seeds FOLDER MODULE...\n");
    return 2;
  }
  std::filesystem::create_directories(argv[1]);
  absl::Status status = hlocts::fuzz::WriteSeeds(argv[1], {argv + 2, argv + argc});
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
