// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/config_file.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backends/backend_list.h"
#include "spec/base/nearest.h"
#include "spec/files/file_io.h"

namespace hlocts::tools {
namespace {

constexpr char kFile[] = "hlocts.toml";

// A key of the file, before all sections or in the section of a subcommand.
struct ConfigEntry {
  std::string section, key;
  std::vector<std::string> values;
  std::string written;  // the key as written: "engine" for backend
};

// Returns the part of a line before the first '#' that is not in quotes.
absl::string_view WithoutComment(absl::string_view line) {
  bool quoted = false;
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (quoted ? line[i] == quote : line[i] == '"' || line[i] == '\'') {
      quote = line[i];
      quoted = !quoted;
    } else if (line[i] == '#' && !quoted) {
      return line.substr(0, i);
    }
  }
  return line;
}

// Parses a value: "text", 'text', a number, true or false.
bool ReadScalar(absl::string_view text, std::vector<std::string>& values) {
  text = absl::StripAsciiWhitespace(text);
  if (text.empty()) return false;
  const char first = text.front();
  if (first == '"' || first == '\'') {
    if (text.size() < 2 || text.back() != first) return false;
    values.emplace_back(text.substr(1, text.size() - 2));
    return values.back().find(first) == std::string::npos;
  }
  for (char c : text)
    if (!absl::ascii_isalnum(c) && c != '.' && c != '-' && c != '_') return false;
  values.emplace_back(text);
  return true;
}

bool ReadValues(absl::string_view text, std::vector<std::string>& values) {
  text = absl::StripAsciiWhitespace(text);
  if (!absl::StartsWith(text, "[")) return ReadScalar(text, values);
  if (!absl::EndsWith(text, "]")) return false;
  for (absl::string_view one : absl::StrSplit(text.substr(1, text.size() - 2), ',')) {
    if (absl::StripAsciiWhitespace(one).empty()) continue;
    if (!ReadScalar(one, values)) return false;
  }
  return true;
}

const OptionInfo* FindOption(const CommandInfo& command, const std::string& key) {
  for (const OptionInfo& option : command.options) {
    if (option.positional) continue;
    for (absl::string_view name : absl::StrSplit(option.name, ','))
      if (absl::StripPrefix(absl::StripPrefix(name, "-"), "-") == key) return &option;
  }
  return nullptr;
}

bool IsGiven(const std::vector<std::string>& words, const OptionInfo& option) {
  for (absl::string_view name : absl::StrSplit(option.name, ',')) {
    for (const std::string& word : words) {
      if (word == name || absl::StartsWith(word, absl::StrCat(name, name.size() == 2 ? "" : "=")))
        return true;
    }
  }
  return false;
}

// Returns true if the words have an option that excludes the option of the key.
bool HasRival(const CommandInfo& command, const std::vector<std::string>& words,
              const std::string& key) {
  constexpr const char* kRivals[][2] = {
      {"inputs", "seed"},           {"inputs", "invalid"},        {"inputs", "search-time"},
      {"invalid", "seed"},          {"modules", "only"},          {"guided", "only"},
      {"no-shrink", "shrink-time"}, {"no-shrink", "shrink-last"}, {"x", "maxfail"}};
  return absl::c_any_of(kRivals, [&](const auto& pair) {
    const OptionInfo* rival = key == pair[0]   ? FindOption(command, pair[1])
                              : key == pair[1] ? FindOption(command, pair[0])
                                               : nullptr;
    return rival != nullptr && IsGiven(words, *rival);
  });
}

// Returns `value`. The path of an expectations file or of a plugin is relative to the directory of
// the config, except the name of a plugin that is not there: the system's loader searches it.
std::string BesideConfig(const std::string& key, const std::string& value,
                         const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (key == "expectations") return (folder / value).string();
  const std::pair<std::string, std::string> parts = absl::StrSplit(value, absl::MaxSplits(':', 1));
  if (parts.first != "pjrt" && !absl::EndsWith(parts.first, "=pjrt")) return value;
  const std::string file = parts.second.substr(0, parts.second.find('?'));
  if (!absl::StrContains(file, '/') && !std::filesystem::exists(folder / file)) return value;
  return absl::StrCat(parts.first, ":", (folder / parts.second).string());
}

// Options with a text value that neither runs code nor names a file to be written.
constexpr absl::string_view kPlainTexts[] = {
    "k",     "edition", "expectations", "fact",  "facts", "fault", "label",  "name",
    "night", "note",    "profile",      "query", "shard", "tier",  "without"};
// Options that name engines.
constexpr absl::string_view kEngines[] = {"backend", "compiled-by", "facts-of"};
// Switches that cause files outside the directory for records to be written.
constexpr absl::string_view kWriting[] = {
    "certificate", "ci",     "install",      "keep",
    "restart",     "update", "update-costs", "update-expectations"};

// Returns true if a config file in the working directory, which other users may have written, may
// set the option without the user's consent.
bool MayFolderSet(const OptionInfo& option, const std::string& key, const std::string& value) {
  auto is_in = [&](const auto& list) {
    return std::find(std::begin(list), std::end(list), key) != std::end(list);
  };
  if (option.argument.empty()) return !is_in(kWriting);
  if (option.argument != "TEXT") return true;
  if (is_in(kEngines)) {
    const auto names = backends::SplitBackendNames({value});
    return std::none_of(names.begin(), names.end(), backends::MayRunUserCode);
  }
  if (key == "expectations" && (value[0] == '/' || absl::StrContains(value, ".."))) return false;
  return is_in(kPlainTexts);
}

absl::Status CheckKey(const ProgramTable& table, const ConfigEntry& entry,
                      const std::string& path) {
  std::vector<std::string> known, sections;
  bool is_section = entry.section.empty();
  for (const CommandInfo& command : table) {
    sections.push_back(command.name);
    is_section = is_section || command.name == entry.section;
    if (!entry.section.empty() && command.name != entry.section) continue;
    if (FindOption(command, entry.key)) return absl::OkStatus();
    for (const OptionInfo& option : command.options)
      if (!option.positional) known.push_back(option.name.substr(option.name.rfind("--") + 2));
  }
  if (!is_section)
    return InvalidInput(path, ": no subcommand [", entry.section, "]",
                        DidYouMean(entry.section, sections));
  return InvalidInput(path, ": ", entry.section, entry.section.empty() ? "" : ".", entry.written,
                      ": unknown option", DidYouMean(entry.key, known));
}

// Parses lines of the forms `key = value` and [section]. A value is "text", a number, true, false,
// or a list of these.
absl::StatusOr<std::vector<ConfigEntry>> ParseConfig(const std::string& text,
                                                     const std::string& path) {
  std::vector<ConfigEntry> entries;
  std::string section;
  int number = 0;
  for (absl::string_view raw : absl::StrSplit(text, '\n')) {
    ++number;
    absl::string_view line = absl::StripAsciiWhitespace(WithoutComment(raw));
    if (line.empty()) continue;
    if (line.front() == '[' && line.back() == ']') {
      section = std::string(absl::StripAsciiWhitespace(line.substr(1, line.size() - 2)));
      continue;
    }
    size_t equals = line.find('=');
    ConfigEntry entry{
        section, std::string(absl::StripAsciiWhitespace(line.substr(0, equals))), {}, ""};
    if (equals == line.npos || entry.key.empty() ||
        !ReadValues(line.substr(equals + 1), entry.values)) {
      return InvalidInput(path, ":", number,
                          ": expected key = \"text\", a number, true, false or a list of these, "
                          "found ",
                          line);
    }
    entry.written = entry.key;
    if (entry.key == "engine") entry.key = "backend";
    std::replace(entry.key.begin(), entry.key.end(), '_', '-');
    entries.push_back(std::move(entry));
  }
  return entries;
}

absl::StatusOr<std::vector<std::string>> WithConfig(const ProgramTable& table,
                                                    const std::vector<ConfigEntry>& entries,
                                                    const std::string& path, bool of_folder,
                                                    std::vector<std::string> words) {
  const std::vector<std::string> given = words;
  std::map<std::string, const ConfigEntry*> chosen;  // a section's key overrides a global key
  for (const ConfigEntry& entry : entries) {
    HLOCTS_RETURN_IF_ERROR(CheckKey(table, entry, path));
    if (!entry.section.empty() && entry.section != words[0]) continue;
    const ConfigEntry*& place = chosen[entry.key];
    if (place == nullptr || place->section.empty()) place = &entry;
  }
  for (const CommandInfo& command : table) {
    if (command.name != words[0]) continue;
    for (const auto& [key, entry] : chosen) {
      const OptionInfo* option = FindOption(command, key);
      if (option == nullptr || IsGiven(given, *option) || HasRival(command, given, key)) continue;
      for (const std::string& value : entry->values) {
        if (of_folder && !MayFolderSet(*option, key, value))
          return InvalidInput(path, ": ", entry->written, " = \"", value,
                              "\" may run code or write any file: expected --", key,
                              " on the command line, or HLOCTS_CONFIG=", path,
                              " if you trust the directory");
        const bool is_short = key.size() == 1;
        words.push_back(absl::StrCat(is_short ? "-" : "--", key));
        if (!option->argument.empty())
          absl::StrAppend(&words.back(), is_short ? "" : "=", BesideConfig(key, value, path));
        else if (value != "true")
          words.pop_back();
      }
    }
  }
  return words;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> WithConfigFile(const ProgramTable& table,
                                                        std::vector<std::string> words,
                                                        std::string& path) {
  const auto helps = [](const std::string& word) { return word == "--help" || word == "-h"; };
  if (std::any_of(words.begin(), words.end(), helps)) return words;
  const char* named = std::getenv("HLOCTS_CONFIG");
  path = named && *named ? named : kFile;
  if (!(named && *named) && !std::filesystem::exists(path)) return words;
  HLOCTS_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  HLOCTS_ASSIGN_OR_RETURN(std::vector<ConfigEntry> entries, ParseConfig(text, path));
  return WithConfig(table, entries, path, !(named && *named), std::move(words));
}

}  // namespace hlocts::tools
