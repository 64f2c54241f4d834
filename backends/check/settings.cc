// SPDX-License-Identifier: Apache-2.0
#include "backends/check/settings.h"

#include <cstdlib>
#include <sstream>

namespace hlocts::check {
namespace {

// Reads a number, optionally with a unit: % for a share of 1, K, M or G for bytes, s for seconds.
bool ReadNumber(const std::string& text, double& number) {
  char* end = nullptr;
  number = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  const double scale = unit.empty()  ? 1
                       : unit == "%" ? 0.01
                       : unit == "K" ? 1024.0
                       : unit == "M" ? 1048576.0
                       : unit == "G" ? 1073741824.0
                       : unit == "s" ? 1
                                     : 0;
  number *= scale;
  return end != text.c_str() && scale != 0 && number >= 0;
}

// Reads a sample setting: "first,1/100", "3,1/10", "all" or "first".
bool ReadSample(const std::string& text, Settings& settings) {
  if (text == "all") {
    settings.sample_every = 1;
    return true;
  }
  std::stringstream parts(text);
  settings.sample_first = settings.sample_every = 0;
  for (std::string part; std::getline(parts, part, ',');) {
    char* end = nullptr;
    if (part == "first") {
      settings.sample_first = 1;
    } else if (part.rfind("1/", 0) == 0) {
      settings.sample_every = std::strtoull(part.c_str() + 2, &end, 10);
      if (*end != '\0' || settings.sample_every == 0) return false;
    } else {
      settings.sample_first = std::strtoull(part.c_str(), &end, 10);
      if (end == part.c_str() || *end != '\0') return false;
    }
  }
  return settings.sample_first + settings.sample_every > 0;
}

}  // namespace

std::string Settings::Read(const std::string& words) {
  std::stringstream list(words);
  for (std::string word; list >> word;) {
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    double number = 0;
    bool ok = !value.empty();
    if (name == "plugin") {
      plugin = value;
    } else if (name == "out") {
      out = value;
    } else if (name == "sample") {
      ok = ReadSample(value, *this);
    } else if (name == "budget") {
      ok = ReadNumber(value, budget);
    } else if (name == "spool") {
      ok = ReadNumber(value, number);
      spool_bytes_max = static_cast<uint64_t>(number);
    } else if (name == "wait") {
      ok = ReadNumber(value, wait_seconds);
    } else if (name == "fail") {
      ok = value == "0" || value == "1";
      fail = value == "1";
    } else if (name != "profile" && name != "facts") {  // the judge reads them itself
      return "HLOCTS_CHECK: expected plugin, out, sample, budget, spool, wait, fail, profile or "
             "facts, found " +
             name;
    }
    if (!ok) return "HLOCTS_CHECK: " + name + ": the value \"" + value + "\" cannot be read";
  }
  if (plugin != kOwnClient && plugin.find('/') == std::string::npos)
    return "HLOCTS_CHECK: plugin: expected jax or the path of a PJRT plugin, found \"" + plugin +
           "\"";
  return "";
}

}  // namespace hlocts::check
