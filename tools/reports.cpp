// SPDX-License-Identifier: Apache-2.0
#include "tools/reports.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "host/findings/bug_block.h"
#include "host/summary/known_bugs.h"
#include "host/summary/verdict.h"
#include "host/text/count_text.h"
#include "host/text/rotated_file.h"
#include "host/text/text_escape.h"
#include "host/version.h"
#include "tools/files.h"
#include "tools/report_page.h"

namespace shaderqa {
namespace {

using nlohmann::json;

constexpr int kExitDifferent = 1;
constexpr int kExitTrouble = 2;

struct ReportFile {
  std::vector<ReportLine> lines;
  std::vector<CheckedRun> checked;
  bool read_before = true;  // all of it
};

// With the older files that it was rotated to, but for those that were read before. Nothing if something is
// wrong, which is said then.
std::optional<ReportFile> read_report(const std::string& path, std::set<std::string>& known) {
  std::vector<std::string> problems;
  ReportFile file;
  for (const std::string& part : with_rotated_files(path)) {
    std::error_code none;
    if (!known.insert(std::filesystem::weakly_canonical(part, none).string()).second) continue;
    file.read_before = false;
    std::string text;
    if (const std::string error = read_file(part, text); !error.empty()) {
      problems.push_back(error);
      continue;
    }
    std::vector<ReportLine> lines = read_report_text(text, part, problems, &file.checked);
    fingerprints_of(lines, part, problems);
    std::ranges::move(lines, std::back_inserter(file.lines));
  }
  constexpr size_t kMostSaid = 5;
  for (size_t i = 0; i < std::min(problems.size(), kMostSaid); ++i)
    std::fprintf(stderr, "shaderqa: error: %s\n", problems[i].c_str());
  if (!problems.empty()) return std::nullopt;
  return file;
}

// Counts of different processes add up.
std::vector<Bug> bugs_of(const std::vector<ReportLine>& lines) {
  std::map<std::pair<std::string, uint64_t>, ProcessRecord> processes;
  for (const ReportLine& line : lines) {
    ProcessRecord& record = processes[{line.run, line.process}];
    record.process = static_cast<uint32_t>(line.process);
    record.ended = true;
    record.lines.push_back(line);
  }
  std::vector<ProcessRecord> records;
  for (auto& [key, record] : processes) records.push_back(std::move(record));
  return judge(records, {}, {}).bugs;
}

size_t print_missing(const char* what, const std::vector<Bug>& bugs, const std::vector<Bug>& in) {
  size_t count = 0;
  for (const Bug& bug : bugs) {
    const auto same = [&](const Bug& other) { return other.line.fingerprint == bug.line.fingerprint; };
    if (std::ranges::any_of(in, same)) continue;
    ++count;
    std::printf("%s %s %s: %s\n", what, bug.line.fingerprint.c_str(), to_string(bug.line.kind),
                bug_headline(bug.line).c_str());
  }
  return count;
}

// What a report does not say is not known to be checked: of runs that were killed, and of files without any.
void add_unsaid(const std::vector<ReportLine>& lines, const std::vector<CheckedRun>& checked,
                std::set<std::string>& incomplete) {
  std::set<std::string> said;
  for (const CheckedRun& run : checked) said.insert(run.run);
  for (const ReportLine& line : lines)
    if (!said.contains(line.run))
      incomplete.insert("a run" + (line.program.empty() ? "" : " of " + line.program) +
                        " did not say what was checked: it was killed, or still goes on");
}

// Hosts of code show a place by its path in the tree. Where the command runs in that tree, this is it.
std::string uri_of(const std::string& file) {
  std::error_code none;
  const std::filesystem::path folder = std::filesystem::current_path(none), path(file);
  std::string text = file, uri;
  if (path.is_absolute()) {
    const std::filesystem::path relative = path.lexically_relative(folder);
    const bool inside = !none && !relative.empty() && *relative.begin() != "..";
    text = inside ? relative.string() : file;
    uri = inside ? "" : "file://";
  }
  constexpr std::string_view kPlain = "-._~/!$&'()*+,;=@";
  for (const char c : text) {
    char code[4];
    std::snprintf(code, sizeof code, "%%%02X", static_cast<unsigned char>(c));
    const bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    uri += alphanumeric || kPlain.find(c) != std::string_view::npos ? std::string(1, c) : code;
  }
  return uri;
}

json place_of(const LineSource& source) {
  json region = {{"startLine", std::max<uint64_t>(source.line, 1)}};
  if (source.column != 0) region["startColumn"] = source.column;
  if (!source.text.empty()) region["snippet"] = {{"text", source.text}};
  return {{"physicalLocation", {{"artifactLocation", {{"uri", uri_of(source.file)}}}, {"region", region}}}};
}

json sarif_result(const Bug& bug) {
  const ReportLine& line = bug.line;
  json result = {{"ruleId", to_string(line.kind)},
                 {"level", line.kind == FindingKind::hazard || line.kind == FindingKind::layout ? "error"
                           : line.kind == FindingKind::redundant                                ? "note"
                                                                                                : "warning"},
                 {"message", {{"text", bug_block(line, bug.occurrences, {})}}},
                 {"occurrenceCount", bug.occurrences},
                 {"partialFingerprints", {{"shaderqa/v1", line.fingerprint}}}};
  // Without a source line, the shader stands for the file.
  LineSource source = line.source;
  if (source.file.empty()) source.file = "shader-" + (line.shader.empty() ? "none" : line.shader) + ".spv";
  result["locations"] = json::array({place_of(source)});
  if (line.other && line.other->source.known()) {
    json other = place_of(line.other->source);
    other["id"] = 1;
    other["message"] = {{"text", "the other access: " + line.other->access}};
    result["relatedLocations"] = json::array({other});
  }
  return result;
}

std::string sarif_text(const std::vector<Bug>& bugs, const std::set<std::string>& incomplete) {
  json notes = json::array();
  for (const std::string& text : incomplete)
    notes.push_back({{"level", "error"}, {"message", {{"text", "not complete: " + text}}}});
  const json invocation = {{"executionSuccessful", incomplete.empty()},
                           {"toolExecutionNotifications", notes}};
  json rules = json::array(), results = json::array();
  for (const FindingKind kind : kFindingKinds)
    if (std::ranges::any_of(bugs, [&](const Bug& bug) { return bug.line.kind == kind; }))
      rules.push_back({{"id", to_string(kind)}});
  for (const Bug& bug : bugs) results.push_back(sarif_result(bug));
  const json driver = {{"name", "shaderqa"}, {"version", version()}, {"rules", rules}};
  const json all = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"runs", json::array({{{"tool", {{"driver", driver}}},
                                           {"invocations", json::array({invocation})},
                                           {"results", results}}})}};
  return all.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

// A test for each bug, which fails, and one for what is not complete.
std::string junit_text(const std::vector<Bug>& bugs, const std::set<std::string>& incomplete) {
  std::string cases;
  const auto add = [&](const std::string& name, const std::string& message, const std::string& text) {
    cases += "  <testcase classname=\"shaderqa\" name=\"" + to_xml(name) + "\"><failure message=\"" +
             to_xml(message) + "\">" + to_xml(text) + "</failure></testcase>\n";
  };
  for (const Bug& bug : bugs)
    add(std::string(to_string(bug.line.kind)) + " " + bug.line.fingerprint, bug_headline(bug.line),
        bug_block(bug.line, bug.occurrences, {}));
  for (const std::string& text : incomplete) add("not complete", text, text);
  const size_t failures = bugs.size() + incomplete.size();
  if (failures == 0) cases = "  <testcase classname=\"shaderqa\" name=\"no finding\"/>\n";
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"shaderqa\" tests=\"" +
         std::to_string(std::max<size_t>(failures, 1)) + "\" failures=\"" + std::to_string(failures) +
         "\">\n" + cases + "</testsuite>\n";
}

bool write(const std::string& path, const std::string& text) {
  if (path.empty()) return true;
  const std::string error = write_file(path, text);
  if (!error.empty()) std::fprintf(stderr, "shaderqa: error: %s\n", error.c_str());
  return error.empty();
}

bool write_page(const ReportRequest& request, ReportPage& page) {
  if (request.html.empty()) return true;
  page.title = std::filesystem::path(request.files.front()).filename().string();
  if (request.files.size() > 1) page.title += " and " + std::to_string(request.files.size() - 1) + " more";
  page.shader_folder = request.shaders;
  std::vector<std::string> notes;
  const std::string text = report_page(page, notes);
  for (const std::string& note : notes) std::fprintf(stderr, "shaderqa: note: %s\n", note.c_str());
  return write(request.html, text);
}

}  // namespace

