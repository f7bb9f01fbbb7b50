// SPDX-License-Identifier: Apache-2.0
#include "host/findings/report.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "host/findings/check_details.h"
#include "host/findings/fingerprint.h"
#include "host/findings/report_text.h"
#include "host/log/log.h"
#include "host/version.h"
#include "tests/host/simple_finding.h"
#include "tests/support/json_schema.h"

namespace shaderqa {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

Finding full_finding() {
  Finding finding;
  finding.kind = FindingKind::printf;
  finding.text = "a \"b\" \\ \n\t\x01 h\xc3\xa9 \xff\n";
  finding.shader = 0xabc;
  finding.stage = Stage::compute;
  finding.entry_point = "main";
  finding.source = {"a.comp", 12, 3, "  printf(\"x\");"};
  finding.invocation = "global invocation 1,2,3";
  finding.pipeline = "pipeline \"p\"";
  finding.shader_name = "module";
  return finding;
}

// A hazard that the filter found.
Finding full_check() {
  Finding finding = full_finding();
  finding.kind = FindingKind::hazard;
  finding.text.clear();
  auto details = std::make_shared<CheckDetails>();
  details->check = Check::hazard;
  details->instruction = "OpStore %out";
  details->word = 50;
  details->variable = "Particles";
  details->set = 1;
  details->binding = 2;
  Hazard& hazard = details->hazard.emplace();
  hazard.hazard_class = HazardClass::write_after_write;
  hazard.access = Access::store;
  hazard.earlier = EarlierAccess::store_or_atomic;
  hazard.address = 0x10000000040;
  hazard.size = 4;
  hazard.buffer = BufferOrigin{"particles \"p\"", 0x55aa, 64, 4096, true};
  details->action_number = 12;
  ActionOrigin& action = details->action.emplace();
  action.number = action.first_since_clear = 12;
  action.index = 3;
  action.kind = ActionKind::dispatch;
  action.name = "vkCmdDispatch";
  action.command = "vkCmdDispatch(1, 1, 1)";
  action.labels = {"frame", "pass"};
  action.command_buffer = "main";
  action.queue = "compute queue";
  details->commands = {"11: vkCmdDraw(3, 1, 0, 0)"};
  finding.check = details;
  return finding;
}

std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

class ReportFile : public ::testing::Test {
 protected:
  ReportFile() { fs::remove(path_); }
  ~ReportFile() override { fs::remove(path_); }
  Settings settings() const {
    Settings result;
    result.report = path_;
    result.printf_to_stderr = false;
    return result;
  }
  const std::string path_ = ::testing::TempDir() + "shaderqa_report_" + std::to_string(getpid()) + ".jsonl";
};

TEST(ReportJson, EscapesEverything) {
  const std::string line = to_json_line(full_finding());
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const json parsed = json::parse(line);
  EXPECT_EQ(parsed["kind"], "printf");
  EXPECT_EQ(parsed["text"], "a \"b\" \\ \n\t\x01 h\xc3\xa9 \\xff\n");
  EXPECT_EQ(parsed["shader"], "0000000000000abc");
  EXPECT_EQ(parsed["source"],
            json({{"file", "a.comp"}, {"line", 12}, {"column", 3}, {"text", "  printf(\"x\");"}}));
  EXPECT_EQ(parsed["stage"], "compute");
  EXPECT_EQ(parsed["entry_point"], "main");
  EXPECT_EQ(parsed["invocation"], "global invocation 1,2,3");
  EXPECT_EQ(parsed["pipeline"], "pipeline \"p\"");
  EXPECT_EQ(parsed["shader_name"], "module");
}

TEST(ReportJson, AColumnIsSaidWhereItIsKnown) {
  Finding finding = simple(FindingKind::printf, "x");
  finding.source.line = 2;
  for (const uint32_t column : {0u, 1u, 2u}) {
    finding.source.column = column;
    const json source = json::parse(to_json_line(finding))["source"];
    EXPECT_EQ(source.contains("column"), column != 0);
    EXPECT_EQ(source.value("column", 0u), column);
    EXPECT_EQ(source["line"], 2);
  }
}

TEST(ReportJson, ACheckSaysWhatItKnows) {
  const json parsed = json::parse(to_json_line(full_check()));
  EXPECT_EQ(parsed["check"], "hazard");
  EXPECT_EQ(parsed["instruction"], json({{"text", "OpStore %out"}, {"word", 50}}));
  EXPECT_EQ(parsed["resource"], json({{"name", "Particles"}, {"set", 1}, {"binding", 2}}));
  EXPECT_EQ(parsed["text"],
            "write after write: 4 bytes at \"particles \"p\"\" + 0x40 are stored to after another invocation "
            "wrote them, and nothing orders the two");
  EXPECT_EQ(parsed["hazard"],
            json({{"class", "write after write"},
                  {"access", "store"},
                  {"earlier", "store or atomic"},
                  {"scope", "in this dispatch"},
                  {"hint",
                   "both accesses are of the same dispatch, which no barrier of the API can "
                   "order: use atomics, or other memory for each invocation"}}));
  EXPECT_EQ(parsed["address"], "0x10000000040");
  EXPECT_EQ(parsed["size"], 4);
  EXPECT_EQ(parsed["buffer"], json({{"name", "particles \"p\""},
                                    {"handle", "0x55aa"},
                                    {"offset", 64},
                                    {"size", 4096},
                                    {"destroyed", true}}));
  EXPECT_EQ(parsed["action"], json({{"number", 12},
                                    {"command", "vkCmdDispatch(1, 1, 1)"},
                                    {"labels", {"frame", "pass"}},
                                    {"command_buffer", "main"},
                                    {"index", 3},
                                    {"queue", "compute queue"},
                                    {"first_since_clear", 12}}));
  EXPECT_EQ(parsed["commands"], json({"11: vkCmdDraw(3, 1, 0, 0)"}));
}

// Members that a check knows nothing about are left out.
TEST(ReportJson, ACheckWithoutDetails) {
  Finding finding = simple(FindingKind::hazard, "");
  auto details = std::make_shared<CheckDetails>();
  details->check = Check::hazard;
  details->hazard.emplace();
  details->action_number = 3;
  finding.check = details;
  EXPECT_EQ(to_json_line(finding),
            "{\"kind\":\"hazard\",\"text\":\"unsynchronised access: 0 bytes at address 0x0 are loaded after "
            "another invocation accessed them, and nothing orders the "
            "two\",\"fingerprint\":\"61a270eb545c3c21\",\"check\":\"hazard\","
            "\"hazard\":{\"access\":\"load\",\"scope\":\"unknown: the command buffer is gone\"},"
            "\"address\":\"0x0\",\"size\":0,\"action\":{\"number\":3}}\n");
}

// The filter's window of actions says nothing about a hazard of the exact engine, nor about other checks.
TEST(ReportJson, MembersOfOneEngine) {
  const auto action_of = [](CheckDetails details) {
    Finding finding;
    finding.check = std::make_shared<CheckDetails>(std::move(details));
    return json::parse(to_json_line(finding)).at("action");
  };
  CheckDetails details = *full_check().check;
  EXPECT_TRUE(action_of(details).contains("first_since_clear"));
  details.action->first_since_clear = 0;
  EXPECT_EQ(action_of(details)["first_since_clear"], 0) << "with the filter, 0 has a meaning";
  details.hazard->other.emplace();
  EXPECT_FALSE(action_of(details).contains("first_since_clear"));
  details.hazard.reset();
  EXPECT_FALSE(action_of(details).contains("first_since_clear"));
}

TEST(ReportJson, UnknownIsNotSaid) {
  EXPECT_EQ(to_json_line(simple(FindingKind::note, "x")), "{\"kind\":\"note\",\"text\":\"x\"}\n");
}

TEST(ReportJson, EveryByteGivesValidJson) {
  for (int first = 0; first < 256; ++first) {
    for (int second : {0, 9, 34, 92, 128, 191, 192, 237, 255}) {
      const std::string text = {static_cast<char>(first), static_cast<char>(second), 'x'};
      EXPECT_TRUE(json::accept(to_json_line(simple(FindingKind::printf, text)))) << first << " " << second;
    }
  }
}

TEST(ReportText, Blocks) {
  std::string text;
  append_block(text, full_finding(), {});
  EXPECT_EQ(text, "shaderqa: printf: a \"b\" \\ \n    \t\\x01 h\xc3\xa9 \\xff\n");
  text.clear();
  append_block(text, full_finding(), {false, 0, true});
  EXPECT_NE(
      text.find("\n    at a.comp:12:3\n    |   printf(\"x\");\n    global invocation 1,2,3\n"
                "    shader 0000000000000abc (compute, main) \"module\"\n    pipeline pipeline \"p\"\n"),
      std::string::npos)
      << text;
  text.clear();
  append_block(text, simple(FindingKind::printf, "\x1b[31m"), {false, 0, true});
  EXPECT_EQ(text, "shaderqa: printf: \\x1b[31m\n");
}

TEST_F(ReportFile, AppendsAndFlushes) {
  {
    Reporter reporter(settings());
    reporter.report(simple(FindingKind::printf, "one"));
    reporter.flush();
    EXPECT_EQ(lines_of(path_).size(), 1u);
    reporter.report(simple(FindingKind::printf, "two"));
  }
  Reporter again(settings());
  EXPECT_EQ(lines_of(path_).size(), 2u);
}

TEST_F(ReportFile, TheFirstLineOfEachWriterSaysWhoItIs) {
  for (int writer = 0; writer < 2; ++writer) {
    Reporter reporter(settings());
    reporter.report(simple(FindingKind::printf, "first"));
    reporter.report(simple(FindingKind::hazard, "second"));
  }
  const std::vector<std::string> lines = lines_of(path_);
  ASSERT_EQ(lines.size(), 4u);
  for (size_t i = 0; i < lines.size(); ++i) {
    json line = json::parse(lines[i]);
    if (i % 2 == 0) {
      EXPECT_EQ(shaderqa::testing::report_schema().problem(line), "");
    }
    EXPECT_EQ(line.value("version", ""), i % 2 == 0 ? version() : "");
    EXPECT_EQ(line.value("process", 0), getpid());
    EXPECT_EQ(line.value("program", ""), i % 2 == 0 ? program_invocation_short_name : "");
    for (const char* member : {"host", "run"}) EXPECT_EQ(line.contains(member), i % 2 == 0) << member;
    for (const char* member : {"version", "process", "program", "host", "run"}) line.erase(member);
    EXPECT_EQ(line, json::parse(to_json_line(i % 2 == 0 ? simple(FindingKind::printf, "first")
                                                        : simple(FindingKind::hazard, "second"))));
  }
}

TEST_F(ReportFile, NotesAreLoggedToo) {
  const std::string log = path_ + ".log";
  const LogUse use(LogLevel::warn, log);
  Settings quiet = settings();
  quiet.quiet_notes = true;
  Reporter reporter(quiet);
  reporter.note("key", "something is not checked");
  reporter.note("key", "something is not checked");
  reporter.report(simple(FindingKind::printf, "x"));
  const std::vector<std::string> lines = lines_of(log);
  fs::remove(log);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].ends_with("] warning: something is not checked")) << lines[0];
}

