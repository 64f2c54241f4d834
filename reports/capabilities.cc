// SPDX-License-Identifier: Apache-2.0
#include "reports/capabilities.h"

#include "absl/strings/str_join.h"
#include "reports/verdict.h"

namespace hlocts::reports {
namespace {

std::string TypeOf(const std::string& address) {
  constexpr absl::string_view kWord = "type=";
  for (const char* before : {":", ","}) {
    const size_t at = address.find(absl::StrCat(before, kWord));
    if (at == std::string::npos) continue;
    const size_t begin = at + 1 + kWord.size();
    return address.substr(begin, address.find(',', begin) - begin);
  }
  return "";
}

std::string EngineText(const std::map<std::pair<std::string, std::string>, CapabilityRow>& rows) {
  std::map<std::string, std::vector<std::string>> without;  // operation -> types
  std::map<std::string, int64_t> types_of;
  std::map<std::string, std::string> reason_of;
  int64_t partly = 0;
  for (const auto& [key, row] : rows) {
    ++types_of[row.operation];
    if (row.unsupported == row.cases) {
      without[row.operation].push_back(row.type.empty() ? "untyped" : row.type);
      reason_of[row.operation] = row.reason;
    } else if (row.unsupported > 0) {
      ++partly;
    }
  }
  std::string text;
  for (const auto& [operation, types] : without) {
    const bool all = static_cast<int64_t>(types.size()) == types_of[operation];
    absl::StrAppend(&text, "  ", operation, ": ", all ? "all" : absl::StrJoin(types, " "), "  (",
                    reason_of[operation].substr(0, 100), ")\n");
  }
  if (partly > 0)
    absl::StrAppend(&text, "  ", partly, " other rows of operation and type in some cases only\n");
  return text;
}

}  // namespace

void Capabilities::Add(const Verdict& verdict) {
  // A module that was not sent shows nothing about the engine.
  if (verdict.error.kind == ErrorKind::kNotEncodable) return;
  const std::string& address = verdict.case_address;  // area/operation:case:parameter=value,...
  const std::string operation = address.substr(0, address.find(':')), type = TypeOf(address);
  CapabilityRow& row = rows_[verdict.backend][{operation, type}];
  row.operation = operation;
  row.type = type;
  ++row.cases;
  if (verdict.kind != Outcome::kUnsupported) return;
  ++row.unsupported;
  if (row.reason.empty()) row.reason = std::string(FirstLine(ReasonText(verdict)));
}

std::vector<CapabilityRow> Capabilities::Rows(const std::string& engine) const {
  std::vector<CapabilityRow> rows;
  auto found = rows_.find(engine);
  if (found == rows_.end()) return rows;
  for (const auto& [key, row] : found->second) rows.push_back(row);
  return rows;
}

std::string Capabilities::ToText() const {
  std::string text;
  for (const auto& [engine, rows] : rows_) {
    const std::string own = EngineText(rows);
    if (!own.empty()) absl::StrAppend(&text, engine, " does not support\n", own);
  }
  return text;
}

}  // namespace hlocts::reports
