// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/flags.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "reports/finding_file.h"
#include "spec/base/nearest.h"
#include "spec/base/version.h"
#include "tools/cli/config_file.h"
#include "tools/cli/flag_values.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/limits.h"
#include "tools/cli/program_table.h"
#include "tools/cli/watch.h"

namespace hlocts::tools {

struct Flags::Impl {
  CLI::App* app;
  CommandInfo info;
  std::vector<std::function<void()>> then = {};
  bool watch = false;

  CLI::Option* Note(CLI::Option* option, OptionInfo row) {
    option->type_name(row.argument);
    if (!row.standard.empty()) option->default_str(row.standard);
    info.options.push_back(std::move(row));
    return option;
  }
};

namespace {

constexpr int kOutputLost = 2;
constexpr double kSecondsMax = 3e8;
constexpr int64_t kBytesMin = 1000;

[[noreturn]] void Refuse(const std::string& name, const std::string& expected,
                         const std::string& found) {
  throw CLI::ValidationError(name.substr(name.rfind(',') + 1),
                             absl::StrCat("expected ", expected, ", found \"", found, "\""));
}

}  // namespace

void Flags::Add(const std::string& name, std::string* value, const std::string& help) {
  const std::string usual = *value;
  auto set = [=](const std::string& text) {
    // An empty value often comes from an unset variable in a script.
    if (text.empty()) Refuse(name, "a value", text);
    *value = text;
  };
  impl_->Note(impl_->app->add_option_function<std::string>(name, set, help),
              {name, "TEXT", usual, help, {}, false});
}

void Flags::Add(const std::string& name, int64_t* value, const std::string& help, Range range) {
  auto set = [=](const std::string& text) {
    int64_t number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < range.least ||
        number > range.most) {
      Refuse(name, RangeText(range), text);
    }
    *value = number;
  };
  impl_->Note(impl_->app->add_option_function<std::string>(name, set, help),
              {name, "N", *value == 0 ? "" : absl::StrCat(*value), help, {}, false});
}

void Flags::Add(const std::string& name, std::optional<uint64_t>* value, const std::string& help) {
  auto set = [=](const std::string& text) {
    *value = ParseUnsigned(text);
    if (!*value) Refuse(name, "a number from 0 to 2^64 - 1", text);
  };
  impl_->Note(impl_->app->add_option_function<std::string>(name, set, help),
              {name, "N", "", help, {}, false});
}

void Flags::Add(const std::string& name, bool* value, const std::string& help) {
  impl_->Note(impl_->app->add_flag(name, *value, help), {name, "", "", help, {}, false});
}

void Flags::Add(const std::string& name, std::vector<std::string>* values,
                const std::string& help) {
  const auto refuse_empty = [](const std::string& text) {
    return text.empty() ? "expected a value, found \"\"" : "";
  };
  impl_->Note(
      impl_->app->add_option(name, *values, help)->allow_extra_args(false)->check(refuse_empty),
      {name, "TEXT", absl::StrJoin(*values, ","), help, {}, false});
}

void Flags::AddChoice(const std::string& name, std::string* value,
                      const std::vector<std::string>& choices, const std::string& help) {
  auto set = [=](const std::string& text) {
    if (std::find(choices.begin(), choices.end(), text) == choices.end())
      throw CLI::ValidationError(
          name, absl::StrCat("expected one of ", absl::StrJoin(choices, ", "), ", found \"", text,
                             "\"", DidYouMean(text, choices)));
    *value = text;
  };
  impl_->Note(impl_->app->add_option_function<std::string>(
                  name, set, absl::StrCat(help, ": ", absl::StrJoin(choices, ", "))),
              {name, "NAME", *value, help, choices, false});
}

void Flags::AddProfile(std::string* value) {
  AddChoice("--profile", value, {"strict", "default", "relaxed"}, "strictness of the judge");
}

void Flags::AddTier(std::string* value, const std::string& help) {
  AddChoice("--tier", value, {"smoke", "presubmit", "nightly", "exhaustive"}, help);
}

