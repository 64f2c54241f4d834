// SPDX-License-Identifier: Apache-2.0
// Runs a libFuzzer target on all files of the directories, and on COUNT mutations of them.
//
//   replay_<target> COUNT SEED FOLDER...
//
// The inputs depend only on the arguments: neither on coverage, which varies with libraries and
// addresses, nor on a clock. A test therefore has the same result on every machine. ci/fuzz
// searches with libFuzzer itself. An input that shows a defect is left in replay_<target>.input.
#include <sanitizer/common_interface_defs.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "generators/arguments.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace hlocts::fuzz {
namespace {

constexpr size_t kSizeMax = 16 << 10;  // of a mutated input
constexpr uint64_t kEditsMax = 4;
constexpr const char* kNumbers[] = {"0",
                                    "-1",
                                    "1",
                                    "2",
                                    "127",
                                    "65536",
                                    "2147483648",
                                    "4294967295",
                                    "9223372036854775807",
                                    "18446744073709551615",
                                    "1e39",
                                    "nan"};

std::string* current = nullptr;  // the input that is running
std::string* current_path = nullptr;

void KeepInput() {
  if (current == nullptr) return;
  std::FILE* file = std::fopen(current_path->c_str(), "wb");
  if (file == nullptr) return;
  std::fwrite(current->data(), 1, current->size(), file);
  std::fclose(file);
  std::fprintf(stderr, "replay: the input is in %s\n", current_path->c_str());
}

void OnAbort(int) {
  KeepInput();
  std::_Exit(77);
}

struct Digest {  // FNV-1a of all inputs; equal digests show that two runs had equal inputs
  uint64_t value = 0xcbf29ce484222325;
  int64_t inputs = 0, bytes = 0;

  void Add(const std::string& input) {
    for (char c : input) value = (value ^ static_cast<uint8_t>(c)) * 0x100000001b3;
    ++inputs;
    bytes += static_cast<int64_t>(input.size());
  }
};

std::vector<std::string> FilesOf(int count, char** folders) {
  std::vector<std::string> contents;
  for (int i = 0; i < count; ++i) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folders[i])) {
      if (entry.is_regular_file()) paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());  // directory order is unspecified
    for (const auto& path : paths) {
      std::ostringstream text;
      text << std::ifstream(path, std::ios::binary).rdbuf();
      contents.push_back(text.str());
    }
  }
  return contents;
}

// A part of the text, usually a short one.
struct Part {
  size_t begin, size;
};
Part PartOf(const std::string& text, generators::SplitMix64& random) {
  const size_t begin = random.Below(text.size() + 1);
  const size_t longest = size_t{1} << random.Below(9);
  return {begin, std::min(random.Below(longest) + 1, text.size() - begin)};
}

void ChangeByte(std::string& text, generators::SplitMix64& random) {
  if (!text.empty()) text[random.Below(text.size())] = static_cast<char>(random.Next());
}

void Erase(std::string& text, generators::SplitMix64& random) {
  const Part part = PartOf(text, random);
  text.erase(part.begin, part.size);
}

void ChangeNumber(std::string& text, generators::SplitMix64& random) {
  const size_t digit = text.find_first_of("0123456789", random.Below(text.size() + 1));
  if (digit == std::string::npos) return;
  const size_t end = std::min(text.find_first_not_of("0123456789", digit), text.size());
  text.replace(digit, end - digit, kNumbers[random.Below(std::size(kNumbers))]);
}

// Inserts a part of another input into this one, or replaces a part of this one by it.
void Splice(std::string& text, const std::string& other, generators::SplitMix64& random) {
  const Part from = PartOf(other, random), to = PartOf(text, random);
  const size_t replaced = random.Below(2) == 0 ? 0 : to.size;
  text.replace(to.begin, replaced, other, from.begin, from.size);
}

std::string Mutated(const std::vector<std::string>& files, generators::SplitMix64& random) {
  std::string text = files[random.Below(files.size())].substr(0, kSizeMax);
  for (uint64_t edits = random.Below(kEditsMax) + 1; edits > 0; --edits) {
    switch (random.Below(4)) {
      case 0:
        ChangeByte(text, random);
        break;
      case 1:
        Erase(text, random);
        break;
      case 2:
        ChangeNumber(text, random);
        break;
      case 3:
        Splice(text, files[random.Below(files.size())], random);
        break;
    }
  }
  return text;
}

void RunInput(std::string input, Digest& digest) {
  digest.Add(input);
  *current = std::move(input);
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(current->data()), current->size());
}

int Replay(int64_t count, uint64_t seed, const std::vector<std::string>& files) {
  Digest digest;
  for (const std::string& file : files) RunInput(file, digest);
  generators::SplitMix64 random(seed);
  for (int64_t i = 0; i < count; ++i) RunInput(Mutated(files, random), digest);
  std::printf("%lld inputs (%zu files), %lld bytes, digest %016llx\n",
              static_cast<long long>(digest.inputs), files.size(),
              static_cast<long long>(digest.bytes), static_cast<unsigned long long>(digest.value));
  return 0;
}

}  // namespace
}  // namespace hlocts::fuzz

int main(int argc, char** argv) {
  const std::string name = std::filesystem::path(argv[0]).filename();
  const std::vector<std::string> files =
      argc < 4 ? std::vector<std::string>() : hlocts::fuzz::FilesOf(argc - 3, argv + 3);
  if (files.empty()) {
    std::fprintf(stderr, "usage: %s COUNT SEED FOLDER... (with files in them)\n", name.c_str());
    return 2;
  }
  hlocts::fuzz::current = new std::string();
  hlocts::fuzz::current_path = new std::string(name + ".input");
  __sanitizer_set_death_callback(hlocts::fuzz::KeepInput);
  std::signal(SIGABRT, hlocts::fuzz::OnAbort);
  return hlocts::fuzz::Replay(std::atoll(argv[1]), std::strtoull(argv[2], nullptr, 10), files);
}
