// SPDX-License-Identifier: Apache-2.0
#include "tools/debug.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "replay/dap_session.h"
#include "replay/debugger.h"
#include "tools/debug_link.h"

namespace shaderqa {
namespace {

// The debugger's own input and output, set aside from those that the program gets.
class Streams {
 public:
  // own_output: standard output is the debugger's alone; the program's goes to standard error.
  explicit Streams(bool own_output) {
    in_ = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    out_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0) {
      ::dup2(nothing, STDIN_FILENO);
      ::close(nothing);
    }
    if (own_output) ::dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  ~Streams() {
    ::close(in_);
    ::close(out_);
  }
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  int in() const { return in_; }
  int out() const { return out_; }
  bool asks() const { return ::isatty(in_) == 1; }
  void say(const std::string& text) const {
    for (size_t done = 0; done < text.size();) {
      const ssize_t count = ::write(out_, text.data() + done, text.size() - done);
      if (count < 0 && errno != EINTR) return;
      if (count > 0) done += static_cast<size_t>(count);
    }
  }
  // Nothing: there is no more.
  bool read_line(std::string& line) {
    line.clear();
    for (;;) {
      const size_t end = rest_.find('\n');
      if (end != std::string::npos) {
        line = rest_.substr(0, end);
        rest_.erase(0, end + 1);
        return true;
      }
      char bytes[4096];
      const ssize_t count = ::read(in_, bytes, sizeof bytes);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        line = std::move(rest_);
        rest_.clear();
        return !line.empty();
      }
      rest_.append(bytes, static_cast<size_t>(count));
    }
  }

 private:
  int in_ = -1, out_ = -1;
  std::string rest_;
};

void serve_terminal(const DebugRequest& request, Debugger& debugger, Streams& streams) {
  const auto say = [&](const std::string& line, const Reply& reply) {
    const std::string text = request.json ? debugger.to_json(line, reply) : reply.text;
    if (!text.empty()) streams.say(text + "\n");
  };
  const Reply start = debugger.start();
  say("", start);
  std::string line;
  while (debugger.has_invocation()) {
    if (streams.asks() && !request.json) streams.say("(debug) ");
    if (!streams.read_line(line)) break;
    const Reply reply = debugger.command(line);
    if (reply.quit) break;
    say(line, reply);
  }
  debugger.detach();
}

// Breakpoints are the client's.
void serve_client(LiveTarget& target, const Streams& streams) {
  DapSession session(target);
  serve_session(session, streams.in(), streams.out());
  session.detach();
}

}  // namespace

int debug_program(DebugRequest request) {
  DebugLink link;
  if (!link.problem().empty()) {
    std::fprintf(stderr, "shaderqa: error: %s\n", link.problem().c_str());
    return kExitNotStarted;
  }
  Debugger debugger(link);
  for (const auto& [command, list] :
       {std::pair("break ", &request.breakpoints), std::pair("watch ", &request.watches),
        std::pair("log ", &request.logs)})
    for (const std::string& each : *list)
      if (const Reply reply = debugger.set_before_start(command + each); !reply.ok) {
        std::fprintf(stderr, "shaderqa: error: %s%s: %s\n", command, each.c_str(), reply.text.c_str());
        return kExitNotStarted;
      }
  if (request.violations) {
    debugger.expect_violations();
    request.trace.run.settings["debug_violations"] = "true";
  }
  const bool keeps = !request.trace.output.empty();
  if (!keeps) request.trace.output = link.trace_path();
  request.trace.run.settings["debug_socket"] = link.socket_path();
  request.trace.run.settings.try_emplace("trace_last", "true");
  request.trace.says_what_came = keeps;
  Streams streams(request.json || request.dap);
  // Signals go to the thread that runs the program.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread terminal([&] {
    if (request.dap)
      serve_client(link, streams);
    else
      serve_terminal(request, debugger, streams);
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  const int code = trace_program(std::move(request.trace));
  link.program_ended();
  terminal.join();
  return code;
}

}  // namespace shaderqa
