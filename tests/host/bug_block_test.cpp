// SPDX-License-Identifier: Apache-2.0
// What a person reads of a finding: names, both sides, the cure; and what makes two findings one bug.
#include "host/findings/bug_block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "host/findings/check_details.h"
#include "host/findings/fingerprint.h"
#include "host/findings/hazard_cure.h"
#include "host/findings/report.h"

namespace shaderqa {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

ActionOrigin action(uint32_t number, const std::string& name, const std::string& arguments,
                    const std::string& queue = "queue 0") {
  ActionOrigin made;
  made.number = number;
  made.kind = ActionKind::dispatch;
  made.name = name;
  made.command = name + arguments;
  made.queue = queue;
  return made;
}

CheckDetails race(bool same_action) {
  CheckDetails details;
  details.check = Check::hazard;
  details.instruction = "OpStore %Bins.bins";
  details.word = 77;
  details.variable = "Bins";
  details.set = 1;
  details.binding = 2;
  Hazard& hazard = details.hazard.emplace();
  hazard.hazard_class = HazardClass::write_after_write;
  hazard.access = Access::store;
  hazard.earlier = EarlierAccess::store;
  hazard.stage = Stage::compute;
  hazard.address = 0xabcdef0;
  hazard.size = 4;
  hazard.buffer = BufferOrigin{"bins", 0x55aa, 64, 4096, false};
  OtherAccess& other = hazard.other.emplace();
  other.access = Access::store;
  other.stage = Stage::compute;
  other.same_action = same_action;
  other.owner = {Spread::invocation, 3, 7};
  other.places = {{"src/count.comp", 9, "", 0, 0, 3, "  bins[0] = 2;"}};
  details.action_number = 5;
  details.action = action(5, "vkCmdDispatch", "(16, 1, 1)");
  if (!same_action) other.action = action(4, "vkCmdDispatch", "(8, 1, 1)");
  return details;
}

Finding finding_of(const CheckDetails& details, uint32_t line = 20) {
  Finding finding;
  finding.kind = FindingKind::hazard;
  finding.shader = 0x1234567812345678;
  finding.stage = Stage::compute;
  finding.entry_point = "main";
  finding.source = {"src/count.comp", line, 5, "    bins[i] = 1;"};
  finding.invocation = "global invocation 1,0,0";
  finding.check = std::make_shared<CheckDetails>(details);
  return finding;
}

std::string block_of(const Finding& finding, const BlockStyle& style = {}, uint64_t occurrences = 0) {
  const auto line = read_report_line(to_json_line(finding));
  return line ? bug_block(*line, occurrences, style) : "no line";
}

size_t lines_of(const std::string& text) { return static_cast<size_t>(std::ranges::count(text, '\n')); }

// Without names in the module the descriptor is all that is known; a lead never touches its text.
TEST(BugBlock, AModuleWithoutNames) {
  CheckDetails details = race(true);
  details.instruction = "OpStore %12.0";
  details.variable = "a resource";
  details.action->command_buffer = "0x1234";
  const std::string block = block_of(finding_of(details), {.details = true});
  EXPECT_THAT(block, HasSubstr("data race on a resource (set 1, binding 2) in buffer \"bins\"\n")) << block;
  EXPECT_THAT(block, HasSubstr("\n  queue   queue 0, command buffer 0x1234\n")) << block;
}

TEST(BugBlock, WithinADispatch) {
  EXPECT_EQ(block_of(finding_of(race(true)), {}, 16380),
            "shaderqa: hazard: data race on Bins.bins (set 1, binding 2) in buffer \"bins\", 16,380 times\n"
            "  store   src/count.comp:9:3  by local invocation 7 of workgroup 3\n"
            "          | bins[0] = 2;\n"
            "          | ^\n"
            "  store   src/count.comp:20:5  by global invocation 1,0,0\n"
            "          | bins[i] = 1;\n"
            "          | ^\n"
            "  both in vkCmdDispatch(16, 1, 1), action 5  [compute, main]\n"
            "  cure    atomics, or an element of its own for each invocation: no barrier of the API orders "
            "accesses of one dispatch\n"
            "          where both are always in one workgroup, this between them is enough: "
            "memoryBarrierBuffer(); barrier();\n");
}

// One line that races with itself is shown once, unless it was reached by different calls.
TEST(BugBlock, BothSidesAtOnePlace) {
  CheckDetails details = race(true);
  details.hazard->other->places[0] = {"src/count.comp", 20, "", 0, 0, 5, "    bins[i] = 1;"};
  EXPECT_THAT(block_of(finding_of(details)),
              HasSubstr("  store   src/count.comp:20:5  by local invocation 7 of workgroup 3\n"
                        "          | bins[i] = 1;\n"
                        "          | ^\n"
                        "  store   at the same place  by global invocation 1,0,0\n"
                        "  both in "));
  details.frames = {{"sum", "", 0}, {"main", "src/count.comp", 31}};
  EXPECT_THAT(block_of(finding_of(details)),
              HasSubstr("at the same place  by global invocation 1,0,0\n"
                        "          in sum(), inlined at src/count.comp:31 in main()\n"));
  details.hazard->other->places[0].frames = details.frames;
  const std::string block = block_of(finding_of(details));
  EXPECT_EQ(block.find("in sum()"), block.rfind("in sum()")) << block;
}

// A draw has shaders of several stages: each side says which one it is of.
TEST(BugBlock, SidesOfTwoStages) {
  CheckDetails details = race(true);
  details.hazard->other->stage = Stage::fragment;
  const std::string block = block_of(finding_of(details));
  EXPECT_THAT(block, HasSubstr("src/count.comp:9:3  [fragment]\n")) << block;
  EXPECT_THAT(block, HasSubstr("src/count.comp:20:5  by global invocation 1,0,0  [compute, main]\n"));
}

TEST(BugBlock, PathsBelowTheWorkingFolder) {
  Finding finding = finding_of(race(true));
  finding.source.file = "/home/someone/src/count.comp";
  BlockStyle style;
  style.folder = "/home/someone";
  EXPECT_THAT(block_of(finding, style), HasSubstr("  store   src/count.comp:20:5"));
  style.folder = "/home/some";
  EXPECT_THAT(block_of(finding, style), HasSubstr("  store   /home/someone/src/count.comp:20:5"));
}

// The longest block is that of a race between two dispatches, with names and lines.
TEST(BugBlock, IsShort) {
  CheckDetails details = race(false);
  EXPECT_LE(lines_of(block_of(finding_of(details), {}, 7)), 11u);
  details.hazard->image = ImageOrigin{"bins", 0x55aa, "VK_FORMAT_R32_UINT", 1, 0, 3, 4, 0, 0, false};
  const std::string image = block_of(finding_of(details), {}, 7);
  EXPECT_LE(lines_of(image), 11u);
  EXPECT_THAT(image,
              HasSubstr("20:5, texel 3,4 of mip level 1  by global invocation 1,0,0 of vkCmdDispatch"));
  details.hazard->image->plane = 2;
  EXPECT_THAT(block_of(finding_of(details), {}, 7), HasSubstr(", texel 3,4 of plane 2, mip level 1  by"));
  details.hazard->image->picture = "/home/someone/pictures/bins.png";
  details.hazard->image->picture_note = "one texel in 4 x 4 is checked";
  BlockStyle style;
  style.folder = "/home/someone";
  EXPECT_THAT(block_of(finding_of(details), style),
              HasSubstr("\n  picture pictures/bins.png\n          one texel in 4 x 4 is checked\n"));
  details = race(true);
  EXPECT_LE(lines_of(block_of(finding_of(details), {}, 7)), 10u);
  EXPECT_LE(lines_of(block_of(finding_of(details), {.width = 80}, 7)), 12u);
  Finding without = finding_of(details);
  without.source = {};
  details.hazard->other->places = {{"", 0, "OpStore %13", 40, 1, 0, ""}};
  without.check = std::make_shared<CheckDetails>(details);
  EXPECT_LE(lines_of(block_of(without, {}, 7)), 7u);
}

TEST(BugBlock, AFailedValueShowsItsLineOnce) {
  CheckDetails details;
  details.check = Check::assume;
  Finding finding = finding_of(details);
  finding.kind = FindingKind::assume;
  EXPECT_EQ(block_of(finding, {}, 12),
            "shaderqa: assume: an assumption does not hold, 12 times\n"
            "  at      src/count.comp:20:5  by global invocation 1,0,0  [compute, main]\n"
            "          | bins[i] = 1;\n"
            "          | ^\n");
}

// The advice is worth reading once.
TEST(BugBlock, AdviceOnlyWhereLinesLack) {
  Finding finding = finding_of(race(true));
  const auto lacks = [&] { return lacks_lines(*read_report_line(to_json_line(finding))); };
  EXPECT_FALSE(lacks());
  finding.source = {};
  EXPECT_TRUE(lacks());
  BlockStyle style;
  EXPECT_THAT(block_of(finding, style), HasSubstr("glslang -gVS"));
  style.advice = false;
  EXPECT_THAT(block_of(finding, style), Not(HasSubstr("glslang -gVS")));
}

// Compilers give lines without columns. What the caret points at is then the memory's name, or nothing.
TEST(BugBlock, TheCaretStandsBelowWhatIsAccessed) {
  const auto block = [](const std::string& text, uint32_t column = 0) {
    CheckDetails details = race(true);
    details.instruction = "OpStore %Bins.bins[1].count";
    Finding finding = finding_of(details);
    finding.source = {"src/count.comp", 20, column, text};
    return block_of(finding);
  };
  const std::string lead = "\n          | ";
  EXPECT_THAT(
      block("  x = bins[bins.length() - 1].count;"),
      HasSubstr(lead + "x = bins[bins.length() - 1].count;" + lead + "                            ^\n"));
  EXPECT_THAT(block("my_bins = bins[1];"), HasSubstr(lead + "my_bins = bins[1];" + lead + "          ^\n"));
  EXPECT_THAT(block("bins[0] = bins[1];"), HasSubstr(lead + "bins[0] = bins[1];\n  both in"));
  EXPECT_THAT(block("add(1u);"), HasSubstr(lead + "add(1u);\n  both in"));
  EXPECT_THAT(block("bins[0] = bins[1];", 11),
              HasSubstr(lead + "bins[0] = bins[1];" + lead + "          ^\n"));
  EXPECT_THAT(block("    add(1u);", 1), HasSubstr(lead + "add(1u);" + lead + "^\n"));
}

TEST(BugBlock, BetweenDispatches) {
  const std::string block = block_of(finding_of(race(false)));
  EXPECT_THAT(block, HasSubstr("write after write on Bins.bins (set 1, binding 2)"));
  EXPECT_THAT(block,
              HasSubstr("9:3  by local invocation 7 of workgroup 3 of vkCmdDispatch(8, 1, 1), action 4\n"));
  EXPECT_THAT(
      block,
      HasSubstr("20:5  by global invocation 1,0,0 of vkCmdDispatch(16, 1, 1), action 5  [compute, main]\n"));
  EXPECT_THAT(block, HasSubstr("before vkCmdDispatch (action 5), outside of render passes:\n"));
  EXPECT_THAT(block, HasSubstr("VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_WRITE_BIT,\n"));
}

TEST(BugBlock, HandlesOnlyOnDemand) {
  const std::string block = block_of(finding_of(race(true)));
  EXPECT_THAT(block, Not(HasSubstr("0x")));
  EXPECT_THAT(block, Not(HasSubstr("1234567812345678")));
  EXPECT_THAT(block, Not(HasSubstr("word")));
  const std::string details = block_of(finding_of(race(true)), {false, 0, true});
  for (const char* part : {"0xabcdef0", "0x55aa", "1234567812345678", "word 77"})
    EXPECT_THAT(details, HasSubstr(part));
}

TEST(BugBlock, WrapsAndColours) {
  const std::string block = block_of(finding_of(race(true)), {true, 60, false});
  EXPECT_THAT(block, HasSubstr("\033[1;31mhazard"));
  std::string plain;
  for (size_t i = 0; i < block.size(); ++i) {
    if (block[i] == '\033')
      i = block.find('m', i);
    else
      plain += block[i];
  }
  size_t begin = 0, longest = 0;
  for (size_t end; (end = plain.find('\n', begin)) != std::string::npos; begin = end + 1)
    if (plain.substr(begin, 9) != "shaderqa:") longest = std::max(longest, end - begin);
  EXPECT_LE(longest, 60u);
  EXPECT_GT(lines_of(plain), lines_of(block_of(finding_of(race(true)))));
}

TEST(BugBlock, SaysThroughWhichInlinedFunctions) {
  CheckDetails details = race(true);
  details.frames = {{"sum", "", 0}, {"scan", "src/scan.glsl", 4}, {"main", "src/count.comp", 31}};
  details.hazard->other->places[0].frames = {{"clear", "", 0}};
  const std::string block = block_of(finding_of(details));
  EXPECT_THAT(
      block,
      HasSubstr("in sum(), inlined at src/scan.glsl:4 in scan(), inlined at src/count.comp:31 in main()\n"));
  EXPECT_THAT(block, HasSubstr("          in clear()\n"));
}

TEST(BugBlock, SaysWhereANanIsStored) {
  CheckDetails details;
  details.check = Check::nan;
  details.bad_float = BadFloat{std::numeric_limits<float>::quiet_NaN(), 3, {}, {}};
  const auto headline = [&] {
    Finding finding = finding_of(details);
    finding.kind = FindingKind::nan;
    const std::string block = block_of(finding);
    return block.substr(0, block.find('\n'));
  };
  details.instruction = "OpStore %Bins.bins[1]";
  EXPECT_EQ(headline(), "shaderqa: nan: NaN in component 2 is stored to Bins.bins[1]");
  details.instruction = "OpStore %12 %13";
  EXPECT_EQ(headline(), "shaderqa: nan: NaN in component 2 is stored");
  details.instruction = "OpFDiv %12";
  EXPECT_EQ(headline(), "shaderqa: nan: a result is NaN in component 2");
}

TEST(BugBlock, SaysWhatMadeANan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto from = [&](BadFloat bad) {
    CheckDetails details;
    details.check = Check::nan;
    details.bad_float = std::move(bad);
    Finding finding = finding_of(details);
    finding.kind = FindingKind::nan;
    const std::string block = block_of(finding);
    const size_t begin = block.find("  from");
    return begin == std::string::npos ? "" : block.substr(begin + 10, block.find('\n', begin) - begin - 10);
  };
  const ValueOrigin division{"division", "src/count.comp", 20, {{"total", false}, {"count", false}}, true};
  EXPECT_EQ(from({nan, 0, division, {0, 0, 0}}),
            "division: total = 0, count = 0; it begins here, out of finite numbers");
  EXPECT_EQ(from({nan, 0, division, {nan, 2, 0}}),
            "division: total = NaN, count = 2; total was like that before");
  ValueOrigin elsewhere{"dot", "src/lib.glsl", 3, {{"a", true}, {"b", true}}, true};
  EXPECT_EQ(from({nan, 0, elsewhere, {-std::numeric_limits<float>::infinity(), nan, 0}}),
            "dot at src/lib.glsl:3: a = -infinity, b = NaN; a and b were like that before");
  EXPECT_EQ(from({nan, 0, elsewhere, {1, 2, 0}}),
            "dot at src/lib.glsl:3: a is finite, b is finite; it begins here, out of finite numbers");
  // Other operands may have been NaN.
  elsewhere.complete = false;
  EXPECT_EQ(from({nan, 0, elsewhere, {1, 2, 0}}), "dot at src/lib.glsl:3: a is finite, b is finite");
  EXPECT_EQ(from({nan, 0, {"", "", 0, {{"Data.x", false}}, true}, {nan, 0, 0}}),
            "Data.x = NaN; Data.x was like that before");
  EXPECT_EQ(from({nan, 0, {"f()", "", 0, {}, false}, {}}), "f()");
  EXPECT_EQ(from({nan, 0, {}, {}}), "");
}

TEST(BugBlock, WithoutNamesOrLines) {
  CheckDetails details = race(true);
  details.instruction = "OpStore %12";
  details.variable.clear();
  details.hazard->buffer.reset();
  details.hazard->other->places = {{"", 0, "OpStore %13", 40, 1, 0, ""}};
  Finding finding = finding_of(details);
  finding.source = {};
  const std::string block = block_of(finding);
  EXPECT_THAT(block, HasSubstr("shaderqa: hazard: data race\n"));
  EXPECT_THAT(block, HasSubstr("lines   not known: compile shaders with them"));
  EXPECT_THAT(block, HasSubstr("OpStore %12 (word 77)"));
  EXPECT_THAT(block, HasSubstr("OpStore %13 (word 40)"));
}

// A shader's texts cannot move the cursor.
TEST(BugBlock, EscapesWhatComesFromTheProgram) {
  Finding finding = finding_of(race(true));
  finding.source.text = "\x1b[2J x\xff";
  finding.source.file = "a\x1b.comp";
  EXPECT_THAT(block_of(finding), Not(HasSubstr("\x1b")));
}

TEST(HazardCure, BarriersOfCommandsAndShaders) {
  CheckDetails details = race(false);
  details.hazard->access = Access::load;
  details.hazard->stage = Stage::vertex;
  details.hazard->hazard_class = HazardClass::read_after_write;
  details.hazard->other->by_command = true;
  details.hazard->other->action = action(4, "vkCmdFillBuffer", "(0x55aa, 0, 64, 1)");
  EXPECT_THAT(hazard_cure(details),
              ElementsAre("before vkCmdDispatch (action 5), outside of render passes:",
                          "  VkMemoryBarrier2 b = {VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, NULL,",
                          "      VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT,",
                          "      VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT, VK_ACCESS_2_SHADER_READ_BIT};"));
  // What a barrier that is there lacks comes first.
  details.hazard->other->lacking = "the vkCmdPipelineBarrier after action 4 has no X in srcAccessMask";
  EXPECT_THAT(hazard_cure(details).front(), HasSubstr("has no X in srcAccessMask; what it needs:"));
}

TEST(HazardCure, UniformBuffersAndArgumentsHaveAccessesOfTheirOwn) {
  CheckDetails details = race(false);
  details.hazard->access = Access::load;
  details.hazard->hazard_class = HazardClass::read_after_write;
  details.hazard->other->access = Access::store;
  details.hazard->of_uniform = true;
  EXPECT_EQ(hazard_cure(details).at(3),
            "      VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_UNIFORM_READ_BIT};");
  details.hazard->of_uniform = false;
  details.hazard->by_command = true;
  details.hazard->access = Access::indirect;
  details.action = action(5, "vkCmdDrawIndirect", "(0x55aa, 0, 1, 16)");
  EXPECT_EQ(hazard_cure(details).at(3),
            "      VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT, VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT};");
  // The other way round.
  details = race(false);
  details.hazard->hazard_class = HazardClass::write_after_read;
  details.hazard->other->access = Access::load;
  details.hazard->other->by_command = true;
  details.hazard->other->action = action(4, "vkCmdDispatchIndirect", "(0x55aa, 0)");
  EXPECT_EQ(hazard_cure(details).at(2), "      VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT, VK_ACCESS_2_NONE,");
  details.hazard->other->action = action(4, "vkCmdDrawIndirectCount", "(0x55aa, 0)");
  EXPECT_EQ(hazard_cure(details).at(2),
            "      VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT, "
            "VK_ACCESS_2_NONE,");
}

TEST(HazardCure, WriteAfterReadNeedsNoMemory) {
  CheckDetails details = race(false);
  details.hazard->hazard_class = HazardClass::write_after_read;
  details.hazard->other->access = Access::load;
  const std::vector<std::string> cure = hazard_cure(details);
  ASSERT_EQ(cure.size(), 4u);
  EXPECT_EQ(cure[2], "      VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_NONE,");
  EXPECT_EQ(cure[3], "      VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_NONE};");
}

TEST(HazardCure, QueuesNeedASemaphore) {
  CheckDetails details = race(false);
  details.hazard->other->action->queue = "queue 1";
  EXPECT_THAT(hazard_cure(details).front(), HasSubstr("semaphore"));
}

TEST(HazardCure, NothingWhereTheOtherSideIsNotKnown) {
  CheckDetails details = race(false);
  details.hazard->other->action.reset();
  EXPECT_TRUE(hazard_cure(details).empty());
  details.hazard->other.reset();
  EXPECT_TRUE(hazard_cure(details).empty());
}

TEST(Fingerprint, TheOrderOfTheSidesIsChance) {
  CheckDetails other_way = race(true);
  other_way.hazard->other->places = {{"elsewhere/count.comp", 20, "", 0, 0, 0, ""}};
  EXPECT_EQ(fingerprint_of(finding_of(race(true))), fingerprint_of(finding_of(other_way, 9)));
}

TEST(Fingerprint, NoAddressNoHandleNoFolder) {
  CheckDetails details = race(true);
  details.hazard->address += 64;
  details.hazard->buffer->handle = 1;
  details.action->number = 99;
  Finding moved = finding_of(details);
  moved.source.file = "/home/someone/src/count.comp";
  moved.shader = 1;
  moved.invocation = "global invocation 5,0,0";
  EXPECT_EQ(fingerprint_of(finding_of(race(true))), fingerprint_of(moved));
}

TEST(Fingerprint, LinesAccessesAndChecksTellBugsApart) {
  const uint64_t one = fingerprint_of(finding_of(race(true)));
  EXPECT_NE(one, 0u);
  EXPECT_NE(one, fingerprint_of(finding_of(race(true), 21)));
  CheckDetails details = race(true);
  details.hazard->access = Access::load;
  EXPECT_NE(one, fingerprint_of(finding_of(details)));
  details = race(true);
  details.hazard.reset();
  details.check = Check::assume;
  EXPECT_NE(one, fingerprint_of(finding_of(details)));
  // Without lines, the shader and the word do.
  Finding a = finding_of(race(true)), b = a;
  a.source = b.source = {};
  b.shader = 1;
  EXPECT_NE(fingerprint_of(a), fingerprint_of(b));
}

TEST(Fingerprint, MessagesAndNotesHaveNone) {
  Finding finding;
  EXPECT_EQ(fingerprint_of(finding), 0u);
  finding.kind = FindingKind::printf;
  EXPECT_EQ(fingerprint_of(finding), 0u);
}

TEST(Fingerprint, BarriersWithoutTheirHandles) {
  Finding one, two;
  one.kind = two.kind = FindingKind::redundant;
  one.text = "vkCmdPipelineBarrier of 0x12ab after action 3, passed 5 times, ordered nothing";
  two.text = "vkCmdPipelineBarrier of 0xff after action 3, passed once, ordered nothing";
  EXPECT_EQ(fingerprint_of(one), fingerprint_of(two));
  two.text = "vkCmdPipelineBarrier of 0xff after action 4, passed once, ordered nothing";
  EXPECT_NE(fingerprint_of(one), fingerprint_of(two));
}

}  // namespace
}  // namespace shaderqa