void Flags::AddDuration(const std::string& name, double* seconds, const std::string& help,
                        bool* given) {
  auto set = [=](const std::string& text) {
    auto value = ParseDuration(text);
    if (!value || *value <= 0 || *value > kSecondsMax)
      Refuse(name, "a duration such as 250ms, 60s, 5m or 2h (no unit: seconds), below 10 years",
             text);
    *seconds = *value;
    if (given) *given = true;
  };
  impl_->Note(impl_->app->add_option_function<std::string>(name, set, help),
              {name, "DURATION", DurationText(*seconds), help, {}, false});
}

void Flags::AddBytes(const std::string& name, int64_t* bytes, const std::string& help) {
  auto set = [=](const std::string& text) {
    auto value = ParseBytes(text);
    if (!value || *value < kBytesMin) Refuse(name, "bytes such as 8G, at least 1000", text);
    *bytes = *value;
  };
  impl_->Note(impl_->app->add_option_function<std::string>(name, set, help),
              {name, "BYTES", SpelledBytes(*bytes), help, {}, false});
}

void Flags::AddWatch() {
  Add("--watch", &impl_->watch, "rerun whenever a file that it reads changes, until Ctrl-C");
}

void Flags::Disable(const std::string& name, const std::string& reason) {
  std::erase_if(impl_->info.options, [&](const OptionInfo& row) { return row.name == name; });
  impl_->app->remove_option(impl_->app->get_option(name));
  const auto refuse = [=](const std::string&) { throw CLI::ValidationError(name, reason); };
  impl_->app->add_option_function<std::string>(name, refuse)->group("");
}

void Flags::Then(std::function<void()> done) { impl_->then.push_back(std::move(done)); }

void Flags::Positional(const std::string& name, std::string* value, const std::string& help) {
  impl_->Note(impl_->app->add_option(name, *value, help)->transform(reports::InstalledFinding),
              {name, "", "", help, {}, true});
}
void Flags::Positional(const std::string& name, std::vector<std::string>* values,
                       const std::string& help, const std::vector<std::string>& choices) {
  impl_->Note(impl_->app->add_option(name, *values, help)->transform(reports::InstalledFinding),
              {name, "", "", help, choices, true});
}

namespace {

// The state of the program while it parses its command line.
struct Program {
  CLI::App app{"hlocts: conformance suite and differential tests for HLO, the language of XLA",
               "hlocts"};
  std::vector<std::unique_ptr<Flags::Impl>> impls;
  std::function<int()> selected;
  bool watch = false;  // true: the selected command runs again after changes of its files

  ProgramTable Table() const {
    ProgramTable table;
    for (const auto& impl : impls) table.push_back(impl->info);
    return table;
  }
  const Flags::Impl* Find(const std::string& name) const {
    const auto found = absl::c_find_if(impls, [&](auto& impl) { return impl->info.name == name; });
    return found == impls.end() ? nullptr : found->get();
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& impl : impls) names.push_back(impl->info.name);
    return names;
  }
};

std::string TopicNames() {
  return absl::StrJoin(HelpTopics(), ", ",
                       [](auto* names, const auto& one) { *names += one.first; });
}

std::string TopicsText() {
  return absl::StrCat("hlocts help TOPIC: ", TopicNames(), ".\n", HelpPagesText(), ".\n");
}

// The commands help, completion and man use the table of all other commands.
int Help(Program& program, const std::vector<std::string>& words) {
  // App::help would describe the selected subcommand, which is `help` itself.
  if (words.empty()) {
    std::cout << program.app.get_formatter()->make_help(&program.app, program.app.get_name(),
                                                        CLI::AppFormatMode::Normal);
    return 0;
  }
  if (words[0] == "topics") return std::cout << TopicsText(), 0;
  std::vector<std::string> known = program.Names();
  for (const auto& [name, text] : HelpTopics()) {
    known.push_back(name);
    if (name != words[0]) continue;
    std::cout << text;
    return 0;
  }
  const absl::StatusOr<std::string> page = HelpPage(words[0]);
  if (const Flags::Impl* impl = program.Find(words[0])) {
    std::cout << impl->app->help("hlocts");
    if (page.ok()) std::cout << "\nGuide: hlocts help " << words[0] << ".md\n";
    return 0;
  }
  if (page.ok()) return std::cout << *page, 0;
  return Wrong("help", absl::StrCat("no subcommand and no topic \"", words[0], "\"",
                                    DidYouMean(words[0], known), "; topics: ", TopicNames()));
}

