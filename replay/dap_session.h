// SPDX-License-Identifier: Apache-2.0
// A trace for clients of the Debug Adapter Protocol: invocations are threads, each of which can be walked in
// both directions. Only messages, as JSON texts; who carries them is somebody else's business.
#ifndef SHADERQA_REPLAY_DAP_SESSION_H
#define SHADERQA_REPLAY_DAP_SESSION_H

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "replay/dap_sources.h"
#include "replay/debugger.h"
#include "replay/expression.h"

namespace shaderqa {

class DapSession {
 public:
  // trace: a file; empty: the client says which.
  explicit DapSession(std::string trace);
  // For a program that runs. While it runs no message is answered.
  explicit DapSession(LiveTarget& target);
  ~DapSession();

  // What to answer to a message, in order. Anything may be in it.
  std::vector<std::string> receive(const std::string& message);
  // The client is done.
  bool ended() const { return ended_; }
  // Lets a program that runs go on without stops.
  void detach();

 private:
  using Json = nlohmann::json;
  struct Request;
  using Handler = void (DapSession::*)(const Json& arguments, Json& body);
  // What a variablesReference means, until something moves.
  struct Values {
    enum class Kind { locals, globals, results, parts } kind = Kind::parts;
    size_t invocation = 0;
    StackFrame frame;
    Named named;
    std::string name;  // as evaluate takes it; empty: none
  };
  struct Wanted {  // a breakpoint as a client asked for it
    const DapSources::Source* source = nullptr;
    std::string command;
  };

  static Handler find_handler(const std::string& command);
  void handle(const Json& request);
  void event(const std::string& name, Json body);
  void send(Json message);

  void initialize(const Json& arguments, Json& body);
  void launch(const Json& arguments, Json& body);
  void set_breakpoints(const Json& arguments, Json& body);
  void set_function_breakpoints(const Json& arguments, Json& body);
  void data_breakpoint_info(const Json& arguments, Json& body);
  void set_data_breakpoints(const Json& arguments, Json& body);
  void set_exception_breakpoints(const Json& arguments, Json& body);
  void configuration_done(const Json& arguments, Json& body);
  void threads(const Json& arguments, Json& body);
  void stack_trace(const Json& arguments, Json& body);
  void scopes(const Json& arguments, Json& body);
  void variables(const Json& arguments, Json& body);
  void set_variable(const Json& arguments, Json& body);
  void evaluate(const Json& arguments, Json& body);
  void source(const Json& arguments, Json& body);
  void loaded_sources(const Json& arguments, Json& body);
  void disassemble(const Json& arguments, Json& body);
  void next(const Json& arguments, Json& body);
  void step_in(const Json& arguments, Json& body);
  void step_out(const Json& arguments, Json& body);
  void step_back(const Json& arguments, Json& body);
  void go_on(const Json& arguments, Json& body);
  void reverse_continue(const Json& arguments, Json& body);
  void pause(const Json& arguments, Json& body);
  void disconnect(const Json& arguments, Json& body);

  Debugger& debugger();  // throws where there is none yet
  // The invocation of the request's threadId, which is chosen. Throws if there is none.
  size_t thread(const Json& arguments);
  size_t shown_step(size_t invocation) const;  // at the end, the last one
  void move(const Json& arguments, const std::string& command, const std::string& by_instruction);
  void stopped(size_t thread, const std::string& reason);
  void open_trace(const Json& arguments);
  void wait_for_program();
  void add_sources();
  std::string name_of(const Json& arguments, const Values& of) const;
  std::string set(const std::string& command);  // a breakpoint; why not, or nothing
  void set_all_breakpoints();
  Json source_json(const DapSources::Source& source) const;
  Json breakpoint_json(const std::string& problem);
  uint32_t add_values(Values values);
  const Values& values(const Json& arguments) const;
  Json variable_json(const Values& of, const std::string& name, const std::string& evaluate_name,
                     const std::optional<Named>& named, const std::string& why);
  void add_results(const Values& of, Json& list);
  StackFrame frame_of(const Json& arguments, size_t& invocation) const;

  std::string trace_;
  LiveTarget* live_ = nullptr;
  std::vector<const TracedShader*> shaders_;  // whose sources are known
  std::unique_ptr<Debugger> debugger_;
  DapSources sources_;
  std::vector<std::string> outgoing_;
  std::vector<std::string> pending_events_;
  std::vector<Wanted> source_breakpoints_;
  std::vector<std::string> other_breakpoints_, data_breakpoints_;
  std::vector<Values> values_;
  // Frames that were shown, by frameId - 1.
  std::vector<std::pair<size_t, StackFrame>> frames_;
  int64_t sequence_ = 0, next_breakpoint_ = 0;
  uint32_t first_line_ = 1, first_column_ = 1;
  bool stop_on_entry_ = true, ended_ = false;
};

}  // namespace shaderqa
#endif
