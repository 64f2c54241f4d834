// SPDX-License-Identifier: Apache-2.0
// Command-line flags of a subcommand. One file (flags.cc) includes the parsing library, so that the
// subcommands compile fast and all print help and errors in one way.
#ifndef HLOCTS_TOOLS_CLI_FLAGS_H_
#define HLOCTS_TOOLS_CLI_FLAGS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hlocts::tools {

class Flags {
 public:
  struct Impl;
  explicit Flags(Impl* impl) : impl_(impl) {}

  // `name` is "--profile" or "-o,--output"; the variable keeps its value when the flag is not
  // given.
  void Add(const std::string& name, std::string* value, const std::string& help);
  void Add(const std::string& name, int64_t* value, const std::string& help);
  void Add(const std::string& name, std::optional<uint64_t>* value, const std::string& help);
  void Add(const std::string& name, bool* value, const std::string& help);
  void Add(const std::string& name, std::vector<std::string>* values, const std::string& help);
  // 60, 60s, 5m, 2h, 250ms.
  void AddDuration(const std::string& name, double* seconds, const std::string& help);
  // 1000, 64K, 512M, 8G (powers of 1024).
  void AddBytes(const std::string& name, int64_t* bytes, const std::string& help);
  void Positional(const std::string& name, std::string* value, const std::string& help);
  void Positional(const std::string& name, std::vector<std::string>* values,
                  const std::string& help);

 private:
  Impl* impl_;
};

// A subcommand declares its flags and returns what runs after parsing; that returns the exit
// status.
struct Command {
  std::string name;
  std::string help;
  std::function<std::function<int()>(Flags&)> declare;
};

// Parses argv against the commands and runs the one named. 2 for a wrong command line.
int RunCommands(int argc, char** argv, const std::vector<Command>& commands);

std::optional<double> ParseDuration(const std::string& text);
std::optional<int64_t> ParseBytes(const std::string& text);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_CLI_FLAGS_H_
