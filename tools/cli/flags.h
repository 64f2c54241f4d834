// SPDX-License-Identifier: Apache-2.0
// Command-line flags of a subcommand. Only flags.cc includes the parsing library: the subcommands
// therefore compile fast, and print help and errors in the same form. Completion, the man page and
// hlocts.toml use the flags that are declared here (program_table.h).
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace hlocts::tools {

// The valid range of a number. The error for a number outside of it names both ends.
struct Range {
  int64_t least = 0;
  int64_t most = std::numeric_limits<int64_t>::max();
};

class Flags {
 public:
  struct Impl;
  explicit Flags(Impl* impl) : impl_(impl) {}

  // Declares a flag. `name` has the form "--profile" or "-o,--output". If the flag is absent, the
  // variable keeps its value, which help prints as the default. It is an error if the value is not
  // a number, is out of range or is not one of the choices.
  void Add(const std::string& name, std::string* value, const std::string& help);
  void Add(const std::string& name, int64_t* value, const std::string& help, Range range = {});
  void Add(const std::string& name, std::optional<uint64_t>* value, const std::string& help);
  void Add(const std::string& name, bool* value, const std::string& help);
  void Add(const std::string& name, std::vector<std::string>* values, const std::string& help);
  void AddChoice(const std::string& name, std::string* value,
                 const std::vector<std::string>& choices, const std::string& help);
  void AddProfile(std::string* value);
  void AddTier(std::string* value, const std::string& help);
  // Declares a duration above zero: 60, 60s, 5m, 2h, 250ms. Sets `given` if the flag is present.
  void AddDuration(const std::string& name, double* seconds, const std::string& help,
                   bool* given = nullptr);
  // Declares a number of bytes: 1000, 64K, 512M, 8G (powers of 1024).
  void AddBytes(const std::string& name, int64_t* bytes, const std::string& help);
  // Adds --watch, which runs the command again when a file that it reads changes (watch.h).
  void AddWatch();
  void Disable(const std::string& name, const std::string& reason);  // refuses an added flag
  // Adds a function that is called after parsing and before the command runs.
  void Then(std::function<void()> done);
  void Positional(const std::string& name, std::string* value, const std::string& help);
  // Completion offers the choices as the first word.
  void Positional(const std::string& name, std::vector<std::string>* values,
                  const std::string& help, const std::vector<std::string>& choices = {});

 private:
  Impl* impl_;
};

// A subcommand. `declare` declares the flags, and returns the function that runs after parsing and
// returns the exit status.
struct Command {
  std::string name;
  std::string help;
  std::function<std::function<int()>(Flags&)> declare;
};

// Parses argv with the flags of the commands and runs the selected command. Returns 2 for an error
// in the command line, 130 or 143 if Ctrl-C or SIGTERM ended the command.
int RunCommands(int argc, char** argv, const std::vector<Command>& commands);

std::optional<double> ParseDuration(const std::string& text);
std::optional<int64_t> ParseBytes(const std::string& text);
// Returns a size for people: "14.9 GiB", "8 GiB", "17 bytes".
std::string BytesText(int64_t bytes);
// Parses a text that consists of an unsigned number of at most 64 bits.
std::optional<uint64_t> ParseUnsigned(const std::string& text);

}  // namespace hlocts::tools
