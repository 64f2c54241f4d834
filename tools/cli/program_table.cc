// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/program_table.h"

#include <filesystem>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/files/file_io.h"
#include "spec/files/home_folder.h"

namespace hlocts::tools {
namespace {

constexpr char kPages[] = "/docs/pages/";

struct Example {
  const char *command, *line, *what;
};
constexpr Example kExamples[] = {
#define HLOCTS_EXAMPLE(command, line, what) {command, line, what},
#include "tools/cli/examples.def"
#undef HLOCTS_EXAMPLE
};

struct Rewriter {
  absl::string_view name, form, release;
};
constexpr Rewriter kRewriters[] = {
#define HLOCTS_REWRITER(name, form, release, pass) {name, #form, release},
#include "backends/passes/rewriters.def"
#undef HLOCTS_REWRITER
};

std::string RewritersText() {
  std::string conversions, passes, others;
  for (const Rewriter& rewriter : kRewriters) {
    const bool alone = !rewriter.release.empty() && rewriter.form == "kHlo";
    std::string& list = rewriter.release == "xla" ? passes : alone ? conversions : others;
    absl::StrAppend(&list, "  ", rewriter.name, "\n");
  }
  return absl::StrCat(
      "Rewriters (--backend=rewriter:NAME of fuzz, diff, run): the rewritten module is evaluated "
      "by the\nreference and judged by the sets of the original module.\n"
      "Conversions to StableHLO and back, after `hlocts engines install NAME`:\n",
      conversions,
      "Passes of XLA, after `hlocts engines install xla` or in a build with XLA's C++:\n", passes,
      "Passes and programs that need a build with XLA's C++ (-DHLOCTS_XLA_DIR):\n", others,
      "  exec:COMMAND          a program that answers Convert of backends/worker.proto\n");
}

struct ExitStatus {
  const char *status, *when;
};
constexpr ExitStatus kExitStatuses[] = {
#define HLOCTS_EXIT_STATUS(status, when) {status, when},
#include "tools/cli/exit_status.def"
#undef HLOCTS_EXIT_STATUS
};

// Returns the names of the option: short, long or both.
std::vector<std::string> NamesOf(const OptionInfo& option) {
  return absl::StrSplit(option.name, ',');
}

std::string QuotedForZsh(const std::string& text) {
  return absl::StrReplaceAll(text, {{"'", "'\\''"}, {"[", "\\["}, {"]", "\\]"}, {":", "\\:"}});
}

// Escapes the characters that roff interprets: backslashes, and a dot or quote at the beginning of
// a line.
std::string Roff(const std::string& text) {
  std::string out;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (absl::StartsWith(line, ".") || absl::StartsWith(line, "'")) absl::StrAppend(&out, "\\&");
    absl::StrAppend(&out, absl::StrReplaceAll(line, {{"\\", "\\e"}, {"-", "\\-"}}), "\n");
  }
  out.pop_back();
  return out;
}

}  // namespace

std::string ExitStatusText() {
  std::string text = "Exit status:\n";
  for (const ExitStatus& row : kExitStatuses)
    absl::StrAppendFormat(&text, "  %-4s %s\n", row.status, row.when);
  return text;
}

std::vector<std::pair<std::string, std::string>> HelpTopics() {
  return {
#define HLOCTS_TOPIC(name, text) {name, text},
#include "tools/cli/topics.def"
#undef HLOCTS_TOPIC
      {"rewriters", RewritersText()},
      {"exit-status", ExitStatusText()},
  };
}

std::string HelpPagesText() {
  std::set<std::string> names;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(HomeFolder() + kPages, none))
    if (entry.path().extension() == ".md") names.insert(entry.path().stem());
  return absl::StrCat("hlocts help PAGE.md, a guide: ", absl::StrJoin(names, ", "));
}

absl::StatusOr<std::string> HelpPage(absl::string_view name) {
  if (absl::StrContains(name, '/')) return InvalidInput("expected a name without a slash");
  return ReadFile(absl::StrCat(HomeFolder(), kPages, absl::StripSuffix(name, ".md"), ".md"));
}

std::string ExamplesOf(const std::string& command) {
  std::string text;
  for (const Example& example : kExamples) {
    if (example.command == command)
      absl::StrAppend(&text, "  ", example.line, "\n      ", example.what, "\n");
  }
  return text;
}