TEST_F(ReportFile, NotesOnceAndQuiet) {
  Settings quiet = settings();
  quiet.quiet_notes = true;
  ::testing::internal::CaptureStderr();
  Reporter reporter(quiet);
  reporter.note("a", "first");
  reporter.note("a", "again");
  reporter.note("b", "second");
  reporter.report(simple(FindingKind::hazard, "race"));
  EXPECT_EQ(lines_of(path_).size(), 3u) << "anything but printf is written at once";
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "shaderqa: hazard: race\n");
}

TEST_F(ReportFile, StderrIsIndependent) {
  Settings loud = settings();
  loud.printf_to_stderr = true;
  ::testing::internal::CaptureStderr();
  {
    Reporter reporter(loud);
    reporter.report(simple(FindingKind::printf, "x"));
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "shaderqa: printf: x\n");
  EXPECT_EQ(lines_of(path_).size(), 1u);
}

TEST(Report, DetailsOfMessagesAndOfChecksAreSettingsOfTheirOwn) {
  for (const bool verbose : {false, true})
    for (const bool details : {false, true}) {
      Settings settings;
      settings.printf_verbose = verbose;
      settings.details = details;
      ::testing::internal::CaptureStderr();
      {
        Reporter reporter(settings);
        reporter.report(full_finding());
      }
      EXPECT_EQ(::testing::internal::GetCapturedStderr().find("a.comp:12") != std::string::npos, verbose);
      ::testing::internal::CaptureStderr();
      {
        Reporter reporter(settings);
        reporter.report(full_check());
      }
      EXPECT_EQ(::testing::internal::GetCapturedStderr().find("0000000000000abc") != std::string::npos,
                details);
    }
}