int Complete(Program& program, const std::vector<std::string>& words) {
  const std::string shell = words.empty() ? "" : words[0];
  if (shell != "bash" && shell != "zsh")
    return Wrong("completion", absl::StrCat("expected bash or zsh, found ", FoundText(shell)));
  std::cout << (shell == "bash" ? BashCompletion : ZshCompletion)(program.Table());
  return 0;
}

// Adds a built-in command. If `words_help` is not empty, the command accepts any words. Stores the
// command object for the table.
CLI::App* AddBuiltIn(Program& program, const std::string& name, const std::string& help,
                     const std::string& words_help, const std::vector<std::string>& choices,
                     int (*run)(Program&, const std::vector<std::string>&)) {
  CLI::App* sub = program.app.add_subcommand(name, help);
  program.impls.push_back(std::make_unique<Flags::Impl>(Flags::Impl{sub, {name, help, {}}}));
  auto words = std::make_shared<std::vector<std::string>>();
  if (!words_help.empty())
    Flags(program.impls.back().get()).Positional("WORD", words.get(), words_help, choices);
  sub->final_callback([&program, words, run] {
    program.selected = [&program, words, run] { return run(program, *words); };
  });
  return sub;
}

void Declare(Program& program, const std::vector<Command>& commands) {
  for (const Command& command : commands) {
    CLI::App* sub = program.app.add_subcommand(command.name, command.help);
    program.impls.push_back(
        std::make_unique<Flags::Impl>(Flags::Impl{sub, {command.name, command.help, {}}}));
    Flags flags(program.impls.back().get());
    auto run = command.declare(flags);
    Flags::Impl* impl = program.impls.back().get();
    sub->final_callback([&program, run, impl] {
      for (const auto& done : impl->then) done();
      program.selected = run;
      program.watch = impl->watch;
    });
    std::string examples = ExamplesOf(command.name);
    sub->footer(absl::StrCat(examples.empty() ? "" : absl::StrCat("\nExamples:\n", examples),
                             "\nExit status: hlocts help exit-status."));
  }
  std::vector<std::string> described = program.Names();
  for (const auto& [name, text] : HelpTopics()) described.push_back(name);
  AddBuiltIn(program, "help", "describe a subcommand or a topic",
             "subcommand, topic or PAGE.md of a guide", described, Help);
  AddBuiltIn(program, "completion", "print a completion: source <(hlocts completion bash)",
             "bash or zsh", {"bash", "zsh"}, Complete);
  AddBuiltIn(program, "man", "print the manual page: hlocts man | man -l -", "", {},
             [](Program& table, const std::vector<std::string>&) {
               std::cout << ManPage(table.Table(), kVersion);
               return 0;
             });
  program.app.footer(absl::StrCat("\n", TopicsText(), "\n", ExitStatusText()));
}

// Returns the error about words that the parser did not accept, in the form of other errors.
std::string Unexpected(const Program& program, const std::string& command) {
  std::vector<std::string> left = program.app.remaining(true), options;
  std::string takes;  // the only argument of the command
  const Flags::Impl* impl = program.Find(command);
  for (const OptionInfo& option : impl ? impl->info.options : std::vector<OptionInfo>()) {
    if (option.positional) takes = absl::AsciiStrToLower(option.name);
    for (absl::string_view name : absl::StrSplit(option.name, ',')) options.emplace_back(name);
  }
  for (const std::string& word : left) {
    std::string name = word.substr(0, word.find('='));
    if (absl::StartsWith(name, "-"))
      return absl::StrCat("no option ", name, DidYouMean(name, options));
    if (!takes.empty())
      return absl::StrCat("expected one ", takes, ", found another: \"", word, "\"");
    return absl::StrCat("expected no argument, found \"", word, "\"");
  }
  return "";
}

std::string MessageOf(const Program& program, const CLI::ParseError& error,
                      const std::string& command) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError))
    return Unexpected(program, command);
  std::string message = error.what();
  // The parser's message is "--seed: 1 required N missing".
  if (absl::StrContains(message, " required ") && absl::EndsWith(message, " missing"))
    return absl::StrCat(message.substr(0, message.find(':')), ": expected a value");
  return message;
}