int diff_reports(const std::string& before, const std::string& after) {
  std::set<std::string> known_before, known_after;
  const auto old_lines = read_report(before, known_before);
  const auto new_lines = read_report(after, known_after);
  if (!old_lines || !new_lines) return kExitTrouble;
  const std::vector<Bug> old_bugs = bugs_of(old_lines->lines), new_bugs = bugs_of(new_lines->lines);
  const size_t gone = print_missing("gone", old_bugs, new_bugs);
  const size_t added = print_missing("new ", new_bugs, old_bugs);
  std::printf("%zu new, %zu gone, %zu in both\n", added, gone, new_bugs.size() - added);
  return added + gone != 0 ? kExitDifferent : 0;
}

int convert_reports(const ReportRequest& request) {
  ReportPage page;
  std::set<std::string> incomplete, known;
  for (const std::string& path : request.files) {
    const auto file = read_report(path, known);
    if (!file) return kExitTrouble;
    if (!file->read_before && file->lines.empty() && file->checked.empty())
      incomplete.insert(path + " is empty: no run says that anything was checked");
    for (const ReportLine& line : file->lines) {
      if (!line.incomplete.empty()) incomplete.insert(line.text);
      page.lines.push_back(line);
    }
    for (const CheckedRun& run : file->checked) {
      incomplete.insert(run.gaps.begin(), run.gaps.end());
      page.checked.push_back(run);
    }
  }
  add_unsaid(page.lines, page.checked, incomplete);
  page.bugs = bugs_of(page.lines);
  if (request.sarif.empty() && request.junit.empty() && request.html.empty()) {
    std::fputs(bug_blocks(page.bugs, style_of(STDOUT_FILENO)).c_str(), stdout);
    for (const std::string& text : incomplete) std::printf("not complete: %s\n", text.c_str());
    std::printf("%s\n", counted(page.bugs.size(), "bug", "bugs").c_str());
    return 0;
  }
  const bool written = write(request.sarif, request.sarif.empty() ? "" : sarif_text(page.bugs, incomplete)) &&
                       write(request.junit, request.junit.empty() ? "" : junit_text(page.bugs, incomplete)) &&
                       write_page(request, page);
  return written ? 0 : kExitTrouble;
}

}  // namespace shaderqa
