// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/flags.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>
#include <utility>

namespace hlocts::tools {

struct Flags::Impl {
  CLI::App* app;
};

namespace {

// A number followed by one of the suffixes; "" is a suffix too.
std::optional<double> ParseScaled(const std::string& text,
                                  const std::vector<std::pair<std::string, double>>& scales) {
  double number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  std::string suffix(end, text.data() + text.size());
  for (const auto& [name, scale] : scales) {
    if (suffix == name) return number * scale;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> ParseDuration(const std::string& text) {
  return ParseScaled(text, {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"min", 60}, {"h", 3600}});
}

std::optional<int64_t> ParseBytes(const std::string& text) {
  auto bytes = ParseScaled(text, {{"", 1},
                                  {"K", 1024},
                                  {"M", 1 << 20},
                                  {"G", 1 << 30},
                                  {"KiB", 1024},
                                  {"MiB", 1 << 20},
                                  {"GiB", 1 << 30}});
  if (!bytes || *bytes > 9e18) return std::nullopt;
  return static_cast<int64_t>(*bytes);
}

void Flags::Add(const std::string& name, std::string* value, const std::string& help) {
  impl_->app->add_option(name, *value, help);
}
void Flags::Add(const std::string& name, int64_t* value, const std::string& help) {
  impl_->app->add_option(name, *value, help);
}
void Flags::Add(const std::string& name, std::optional<uint64_t>* value, const std::string& help) {
  impl_->app->add_option_function<uint64_t>(
      name, [value](const uint64_t& v) { *value = v; }, help);
}
void Flags::Add(const std::string& name, bool* value, const std::string& help) {
  impl_->app->add_flag(name, *value, help);
}
void Flags::Add(const std::string& name, std::vector<std::string>* values,
                const std::string& help) {
  impl_->app->add_option(name, *values, help)->allow_extra_args(false);
}

void Flags::AddDuration(const std::string& name, double* seconds, const std::string& help) {
  impl_->app->add_option_function<std::string>(
      name,
      [seconds, name](const std::string& text) {
        auto value = ParseDuration(text);
        if (!value)
          throw CLI::ValidationError(name, "expected a duration such as 60s, found " + text);
        *seconds = *value;
      },
      help);
}

void Flags::AddBytes(const std::string& name, int64_t* bytes, const std::string& help) {
  impl_->app->add_option_function<std::string>(
      name,
      [bytes, name](const std::string& text) {
        auto value = ParseBytes(text);
        if (!value) throw CLI::ValidationError(name, "expected bytes such as 8G, found " + text);
        *bytes = *value;
      },
      help);
}

void Flags::Positional(const std::string& name, std::string* value, const std::string& help) {
  impl_->app->add_option(name, *value, help);
}
void Flags::Positional(const std::string& name, std::vector<std::string>* values,
                       const std::string& help) {
  impl_->app->add_option(name, *values, help);
}

int RunCommands(int argc, char** argv, const std::vector<Command>& commands) {
  CLI::App app("hlocts: conformance suite and differential tests for HLO, the language of XLA");
  app.require_subcommand(1);
  app.set_version_flag("--version", "hlocts " HLOCTS_VERSION);
  std::function<int()> selected;
  std::vector<std::unique_ptr<Flags::Impl>> impls;
  for (const Command& command : commands) {
    CLI::App* sub = app.add_subcommand(command.name, command.help);
    impls.push_back(std::make_unique<Flags::Impl>(Flags::Impl{sub}));
    Flags flags(impls.back().get());
    auto run = command.declare(flags);
    sub->final_callback([&selected, run] { selected = run; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    int status = app.exit(error);  // prints help or the message
    return status == 0 ? 0 : 2;
  }
  return selected();
}

}  // namespace hlocts::tools
