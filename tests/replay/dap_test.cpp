// SPDX-License-Identifier: Apache-2.0
// The Debug Adapter Protocol: what is answered to whom, and what to nonsense.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "replay/dap_session.h"
#include "replay/dap_stream.h"
#include "trace_builder.h"
#include "trace_program.h"

namespace shaderqa::testing {
namespace {

using Json = nlohmann::json;

TEST(DapStream, MessagesComeWholeHoweverTheBytesDo) {
  const std::string bytes =
      DapStream::framed("{}") + "content-length:3\r\nX: y\r\n\r\n[1]" + DapStream::framed("");
  for (size_t step = 1; step < bytes.size(); ++step) {
    DapStream stream;
    std::vector<std::string> messages;
    for (size_t at = 0; at < bytes.size(); at += step) {
      stream.append(std::string_view(bytes).substr(at, step));
      while (const auto message = stream.next()) messages.push_back(*message);
    }
    EXPECT_EQ(messages, (std::vector<std::string>{"{}", "[1]", ""})) << step;
    EXPECT_EQ(stream.error(), "");
  }
}

TEST(DapStream, AnotherProtocolIsRefused) {
  for (const std::string& bytes :
       {std::string("Length: 1\r\n\r\n{}"), std::string("Content-Length: -1\r\n\r\n{}"),
        std::string("Content-Length: 1x\r\n\r\n{}"), std::string("Content-Length:\r\n\r\n{}"),
        std::string("Content-Length: 99999999999999999999\r\n\r\n{}"),
        std::string("Content-Length: 16777217\r\n\r\n"), std::string(5000, 'x')}) {
    DapStream stream;
    stream.append(bytes);
    EXPECT_FALSE(stream.next()) << bytes;
    EXPECT_NE(stream.error(), "") << bytes;
    stream.append(DapStream::framed("{}"));
    EXPECT_FALSE(stream.next());
  }
}

class Dap : public ::testing::Test {
 protected:
  Dap() { write_file(file, small_trace_with_action()); }

  std::vector<Json> send(const Json& message) {
    std::vector<Json> answers;
    for (const std::string& each :
         session.receive(message.is_string() ? message.get<std::string>() : message.dump()))
      answers.push_back(Json::parse(each));
    return answers;
  }
  // The response; events are kept.
  Json request(const std::string& command, const Json& arguments = Json::object()) {
    Json response;
    for (Json& each :
         send({{"seq", ++sequence}, {"type", "request"}, {"command", command}, {"arguments", arguments}})) {
      if (each["type"] == "event") {
        events.push_back(std::move(each));
        continue;
      }
      EXPECT_EQ(each["type"], "response");
      EXPECT_EQ(each["request_seq"], sequence);
      EXPECT_EQ(each["command"], command);
      EXPECT_TRUE(response.is_null()) << "two responses";
      response = std::move(each);
    }
    return response;
  }
  Json body(const std::string& command, const Json& arguments = Json::object()) {
    const Json response = request(command, arguments);
    EXPECT_TRUE(response["success"].get<bool>()) << response;
    return response["body"];
  }
  std::string refusal(const std::string& command, const Json& arguments = Json::object()) {
    const Json response = request(command, arguments);
    EXPECT_FALSE(response["success"].get<bool>()) << response;
    EXPECT_EQ(response["body"]["error"]["variables"]["text"], response["message"]);
    return response["message"];
  }
  void begin() {
    EXPECT_EQ(body("initialize", {{"adapterID", "shaderqa"}})["supportsStepBack"], true);
    EXPECT_EQ(events.size(), 0u);
    body("launch", {{"trace", file}});
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0]["event"], "initialized");
    body("configurationDone");
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(events[1]["event"], "stopped");
    EXPECT_EQ(events[1]["body"]["reason"], "entry");
  }
  Json top() { return body("stackTrace", {{"threadId", 1}})["stackFrames"][0]; }

  TemporaryDirectory directory;
  std::string file = directory.file("small.trace");
  DapSession session{""};
  std::vector<Json> events;
  int sequence = 0;
};

