// SPDX-License-Identifier: Apache-2.0
#include "tools/trace.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <string_view>

#include "host/findings/bug_block.h"
#include "host/trace/trace_file.h"
#include "host/trace/trace_selector.h"
#include "host/trace/trace_when.h"
#include "replay/dap_session.h"
#include "replay/dap_stream.h"
#include "replay/debugger.h"
#include "replay/html_page.h"
#include "tools/trace_finding.h"

namespace shaderqa {
namespace {

namespace fs = std::filesystem;

int refuse(const std::string& what) {
  std::fprintf(stderr, "shaderqa: error: %s\n", what.c_str());
  return kExitNotStarted;
}

// Removes an older trace, and those of its further devices. Returns what is wrong with the path, or nothing.
std::string make_room(const std::string& path) {
  for (int n = 1;; ++n) {
    const std::string each = n == 1 ? path : path + "." + std::to_string(n);
    std::error_code none;
    if (!fs::exists(each, none)) return {};
    uint64_t magic = 0;
    std::ifstream in(each, std::ios::binary);
    in.read(reinterpret_cast<char*>(&magic), sizeof magic);
    const bool empty = fs::is_regular_file(each, none) && fs::file_size(each, none) == 0;
    if (!empty && magic != kTraceFileMagic)
      return each + " is there already and is no trace: choose another name with -o";
    in.close();
    if (!fs::remove(each, none)) return each + " cannot be replaced: " + none.message();
  }
}

// What the trace has, or why it has nothing.
void say_what_came(const std::string& path, const std::string& part) {
  for (int n = 1;; ++n) {
    const std::string each = n == 1 ? path : path + "." + std::to_string(n);
    std::error_code none;
    if (!fs::exists(each, none) || fs::file_size(each, none) == 0) {
      if (n > 1) return;
      fs::remove(each, none);
      std::fprintf(
          stderr, "shaderqa: nothing was traced: the program made no pipeline whose shaders can be traced\n");
      return;
    }
    TraceContents contents;
    std::string error;
    if (!read_trace_file(each, contents, error)) {
      std::fprintf(stderr, "shaderqa: %s %s\n", each.c_str(), error.c_str());
      continue;
    }
    if (contents.segments.empty()) {
      std::string shaders;
      for (const TraceShader& shader : contents.shaders)
        shaders += (shaders.empty() ? "" : ", ") + std::string(to_string(shader.stage)) +
                   (shader.name.empty() ? "" : " " + shader.name);
      const std::string code = contents.code.empty() ? "" : " in --code " + contents.code;
      std::fprintf(stderr, "shaderqa: no invocation matched %s%s%s; shaders that could be traced: %s\n",
                   contents.selectors.c_str(), part.c_str(), code.c_str(),
                   shaders.empty() ? "none" : shaders.c_str());
      continue;
    }
    for (const TraceSegment& segment : contents.segments) {
      const std::string action = describe_action(contents.actions, segment.number, segment.shader_hash);
      std::fprintf(stderr, "shaderqa: traced %s, %u records%s%s\n",
                   describe_location(segment.stage, segment.location).c_str(), segment.count,
                   action.empty() ? "" : ", ", action.c_str());
    }
    for (const std::string& note : contents.notes) std::fprintf(stderr, "shaderqa: note: %s\n", note.c_str());
    std::fprintf(stderr, "shaderqa: shaderqa replay %s walks through it\n", each.c_str());
  }
}

bool write_all(int out, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(out, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

}  // namespace

int trace_program(TraceRequest request) {
  std::string all, error;
  if (!request.finding.empty()) {
    const auto line = find_finding(request.finding.back(), request.finding.front(), error);
    if (line) error = aim_at(*line, request);
    if (!error.empty()) return refuse("--finding: " + error);
    std::fprintf(stderr, "shaderqa: tracing %s of shader %s: %s\n", request.at.back().c_str(),
                 line->shader.c_str(), bug_headline(*line).c_str());
    if (line->source.line != 0)
      std::fprintf(stderr, "shaderqa: in the replay, \"break %llu\" and \"continue\" lead to it\n",
                   static_cast<unsigned long long>(line->source.line));
  }
  for (const std::string& selector : request.at) all += (all.empty() ? "" : "|") + selector;
  const auto selectors = parse_trace_selectors(all, error);
  if (!selectors) return refuse("--at: " + error);
  if (const auto code = request.run.settings.find("trace_code");
      code != request.run.settings.end() && !CodeWindow::parse(code->second, error))
    return refuse("--code: " + error);
  uint32_t stages = 0;
  for (const abi::TraceSelector& selector : *selectors) stages |= selector.stages;
  if (!request.when.empty() && !parse_trace_when(request.when, stages, error))
    return refuse("--when: " + error);
  std::error_code none;
  const std::string path = fs::absolute(request.output, none).lexically_normal().string();
  if (const std::string problem = make_room(path); !problem.empty()) return refuse(problem);
  request.run.settings["trace_at"] = all;
  if (!request.when.empty()) request.run.settings["trace_when"] = request.when;
  request.run.settings["trace_file"] = path;
  std::string part = request.when.empty() ? "" : " when " + request.when;
  for (const char* key : {"actions", "frames", "within"})
    if (const auto chosen = request.run.settings.find(key); chosen != request.run.settings.end())
      part += std::string(" in ") + key + " " + chosen->second;
  const RunEnd end = run_program(request.run);
  if (end.started && request.says_what_came) say_what_came(path, part);
  return end.exit_code;
}

int replay_trace(const std::string& path, bool json) {
  TraceContents contents;
  std::string error;
  if (!read_trace_file(path, contents, error)) {
    std::fprintf(stderr, "shaderqa: error: %s %s\n", path.c_str(), error.c_str());
    return kExitNotStarted;
  }
  Debugger debugger(std::move(contents));
  const bool asks = !json && isatty(STDIN_FILENO) != 0;
  const auto say = [&](const std::string& line, const Reply& reply) {
    const std::string text = json ? debugger.to_json(line, reply) : reply.text;
    if (!text.empty()) std::cout << text << "\n" << std::flush;
  };
  say("", {debugger.greeting(), debugger.has_invocation(), false});
  if (!debugger.has_invocation()) return 1;
  std::string line;
  for (;;) {
    if (asks) std::cout << "(replay) " << std::flush;
    if (!std::getline(std::cin, line)) break;
    const Reply reply = debugger.command(line);
    if (reply.quit) break;
    say(line, reply);
  }
  return 0;
}

int write_page(const std::string& path, const std::string& page) {
  TraceContents contents;
  std::string error;
  if (!read_trace_file(path, contents, error)) {
    std::fprintf(stderr, "shaderqa: error: %s %s\n", path.c_str(), error.c_str());
    return kExitNotStarted;
  }
  const Debugger debugger(std::move(contents));
  if (!debugger.has_invocation()) {
    std::fprintf(stderr, "shaderqa: error: %s\n", debugger.greeting().c_str());
    return 1;
  }
  std::ofstream out(page, std::ios::binary | std::ios::trunc);
  out << html_page(debugger, fs::path(path).filename().string());
  out.close();
  if (!out) {
    std::fprintf(stderr, "shaderqa: error: %s cannot be written\n", page.c_str());
    return kExitNotStarted;
  }
  return 0;
}

int serve_trace(const std::string& path) {
  std::signal(SIGPIPE, SIG_IGN);
  DapSession session(path);
  return serve_session(session, STDIN_FILENO, STDOUT_FILENO);
}

int serve_session(DapSession& session, int in, int out) {
  DapStream stream;
  char bytes[65536];
  while (!session.ended()) {
    const ssize_t count = ::read(in, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return 0;
    stream.append({bytes, static_cast<size_t>(count)});
    for (std::optional<std::string> message; !session.ended() && (message = stream.next());)
      for (const std::string& answer : session.receive(*message))
        if (!write_all(out, DapStream::framed(answer))) return 0;
    if (!stream.error().empty()) {
      std::fprintf(stderr, "shaderqa: error: this is not the Debug Adapter Protocol: %s\n",
                   stream.error().c_str());
      return 1;
    }
  }
  return 0;
}

}  // namespace shaderqa
