// SPDX-License-Identifier: Apache-2.0
#include "replay/dap_session.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace shaderqa {
namespace {

using Json = nlohmann::json;

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

struct DapSession::Request {
  std::string_view command;
  Handler handler;
};

DapSession::DapSession(std::string trace) : trace_(std::move(trace)) {}
DapSession::DapSession(LiveTarget& target) : live_(&target) {}
DapSession::~DapSession() = default;

void DapSession::detach() {
  if (debugger_) debugger_->detach();
}

DapSession::Handler DapSession::find_handler(const std::string& command) {
  static constexpr Request requests[] = {
      {"initialize", &DapSession::initialize},
      {"launch", &DapSession::launch},
      {"attach", &DapSession::launch},
      {"setBreakpoints", &DapSession::set_breakpoints},
      {"setFunctionBreakpoints", &DapSession::set_function_breakpoints},
      {"dataBreakpointInfo", &DapSession::data_breakpoint_info},
      {"setDataBreakpoints", &DapSession::set_data_breakpoints},
      {"setExceptionBreakpoints", &DapSession::set_exception_breakpoints},
      {"configurationDone", &DapSession::configuration_done},
      {"threads", &DapSession::threads},
      {"stackTrace", &DapSession::stack_trace},
      {"scopes", &DapSession::scopes},
      {"variables", &DapSession::variables},
      {"setVariable", &DapSession::set_variable},
      {"evaluate", &DapSession::evaluate},
      {"source", &DapSession::source},
      {"loadedSources", &DapSession::loaded_sources},
      {"disassemble", &DapSession::disassemble},
      {"next", &DapSession::next},
      {"stepIn", &DapSession::step_in},
      {"stepOut", &DapSession::step_out},
      {"stepBack", &DapSession::step_back},
      {"continue", &DapSession::go_on},
      {"reverseContinue", &DapSession::reverse_continue},
      {"pause", &DapSession::pause},
      {"disconnect", &DapSession::disconnect},
  };
  for (const Request& each : requests)
    if (each.command == command) return each.handler;
  return nullptr;
}

void DapSession::send(Json message) {
  message["seq"] = ++sequence_;
  outgoing_.push_back(dumped(message));
}

// Behind the response to the request that is being handled.
void DapSession::event(const std::string& name, Json body) {
  pending_events_.push_back(dumped({{"type", "event"}, {"event", name}, {"body", std::move(body)}}));
}

std::vector<std::string> DapSession::receive(const std::string& message) {
  outgoing_.clear();
  const Json request = Json::parse(message, nullptr, false);
  const auto is_text = [&](const char* key) { return request.contains(key) && request[key].is_string(); };
  if (!request.is_object() || !is_text("command") || !request.contains("seq") ||
      !request["seq"].is_number_integer()) {
    event("output",
          {{"category", "stderr"}, {"output", "shaderqa: a message is no request and is ignored\n"}});
  } else {
    handle(request);
  }
  for (const std::string& each : pending_events_) send(Json::parse(each));
  pending_events_.clear();
  return std::move(outgoing_);
}

void DapSession::handle(const Json& request) {
  const std::string command = request["command"];
  Json response = {
      {"type", "response"}, {"request_seq", request["seq"]}, {"command", command}, {"success", true}};
  Json body = Json::object();
  try {
    const Handler handler = find_handler(command);
    if (!handler) throw std::runtime_error("the request " + command + " is not supported");
    const bool has_arguments = request.contains("arguments") && request["arguments"].is_object();
    (this->*handler)(has_arguments ? request["arguments"] : Json::object(), body);
    response["body"] = std::move(body);
  } catch (const std::exception& problem) {
    // JSON's own problems are those of arguments with other types.
    const bool json = dynamic_cast<const Json::exception*>(&problem) != nullptr;
    const std::string text =
        json ? "the arguments of " + command + " are not as the protocol has them" : problem.what();
    response["success"] = false;
    response["message"] = text;
    response["body"] = {{"error", {{"id", 1}, {"format", "{text}"}, {"variables", {{"text", text}}}}}};
  }
  send(std::move(response));
}

Debugger& DapSession::debugger() {
  if (!debugger_) throw std::runtime_error("there is no trace yet: launch comes first");
  return *debugger_;
}

void DapSession::initialize(const Json& arguments, Json& body) {
  first_line_ = arguments.value("linesStartAt1", true) ? 1 : 0;
  first_column_ = arguments.value("columnsStartAt1", true) ? 1 : 0;
  for (const char* can :
       {"supportsConfigurationDoneRequest", "supportsFunctionBreakpoints", "supportsStepBack",
        "supportsDataBreakpoints", "supportsEvaluateForHovers", "supportsSteppingGranularity",
        "supportsLoadedSourcesRequest", "supportsDisassembleRequest"})
    body[can] = true;
  body["supportsSetVariable"] = live_ != nullptr;
}

void DapSession::launch(const Json& arguments, Json&) {
  if (debugger_) throw std::runtime_error("a trace is open already");
  stop_on_entry_ = arguments.value("stopOnEntry", true);
  if (live_)
    wait_for_program();
  else
    open_trace(arguments);
  add_sources();
  event("initialized", Json::object());
  for (const std::string& note : debugger_->notes())
    event("output", {{"category", "important"}, {"output", "note: " + note + "\n"}});
  for (size_t i = 0; i < debugger_->invocation_count(); ++i)
    for (const std::string& note : debugger_->invocation(i).notes())
      event("output", {{"category", "important"},
                       {"output", debugger_->title(debugger_->invocation(i)) + ": " + note + "\n"}});
}

// Sources are known once the first chosen invocation waits.
void DapSession::wait_for_program() {
  auto made = std::make_unique<Debugger>(*live_);
  const Reply reply = made->start();
  if (!made->has_invocation()) throw std::runtime_error(reply.text);
  debugger_ = std::move(made);
}

void DapSession::add_sources() {
  for (size_t i = 0; i < debugger_->invocation_count(); ++i) {
    const TracedShader* shader = &debugger_->invocation(i).shader();
    if (std::ranges::find(shaders_, shader) != shaders_.end()) continue;
    shaders_.push_back(shader);
    sources_.add(*shader);
  }
}

void DapSession::open_trace(const Json& arguments) {
  const std::string path = arguments.value("trace", trace_);
  if (path.empty()) throw std::runtime_error("\"trace\" is missing: the file that shaderqa trace wrote");
  TraceContents contents;
  std::string error;
  if (!read_trace_file(path, contents, error)) throw std::runtime_error(path + " " + error);
  auto made = std::make_unique<Debugger>(std::move(contents));
  if (!made->has_invocation()) throw std::runtime_error(path + ": " + made->greeting());
  debugger_ = std::move(made);
}

void DapSession::configuration_done(const Json&, Json&) {
  if (stop_on_entry_) {
    stopped(debugger().current(), "entry");
  } else {
    move({{"threadId", debugger().current() + 1}}, "continue", "continue");
  }
}

std::string DapSession::set(const std::string& command) {
  const Reply reply = debugger().command(command);
  return reply.ok ? std::string() : reply.text;
}

// The debugger's own list is made anew, in the order in which clients are told of the parts.
void DapSession::set_all_breakpoints() {
  const size_t current = debugger().current();
  debugger().command("delete");
  for (const Wanted& each : source_breakpoints_) {
    // An instruction is one of the current invocation's shader.
    for (size_t i = 0; i < debugger().invocation_count(); ++i) {
      if (&debugger().invocation(i).shader() != each.source->shader) continue;
      debugger().command("invocation " + std::to_string(i + 1));
      break;
    }
    set(each.command);
  }
  for (const auto* list : {&other_breakpoints_, &data_breakpoints_})
    for (const std::string& each : *list) set(each);
  debugger().command("invocation " + std::to_string(current + 1));
}

Json DapSession::breakpoint_json(const std::string& problem) {
  Json json = {{"id", ++next_breakpoint_}, {"verified", problem.empty()}};
  if (!problem.empty()) json["message"] = problem;
  return json;
}

Json DapSession::source_json(const DapSources::Source& source) const {
  Json json = {{"name", source.name}};
  if (!source.path.empty())
    json["path"] = source.path;
  else
    json["sourceReference"] = source.reference;
  if (source.is_code) json["origin"] = "SPIR-V";
  return json;
}

void DapSession::set_breakpoints(const Json& arguments, Json& body) {
  debugger();
  const Json& wanted = arguments.at("source");
  const uint32_t reference = wanted.value("sourceReference", 0u);
  std::vector<const DapSources::Source*> sources;
  if (const auto* source = sources_.find(reference))
    sources.push_back(source);
  else
    sources = sources_.find(wanted.value("path", wanted.value("name", std::string())));
  std::erase_if(source_breakpoints_,
                [&](const Wanted& each) { return std::ranges::find(sources, each.source) != sources.end(); });
  Json list = Json::array();
  for (const Json& each : arguments.value("breakpoints", Json::array())) {
    const int64_t given = each.at("line").get<int64_t>() + 1 - first_line_;
    const uint32_t line = given > 0 && given < UINT32_MAX ? static_cast<uint32_t>(given) : 0;
    uint32_t found = 0;
    const DapSources::Source* where = nullptr;
    for (const DapSources::Source* source : sources) {
      const uint32_t own = DapSources::line_with_code(*source, line);
      if (own == 0) continue;
      if (!where) found = own, where = source;
      source_breakpoints_.push_back({source, "break " + DapSources::breakpoint(*source, own)});
    }
    Json breakpoint = breakpoint_json(sources.empty() ? "no traced shader comes from this file"
                                      : !where ? "no instruction of the shader comes from here or behind"
                                               : "");
    if (where) {
      breakpoint["line"] = found - 1 + first_line_;
      breakpoint["source"] = source_json(*where);
    }
    list.push_back(std::move(breakpoint));
  }
  set_all_breakpoints();
  body["breakpoints"] = std::move(list);
}

void DapSession::set_function_breakpoints(const Json& arguments, Json& body) {
  debugger();
  other_breakpoints_.clear();
  Json list = Json::array();
  for (const Json& each : arguments.value("breakpoints", Json::array())) {
    const std::string name = each.at("name");
    const bool good =
        !name.empty() && name.front() != '*' && name.find_first_of(": \t\n") == std::string::npos;
    if (good) other_breakpoints_.push_back("break " + name);
    list.push_back(breakpoint_json(good ? "" : "this is no name of a function"));
  }
  set_all_breakpoints();
  body["breakpoints"] = std::move(list);
}

void DapSession::data_breakpoint_info(const Json& arguments, Json& body) {
  size_t invocation = 0;
  std::string name = arguments.at("name");
  body["dataId"] = nullptr;
  body["description"] = name + " cannot be watched";
  StackFrame frame;
  if (arguments.value("variablesReference", 0) != 0) {
    const Values& of = values(arguments);
    name = name_of(arguments, of);
    if (name.empty()) return;
    invocation = of.invocation;
    frame = of.frame;
  } else {
    frame = frame_of(arguments, invocation);
  }
  std::string error;
  if (!resolve(debugger().invocation(invocation), frame, name, error)) return;
  body["dataId"] = name;
  body["description"] = name;
  body["accessTypes"] = {"write"};
}

// As evaluate takes it; empty: it has no name.
std::string DapSession::name_of(const Json& arguments, const Values& of) const {
  std::string name = arguments.at("name");
  if (of.kind != Values::Kind::parts) return name;
  if (of.name.empty() || name.empty()) return {};
  return of.name + (name.front() == '[' ? "" : ".") + name;
}

void DapSession::set_variable(const Json& arguments, Json& body) {
  debugger();
  const Values& of = values(arguments);
  debugger().command("invocation " + std::to_string(of.invocation + 1));
  const std::string name = name_of(arguments, of), value = arguments.at("value");
  const Reply reply = debugger().command("set " + name + " = " + value);
  if (!reply.ok) throw std::runtime_error(reply.text);
  body["value"] = reply.text.substr(reply.text.find(" = ") + 3);
}

void DapSession::set_data_breakpoints(const Json& arguments, Json& body) {
  debugger();
  data_breakpoints_.clear();
  Json list = Json::array();
  for (const Json& each : arguments.value("breakpoints", Json::array())) {
    const std::string command = "watch " + each.at("dataId").get<std::string>();
    const std::string problem = set(command);
    if (problem.empty()) data_breakpoints_.push_back(command);
    list.push_back(breakpoint_json(problem));
  }
  set_all_breakpoints();
  body["breakpoints"] = std::move(list);
}

void DapSession::set_exception_breakpoints(const Json&, Json& body) { body["breakpoints"] = Json::array(); }

void DapSession::threads(const Json&, Json& body) {
  Json list = Json::array();
  for (size_t i = 0; i < debugger().invocation_count(); ++i)
    list.push_back({{"id", i + 1}, {"name", debugger().title(debugger().invocation(i))}});
  body["threads"] = std::move(list);
}

size_t DapSession::thread(const Json& arguments) {
  const int64_t id = arguments.at("threadId").get<int64_t>();
  if (id < 1 || id > static_cast<int64_t>(debugger().invocation_count()))
    throw std::runtime_error("there is no thread " + std::to_string(id));
  debugger().command("invocation " + std::to_string(id));
  return static_cast<size_t>(id - 1);
}

void DapSession::stopped(size_t thread, const std::string& reason) {
  add_sources();
  values_.clear();
  frames_.clear();
  Json body = {{"reason", reason}, {"threadId", thread + 1}, {"allThreadsStopped", true}};
  const bool at_end = debugger().step_of(thread) >= debugger().invocation(thread).steps().size();
  if (at_end) body["description"] = debugger().where();
  event("stopped", std::move(body));
}

void DapSession::move(const Json& arguments, const std::string& command, const std::string& by_instruction) {
  const size_t which = thread(arguments);
  const bool single = arguments.value("granularity", std::string()) == "instruction";
  const Reply reply = debugger().command(single ? by_instruction : command);
  if (!reply.ok) event("output", {{"category", "console"}, {"output", reply.text + "\n"}});
  const bool runs = command == "continue" || command == "reverse-continue";
  const bool hit = reply.ok && debugger().at_breakpoint();
  const size_t here = live_ ? debugger().current() : which;
  stopped(here, hit ? "breakpoint" : runs ? "pause" : "step");
}

void DapSession::next(const Json& arguments, Json&) { move(arguments, "next", "stepi"); }
void DapSession::step_in(const Json& arguments, Json&) { move(arguments, "step", "stepi"); }
void DapSession::step_out(const Json& arguments, Json&) { move(arguments, "finish", "finish"); }
void DapSession::step_back(const Json& arguments, Json&) { move(arguments, "reverse-next", "reverse-stepi"); }

void DapSession::go_on(const Json& arguments, Json& body) {
  move(arguments, "continue", "continue");
  body["allThreadsContinued"] = false;
}

void DapSession::reverse_continue(const Json& arguments, Json&) {
  move(arguments, "reverse-continue", "reverse-continue");
}

// Nothing ever runs while a client can ask.
void DapSession::pause(const Json& arguments, Json&) { stopped(thread(arguments), "pause"); }

void DapSession::disconnect(const Json&, Json&) {
  ended_ = true;
  event("terminated", Json::object());
}

}  // namespace shaderqa