// Without source lines, the SPIR-V is the source.
TEST_F(Dap, AShaderWithoutLinesIsWalkedByInstructions) {
  begin();
  EXPECT_EQ(body("threads")["threads"].dump(),
            R"([{"id":1,"name":"compute:GlobalInvocationID=0,0,0, match 1, action 1 of its command buffer )"
            R"((dispatch), frame 1"}])");
  Json frame = top();
  EXPECT_EQ(frame["line"], 3);
  EXPECT_EQ(frame["source"]["name"], "0000000000000007.spvasm");
  const Json source = body("source", {{"sourceReference", frame["source"]["sourceReference"]}});
  EXPECT_THAT(source["content"].get<std::string>(), HasSubstr("OpIAdd"));
  const Json scopes = body("scopes", {{"frameId", frame["id"]}})["scopes"];
  ASSERT_EQ(scopes.size(), 3u);
  EXPECT_TRUE(
      body("variables", {{"variablesReference", scopes[2]["variablesReference"]}})["variables"].empty());
  body("next", {{"threadId", 1}});
  EXPECT_EQ(events.back()["body"]["reason"], "step");
  frame = top();
  EXPECT_EQ(frame["line"], 4);
  const Json after = body("scopes", {{"frameId", frame["id"]}})["scopes"];
  const Json values =
      body("variables", {{"variablesReference", after[2]["variablesReference"]}})["variables"];
  ASSERT_EQ(values.size(), 1u);
  EXPECT_EQ(values[0]["name"], "%6");
  EXPECT_EQ(values[0]["value"], "3");
  EXPECT_EQ(body("evaluate", {{"expression", "%6"}, {"frameId", frame["id"]}})["result"], "3");
  EXPECT_THAT(
      refusal("variables", {{"variablesReference", scopes[2]["variablesReference"].get<int>() + 100}}),
      HasSubstr("not valid any more"));
  // To the end, and back over an instruction breakpoint.
  const Json set =
      body("setBreakpoints", {{"source", frame["source"]}, {"breakpoints", {{{"line", 3}}, {{"line", 99}}}}});
  EXPECT_EQ(set["breakpoints"][0]["verified"], true);
  EXPECT_EQ(set["breakpoints"][1]["verified"], false);
  body("continue", {{"threadId", 1}});
  EXPECT_EQ(events.back()["body"]["description"], "the end of the invocation");
  body("continue", {{"threadId", 1}});
  EXPECT_EQ(events.back()["event"], "stopped");
  body("reverseContinue", {{"threadId", 1}});
  EXPECT_EQ(events.back()["body"]["reason"], "breakpoint");
  EXPECT_EQ(top()["line"], 3);
  const Json code = body("disassemble", {{"memoryReference", top()["instructionPointerReference"]},
                                         {"instructionOffset", -4},
                                         {"instructionCount", 7}})["instructions"];
  ASSERT_EQ(code.size(), 7u);
  EXPECT_EQ(code[0]["presentationHint"], "invalid");
  EXPECT_THAT(code[4]["instruction"].get<std::string>(), HasSubstr("OpIAdd"));
  EXPECT_EQ(code[4]["address"], top()["instructionPointerReference"]);
  EXPECT_FALSE(session.ended());
  body("disconnect");
  EXPECT_TRUE(session.ended());
}

TEST_F(Dap, WatchedValuesAndExpressionsOfTheConsole) {
  begin();
  const uint64_t frame = top()["id"];
  const Json info = body("dataBreakpointInfo", {{"name", "%6"}, {"frameId", frame}});
  EXPECT_EQ(info["dataId"], "%6");
  EXPECT_TRUE(body("dataBreakpointInfo", {{"name", "nobody"}, {"frameId", frame}})["dataId"].is_null());
  EXPECT_EQ(body("setDataBreakpoints", {{"breakpoints", {{{"dataId", "%6"}}}}})["breakpoints"][0]["verified"],
            true);
  body("continue", {{"threadId", 1}});
  EXPECT_EQ(events.back()["body"]["reason"], "breakpoint");
  EXPECT_EQ(top()["line"], 4);
  const Json console = {{"expression", "info shader"}, {"context", "repl"}};
  EXPECT_THAT(body("evaluate", console)["result"].get<std::string>(), HasSubstr("entry point main"));
  // The console does not move behind the client's back.
  EXPECT_THAT(refusal("evaluate", {{"expression", "continue"}, {"context", "repl"}}),
              HasSubstr("nothing is called"));
  EXPECT_THAT(refusal("evaluate", {{"expression", "info shader"}, {"context", "hover"}}),
              HasSubstr("nothing is called"));
}

