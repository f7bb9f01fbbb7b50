// SPDX-License-Identifier: Apache-2.0
// The requests of a session that look: calls, variables, expressions, sources.
#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "replay/dap_session.h"

namespace shaderqa {
namespace {

using Json = nlohmann::json;

constexpr uint64_t kMostParts = 1000;
constexpr size_t kMostResults = 500;
constexpr uint64_t kShaderAddresses = uint64_t{1} << 32;  // of instructions, from one shader to the next
constexpr int64_t kMostInstructions = 10000;

std::string hexadecimal(uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
  return text;
}

// Commands of `replay` that move nothing.
bool only_looks(const std::string& line) {
  const std::string word = line.substr(0, line.find(' '));
  for (const char* each : {"print", "p", "x", "who", "w", "backtrace", "bt", "list", "l", "disassemble",
                           "dis", "info", "i", "help", "h"})
    if (word == each) return true;
  return false;
}

}  // namespace

size_t DapSession::shown_step(size_t invocation) const {
  return std::min(debugger_->step_of(invocation), debugger_->invocation(invocation).steps().size() - 1);
}

void DapSession::stack_trace(const Json& arguments, Json& body) {
  const size_t which = thread(arguments);
  const Invocation& invocation = debugger_->invocation(which);
  const std::vector<StackFrame> all = stack_of(invocation, shown_step(which));
  const uint64_t start = arguments.value("startFrame", uint64_t{0});
  const uint64_t levels = arguments.value("levels", uint64_t{0});
  Json list = Json::array();
  for (size_t i = 0; i < all.size(); ++i) {
    if (i < start || (levels != 0 && i - start >= levels)) continue;
    const StackFrame& frame = all[i];
    const uint32_t offset = invocation.steps()[frame.step].offset;
    const DapSources::Line line = sources_.line(invocation.shader(), frame, offset);
    frames_.emplace_back(which, frame);
    Json json = {{"id", frames_.size()},
                 {"name", frame.function.empty() ? "?" : frame.function},
                 {"line", line.source ? line.line - 1 + first_line_ : 0},
                 {"column", first_column_}};
    if (line.source) {
      json["source"] = source_json(*line.source);
      json["instructionPointerReference"] = hexadecimal(line.source->reference * kShaderAddresses +
                                                        invocation.shader().instruction_number(offset));
    }
    list.push_back(std::move(json));
  }
  body["stackFrames"] = std::move(list);
  body["totalFrames"] = all.size();
}

StackFrame DapSession::frame_of(const Json& arguments, size_t& invocation) const {
  if (!debugger_) throw std::runtime_error("there is no trace yet: launch comes first");
  const uint64_t id = arguments.value("frameId", uint64_t{0});
  if (id == 0) {
    invocation = live_ ? debugger_->current() : 0;
    return frame_at(debugger_->invocation(invocation), shown_step(invocation));
  }
  if (id > frames_.size()) throw std::runtime_error("there is no frame " + std::to_string(id) + " any more");
  invocation = frames_[id - 1].first;
  return frames_[id - 1].second;
}

uint32_t DapSession::add_values(Values values) {
  values_.push_back(std::move(values));
  return static_cast<uint32_t>(values_.size());
}

const DapSession::Values& DapSession::values(const Json& arguments) const {
  const uint64_t reference = arguments.at("variablesReference").get<uint64_t>();
  if (reference == 0 || reference > values_.size())
    throw std::runtime_error("these variables are not valid any more");
  return values_[reference - 1];
}

void DapSession::scopes(const Json& arguments, Json& body) {
  Values of;
  arguments.at("frameId");
  of.frame = frame_of(arguments, of.invocation);
  Json list = Json::array();
  const auto add = [&](const char* name, Values::Kind kind, bool expensive) {
    of.kind = kind;
    list.push_back({{"name", name}, {"variablesReference", add_values(of)}, {"expensive", expensive}});
  };
  add("Locals", Values::Kind::locals, false);
  list.back()["presentationHint"] = "locals";
  add("Module", Values::Kind::globals, false);
  add("SPIR-V values", Values::Kind::results, true);
  list.back()["presentationHint"] = "registers";
  body["scopes"] = std::move(list);
}

Json DapSession::variable_json(const Values& of, const std::string& name, const std::string& evaluate_name,
                               const std::optional<Named>& named, const std::string& why) {
  const Invocation& invocation = debugger_->invocation(of.invocation);
  Json json = {{"name", name}, {"value", why}, {"variablesReference", 0}};
  if (!named || (named->type == 0 && named->parts.empty())) {
    if (why.empty()) json["value"] = "not known";
    json["presentationHint"] = {{"attributes", {"readOnly", "failedEvaluation"}}};
    return json;
  }
  json["value"] = text_of(invocation, *named, debugger_->step_of(of.invocation));
  Json attributes = Json::array();
  if (!live_) attributes.push_back("readOnly");
  json["presentationHint"] = Json::object({{"attributes", std::move(attributes)}});
  if (!evaluate_name.empty()) json["evaluateName"] = evaluate_name;
  if (!parts_of(invocation, *named, 1).empty()) {
    Values parts = of;
    parts.kind = Values::Kind::parts;
    parts.named = *named;
    parts.name = evaluate_name;
    json["variablesReference"] = add_values(std::move(parts));
  }
  return json;
}

// Those that the frame's function computed so far, the latest last.
void DapSession::add_results(const Values& of, Json& list) {
  const Invocation& invocation = debugger_->invocation(of.invocation);
  const uint32_t function = invocation.frame(invocation.steps()[of.frame.step].frame).function;
  std::vector<uint32_t> ids;
  for (const TracePiece& piece : invocation.shader().plan().pieces)
    if (piece.function == function)
      for (const TraceValue& value : piece.values) ids.push_back(value.id);
  size_t shown = 0;
  for (const uint32_t id : ids) {
    const std::string name = "%" + std::to_string(id);
    std::string error;
    const auto named = resolve(invocation, of.frame, name, error);
    if (!named || !named->is_value || shown == kMostResults) continue;
    if (!invocation.value(id, static_cast<uint32_t>(named->variable.frame),
                          debugger_->step_of(of.invocation)))
      continue;
    list.push_back(variable_json(of, name, name, named, ""));
    ++shown;
  }
}

void DapSession::variables(const Json& arguments, Json& body) {
  debugger();
  const Values of = values(arguments);  // a copy: its children are added to the list
  const Invocation& invocation = debugger_->invocation(of.invocation);
  Json list = Json::array();
  const auto add_parts = [&](const Named& named, const std::string& prefix, uint64_t start, uint64_t count) {
    const auto parts = parts_of(invocation, named, start + count);
    for (uint64_t i = start; i < parts.size(); ++i) {
      const auto& [name, part] = parts[i];
      const std::string dot = prefix.empty() || name.starts_with('[') ? "" : ".";
      list.push_back(variable_json(
          of, name, prefix.empty() && of.kind == Values::Kind::parts ? "" : prefix + dot + name, part, ""));
    }
  };
  if (of.kind == Values::Kind::locals) {
    const std::vector<Local> locals = locals_of(invocation, of.frame);
    for (size_t i = 0; i < locals.size(); ++i) {
      const Local& local = locals[i];
      const bool several = std::ranges::count(locals, local.name, &Local::name) > 1;
      const bool first =
          std::ranges::find(locals, local.name, &Local::name) - locals.begin() == static_cast<int64_t>(i);
      list.push_back(
          variable_json(of, several ? local.name + " (line " + std::to_string(local.line) + ")" : local.name,
                        first ? local.name : "", local.named, local.why));
    }
  } else if (of.kind == Values::Kind::globals) {
    for (const uint32_t id : invocation.shader().global_variables()) {
      std::string error;
      const std::string name = invocation.shader().name(id);
      const auto named = resolve(invocation, of.frame, "%" + std::to_string(id), error);
      if (!name.empty())
        list.push_back(variable_json(of, name, name, named, error));
      else if (named)  // the members of a block without a name
        add_parts(*named, "", 0, kMostParts);
    }
  } else if (of.kind == Values::Kind::results) {
    add_results(of, list);
  } else {
    const uint64_t count = arguments.value("count", uint64_t{0});
    add_parts(of.named, of.name, std::min(arguments.value("start", uint64_t{0}), kMostParts),
              count == 0 ? kMostParts : std::min(count, kMostParts));
  }
  body["variables"] = std::move(list);
}

void DapSession::evaluate(const Json& arguments, Json& body) {
  debugger();
  Values of;
  of.frame = frame_of(arguments, of.invocation);
  const std::string expression = arguments.at("expression");
  const std::string context = arguments.value("context", std::string());
  std::string error;
  if (const auto named = resolve(debugger_->invocation(of.invocation), of.frame, expression, error)) {
    const Json variable = variable_json(of, expression, expression, named, "");
    body["result"] = variable["value"];
    body["variablesReference"] = variable["variablesReference"];
    body["presentationHint"] = variable["presentationHint"];
    return;
  }
  if (context != "repl" || !only_looks(expression)) throw std::runtime_error(error);
  debugger_->command("invocation " + std::to_string(of.invocation + 1));
  const Reply reply = debugger_->command(expression);
  if (!reply.ok) throw std::runtime_error(reply.text);
  body["result"] = reply.text;
  body["variablesReference"] = 0;
}

void DapSession::source(const Json& arguments, Json& body) {
  uint32_t reference = arguments.value("sourceReference", 0u);
  if (arguments.contains("source")) reference = arguments["source"].value("sourceReference", reference);
  const DapSources::Source* source = sources_.find(reference);
  if (!source && arguments.contains("source")) {
    const auto found = sources_.find(arguments["source"].value("path", std::string()));
    if (!found.empty()) source = found.front();
  }
  if (!source) throw std::runtime_error("no traced shader has this source");
  body["content"] = sources_.text(*source);
}

void DapSession::loaded_sources(const Json&, Json& body) {
  Json list = Json::array();
  for (uint32_t reference = 1; const auto* source = sources_.find(reference); ++reference)
    list.push_back(source_json(*source));
  body["sources"] = std::move(list);
}

void DapSession::disassemble(const Json& arguments, Json& body) {
  debugger();
  const std::string text = arguments.at("memoryReference");
  uint64_t address = 0;
  const bool hex = text.starts_with("0x");
  const auto [end, problem] =
      std::from_chars(text.data() + (hex ? 2 : 0), text.data() + text.size(), address, hex ? 16 : 10);
  const DapSources::Source* const source = sources_.find(static_cast<uint32_t>(address / kShaderAddresses));
  if (problem != std::errc() || end != text.data() + text.size() || !source)
    throw std::runtime_error("no instruction has this address");
  const int64_t count =
      std::clamp(arguments.at("instructionCount").get<int64_t>(), int64_t{0}, kMostInstructions);
  const auto limited = [&](const char* key) {
    return std::clamp(arguments.value(key, int64_t{0}), -static_cast<int64_t>(kShaderAddresses),
                      static_cast<int64_t>(kShaderAddresses));
  };
  const int64_t first =
      static_cast<int64_t>(address % kShaderAddresses) + limited("offset") + limited("instructionOffset");
  const std::vector<uint32_t>& all = source->shader->instructions();
  Json list = Json::array();
  for (int64_t i = first; i < first + count; ++i) {
    const bool exists = i >= 0 && i < static_cast<int64_t>(all.size());
    // Before the first one, addresses would be those of another shader.
    const uint64_t own = source->reference * kShaderAddresses + static_cast<uint64_t>(i < 0 ? 0 : i);
    Json json = {{"address", hexadecimal(own)},
                 {"instruction", exists ? source->shader->text(all[static_cast<size_t>(i)]) : ""}};
    if (!exists) json["presentationHint"] = "invalid";
    list.push_back(std::move(json));
  }
  body["instructions"] = std::move(list);
}

}  // namespace shaderqa