// `shaderqa run` shows the bugs at the end.
TEST(Report, WithAParentBugsAreOneLineEachAndCountsAreNotSaid) {
  Settings settings;
  settings.rescue_dir = "/nonexistent";
  Finding counted = full_check();
  auto details = std::make_shared<CheckDetails>(*counted.check);
  details->count.emplace();
  counted.check = details;
  ::testing::internal::CaptureStderr();
  {
    Reporter reporter(settings);
    reporter.report(full_check());
    reporter.report(counted);
    // Another invocation's, of which the place of the other side is not the same.
    Finding again = full_check();
    auto elsewhere = std::make_shared<CheckDetails>(*again.check);
    elsewhere->hazard->other.emplace().places = {{"other.comp", 3, {}, 0, 0, 0, {}}};
    again.check = elsewhere;
    EXPECT_NE(fingerprint_of(again), fingerprint_of(full_check()));
    reporter.report(again);
    reporter.report(simple(FindingKind::printf, "x"));
  }
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_TRUE(said.starts_with("shaderqa: found hazard: ")) << said;
  EXPECT_EQ(std::ranges::count(said, '\n'), 2) << said;
  EXPECT_TRUE(said.ends_with("\nshaderqa: printf: x\n")) << said;
}

TEST(Report, UnwritableFileIsSaidOnce) {
  for (const char* path : {"/nonexistent/report.jsonl", "/dev/full"}) {
    Settings settings;
    settings.report = path;
    ::testing::internal::CaptureStderr();
    {
      Reporter reporter(settings);
      for (int i = 0; i < 3; ++i) {
        reporter.report(simple(FindingKind::printf, "x"));
        reporter.flush();
      }
    }
    const std::string said = ::testing::internal::GetCapturedStderr();
    const size_t first = said.find(path);
    ASSERT_NE(first, std::string::npos) << said;
    EXPECT_EQ(said.find(path, first + 1), std::string::npos) << said;
    EXPECT_NE(said.rfind("shaderqa: printf: x"), std::string::npos);
  }
}

