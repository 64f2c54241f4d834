// SPDX-License-Identifier: Apache-2.0
#include "suites/sweep.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "absl/strings/str_format.h"
#include "spec/ir/module.h"

namespace hlocts::suites {
namespace {

constexpr int64_t kPatterns = int64_t{1} << 32;

uint64_t HashOf(absl::string_view bytes, uint64_t hash = 14695981039346656037u) {
  // Hashes eight bytes at a time, because a part has megabytes.
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    uint64_t word;
    std::memcpy(&word, bytes.data(), 8);
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  for (char c : bytes) hash = (hash ^ static_cast<uint8_t>(c)) * 1099511628211u;
  return hash;
}

// Returns a hash of this program: the judge in another build may accept other outputs.
uint64_t ProgramHash() {
  static const uint64_t hash = [] {
    std::ifstream in("/proc/self/exe", std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    return HashOf(bytes);
  }();
  return hash;
}

uint64_t HashOfOutputs(const std::vector<std::vector<Literal>>& outputs) {
  uint64_t hash = HashOf("");
  for (const std::vector<Literal>& leaves : outputs) {
    for (const Literal& leaf : leaves) {
      hash = HashOf({reinterpret_cast<const char*>(leaf.raw_data()), leaf.raw_size()}, hash);
    }
  }
  return hash;
}

struct Accepted {
  uint64_t hash = 0;
  int64_t elements = 0, unspecified = 0;
  double bits = 0;  // bits checked, per element
};

// The accepted parts of one module, in a file. Remembers nothing if the file cannot be written.
class Memory {
 public:
  Memory(const Module& module, const Case& one, const backends::DiffOptions& options,
         const backends::BackendInfo& info) {
    const char* folder = std::getenv("HLOCTS_SWEEPS");
    const char* home = std::getenv("HOME");
    std::string path = folder ? folder : home ? absl::StrCat(home, "/.cache/hlocts/sweeps") : "";
    if (path.empty()) return;
    std::error_code error;
    std::filesystem::create_directories(path, error);
    std::string key = absl::StrCat(one.module_text, ProfileName(options.profile), module.name());
    for (const std::string& fact : info.facts) absl::StrAppend(&key, " ", fact);
    path_ = absl::StrFormat("%s/%016x", path, HashOf(key, ProgramHash()));
    std::ifstream in(path_);
    int64_t part = 0;
    for (Accepted a; in >> part >> a.hash >> a.elements >> a.unspecified >> a.bits;)
      parts_[part] = a;
  }
  const Accepted* Find(int64_t part, uint64_t hash) const {
    auto found = parts_.find(part);
    return found != parts_.end() && found->second.hash == hash ? &found->second : nullptr;
  }
  void Add(int64_t part, const Accepted& a) {
    if (path_.empty()) return;
    std::ofstream(path_, std::ios::app)
        << absl::StrFormat("%d %d %d %d %.6f\n", part, a.hash, a.elements, a.unspecified, a.bits);
  }

 private:
  std::string path_;
  std::map<int64_t, Accepted> parts_;
};

Literal Part(const Shape& shape, int64_t part) {
  Literal literal = Literal::Uninitialized(shape);
  uint32_t next = static_cast<uint32_t>(part * shape.ElementCount());
  for (uint32_t& bits : literal.mutable_data<uint32_t>()) bits = next++;
  return literal;
}

void AddTo(reports::Verdict& sum, const Accepted& part) {
  double bits = sum.bits_checked_mean * static_cast<double>(sum.elements) +
                part.bits * static_cast<double>(part.elements);
  sum.elements += part.elements;
  sum.unspecified_elements += part.unspecified;
  sum.bits_checked_mean = sum.elements > 0 ? bits / static_cast<double>(sum.elements) : 0;
}

// Runs and judges one part. If it passes, adds it to the sum; otherwise returns its verdict.
std::optional<reports::Verdict> RunPart(const Module& module, backends::Executable& executable,
                                        const Shape& shape, int64_t part,
                                        const backends::DiffOptions& options,
                                        const backends::BackendInfo& info, Memory& memory,
                                        reports::Verdict& sum) {
  backends::ExecuteRequest request;
  request.arguments = {{Part(shape, part)}};
  auto result = executable.Execute(request);
  if (!result.ok()) {
    return backends::VerdictOf(backends::FailedRun(result.status()));
  }
  sum.seconds += result->seconds;
  uint64_t hash = HashOfOutputs(result->outputs);
  if (const Accepted* known = memory.Find(part, hash)) {
    AddTo(sum, *known);
    return std::nullopt;
  }
  reports::Verdict verdict =
      backends::Differ(module, request, options).JudgeOutputs(result->outputs, info.facts);
  if (verdict.kind != Outcome::kPass) {
    verdict.notes.push_back(absl::StrFormat("part %d of the sweep: element 0 has the bits 0x%08x",
                                            part, part * shape.ElementCount()));
    return verdict;
  }
  Accepted accepted = {hash, verdict.elements, verdict.unspecified_elements,
                       verdict.bits_checked_mean};
  memory.Add(part, accepted);
  AddTo(sum, accepted);
  return std::nullopt;
}

}  // namespace

reports::Verdict RunSweep(const Case& one, const Module& module, backends::Backend& backend,
                          const backends::DiffOptions& options, const std::function<bool()>& stop) {
  reports::Verdict sum;
  std::vector<Shape> leaves = backends::ArgumentLeafShapes(module);
  bool fits = leaves.size() == 1 && BitWidth(leaves[0].element_type()) == 32 &&
              leaves[0].ElementCount() > 0 && kPatterns % leaves[0].ElementCount() == 0;
  if (!fits) {
    sum.reason = "a sweep: expected a parameter of 32-bit elements, 2^N of them";
    return sum;
  }
  auto executable = backend.Load(module, options.load);
  if (!executable.ok()) {
    return backends::VerdictOf(backends::FailedRun(executable.status()));
  }
  const backends::BackendInfo info = backend.info();
  Memory memory(module, one, options, info);
  for (int64_t part = 0; part < kPatterns / leaves[0].ElementCount(); ++part) {
    if (stop()) {
      sum.reason = absl::StrCat("interrupted before part ", part, " of the sweep");
      return sum;
    }
    auto wrong = RunPart(module, **executable, leaves[0], part, options, info, memory, sum);
    if (wrong) return *std::move(wrong);
  }
  sum.kind = Outcome::kPass;
  return sum;
}

}  // namespace hlocts::suites
