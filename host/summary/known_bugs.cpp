// SPDX-License-Identifier: Apache-2.0
#include "host/summary/known_bugs.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <map>

namespace shaderqa {
namespace {

constexpr std::array<std::string_view, 6> kKeys = {"kind",   "fingerprint", "shader",
                                                   "source", "buffer",      "label"};
constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

bool fits(const std::string& pattern, const std::string& text) {
  return !text.empty() && ::fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

// A pattern of a file, or of a file and a line; with or without its folder.
bool fits_source(const std::string& pattern, const LineSource& source) {
  if (!source.known()) return false;
  const std::string line = ":" + std::to_string(source.line);
  const std::string name = source.file.substr(source.file.find_last_of("/\\") + 1);
  return fits(pattern, source.file) || fits(pattern, source.file + line) || fits(pattern, name) ||
         fits(pattern, name + line);
}

bool fits_key(const std::string& key, const std::string& pattern, const ReportLine& line) {
  if (key == "kind") return fits(pattern, to_string(line.kind));
  if (key == "fingerprint") return fits(pattern, line.fingerprint);
  if (key == "shader")
    return fits(pattern, line.shader) || fits(pattern, line.shader_name) || fits(pattern, line.entry_point);
  if (key == "source")
    return fits_source(pattern, line.source) || (line.other && fits_source(pattern, line.other->source));
  if (key == "buffer") return line.buffer && fits(pattern, line.buffer->name);
  return line.action && std::ranges::any_of(line.action->labels,
                                            [&](const std::string& label) { return fits(pattern, label); });
}

// Takes the next KEY=PATTERN; a pattern with blanks is in quotes. Returns what is wrong, or nothing.
std::string take_pattern(std::string_view& rest, std::pair<std::string, std::string>& pattern) {
  const size_t equals = rest.find('=');
  const std::string_view key = rest.substr(0, std::min(equals, rest.find_first_of(kBlanks)));
  if (equals == std::string_view::npos || key.size() != equals)
    return "\"" + std::string(key) + "\" is not of the form KEY=PATTERN";
  if (std::ranges::find(kKeys, key) == kKeys.end())
    return "there is no key \"" + std::string(key) +
           "\"; there are kind, fingerprint, shader, source, buffer and label";
  rest.remove_prefix(equals + 1);
  const bool quoted = rest.starts_with('"');
  if (quoted) rest.remove_prefix(1);
  const size_t end = quoted ? rest.find('"') : std::min(rest.find_first_of(kBlanks), rest.size());
  if (end == std::string_view::npos) return "a quote is not closed";
  if (end == 0) return "the pattern of " + std::string(key) + " is empty";
  pattern = {std::string(key), std::string(rest.substr(0, end))};
  if (key == "kind" && pattern.second.find_first_of("*?[") == std::string::npos &&
      !finding_kind(pattern.second))
    return "there is no kind \"" + pattern.second + "\" of findings";
  rest.remove_prefix(end + (quoted ? 1 : 0));
  rest = trimmed(rest);
  return {};
}

// Where the reason begins: the first # outside of quotes.
size_t find_reason(std::string_view line) {
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') quoted = !quoted;
    if (line[i] == '#' && !quoted) return i;
  }
  return std::string_view::npos;
}

template <typename Take>
void for_each_line(std::string_view text, const Take& take) {
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    take(trimmed(text.substr(0, end)), number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

Suppressions Suppressions::parse(std::string_view text, const std::string& file_name,
                                 std::vector<std::string>& problems) {
  Suppressions all;
  for_each_line(text, [&](std::string_view line, size_t number) {
    if (line.empty() || line.front() == '#') return;
    Rule rule;
    rule.place = file_name + ":" + std::to_string(number);
    const auto wrong = [&](const std::string& what) { problems.push_back(rule.place + ": " + what); };
    const size_t reason = find_reason(line);
    if (reason == std::string_view::npos || trimmed(line.substr(reason + 1)).empty())
      return wrong("the reason is missing; write it behind # at the end of the line");
    rule.reason = trimmed(line.substr(reason + 1));
    rule.text = trimmed(line.substr(0, reason));
    for (std::string_view rest = rule.text; !rest.empty();) {
      if (const std::string what = take_pattern(rest, rule.patterns.emplace_back()); !what.empty())
        return wrong(what);
    }
    all.rules_.push_back(std::move(rule));
  });
  return all;
}

const std::string* Suppressions::reason(const ReportLine& line) {
  for (Rule& rule : rules_) {
    const bool matches = std::ranges::all_of(
        rule.patterns, [&](const auto& pattern) { return fits_key(pattern.first, pattern.second, line); });
    if (!matches) continue;
    rule.used = true;
    return &rule.reason;
  }
  return nullptr;
}

std::vector<std::string> Suppressions::unused() const {
  std::vector<std::string> rules;
  for (const Rule& rule : rules_)
    if (!rule.used) rules.push_back(rule.place + ": " + rule.text);
  return rules;
}

std::vector<ReportLine> read_report_text(std::string_view text, const std::string& file_name,
                                         std::vector<std::string>& problems,
                                         std::vector<CheckedRun>* checked) {
  std::vector<ReportLine> lines;
  struct Writer {
    std::string program, host, run, version;
  };
  std::map<uint64_t, Writer> writers;  // by process; its number may be used again later
  for_each_line(text, [&](std::string_view line, size_t number) {
    if (line.empty()) return;
    if (auto finding = read_report_line(line)) {
      Writer& writer = writers[finding->process];
      if (!finding->version.empty())
        writer = {finding->program, finding->host, finding->run, finding->version};
      finding->program = writer.program;
      finding->host = writer.host;
      finding->run = writer.run;
      finding->version = writer.version;
      lines.push_back(std::move(*finding));
    } else if (auto run = read_checked_line(line)) {
      if (const Writer& writer = writers[run->process]; run->version.empty()) {
        run->host = writer.host;
        run->run = writer.run;
        run->version = writer.version;
      }
      if (checked) checked->push_back(std::move(*run));
    } else {
      problems.push_back(file_name + ":" + std::to_string(number) +
                         ": this is no line of a report; give a file that --report wrote");
    }
  });
  return lines;
}

std::set<std::string> fingerprints_of(const std::vector<ReportLine>& lines, const std::string& file_name,
                                      std::vector<std::string>& problems) {
  std::set<std::string> fingerprints;
  for (const ReportLine& line : lines) {
    if (line.kind == FindingKind::note || line.kind == FindingKind::printf) continue;
    if (line.fingerprint.empty()) {
      problems.push_back(
          file_name + ": has findings without a fingerprint, from an older version; make the report again");
      break;
    }
    fingerprints.insert(line.fingerprint);
  }
  return fingerprints;
}

void set_known_aside(Verdict& verdict, Suppressions& suppressions, const std::set<std::string>& baseline) {
  std::vector<Bug> open;
  for (Bug& bug : verdict.bugs) {
    // Asked first, so that a rule counts as used whatever the baseline has.
    const bool suppressed = suppressions.reason(bug.line) != nullptr;
    std::vector<Bug>& to = suppressed                                ? verdict.suppressed
                           : baseline.contains(bug.line.fingerprint) ? verdict.in_baseline
                                                                     : open;
    to.push_back(std::move(bug));
  }
  verdict.bugs = std::move(open);
}

}  // namespace shaderqa
