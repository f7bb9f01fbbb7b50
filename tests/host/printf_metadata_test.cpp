// SPDX-License-Identifier: Apache-2.0
#include "host/printf/printf_metadata.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/host/printf_builder.h"

namespace shaderqa::test {
namespace {

std::vector<ShaderRecord> read(std::string_view json) {
  auto result = read_printf_metadata(json);
  if (const auto* error = std::get_if<std::string>(&result)) {
    ADD_FAILURE() << *error;
    return {};
  }
  return std::get<std::vector<ShaderRecord>>(std::move(result));
}

std::string error_of(std::string_view json) {
  const auto result = read_printf_metadata(json);
  const auto* error = std::get_if<std::string>(&result);
  return error != nullptr ? *error : "";
}

TEST(PrintfMetadata, RoundTrip) {
  PrintfSite site = args()
                        .i8(1)
                        .i16(1)
                        .i32(1)
                        .i64(1)
                        .u8(1)
                        .u16(1)
                        .u32(1)
                        .u64(1)
                        .f16(1)
                        .f32(1)
                        .f64(1)
                        .boolean(true)
                        .pointer(1)
                        .floats({1, 2, 3})
                        .floats({1, 2, 3, 4}, ArgumentShape::matrix)
                        .string("text \"q\"")
                        .site("%d \"quoted\"\n", 0xffffffffffff);
  site.invocation = InvocationKind::launch_id;
  site.ordinal = 7;
  site.source = {"a \\ b.comp", 12, 3, "printf(\"x\");"};
  site.shader_hash = 0xfedcba9876543210;
  site.stage = Stage::any_hit;
  site.entry_point = "main";
  ShaderRecord record = make_record({site, args().site("second", 2)});
  record.printf_sites[1].shader_hash = record.shader_hash = site.shader_hash;
  record.printf_sites[1].stage = record.stage = site.stage;
  record.printf_sites[1].entry_point = record.entry_point = site.entry_point;

  const std::string json = write_printf_metadata({record});
  EXPECT_EQ(json.find('\n'), std::string::npos) << "a document is a line of the sites file";
  const std::vector<ShaderRecord> back = read(json);
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(back[0].shader_hash, record.shader_hash);
  EXPECT_EQ(back[0].stage, Stage::any_hit);
  ASSERT_EQ(back[0].printf_sites.size(), 2u);
  const PrintfSite& got = back[0].printf_sites[0];
  EXPECT_TRUE(got.same_definition(site));
  EXPECT_EQ(got.id, site.id);
  EXPECT_EQ(got.ordinal, 7u);
  EXPECT_EQ(got.source, site.source);
  EXPECT_EQ(got.shader_hash, site.shader_hash);
  EXPECT_EQ(got.stage, Stage::any_hit);
  EXPECT_EQ(got.entry_point, "main");
}

TEST(PrintfMetadata, SeedKeys) {
  const PrintfSite site = args().i32(-4).floats({1, 2}).u64(1).site("x=%d v=%v2f b=%lu", 0xdeadbeef);
  const nlohmann::json json = nlohmann::json::parse(write_printf_metadata({make_record({site})}));
  const nlohmann::json& entry = json["amdpal.format_strings"][".strings"][0];
  EXPECT_EQ(json["amdpal.format_strings"][".version"], 1);
  EXPECT_EQ(entry[".index"], 0xdeadbeef);
  EXPECT_EQ(entry[".string"], "x=%d v=%v2f b=%lu");
  EXPECT_EQ(entry[".argument_count"], 4);
  EXPECT_EQ(entry[".64bit_arguments"], nlohmann::json({8}));
}

TEST(PrintfMetadata, MasksHaveManyWords) {
  Arguments many;
  for (int i = 0; i < 70; ++i) many.u32(0);
  many.u64(1);
  const nlohmann::json json = nlohmann::json::parse(write_printf_metadata({make_record({many.site("", 1)})}));
  EXPECT_EQ(json["amdpal.format_strings"][".strings"][0][".64bit_arguments"], nlohmann::json({0, 64}));
}

TEST(PrintfMetadata, OfAnotherWriter) {
  const std::vector<ShaderRecord> records =
      read(R"({"amdpal.version": [2, 6], "amdpal.format_strings": {".version": 1,
    ".strings": [{".index": 12345678, ".string": "Sample %i format %f", ".argument_count": 2, ".64bit_arguments": [0]},
                 {".index": 2, ".string": "%v2lx %*d %f %x", ".argument_count": 7, ".64bit_arguments": [19]}]}})");
  ASSERT_EQ(records.size(), 1u);
  const PrintfSite& first = records[0].printf_sites[0];
  EXPECT_EQ(first.id, 12345678u);
  EXPECT_EQ(render_printf(first, std::vector<uint32_t>{0xffffffff, 0x3f800000}).text,
            "Sample -1 format 1.000000");
  const PrintfSite& second = records[0].printf_sites[1];
  EXPECT_EQ(render_printf(second, std::vector<uint32_t>{1, 0, 2, 0, 5, 42, 0, 0x3ff00000, 255, 9}).text,
            "1, 2    42 1.000000 ff");
  EXPECT_EQ(second.payload_dwords(), 10u);
}

std::string rendered(const std::string& format, int arguments, int wide, std::vector<uint32_t> payload) {
  const std::vector<ShaderRecord> records =
      read(R"({"amdpal.format_strings": {".version": 1, ".strings": [{".index": 1, ".string": ")" + format +
           R"(", ".argument_count": )" + std::to_string(arguments) + R"(, ".64bit_arguments": [)" +
           std::to_string(wide) + "]}]}}");
  return records.size() == 1 ? render_printf(records[0].printf_sites[0], payload).text : "";
}

