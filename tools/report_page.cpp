// SPDX-License-Identifier: Apache-2.0
#include "tools/report_page.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "host/findings/bug_block.h"
#include "host/text/text_escape.h"
#include "replay/traced_shader.h"
#include "tools/files.h"
#include "tools/report_template.h"

namespace shaderqa {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostShaders = 200;     // larger pages are slow to open
constexpr size_t kMostMarks = 20000;     // in all maps together
constexpr uint64_t kMostHexDigits = 16;  // of a hash

std::string process_text(const ReportLine& line) {
  std::string text = line.program.empty() ? "a process" : line.program;
  if (line.process != 0) text += ", process " + std::to_string(line.process);
  if (!line.host.empty()) text += " on " + line.host;
  return text;
}

Json source_json(const LineSource& source) {
  if (!source.known()) return nullptr;
  return {{"file", source.file}, {"line", source.line}, {"column", source.column}, {"text", source.text}};
}

// "5: vkCmdDispatch(16, 1, 1)" is action 5; a line without a number is a barrier.
uint64_t action_number(const std::string& command) {
  uint64_t number = 0;
  const char* const end = command.data() + command.size();
  const auto [at, error] = std::from_chars(command.data(), end, number);
  return error == std::errc() && at != end && *at == ':' ? number : 0;
}

Json box(const char* what, const std::string& text, const char* side = "") {
  return {{"what", what}, {"text", text}, {"side", side}};
}

std::string action_text(uint64_t number, const std::string& command) {
  if (number == 0) return command;
  return std::to_string(number) + ": " + (command.empty() ? "an action" : command);
}

// Whether something of the API has to stand between the two sides.
bool wants_barrier(const ReportLine& line) {
  return line.hazard && line.other && !line.other->same_action && !line.hazard->cure.empty();
}

Json missing_box(const ReportLine& line) {
  std::string code;
  for (const std::string& each : line.hazard->cure) code += each + "\n";
  return box("missing", code);
}

// The actions and barriers around the finding in their order. What is missing stands between the two sides,
// in front of the later one.
Json strip_of(const ReportLine& line) {
  Json strip = Json::array();
  if (!line.action) return strip;
  const uint64_t own = line.action->number;
  const bool same = line.other && line.other->same_action;
  const uint64_t earlier = line.other && !same ? line.other->action : 0;
  const auto has = [&](uint64_t number) {
    return std::ranges::any_of(line.commands,
                               [&](const std::string& command) { return action_number(command) == number; });
  };
  if (line.other && !same && (earlier == 0 || !has(earlier))) {
    const bool known = earlier != 0 || !line.other->command.empty();
    strip.push_back(
        box("action", known ? action_text(earlier, line.other->command) : "an earlier action", "other"));
    strip.push_back(box("gap", "…"));
  }
  const auto add_own = [&](const std::string& text) {
    if (wants_barrier(line)) strip.push_back(missing_box(line));
    strip.push_back(box("action", text, same ? "both" : "this"));
  };
  if (own == 0 || !has(own)) {
    add_own(action_text(own, line.action->command));
    return strip;
  }
  for (const std::string& command : line.commands) {
    const uint64_t number = action_number(command);
    if (number == own)
      add_own(command);
    else if (number == 0)
      strip.push_back(box("barrier", command));
    else
      strip.push_back(box("action", command, number == earlier ? "other" : ""));
  }
  return strip;
}

// What the names of a group are.
std::string buffer_name(const ReportLine& line) {
  if (!line.buffer) return line.workgroup_part.empty() ? "" : "workgroup memory";
  return line.buffer->name.empty() ? "VkBuffer " + line.buffer->handle : line.buffer->name;
}

std::string shader_name(const ReportLine& line) {
  if (line.shader.empty()) return "";
  std::string text = line.shader_name.empty() ? line.shader : line.shader_name + " (" + line.shader + ")";
  if (!line.stage.empty()) text += ", " + line.stage;
  return text;
}

class Page {
 public:
  Page(const ReportPage& page, std::vector<std::string>& notes) : page_(page), notes_(notes) {
    for (size_t i = 0; i < page.bugs.size(); ++i) numbers_.try_emplace(page.bugs[i].line.fingerprint, i);
    add_bugs();
    add_buffers();
    add_shaders();
    add_lines();
    add_runs();
  }
  // What stands in a script must not have its end in it.
  std::string text() const {
    std::string json = data_.dump(-1, ' ', false, Json::error_handler_t::replace), safe;
    for (const char c : json) c == '<' ? safe += "\\u003c" : safe += c;
    return safe;
  }

