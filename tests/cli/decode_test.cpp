// SPDX-License-Identifier: Apache-2.0
// `shaderqa decode`
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli_test.h"
#include "host/printf/printf_metadata.h"

namespace shaderqa::testing {
namespace {

using ::testing::HasSubstr;

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

std::string words(const std::vector<uint32_t>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * 4);
}

PrintfSite site(uint64_t id, const std::string& format, const std::vector<PrintfArgument>& arguments) {
  PrintfSite result;
  result.id = id;
  result.format = format;
  result.arguments = arguments;
  result.shader_hash = 0xfeed;
  result.stage = Stage::fragment;
  result.entry_point = "main";
  return result;
}

PrintfArgument scalar(ScalarKind kind, uint8_t width) { return {ArgumentShape::scalar, {{kind, width}}, ""}; }

class Decode : public CliTest {
 protected:
  Decode() {
    const Scalar f32{ScalarKind::floating, 32};
    ShaderRecord record;
    record.shader_hash = 0xfeed;
    record.stage = Stage::fragment;
    record.entry_point = "main";
    record.printf_sites = {site(0xdeadbeef, "x=%d v=%v2f b=%lu",
                                {scalar(ScalarKind::signed_int, 32),
                                 {ArgumentShape::vector, {f32, f32}, ""},
                                 scalar(ScalarKind::unsigned_int, 64)}),
                           site(0x123456789abc, "%f %f %d",
                                {scalar(ScalarKind::floating, 32), scalar(ScalarKind::floating, 64),
                                 scalar(ScalarKind::signed_int, 8)}),
                           site(0x77, "two\nlines\n", {})};
    write_file(file("strings.json"), write_printf_metadata({record}));
  }
  ProcessResult decode(const std::string& dump, std::vector<std::string> options = {}) {
    write_file(file("dump.bin"), dump);
    options.insert(options.begin(), {"decode", "--strings", "strings.json", "dump.bin"});
    return shaderqa(options);
  }
  // A header and two entries, computed by hand.
  const std::string golden_ = from_hex(
      "0d0000000000000000000000000000000700efbeadde0000fcffffff9a99993fcdcc0c4001000000000000200600bc9a785634"
      "120000803f"
      "6f1283c0ca21094085000000");
};

TEST_F(Decode, GoldenBuffer) {
  const ProcessResult result = decode(golden_);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "x=-4 v=1.200000, 2.200000 b=2305843009213693953\n1.000000 3.141500 -123\n");
  EXPECT_EQ(result.err, "");
}

TEST_F(Decode, Json) {
  const ProcessResult result = decode(golden_, {"--json"});
  EXPECT_EQ(result.exit_code, 0);
  std::istringstream lines(result.out);
  std::vector<nlohmann::json> findings;
  for (std::string line; std::getline(lines, line);) findings.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[1].at("kind"), "printf");
  EXPECT_EQ(findings[1].at("text"), "1.000000 3.141500 -123");
  EXPECT_EQ(findings[1].at("shader"), "000000000000feed");
  EXPECT_EQ(findings[1].at("stage"), "fragment");
}

TEST_F(Decode, OneMessageALine) {
  const ProcessResult result = decode(words({2, 0, 0, 0, 0x00770002, 0}));
  EXPECT_EQ(result.out, "two\\nlines\n");
}

// Metadata as another writer of the format makes it, with nothing of ours in it.
TEST_F(Decode, ForeignStrings) {
  write_file(file("strings.json"),
             R"({"amdpal.format_strings": {".version": 1, ".strings": [{".index": 3735928559,
                 ".string": "x=%d v=%v2f b=%lu", ".argument_count": 4, ".64bit_arguments": [8]}]}})");
  const ProcessResult result = decode(golden_);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "x=-4 v=1.200000, 2.200000 b=2305843009213693953\n");
  EXPECT_THAT(result.err, HasSubstr("123456789abc"));
}

TEST_F(Decode, ProblemsAreSaidAndTheRestIsPrinted) {
  std::string foreign = golden_;
  foreign[8] = 1;
  EXPECT_EQ(decode(foreign).out, decode(golden_).out);
  EXPECT_THAT(decode(foreign).err, HasSubstr("reserved"));

  const ProcessResult cut = decode(golden_.substr(0, golden_.size() - 4));
  EXPECT_EQ(cut.exit_code, 0);
  EXPECT_EQ(cut.out, "x=-4 v=1.200000, 2.200000 b=2305843009213693953\n");
  EXPECT_THAT(cut.err, HasSubstr("dump.bin"));
  EXPECT_THAT(decode("short").err, HasSubstr("header"));
}

TEST_F(Decode, UnreadableFiles) {
  write_file(file("dump.bin"), golden_);
  write_file(file("empty"), "");
  write_file(file("text"), "not json");
  const auto expect_error = [&](const std::string& strings, const std::string& dump,
                                const std::string& text) {
    const ProcessResult result = shaderqa({"decode", "--strings", strings, dump});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("shaderqa: error: " + text));
  };
  expect_error("missing", "dump.bin", "missing: cannot open");
  expect_error("empty", "dump.bin", "empty: is empty");
  expect_error("text", "dump.bin", "text: ");
  expect_error(".", "dump.bin", ".: cannot read");
  expect_error("strings.json", "missing", "missing: cannot open");
  expect_error("strings.json", "empty", "empty: is empty");
}

}  // namespace
}  // namespace shaderqa::testing
