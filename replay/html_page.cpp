// SPDX-License-Identifier: Apache-2.0
#include "replay/html_page.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "host/text/text_escape.h"
#include "replay/expression.h"
#include "replay/html_template.h"

namespace shaderqa {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostSteps = 20000;  // of an invocation
constexpr size_t kLongestText = 2000;

// The data, each text once.
class Page {
 public:
  explicit Page(const Debugger& debugger) {
    for (size_t i = 0; i < debugger.invocation_count(); ++i) add(debugger, debugger.invocation(i));
    data_["notes"] = debugger.notes();
    data_["texts"] = texts_;
    data_["files"] = files_;
    data_["shaders"] = shaders_;
  }
  // What stands in a script must not have its end in it.
  std::string text() const {
    std::string json = data_.dump(-1, ' ', false, Json::error_handler_t::replace), safe;
    for (const char c : json) c == '<' ? safe += "\\u003c" : safe += c;
    return safe;
  }

 private:
  size_t text_number(std::string text);
  int file_number(const TracedShader& shader, const std::string& file);
  size_t shader_number(const TracedShader& shader);
  void add(const Debugger& debugger, const Invocation& invocation);
  Json step_json(const Invocation& invocation, size_t step, bool begins);
  Json view_json(const Invocation& invocation, size_t step);
  int result(const Invocation& invocation, size_t step);

  Json data_ = {{"invocations", Json::array()}};
  Json texts_ = Json::array(), files_ = Json::array(), shaders_ = Json::array();
  std::map<std::string, size_t> text_numbers_;
  std::map<std::pair<const TracedShader*, std::string>, int> file_numbers_;
  std::map<const TracedShader*, size_t> shader_numbers_;
};

size_t Page::text_number(std::string text) {
  if (text.size() > kLongestText) text = text.substr(0, kLongestText) + "...";
  const auto [place, added] = text_numbers_.emplace(std::move(text), texts_.size());
  if (added) texts_.push_back(place->first);
  return place->second;
}

int Page::file_number(const TracedShader& shader, const std::string& file) {
  const auto [place, added] =
      file_numbers_.emplace(std::pair(&shader, file), static_cast<int>(files_.size()));
  if (!added) return place->second;
  Json lines = Json::object();
  if (const auto* known = shader.lines_of(file))
    for (const auto& [number, line] : *known) lines[std::to_string(number)] = line;
  files_.push_back({{"name", file.empty() ? "source" : file}, {"lines", std::move(lines)}});
  return place->second;
}

size_t Page::shader_number(const TracedShader& shader) {
  const auto [place, added] = shader_numbers_.emplace(&shader, shaders_.size());
  if (!added) return place->second;
  Json lines = Json::array();
  for (const uint32_t offset : shader.instructions()) {
    const std::string& text = shader.text(offset);
    lines.push_back(text.substr(std::min(text.find_first_not_of(' '), text.size())));
  }
  shaders_.push_back(std::move(lines));
  return place->second;
}

// What the instruction computes or stores; -1: nothing that is known.
int Page::result(const Invocation& invocation, size_t step) {
  const TracedShader& shader = invocation.shader();
  const TraceStep& at = invocation.steps()[step];
  const InstructionView i = shader.view().at(at.offset);
  const bool stores = i.op() == spv::Op::OpStore;
  const uint32_t id = i.word(2);
  const InstructionView definition = shader.view().definition(id);
  if (!stores && (!definition || definition.words.data() != i.words.data())) return -1;
  const auto dwords = invocation.value(id, at.frame, stores ? step : step + 1);
  if (!dwords) return -1;
  return static_cast<int>(
      text_number((stores ? "stores " : "") +
                  shader.format(shader.view().type_of(id), {dwords->begin(), dwords->end()})));
}

Json Page::step_json(const Invocation& invocation, size_t step, bool begins) {
  const SourcePosition& position = invocation.position(step);
  const bool has_line = position.line != 0 && invocation.shader().lines_of(position.file);
  return {invocation.shader().instruction_number(invocation.steps()[step].offset),
          has_line ? file_number(invocation.shader(), position.file) : -1,
          position.line,
          invocation.depth(step),
          begins ? 1 : 0,
          result(invocation, step)};
}

Json Page::view_json(const Invocation& invocation, size_t step) {
  Json calls = Json::array(), locals = Json::array();
  for (const StackFrame& frame : stack_of(invocation, step))
    calls.push_back({text_number(frame.function), frame.position.line});
  const std::vector<Local> all = locals_of(invocation, frame_at(invocation, step));
  for (const Local& local : all) {
    const bool several = std::ranges::count(all, local.name, &Local::name) > 1;
    const std::string name = local.name + (several ? " (line " + std::to_string(local.line) + ")" : "");
    locals.push_back(
        {text_number(name), text_number(local.named ? text_of(invocation, *local.named, step) : local.why)});
  }
  return {step, std::move(calls), std::move(locals)};
}

void Page::add(const Debugger& debugger, const Invocation& invocation) {
  const bool has_lines = invocation.shader().has_lines();
  const size_t count = std::min(invocation.steps().size(), kMostSteps);
  Json steps = Json::array(), views = Json::array(), notes = invocation.notes();
  for (size_t step = 0; step < count; ++step) {
    const TraceStep& at = invocation.steps()[step];
    bool begins = step == 0 || !has_lines;
    if (!begins) {
      const TraceStep& before = invocation.steps()[step - 1];
      const SourcePosition &here = invocation.position(step), &last = invocation.position(step - 1);
      begins =
          here.line != 0 && (before.frame != at.frame || before.scope.inlined_at != at.scope.inlined_at ||
                             here.line != last.line || here.file != last.file);
    }
    if (begins) views.push_back(view_json(invocation, step));
    steps.push_back(step_json(invocation, step, begins));
  }
  if (count < invocation.steps().size())
    notes.push_back("the page has the first " + std::to_string(count) + " of " +
                    std::to_string(invocation.steps().size()) + " instructions");
  data_["invocations"].push_back({{"title", debugger.title(invocation)},
                                  {"notes", std::move(notes)},
                                  {"shader", shader_number(invocation.shader())},
                                  {"steps", std::move(steps)},
                                  {"views", std::move(views)}});
}

}  // namespace

std::string html_page(const Debugger& debugger, const std::string& title) {
  return kHtmlBeforeTitle + to_xml(title) + kHtmlBeforeData + Page(debugger).text() + kHtmlAfterData;
}

}  // namespace shaderqa