 private:
  void add_bugs();
  void add_buffers();
  void add_shaders();
  void add_lines();
  void add_runs();
  Json shader_json(const std::string& hash, const ReportLine& line, std::string& error) const;

  const ReportPage& page_;
  std::vector<std::string>& notes_;
  std::map<std::string, size_t> numbers_;  // of the bugs, by fingerprint
  Json data_ = Json::object();
};

void Page::add_bugs() {
  std::map<std::string, std::set<std::string>> processes, devices;
  for (const ReportLine& line : page_.lines) {
    if (!numbers_.contains(line.fingerprint) || line.kind == FindingKind::note) continue;
    processes[line.fingerprint].insert(process_text(line));
    if (!line.device.empty())
      devices[line.fingerprint].insert(line.device + (line.driver.empty() ? "" : ", " + line.driver));
  }
  Json bugs = Json::array();
  for (const Bug& bug : page_.bugs) {
    const ReportLine& line = bug.line;
    bugs.push_back(
        {{"kind", to_string(line.kind)},
         {"fingerprint", line.fingerprint},
         {"headline", bug_headline(line)},
         {"block", bug_block(line, bug.occurrences, {.color = false, .width = 0, .details = true})},
         {"occurrences", bug.occurrences},
         {"processes", processes[line.fingerprint]},
         {"devices", devices[line.fingerprint]},
         {"shader", line.shader},
         {"shader_name", shader_name(line)},
         {"pipeline", line.pipeline},
         {"buffer", buffer_name(line)},
         {"word", line.instruction.empty() ? Json(nullptr) : Json(line.word)},
         {"source", source_json(line.source)},
         {"other", line.other ? source_json(line.other->source) : Json(nullptr)},
         {"strip", strip_of(line)}});
  }
  data_["bugs"] = std::move(bugs);
}

// Where in the buffers of each process hazards were found.
void Page::add_buffers() {
  std::map<std::vector<std::string>, std::pair<uint64_t, std::set<std::vector<uint64_t>>>> buffers;
  size_t marks = 0;
  for (const ReportLine& line : page_.lines) {
    const auto number = numbers_.find(line.fingerprint);
    if (!line.buffer || !line.hazard || number == numbers_.end()) continue;
    auto& [size, places] = buffers[{line.run, process_text(line), buffer_name(line), line.buffer->handle}];
    size = std::max(size, line.buffer->size);
    if (marks < kMostMarks)
      marks += places.insert({line.buffer->offset, line.hazard->size, number->second}).second ? 1 : 0;
  }
  if (marks == kMostMarks)
    notes_.push_back("the maps have the first " + std::to_string(kMostMarks) + " addresses");
  Json all = Json::array();
  for (const auto& [key, buffer] : buffers)
    all.push_back({{"process", key[1]}, {"name", key[2]}, {"size", buffer.first}, {"marks", buffer.second}});
  data_["buffers"] = std::move(all);
}

Json Page::shader_json(const std::string& hash, const ReportLine& line, std::string& error) const {
  TraceShader shader;
  bool swapped = false;
  // A hash comes from a file that anybody may have written: it must not lead out of the folder.
  if (hash.size() != kMostHexDigits || hash.find_first_not_of("0123456789abcdef") != std::string::npos) {
    error = hash + " is no hash";
    return nullptr;
  }
  error = read_spirv(page_.shader_folder + "/" + hash + ".spv", shader.words, swapped);
  if (!error.empty()) return nullptr;
  for (int stage = 0; stage <= static_cast<int>(Stage::unknown); ++stage)
    if (line.stage == to_string(static_cast<Stage>(stage))) shader.stage = static_cast<Stage>(stage);
  // Several entry points that share the instruction are named in one line.
  shader.entry_point = line.entry_point.substr(0, line.entry_point.find(','));
  const std::unique_ptr<TracedShader> traced = TracedShader::load(shader, error);
  if (!traced) return nullptr;
  Json names = Json::array(), files = Json::object(), code = Json::array();
  std::map<std::string, size_t> numbers;
  for (const std::string& file : traced->files()) {
    numbers.emplace(file, numbers.size());
    names.push_back(file);
    Json lines = Json::object();
    if (const auto* known = traced->lines_of(file))
      for (const auto& [number, text] : *known) lines[std::to_string(number)] = text;
    files[file] = std::move(lines);
  }
  for (const uint32_t offset : traced->instructions()) {
    const SourcePosition& position = traced->position(offset);
    const auto file = numbers.find(position.file);
    const std::string& text = traced->text(offset);
    code.push_back({offset, position.line == 0 || file == numbers.end() ? -1 : static_cast<int>(file->second),
                    position.line, text.substr(std::min(text.find_first_not_of(' '), text.size()))});
  }
  return {{"names", std::move(names)}, {"files", std::move(files)}, {"code", std::move(code)}};
}

void Page::add_shaders() {
  data_["shaders"] = Json::object();
  if (page_.shader_folder.empty()) return;
  for (const Bug& bug : page_.bugs) {
    const std::string& hash = bug.line.shader;
    if (hash.empty() || data_["shaders"].contains(hash)) continue;
    if (data_["shaders"].size() == kMostShaders) {
      notes_.push_back("the page has the SPIR-V of the first " + std::to_string(kMostShaders) + " shaders");
      return;
    }
    std::string error;
    Json shader = shader_json(hash, bug.line, error);
    if (shader.is_null()) notes_.push_back("shader " + hash + ": " + error);
    data_["shaders"][hash] = std::move(shader);
  }
}

// Source lines that findings name, for shaders whose source is not at hand.
void Page::add_lines() {
  Json lines = Json::object();
  const auto add = [&](const LineSource& source) {
    if (!source.text.empty()) lines[source.file][std::to_string(source.line)] = source.text;
  };
  for (const ReportLine& line : page_.lines) {
    add(line.source);
    if (line.other) add(line.other->source);
  }
  data_["lines"] = std::move(lines);
}

void Page::add_runs() {
  Json runs = Json::array();
  std::set<std::string> said;
  for (const CheckedRun& run : page_.checked) {
    said.insert(run.run);
    Json devices = Json::array();
    for (const DeviceRecord& device : run.devices)
      devices.push_back(device.name + (device.driver.empty() ? "" : ", " + device.driver) +
                        (device.inert_reason.empty() ? "" : ": not checked, " + device.inert_reason));
    runs.push_back({{"host", run.host},
                    {"version", run.version},
                    {"programs", run.programs},
                    {"devices", std::move(devices)},
                    {"checks", run.checks},
                    {"complete", run.complete},
                    {"text", run.text}});
  }
  // A run that was killed has no such line.
  for (const ReportLine& line : page_.lines) {
    if (!said.insert(line.run).second) continue;
    runs.push_back({{"host", line.host},
                    {"version", line.version},
                    {"programs", Json::array({line.program})},
                    {"devices", Json::array()},
                    {"checks", Json::array()},
                    {"complete", false},
                    {"text",
                     "not known: the run was killed before it could say what was checked, or an older "
                     "version of shaderqa wrote the file"}});
  }
  data_["runs"] = std::move(runs);
  data_["notes"] = notes_;
}

}  // namespace

std::string report_page(const ReportPage& page, std::vector<std::string>& notes) {
  return kReportBeforeTitle + to_xml(page.title) + kReportBeforeData + Page(page, notes).text() +
         kReportAfterData;
}

}  // namespace shaderqa