// Throws CLI::ParseError. The parser expects the words in reverse order, and removes them.
void ParseWords(Program& program, const std::vector<std::string>& words) {
  const Flags::Impl* command = program.Find(words.empty() ? "" : words[0]);
  std::vector<std::string> all;
  bool options = command != nullptr;
  for (const std::string& word : words) {
    options &= word != "--";
    const std::string name(absl::StripSuffix(word, "="));
    const CLI::Option* option = nullptr;
    if (options && name != word && absl::StartsWith(name, "-"))
      option = command->app->get_option_no_throw(name);
    if (option && option->get_items_expected_max() == 0)
      throw CLI::ValidationError(name, "expected no value, found \"\"");
    all.push_back(option ? name : word);
    // After "--name=", the parser would take the next word as the value.
    if (option) all.emplace_back();
  }
  program.app.parse(std::vector<std::string>(all.rbegin(), all.rend()));
}

bool Parses(Program& program, const std::vector<std::string>& words) {
  try {
    ParseWords(program, words);
    return true;
  } catch (const CLI::ParseError&) {
    return false;
  }
}

int Parse(Program& program, std::vector<std::string> words) {
  const size_t given = words.size();
  std::string config;
  const std::string command = words.empty() ? "" : words[0];
  const bool is_command = program.Find(command) != nullptr;
  if (command.empty()) return Wrong("", "expected a subcommand");
  if (absl::StartsWith(command, "-") && !absl::StartsWith(command, "-h") && command != "--help" &&
      command != "--version") {
    return Wrong("",
                 absl::StrCat("no option ", command, DidYouMean(command, {"--help", "--version"})));
  }
  if (!is_command && !absl::StartsWith(command, "-"))
    return Wrong("", absl::StrCat("no subcommand \"", command, "\"",
                                  command == "nightly" ? ": run the script share/hlocts/ci/nightly"
                                                       : DidYouMean(command, program.Names())));
  if (is_command && command != "worker") {
    auto extended = WithConfigFile(program.Table(), std::move(words), config);
    if (!extended.ok()) {
      std::fprintf(stderr, "hlocts: %s (see hlocts help config)\n",
                   std::string(extended.status().message()).c_str());
      return 2;
    }
    words = *std::move(extended);
  }
  try {
    ParseWords(program, words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.app.exit(error);  // --help or --version
    std::string message = MessageOf(program, error, command);
    if (words.size() > given && Parses(program, {words.begin(), words.begin() + given}))
      message = absl::StrCat(config, ": ", absl::StripPrefix(message, "--"));  // names the key
    return Wrong(is_command ? command : "", message);
  }
  return -1;
}

// Returns `status`, or a failure if output was lost (e.g. on a full disk). It is no error if the
// other end of a pipe (`| head`) closes it.
int WithOutput(int status) {
  std::cout.flush();
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && std::cout && std::ferror(stdout) == 0) return status;
  // If an earlier write failed, its errno is lost; another write sets it again.
  if (errno == 0 && write(STDOUT_FILENO, "\n", 1) == 1) errno = EIO;
  if (errno == EPIPE) return status;
  std::fprintf(stderr, "hlocts: cannot write standard output: %s\n", std::strerror(errno));
  return std::max(status, kOutputLost);
}

int RunProgram(int argc, char** argv, const std::vector<Command>& commands) {
  Program program;
  program.app.require_subcommand(1);
  program.app.set_version_flag("--version", absl::StrCat("hlocts ", kVersion));
  Declare(program, commands);
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  const bool is_worker = !words.empty() && words[0] == "worker";
  int status = Parse(program, words);
  if (status >= 0) return status;
  if (!is_worker) {
    WatchInterrupts();
    LimitMemory();
  }
  if (program.watch) RunWatching(words);
  status = program.selected();
  return Interrupted() ? InterruptStatus() : status;
}

}  // namespace

int RunCommands(int argc, char** argv, const std::vector<Command>& commands) {
  try {
    return WithOutput(RunProgram(argc, argv, commands));
  } catch (const std::filesystem::filesystem_error& error) {
    std::fprintf(stderr, "hlocts: %s\n", error.what());
    return 2;
  } catch (const std::system_error& error) {  // of a thread
    std::fprintf(stderr, "hlocts: cannot start a thread: %s\n", error.code().message().c_str());
    return 2;
  }
}

}  // namespace hlocts::tools
