// SPDX-License-Identifier: Apache-2.0
#include "spec/text/format_number.h"
#include "spec/text/values.h"

namespace hlocts {

bool ReadStringMap(Cursor& in, StringMap* map) {
  return ReadList(in, '{', '}', [&] {
    std::string key, value;
    if (in.Peek() == '"') {
      if (!in.QuotedString(&key)) return false;
    } else {
      absl::string_view word;
      if (!in.Identifier(&word, "the name of an attribute")) return false;
      key = std::string(word);
    }
    if (!in.Expect('=')) return false;
    bool quoted = in.Peek() == '"';
    if (quoted) {
      if (!in.QuotedString(&value)) return false;
    } else {
      absl::string_view raw;
      if (!in.Balanced(&raw)) return false;
      value = std::string(raw);
    }
    map->entries.emplace_back(std::move(key), std::move(value));
    map->quoted.push_back(quoted);
    return true;
  });
}

bool ReadStatistics(Cursor& in, Statistics* statistics) {
  return ReadList(in, '{', '}', [&] {
    absl::string_view name;
    if (!in.Identifier(&name, "the name of a statistic") || !in.Expect('=')) return false;
    if (name == "visualizing_index") return in.Integer(&statistics->visualized_index);
    Statistic& entry = statistics->entries.emplace_back();
    entry.name = std::string(name);
    return in.Float(&entry.value);
  });
}

bool ReadOutputOperandAliasing(Cursor& in, std::vector<OutputOperandAlias>* aliases) {
  return ReadList(in, '{', '}', [&] {
    OutputOperandAlias& alias = aliases->emplace_back();
    return ReadShapeIndex(in, &alias.output_index) && in.Expect(':') && in.Expect('(') &&
           in.NonNegative(&alias.operand_number) && in.Expect(',') &&
           ReadShapeIndex(in, &alias.operand_index) && in.Expect(')');
  });
}

bool ReadResultAccuracy(Cursor& in, RawText* accuracy) {
  if (!in.Expect('{')) return false;
  if (in.TryWord("mode")) {
    absl::string_view mode;
    if (!in.Expect('=') || !in.Identifier(&mode, "default or highest")) return false;
    if (mode != "default" && mode != "highest") {
      return in.Fail("text.attribute", absl::StrCat("expected default or highest, found ", mode));
    }
    accuracy->text = absl::StrCat("{mode=", mode, "}");
    return in.Expect('}');
  }
  if (!in.ExpectWord("tolerance") || !in.Expect('=')) return false;
  double atol = 0, rtol = 0;
  int64_t ulps = 0;
  if (!ReadList(in, '{', '}', [&] {
        absl::string_view field;
        if (!in.Identifier(&field, "atol, rtol or ulps") || !in.Expect('=')) return false;
        if (field == "atol") return in.Float(&atol);
        if (field == "rtol") return in.Float(&rtol);
        if (field == "ulps") return in.NonNegative(&ulps);
        return in.Fail("text.attribute",
                       absl::StrCat("expected atol, rtol or ulps, found ", field));
      })) {
    return false;
  }
  accuracy->text = absl::StrCat("{tolerance={atol=", FormatShortest(atol),
                                ",rtol=", FormatShortest(rtol), ",ulps=", ulps, "}}");
  return in.Expect('}');
}

}  // namespace hlocts
