// SPDX-License-Identifier: Apache-2.0
// What a shader prints is what the format says: every kind of argument and specifier, from GLSL to the report
// file.
#include <algorithm>
#include <map>

#include "e2e_test.h"

namespace shaderqa::testing {
namespace {

struct Row {
  const char* name;
  const char* statement;
  const char* expected;
};

const Row kRows[] = {
#define ROW(name, statement, expected) {#name, statement, expected},
#include "rendering_rows.inl"
#undef ROW
};

// printf("...  ->  debugPrintfEXT("<name>|...
std::string named(const Row& row) {
  const std::string statement = row.statement;
  const std::string call = "printf(\"";
  return std::string("debugPrintfEXT(\"")
      .append(row.name)
      .append("|")
      .append(statement, statement.find(call) + call.size());
}

class Rendering : public EndToEnd {
 protected:
  // All rows in order, in shaders of a size that a driver compiles fast.
  Texts print_all() {
    constexpr size_t kRowsPerShader = 12;
    Texts arguments{"compute"};
    for (size_t first = 0; first < std::size(kRows); first += kRowsPerShader) {
      std::string body =
          "layout(buffer_reference) buffer Reference { uint v; };\n"
          "void main() {\n  uint z = io[0];\n  float fz = float(z);\n";
      for (size_t i = first; i < std::min(first + kRowsPerShader, std::size(kRows)); ++i)
        body += "  " + named(kRows[i]) + "\n";
      arguments.push_back(compute(body + "}\n", "rows" + std::to_string(first)));
    }
    const Outcome outcome = run_case(arguments);
    EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
    return outcome.printed();
  }
};

TEST_F(Rendering, EveryRowOfTheTable) {
  std::map<std::string, std::string> printed;
  Texts order;
  for (const auto& text : print_all()) {
    const size_t bar = text.find('|');
    ASSERT_NE(bar, std::string::npos) << text;
    order.push_back(text.substr(0, bar));
    printed[order.back()] = text.substr(bar + 1);
  }
  Texts expected_order;
  for (const Row& row : kRows) {
    expected_order.push_back(row.name);
    EXPECT_EQ(printed[row.name], row.expected) << row.name << ": " << row.statement;
  }
  EXPECT_EQ(order, expected_order);
}

TEST_F(Rendering, EmptyFormatIsStillASite) {
  const Outcome outcome =
      run_case({"compute", compute(R"(void main() { debugPrintfEXT(""); debugPrintfEXT("after"); })")});
  EXPECT_THAT(outcome.printed(), ElementsAre("", "after"));
}

TEST_F(Rendering, LineBreaksAreKept) {
  const Outcome outcome =
      run_case({"compute", compute(R"(void main() { debugPrintfEXT("a\n\tb %u\n", io[0]); })")});
  EXPECT_THAT(outcome.printed(), ElementsAre("a\n\tb 0\n"));
}

// glslangValidator spoils such text, so it is put into the module's string by hand.
TEST_F(Rendering, Utf8TextPasses) {
  const auto file = compute(R"(void main() { debugPrintfEXT("caf## %u", io[0]); })");
  std::string module = read_file(file);
  ASSERT_NE(module.find("##"), std::string::npos);
  write_file(file, module.replace(module.find("##"), 2, "\xC3\xA9"));
  EXPECT_THAT(run_case({"compute", file}).printed(), ElementsAre("caf\xC3\xA9 0"));
}

TEST_F(Rendering, MatrixStructAndArrayAreFlattenedOrRefusedButNeverBreakTheShader) {
  const std::string source = R"(
    struct Pair { int a; float b; };
    void main() {
      float f = float(io[0]);
      debugPrintfEXT("before");
      debugPrintfEXT("%v4f", mat2(f + 1.0, 2.0, 3.0, 4.0));
      debugPrintfEXT("%v2f", Pair(1, f));
      debugPrintfEXT("after");
      io[1] = 7;
    })";
  const Outcome outcome = run_case({"compute", compute(source)});
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  ASSERT_FALSE(outcome.printed().empty());
  EXPECT_EQ(outcome.printed().front(), "before");
  EXPECT_EQ(outcome.printed().back(), "after");
}

TEST_F(Rendering, DoubtfulFormatsAreExplainedOnce) {
  const std::string source = R"(
    layout(local_size_x = 4) in;
    void main() { debugPrintfEXT("%d", float(io[0])); })";
  const Outcome outcome = run_case({"compute", compute(source)});
  EXPECT_EQ(outcome.printed().size(), 4u);
  EXPECT_EQ(outcome.notes().size(), 1u);
}

}  // namespace
}  // namespace shaderqa::testing