std::string BashCompletion(const ProgramTable& table) {
  std::string text =
      "# bash completion of hlocts: source <(hlocts completion bash)\n_hlocts() {\n"
      "  local current=\"${COMP_WORDS[COMP_CWORD]}\" command=\"${COMP_WORDS[1]}\" words=\"\"\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    words=\"";
  for (const CommandInfo& command : table) absl::StrAppend(&text, command.name, " ");
  absl::StrAppend(&text, "--help --version\"\n  else\n    case \"$command\" in\n");
  for (const CommandInfo& command : table) {
    absl::StrAppend(&text, "      ", command.name, ") words=\"");
    for (const OptionInfo& option : command.options) {
      const std::string long_name = NamesOf(option).back();
      if (option.name.find(',') == 2) absl::StrAppend(&text, option.name.substr(0, 2), " ");
      if (!option.positional)
        absl::StrAppend(&text, long_name, option.argument.empty() ? " " : "= ");
      for (const std::string& choice : option.choices)
        absl::StrAppend(&text, option.positional ? "" : long_name + "=", choice, " ");
    }
    absl::StrAppend(&text, "--help\" ;;\n");
  }
  absl::StrAppend(
      &text,
      "    esac\n  fi\n  COMPREPLY=()\n"
      "  if [[ \"$current\" == -* || \"$COMP_CWORD\" -le 2 && \"$words\" == [a-z]* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "    [[ \"${COMPREPLY[*]}\" == *= ]] && compopt -o nospace\n  else\n"
      "    compopt -o default\n  fi\n}\n"
      "# An option's value is one word with it.\n"
      "COMP_WORDBREAKS=\"${COMP_WORDBREAKS//=/}\"\n"
      "COMP_WORDBREAKS=\"${COMP_WORDBREAKS//:/}\"\n"
      "complete -F _hlocts hlocts\n");
  return text;
}

std::string ZshCompletion(const ProgramTable& table) {
  std::string text =
      "#compdef hlocts\n# zsh completion of hlocts: source <(hlocts completion zsh)\n_hlocts() {\n"
      "  local -a commands\n  commands=(\n";
  for (const CommandInfo& command : table)
    absl::StrAppend(&text, "    '", command.name, ":", QuotedForZsh(command.help), "'\n");
  absl::StrAppend(&text,
                  "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n"
                  "    return\n  fi\n  case \"$words[2]\" in\n");
  for (const CommandInfo& command : table) {
    absl::StrAppend(&text, "    ", command.name, ") shift words; (( CURRENT-- )); _arguments");
    for (const OptionInfo& option : command.options) {
      std::string values = option.choices.empty()
                               ? "_files"
                               : absl::StrCat("(", absl::StrJoin(option.choices, " "), ")");
      if (option.positional && values != "_files") absl::StrAppend(&text, " '1:word:", values, "'");
      if (option.positional) continue;
      absl::StrAppend(
          &text, " '", NamesOf(option).back(), option.argument.empty() ? "" : "=", "[",
          QuotedForZsh(option.help), "]",
          option.argument.empty() ? "" : absl::StrCat(":", option.argument, ":", values), "'");
    }
    absl::StrAppend(&text, " '*:file:_files' ;;\n");
  }
  absl::StrAppend(
      &text, "  esac\n}\n",
      "if [ \"$funcstack[1]\" = _hlocts ]; then _hlocts; else compdef _hlocts hlocts; fi\n");
  return text;
}

std::string ManPage(const ProgramTable& table, const std::string& version) {
  std::string text = absl::StrCat(
      ".TH HLOCTS 1 \"\" \"hlocts ", Roff(version), "\" \"User Commands\"\n.SH NAME\n",
      "hlocts \\- conformance suite and differential tests for HLO, the language of XLA\n",
      ".SH SYNOPSIS\n.B hlocts\nCOMMAND [OPTION...]\n.SH COMMANDS\n");
  for (const CommandInfo& command : table) {
    absl::StrAppend(&text, ".SS ", Roff(command.name), "\n", Roff(command.help), ".\n");
    for (const OptionInfo& option : command.options) {
      absl::StrAppend(
          &text, ".TP\n.B ", Roff(absl::StrReplaceAll(option.name, {{",", ", "}})),
          option.argument.empty() || option.positional ? "" : "=",
          option.positional ? "" : Roff(option.argument), "\n", Roff(option.help),
          option.standard.empty() ? "" : absl::StrCat(" (default: ", Roff(option.standard), ")"),
          "\n");
    }
    std::string examples = ExamplesOf(command.name);
    if (!examples.empty()) absl::StrAppend(&text, ".PP\nExamples:\n.nf\n", Roff(examples), ".fi\n");
  }
  for (const auto& [name, topic] : HelpTopics())
    absl::StrAppend(&text, ".SH ", absl::AsciiStrToUpper(name), "\n.nf\n", Roff(topic), ".fi\n");
  return text;
}

}  // namespace hlocts::tools
