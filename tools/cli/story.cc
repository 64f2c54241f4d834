// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/story.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "spec/base/count_text.h"
#include "spec/files/home_folder.h"
#include "spec/judge/element_text.h"
#include "suites/replay.h"
#include "tools/cli/terminal.h"

namespace hlocts::tools {
namespace {

Colour ColourOf(Outcome kind) {
  if (kind == Outcome::kPass) return Colour::kGreen;
  const bool is_red = IsFailure(kind) && !IsInconclusive(kind) && kind != Outcome::kSuspect;
  return is_red ? Colour::kRed : Colour::kYellow;
}

std::string Headline(const reports::Verdict& verdict) {
  std::string line = reports::VerdictHeadline(verdict);
  const size_t word = std::min(line.find(' '), line.size());
  return absl::StrCat(Coloured(ColourOf(verdict.kind), line.substr(0, word)), line.substr(word));
}

// Adds a line to the text; the name is in a separate column.
void AddLine(const std::string& name, const std::string& text, std::string& story) {
  if (!text.empty())
    absl::StrAppend(&story, "\n    ", Coloured(Colour::kDim, absl::StrCat(name, ":")),
                    std::string(name.size() < 9 ? 9 - name.size() : 1, ' '), text);
}

void AddFreedoms(const reports::Verdict& verdict, std::string& story) {
  for (const std::string& freedom : verdict.freedoms)
    AddLine("freedom", WithPaths(reports::FreedomText(freedom)), story);
}

void AddSentences(const reports::Verdict& verdict, std::string& story) {
  const reports::VerdictFailure& failure = *verdict.first_failure;
  const std::vector<reports::ClauseSentence> sentences = reports::SentencesOf(verdict);
  for (const auto& sentence : sentences)
    AddLine("clause", absl::StrCat(sentence.id, ": ", sentence.text), story);
  for (const std::string& fact : failure.facts)
    AddLine("fact", reports::FactText(fact, verdict.backend), story);
  if (sentences.empty()) return AddLine("clause", failure.clause, story);
  AddLine("document", absl::StrCat(sentences[0].source, "  ", sentences[0].address), story);
  AddFreedoms(verdict, story);
  std::string last;  // two sentences may have the same ruling
  for (const auto& sentence : sentences) {
    if (sentence.ruling != last) AddLine("ruling", WithPaths(sentence.ruling), story);
    last = sentence.ruling;
  }
}

void AddFailure(const reports::Verdict& verdict, std::string& story) {
  const reports::VerdictFailure& failure = *verdict.first_failure;
  const std::string where =
      absl::StrCat("output ", failure.output, " [", absl::StrJoin(failure.index, ","), "]",
                   verdict.localisation.in_piece ? " of the piece" : "");
  AddLine("got",
          absl::StrCat(failure.actual, " (", failure.actual_bits, ") at ", where,
                       failure.distance.empty() ? "" : absl::StrCat("; ", failure.distance)),
          story);
  AddLine("allowed", failure.accepted, story);
  AddLine("operands", reports::OperandsText(failure), story);
  AddLine("at",
          absl::StrCat(ShortName(failure.instruction),
                       failure.operation.empty() ? "" : absl::StrCat(" (", failure.operation, ")")),
          story);
  AddSentences(verdict, story);
  AddLine("rule", failure.rule, story);
  AddLine("located", reports::FindingText(verdict.localisation), story);
  AddLine("source", failure.source, story);
  for (const std::string& note : verdict.notes) AddLine("note", note, story);
  if (verdict.wrong_elements > 1)
    AddLine("wrong", absl::StrCat(verdict.wrong_elements, " elements of all outputs"), story);
}

std::string MeaningOfProbable(const reports::Statistical& by) {
  const int64_t tested = by.pieces - by.proven - by.by_terms;
  std::string text = absl::StrFormat("nothing was shown wrong; %d of %d pieces are proven correct",
                                     by.proven, by.pieces);
  if (by.by_terms > 0)
    absl::StrAppend(&text, "; in ", tested > 0 ? "" : "the other ", CountText(by.by_terms, "piece"),
                    " every sum agrees with a run in f64 to a quarter of a typical term");
  if (tested > 0)
    absl::StrAppend(&text, "; the tests of lemma 44 find nothing improbable in the others");
  return text;
}

// Returns how to narrow the sets of an inconclusive or probable verdict until they decide.
std::string NarrowerText(const reports::Verdict& verdict, bool explained) {
  if (verdict.widest.open_reduction) return OpenReductionText(verdict);
  std::vector<std::string> ways;
  if (verdict.widest.strict_narrows) ways.push_back("--profile=strict");
  if (!verdict.widest.facts.empty())
    ways.push_back(
        absl::StrCat("a fact that the authors of the engine promise: ",
                     absl::StrJoin(verdict.widest.facts, ", "),
                     " (--backend='ENGINE?facts=FACT', judge --fact=FACT; hlocts help facts)"));
  return absl::StrCat(
      explained ? "" : "--explain names the step that widens the sets. ",
      ways.empty()
          ? ""
          : absl::StrCat("The widest set is narrower with ", absl::StrJoin(ways, "; or "), ". "),
      "Other inputs may have narrower sets (--seed=N --data=exact: small integers, whose sums need "
      "no rounding while they are short)");
}

}  // namespace

std::string VerdictReport(const reports::Verdict& verdict, const std::string& replay,
                          bool explained, const std::string& narrower) {
  std::string story = Headline(verdict);
  if (verdict.first_failure) {
    AddFailure(verdict, story);
  } else if (const std::string reason = reports::FoldedReason(verdict); !reason.empty()) {
    absl::StrAppend(&story, "\n    ", reason);
    const bool is_probable = verdict.kind == Outcome::kProbable && verdict.statistical;
    if (verdict.kind == Outcome::kInconclusive) AddFreedoms(verdict, story);
    if (verdict.kind == Outcome::kInconclusive || is_probable) {
      AddLine("meaning",
              is_probable ? MeaningOfProbable(*verdict.statistical)
                          : "the sets are too wide to decide: the outputs are not excluded",
              story);
      AddLine("next", narrower.empty() ? AdviceText(NarrowerText(verdict, explained)) : narrower,
              story);
    }
  }
  AddLine("unusual", verdict.unusual, story);
  if (IsFailure(verdict.kind)) AddLine("replay", replay, story);
  return story;
}

std::string OpenReductionText(const reports::Verdict& verdict) {
  return absl::StrCat(
      "no fact and no profile narrows the set of ", verdict.widest.instruction,
      ": no rule describes its computation (only a single add, multiply, minimum, maximum, and, "
      "or, xor). A compiler may have put conversions into it: judge the module as it was before "
      "compilation (JAX: jax.jit(f).lower(x).as_text())");
}

std::string AdviceText(const std::string& own) {
  const char* given = std::getenv("HLOCTS_ADVICE");
  return given != nullptr ? given : own;
}

std::string WithPaths(const std::string& text) {
  const std::string folder = "spec/rulings/";
  return std::filesystem::exists(folder)
             ? text
             : absl::StrReplaceAll(text, {{folder, absl::StrCat(HomeFolder(), "/", folder)}});
}

std::string OwnCommandLine() {
  std::vector<std::string> words;
  std::ifstream command("/proc/self/cmdline", std::ios::binary);
  for (std::string word; std::getline(command, word, '\0');)
    words.push_back(suites::ShellQuoted(words.empty() ? ProgramAsCalled() : word));
  return absl::StrJoin(words, " ");
}

}  // namespace hlocts::tools
