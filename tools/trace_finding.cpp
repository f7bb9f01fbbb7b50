// SPDX-License-Identifier: Apache-2.0
#include "tools/trace_finding.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "host/findings/bug_block.h"
#include "host/text/rotated_file.h"
#include "instrument/runtime/abi_trace.h"
#include "tools/files.h"

namespace shaderqa {
namespace {

// Names of stages, as reports and as selectors have them.
constexpr std::pair<const char*, const char*> kStages[] = {
    {"compute", "compute"},
    {"task", "task"},
    {"mesh", "mesh"},
    {"vertex", "vertex"},
    {"fragment", "fragment"},
    {"tessellation control", "tesscontrol"},
    {"geometry", "geometry"},
    {"tessellation evaluation", "tesseval"},
    {"ray generation", "raygen"},
    {"intersection", "intersection"},
    {"any hit", "anyhit"},
    {"closest hit", "closesthit"},
    {"miss", "miss"},
    {"callable", "callable"},
};

// What would mean something in a list of paths of patterns stands for any character.
std::string pattern_of(std::string label) {
  for (char& c : label)
    if (std::string_view(",/>*?[]\\").find(c) != std::string_view::npos) c = '?';
  if (!label.empty() && label.front() == ' ') label.front() = '?';
  if (!label.empty() && label.back() == ' ') label.back() = '?';
  return label;
}

}  // namespace

std::optional<ReportLine> find_finding(const std::string& file, const std::string& which,
                                       std::string& problem) {
  size_t wanted = 0;
  const auto [end, bad] = std::from_chars(which.data(), which.data() + which.size(), wanted);
  // A fingerprint may have digits alone.
  const bool is_number = bad == std::errc() && end == which.data() + which.size() && which.size() < 16;
  std::string text;
  for (const std::string& part : is_number ? std::vector{file} : with_rotated_files(file)) {
    std::string more;
    if (problem = read_file(part, more); !problem.empty()) return std::nullopt;
    text += more;
  }
  size_t number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t stop = std::min(text.find('\n', at), text.size());
    auto line = read_report_line(std::string_view(text).substr(at, stop - at));
    at = stop + 1;
    ++number;
    if (is_number ? number != wanted : !line || line->fingerprint != which) continue;
    if (line) return line;
    problem = "line " + which + " of " + file + " is no finding";
    return std::nullopt;
  }
  problem = is_number
                ? file + " has " + std::to_string(number) + " lines, and --finding takes one of their numbers"
                : "no finding in " + file + " has the fingerprint " + which;
  return std::nullopt;
}

std::string selector_of(const ReportLine& line, std::string& problem) {
  const auto* stage =
      std::ranges::find(kStages, line.stage, [](const auto& each) { return std::string_view(each.first); });
  if (line.invocation.empty() || stage == std::end(kStages)) {
    problem = "the finding does not say which invocation it comes from: " + bug_headline(line);
    return {};
  }
  const std::string prefix = std::string(stage->second) + ":";
  const char* const text = line.invocation.c_str();
  unsigned a = 0, b = 0, c = 0;
  const auto numbers = [](auto... each) {
    std::string list;
    ((list += (list.empty() ? "" : ",") + std::to_string(each)), ...);
    return list;
  };
  if (std::sscanf(text, "global invocation %u,%u,%u", &a, &b, &c) == 3)
    return prefix + "GlobalInvocationID=" + numbers(a, b, c);
  if (std::sscanf(text, "launch %u,%u,%u", &a, &b, &c) == 3) return prefix + "LaunchID=" + numbers(a, b, c);
  if (std::sscanf(text, "fragment %u,%u", &a, &b) == 2) return prefix + "FragCoord=" + numbers(a, b);
  if (std::sscanf(text, "vertex %u, instance %u", &a, &b) == 2)
    return prefix + "VertexIndex=" + numbers(a) + ";InstanceIndex=" + numbers(b);
  if (std::sscanf(text, "primitive %u, invocation %u", &a, &b) == 2)
    return prefix + "PrimitiveID=" + numbers(a) +
           (line.stage == "tessellation evaluation" ? "" : ";InvocationID=" + numbers(b));
  problem = "the finding names its invocation in a way that cannot be traced: " + line.invocation;
  return {};
}

std::string aim_at(const ReportLine& line, TraceRequest& request) {
  std::string problem;
  const std::string selector = selector_of(line, problem);
  if (!problem.empty()) return problem;
  if (request.at.size() == SQA_TRACE_SELECTORS) return "there are too many selectors beside the finding's";
  request.at.push_back(selector);
  EnvironmentMap& settings = request.run.settings;
  if (!line.shader.empty()) settings.emplace("only", line.shader);
  if (!line.action) return {};
  // Labels that lie further out may be those of a queue, which are known late.
  if (!line.action->labels.empty()) settings.emplace("within", pattern_of(line.action->labels.back()));
  if (line.action->index != 0 && settings.emplace("actions", std::to_string(line.action->index)).second)
    settings.emplace("sync", "exact");  // which counted transfers too
  return {};
}

}  // namespace shaderqa
