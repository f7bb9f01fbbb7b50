// SPDX-License-Identifier: Apache-2.0
// Feeds a session of the Debug Adapter Protocol with requests that have been mutated, and its stream with
// damaged bytes. Usage: fuzz_dap [ITERATIONS [SEED]]. A defect shows as a crash, a sanitizer's report, or a
// missing answer.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "replay/dap_session.h"
#include "replay/dap_stream.h"
#include "trace_builder.h"

namespace {

using Json = nlohmann::json;
using Random = std::mt19937_64;

Json anything(Random& random) {
  switch (random() % 9) {
    case 0:
      return nullptr;
    case 1:
      return -1;
    case 2:
      return random();
    case 3:
      return "%6";
    case 4:
      return Json::array({1, "x"});
    case 5:
      return Json::object({{"line", 3}, {"name", "main"}, {"dataId", "%6"}});
    case 6:
      return 1e300;
    case 7:
      return "0x100000002";
    default:
      return static_cast<int64_t>(random() % 4);
  }
}

Json request(Random& random) {
  static const char* const commands[] = {"setBreakpoints",
                                         "setFunctionBreakpoints",
                                         "dataBreakpointInfo",
                                         "setDataBreakpoints",
                                         "configurationDone",
                                         "threads",
                                         "stackTrace",
                                         "scopes",
                                         "variables",
                                         "evaluate",
                                         "source",
                                         "loadedSources",
                                         "disassemble",
                                         "next",
                                         "stepIn",
                                         "stepOut",
                                         "stepBack",
                                         "continue",
                                         "reverseContinue",
                                         "pause"};
  Json arguments = {{"threadId", 1},
                    {"frameId", 1},
                    {"variablesReference", 1 + random() % 8},
                    {"expression", random() % 2 != 0 ? "%6" : "x %4"},
                    {"context", "repl"},
                    {"name", "%6"},
                    {"source", {{"sourceReference", 1}}},
                    {"sourceReference", 1},
                    {"breakpoints", {{{"line", 3}, {"name", "main"}, {"dataId", "%6"}}}},
                    {"granularity", "instruction"},
                    {"memoryReference", "0x100000002"},
                    {"instructionCount", 5},
                    {"instructionOffset", -2}};
  for (size_t edits = random() % 4; edits > 0; --edits) {
    auto at = arguments.begin();
    std::advance(at, random() % arguments.size());
    *at = anything(random);
  }
  return {{"seq", 1},
          {"type", "request"},
          {"command", commands[random() % std::size(commands)]},
          {"arguments", arguments}};
}

void damage(Random& random, std::string& bytes) {
  for (size_t edits = random() % 4; edits > 0 && !bytes.empty(); --edits)
    bytes[random() % bytes.size()] = static_cast<char>(random());
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned long iterations = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 2000;
  Random random(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1);
  char path[] = "/tmp/fuzz_dap_XXXXXX";
  const int descriptor = ::mkstemp(path);
  if (descriptor < 0) return 1;
  ::close(descriptor);
  std::ofstream(path, std::ios::binary) << shaderqa::small_trace();
  int result = 0;
  for (unsigned long i = 0; i < iterations && result == 0; ++i) {
    shaderqa::DapSession session(path);
    session.receive(R"({"seq": 1, "type": "request", "command": "launch"})");
    for (int requests = 0; requests < 20; ++requests) {
      const auto answers = session.receive(request(random).dump());
      if (answers.empty() || !Json::accept(answers.front())) result = 1;
    }
    std::string text = request(random).dump();
    damage(random, text);
    if (session.receive(text).empty()) result = 1;
    shaderqa::DapStream stream;
    std::string bytes = shaderqa::DapStream::framed("{}") + shaderqa::DapStream::framed(text);
    damage(random, bytes);
    stream.append(bytes);
    while (stream.next()) continue;
  }
  ::unlink(path);
  std::puts(result == 0 ? "ok" : "a request got no answer");
  return result;
}