// Whole lines from several processes and threads, with signals that interrupt the writes.
TEST_F(ReportFile, ManyWriters) {
  std::vector<pid_t> children;
  for (int child = 0; child < 3; ++child) {
    const pid_t pid = fork();
    if (pid == 0) {
      Reporter reporter(settings());
      std::vector<std::thread> threads;
      for (int t = 0; t < 2; ++t)
        threads.emplace_back([&] {
          for (int i = 0; i < 3000; ++i)
            reporter.report(simple(FindingKind::printf, std::string(static_cast<size_t>(i % 200), 'x')));
        });
      for (std::thread& thread : threads) thread.join();
      reporter.flush();
      _exit(0);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) waitpid(pid, nullptr, 0);
  const std::vector<std::string> lines = lines_of(path_);
  EXPECT_EQ(lines.size(), 3u * 2 * 3000);
  for (const std::string& line : lines) ASSERT_TRUE(json::accept(line)) << line;
}

// A closed stderr, or a pipe that nobody reads any more, must not end the program.
TEST(Report, SurvivesAClosedStderr) {
  for (const bool pipe_gone : {false, true}) {
    const pid_t pid = fork();
    if (pid == 0) {
      signal(SIGPIPE, SIG_DFL);
      int ends[2];
      if (pipe_gone && pipe(ends) == 0) {
        close(ends[0]);
        dup2(ends[1], STDERR_FILENO);
      } else {
        close(STDERR_FILENO);
      }
      Reporter reporter(Settings{});
      for (int i = 0; i < 3; ++i) reporter.report(simple(FindingKind::note, "x"));
      sigset_t pending;
      sigpending(&pending);
      _exit(sigismember(&pending, SIGPIPE) == 1 ? 2 : 7);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  }
}

// A full non-blocking pipe: waits for the reader, loses nothing.
TEST(Report, WaitsForASlowReader) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    dup2(ends[1], STDERR_FILENO);
    Reporter reporter(Settings{});
    for (int i = 0; i < 5000; ++i) reporter.report(simple(FindingKind::printf, std::string(100, 'y')));
    reporter.flush();
    _exit(0);
  }
  close(ends[1]);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  size_t bytes = 0;
  char block[4096];
  for (ssize_t got; (got = read(ends[0], block, sizeof block)) > 0;) bytes += static_cast<size_t>(got);
  close(ends[0]);
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_EQ(bytes, 5000u * (std::string("shaderqa: printf: ").size() + 101));
}

}  // namespace
}  // namespace shaderqa
