// SPDX-License-Identifier: Apache-2.0
#include "host/findings/hazard_text.h"

#include <gtest/gtest.h>

#include "instrument/runtime/abi_report.h"
#include "tests/host/check_builder.h"

namespace shaderqa::test {
namespace {

struct Row {
  uint32_t access;
  HazardMarks marks;
  const char* name;
  const char* earlier;
};

HazardMarks both(HazardMarks a, HazardMarks b) { return {a.low | b.low, a.high | b.high}; }

// Every access against every combination of earlier ones that forbids it, and those that do not.
TEST(HazardText, Classes) {
  const Row rows[] = {
      {SQA_ACCESS_LOAD, {0, 0}, "", ""},
      {SQA_ACCESS_LOAD, kLoadMarks, "", ""},
      {SQA_ACCESS_LOAD, kStoreMarks, "read after write", "store or atomic"},
      {SQA_ACCESS_LOAD, kAtomicMarks, "atomic against plain", "atomic"},
      {SQA_ACCESS_LOAD, both(kAtomicMarks, kLoadMarks), "read after write", "store or atomic"},
      {SQA_ACCESS_STORE, {0, 0}, "", ""},
      {SQA_ACCESS_STORE, kLoadMarks, "write after read", "load"},
      {SQA_ACCESS_STORE, kStoreMarks, "write after write", "store or atomic"},
      {SQA_ACCESS_STORE, kAtomicMarks, "atomic against plain", "atomic"},
      {SQA_ACCESS_STORE, both(kStoreMarks, kLoadMarks), "write after write", "store or atomic"},
      {SQA_ACCESS_ATOMIC, kAtomicMarks, "", ""},
      {SQA_ACCESS_ATOMIC, kLoadMarks, "atomic against plain", "load"},
      {SQA_ACCESS_ATOMIC, kStoreMarks, "atomic against plain", "load or store"},
      {SQA_ACCESS_ATOMIC, both(kAtomicMarks, kLoadMarks), "atomic against plain", "load or store"},
      {SQA_ACCESS_INDIRECT, kLoadMarks, "", ""},
      {SQA_ACCESS_INDIRECT, kStoreMarks, "read after write", "store or atomic"},
      {SQA_ACCESS_INDIRECT, kAtomicMarks, "read after write", "atomic"},
      {4, kStoreMarks, "", ""},
  };
  for (const Row& row : rows) {
    const HazardClass found = classify_hazard(row.access, row.marks.low, row.marks.high);
    EXPECT_EQ(found.name, row.name) << row.access << " " << row.marks.low << " " << row.marks.high;
    EXPECT_EQ(found.earlier, row.earlier) << row.access << " " << row.marks.low << " " << row.marks.high;
  }
}

// An atomic of word 0 says nothing about a store of word 1.
TEST(HazardText, LooksAtTheWordsThatConflict) {
  EXPECT_EQ(classify_hazard(SQA_ACCESS_LOAD, 0x00ff00f0, 0x21).name, "atomic against plain");
  EXPECT_EQ(classify_hazard(SQA_ACCESS_LOAD, 0x00f000f0, 0x32).name, "read after write");
  EXPECT_EQ(classify_hazard(SQA_ACCESS_STORE, 0x00f0000f, 0x03).name, "write after read");
}

CheckDetails details_of(const char* access, const char* name, const char* earlier) {
  CheckDetails details;
  details.access = access;
  details.hazard_class = name;
  details.earlier = earlier;
  details.address = 0x1040;
  details.size = 4;
  return details;
}

TEST(HazardText, Sentences) {
  CheckDetails details = details_of("load", "read after write", "store or atomic");
  EXPECT_EQ(hazard_sentence(details),
            "read after write: 4 bytes at address 0x1040 are loaded after another invocation wrote them, and "
            "nothing orders the two");
  details.buffer = BufferOrigin{"", 0x55aa, 0x40, 4096, false};
  EXPECT_EQ(memory_text(details), "VkBuffer 0x55aa + 0x40");
  details.buffer->name = "particles";
  details.size = 1;
  EXPECT_EQ(hazard_sentence(details),
            "read after write: 1 byte at \"particles\" + 0x40 is loaded after another invocation wrote it, "
            "and nothing orders the two");
  details.size = 64;
  EXPECT_EQ(hazard_sentence(details),
            "read after write: memory at \"particles\" + 0x40 is loaded (part of 64 bytes) after another "
            "invocation wrote it, and nothing orders the two");
  EXPECT_EQ(hazard_sentence(details_of("store", "", "")),
            "unsynchronised access: 4 bytes at address 0x1040 are stored to after another invocation "
            "accessed them, and nothing orders the two");
}

TEST(HazardText, Scopes) {
  EXPECT_EQ(hazard_scope({}), "unknown: the command buffer is gone");
  ActionOrigin action;
  action.number = action.first_since_clear = 12;
  action.command = "vkCmdDispatch(1, 1, 1)";
  EXPECT_EQ(hazard_scope(action), "in this dispatch");
  action.command = "vkCmdDrawIndexed(3, 1, 0, 0, 0)";
  action.first_since_clear = 11;
  EXPECT_EQ(hazard_scope(action), "in this draw, or in action 11 (no barrier in between)");
  action.command = "vkCmdTraceRaysKHR(1, 1, 1)";
  action.first_since_clear = 9;
  EXPECT_EQ(hazard_scope(action), "in this trace, or in one of the actions 9 to 11 (no barrier in between)");
  for (const uint32_t first : {0u, 13u, 0xffffffffu}) {
    action.first_since_clear = first;
    EXPECT_NE(hazard_scope(action).find("earlier work"), std::string::npos);
  }
}

TEST(HazardText, Hints) {
  CheckDetails details = details_of("load", "read after write", "store or atomic");
  EXPECT_EQ(hazard_hint(details, SQA_ACCESS_LOAD, Stage::fragment),
            "if the other access is of an earlier action, a barrier from the other shader's stage, "
            "SHADER_WRITE, to FRAGMENT_SHADER, SHADER_READ between the two is missing");
  details.action = ActionOrigin{};
  details.action->number = details.action->first_since_clear = 3;
  details.action->command = "vkCmdDispatch(1, 1, 1)";
  EXPECT_NE(hazard_hint(details, SQA_ACCESS_LOAD, Stage::compute).find("same dispatch"), std::string::npos);
  EXPECT_NE(hazard_hint(details, SQA_ACCESS_INDIRECT, Stage::compute).find("INDIRECT_COMMAND_READ"),
            std::string::npos);
  details = details_of("store", "write after read", "load");
  EXPECT_NE(hazard_hint(details, SQA_ACCESS_STORE, Stage::vertex).find("execution dependency"),
            std::string::npos);
  details.hazard_class.clear();
  EXPECT_EQ(hazard_hint(details, SQA_ACCESS_STORE, Stage::vertex), "");
}

}  // namespace
}  // namespace shaderqa::test