TEST_F(Dap, WhatCannotBeAnsweredIsRefused) {
  for (const char* early : {"threads", "stackTrace", "configurationDone", "setBreakpoints", "next",
                            "evaluate", "scopes", "variables", "disassemble", "source",
                            "setFunctionBreakpoints", "setDataBreakpoints", "dataBreakpointInfo"})
    EXPECT_NE(refusal(early), "");
  EXPECT_THAT(refusal("launch"), HasSubstr("\"trace\" is missing"));
  EXPECT_THAT(refusal("launch", {{"trace", directory.file("none")}}), HasSubstr("cannot be read"));
  write_file(directory.file("text"), "some text");
  EXPECT_THAT(refusal("attach", {{"trace", directory.file("text")}}), HasSubstr("is no trace"));
  begin();
  EXPECT_THAT(refusal("launch", {{"trace", file}}), HasSubstr("open already"));
  EXPECT_THAT(refusal("restartFrame"), HasSubstr("restartFrame is not supported"));
  EXPECT_THAT(refusal("stackTrace", {{"threadId", 2}}), HasSubstr("no thread 2"));
  EXPECT_THAT(refusal("stackTrace", {{"threadId", "one"}}), HasSubstr("not as the protocol has them"));
  EXPECT_THAT(refusal("scopes", {{"frameId", 77}}), HasSubstr("no frame 77"));
  EXPECT_THAT(refusal("source", {{"sourceReference", 77}}), HasSubstr("no traced shader has this source"));
  EXPECT_THAT(refusal("disassemble", {{"memoryReference", "0xzz"}, {"instructionCount", 1}}),
              HasSubstr("no instruction"));
  const Json set = body("setBreakpoints",
                        {{"source", {{"path", "/elsewhere/other.comp"}}}, {"breakpoints", {{{"line", 1}}}}});
  EXPECT_EQ(set["breakpoints"][0]["verified"], false);
  EXPECT_EQ(
      body("setFunctionBreakpoints", {{"breakpoints", {{{"name", "a b"}}}}})["breakpoints"][0]["verified"],
      false);
}

TEST_F(Dap, WhatIsNoRequestIsSaidAndIgnored) {
  for (const Json& message :
       {Json("{"), Json(""), Json("[1, 2]"), Json("{\"seq\": 1}"),
        Json("{\"seq\": \"x\", \"command\": \"threads\"}"), Json(std::string(100000, '['))}) {
    const auto answers = send(message);
    ASSERT_EQ(answers.size(), 1u);
    EXPECT_EQ(answers[0]["event"], "output");
  }
  begin();
}

class DapProgram : public TraceProgram {};

TEST_F(DapProgram, IsServedOverStandardInputAndOutput) {
  write_file(file, small_trace());
  std::string input;
  for (const char* command : {"initialize", "launch", "configurationDone", "threads", "disconnect"})
    input += DapStream::framed(Json{{"seq", 1}, {"type", "request"}, {"command", command}}.dump());
  write_file(directory.file("requests"), input);
  const auto serve = [&](const std::string& requests) {
    return run({"/bin/sh", "-c",
                SHADERQA_BIN_DIR "/shaderqa replay --dap " + file + " < " + directory.file(requests)},
               environment, directory.path());
  };
  const ProcessResult served = serve("requests");
  EXPECT_EQ(served.exit_code, 0) << served.err;
  DapStream stream;
  stream.append(served.out);
  std::vector<std::string> kinds;
  while (const auto message = stream.next()) {
    const Json json = Json::parse(*message);
    kinds.push_back(json["type"] == "event" ? json["event"] : json["command"]);
  }
  EXPECT_EQ(kinds, (std::vector<std::string>{"initialize", "launch", "initialized", "configurationDone",
                                             "stopped", "threads", "disconnect", "terminated"}));
  write_file(directory.file("text"), "GET / HTTP/1.1\r\n\r\n");
  const ProcessResult refused = serve("text");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("this is not the Debug Adapter Protocol"));
}

// tests/replay/dap_client.js says how it is installed; SHADERQA_DAP_CLIENT is its node_modules.
TEST_F(DapProgram, AClientOfOthers) {
  const char* const client = std::getenv("SHADERQA_DAP_CLIENT");
  if (!client) GTEST_SKIP() << "SHADERQA_DAP_CLIENT is not set";
  const std::string shader =
      assemble_spirv(directory.path(), "blocks", read_file(SHADERQA_REPLAY_FIXTURES "/blocks.spvasm"));
  trace({"--at", "compute:GlobalInvocationID=5,0,0"}, {"compute", "--groups=4", shader});
  const ProcessResult walked = run({"/usr/bin/env", "node", SHADERQA_REPLAY_FIXTURES "/../dap_client.js",
                                    SHADERQA_BIN_DIR "/shaderqa", file},
                                   {{"NODE_PATH", client}, {"PATH", std::getenv("PATH")}}, directory.path());
  EXPECT_EQ(walked.exit_code, 0) << walked.err;
  EXPECT_EQ(walked.out, "ok\n");
}

}  // namespace
}  // namespace shaderqa::testing