// Metadata of another writer names no types: each argument has that of its conversion, and the width of the
// mask.
TEST(PrintfMetadata, WithoutTypesTheConversionDecides) {
  EXPECT_EQ(rendered("%d %i", 2, 0, {0xfffffffe, 0xfffffffd}), "-2 -3");
  EXPECT_EQ(rendered("%u %x %o", 3, 0, {0xffffffff, 0xff, 8}), "4294967295 ff 10");
  EXPECT_EQ(rendered("%ld", 1, 1, {0xffffffff, 0xffffffff}), "-1");
  EXPECT_EQ(rendered("%lu", 1, 1, {0, 1}), "4294967296");
  EXPECT_EQ(rendered("%f", 1, 1, {0, 0x3ff80000}), "1.500000");
  EXPECT_EQ(rendered("%p", 1, 1, {0x1000, 2}), "0x200001000");
}

TEST(PrintfMetadata, WithoutTypesAPointerOf32BitsIsAnInteger) {
  const PrintfSite typed = args().u32(0x1234).site("%p", 1);
  EXPECT_EQ(rendered("%p", 1, 0, {0x1234}), render_printf(typed, std::vector<uint32_t>{0x1234}).text);
  EXPECT_EQ(read(R"({"amdpal.format_strings": {".version": 1, ".strings": [{".index": 1, ".string": "%p",
                     ".argument_count": 1, ".64bit_arguments": [0]}]}})")[0]
                .printf_sites[0]
                .arguments[0]
                .scalars[0]
                .kind,
            ScalarKind::unsigned_int);
}

// The arguments that the format does not name are there all the same, and their payload.
TEST(PrintfMetadata, WithoutTypesEveryArgumentHasItsPayload) {
  EXPECT_EQ(rendered("%%%d", 1, 0, {7}), "%7");
  EXPECT_EQ(rendered("%.*f", 2, 0, {1, 0x3fa00000}), "1.2");
  EXPECT_EQ(rendered("%*.*f|", 3, 0, {6, 1, 0x3fa00000}), "   1.2|");
  const std::vector<ShaderRecord> records = read(R"({"amdpal.format_strings": {".version": 1, ".strings": [
        {".index": 1, ".string": "%d", ".argument_count": 3, ".64bit_arguments": [2]},
        {".index": 2, ".string": "%v4f", ".argument_count": 2, ".64bit_arguments": []}]}})");
  const std::vector<PrintfArgument>& more = records[0].printf_sites[0].arguments;
  ASSERT_EQ(more.size(), 3u);
  EXPECT_EQ(more[2].scalars[0].kind, ScalarKind::unsigned_int);
  EXPECT_EQ(records[0].printf_sites[0].payload_dwords(), 4u);
  const std::vector<PrintfArgument>& fewer = records[0].printf_sites[1].arguments;
  ASSERT_EQ(fewer.size(), 1u);
  EXPECT_EQ(fewer[0].shape, ArgumentShape::vector);
  EXPECT_EQ(fewer[0].scalars.size(), 2u);
}

TEST(PrintfMetadata, InvalidUtf8IsWrittenAsShown) {
  const PrintfSite site = args().site("a\xff%%", 1);
  const std::vector<ShaderRecord> back = read(write_printf_metadata({make_record({site})}));
  EXPECT_EQ(render_printf(back[0].printf_sites[0], {}).text, render_printf(site, {}).text);
}

TEST(PrintfMetadata, ASiteWithoutASourceSaysNone) {
  const ShaderRecord record = make_record({args().site("plain", 2)});
  EXPECT_EQ(write_printf_metadata({record}).find("\"source\""), std::string::npos);
}

TEST(PrintfMetadata, ErrorsNameThePlace) {
  EXPECT_EQ(error_of(""), "printf metadata: not valid JSON");
  EXPECT_EQ(error_of("{"), "printf metadata: not valid JSON");
  EXPECT_NE(error_of("[]").find("not an object"), std::string::npos);
  EXPECT_NE(error_of("{}").find("amdpal.format_strings"), std::string::npos);
  EXPECT_NE(error_of(R"({"amdpal.format_strings": {".version": 2, ".strings": []}})").find("version"),
            std::string::npos);
  const auto string = [](const std::string& entry) {
    return error_of(R"({"amdpal.format_strings": {".version": 1, ".strings": [)" + entry + "]}}");
  };
  EXPECT_NE(string("7").find(".strings[0]"), std::string::npos);
  EXPECT_NE(string(R"({".index": -1, ".string": ""})").find(".index"), std::string::npos);
  EXPECT_NE(string(R"({".index": 1, ".string": 2})").find(".string"), std::string::npos);
  EXPECT_NE(string(R"({".index": 1, ".string": "", ".argument_count": 1e30})").find("argument_count"),
            std::string::npos);
  EXPECT_NE(string(R"({".index": 1, ".string": "", ".argument_count": 4000000000})").find("argument_count"),
            std::string::npos);
  EXPECT_NE(
      string(
          R"({".index": 1, ".string": "", ".shaderqa": {"arguments": [{"shape": "scalar", "scalars": ["i7"]}]}})")
          .find("arguments[0]"),
      std::string::npos);
  const auto nested = [](size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  EXPECT_NE(error_of(nested(64)).find("not an object"), std::string::npos);
  EXPECT_NE(error_of(nested(66)).find("64 levels"), std::string::npos);
  std::string deep(100000, '[');
  EXPECT_NE(error_of(deep), "");
  deep += std::string(100000, ']');
  EXPECT_NE(error_of(deep), "");
}

}  // namespace
}  // namespace shaderqa::test
