// SPDX-License-Identifier: Apache-2.0
// How reports are read, and compared with the truth.
#include "compare.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "device.h"
#include "forms.h"
#include "known.h"
#include "own_path.h"

namespace oracle {
namespace {

constexpr uint32_t kSubgroup = 8;

uint32_t line_of(size_t program, const Site& site) {
  return static_cast<uint32_t>((program + 1) * kLinesPerProgram) +
         static_cast<uint32_t>(site.command) * kLinesPerCommand + static_cast<uint32_t>(site.statement) + 1;
}

nlohmann::json hazard(size_t program, const Site& later, const char* access, const Site& earlier,
                      const char* earlier_access, const char* hazard_class) {
  nlohmann::json line{{"kind", "hazard"},
                      {"text", "text"},
                      {"hazard", {{"class", hazard_class}, {"access", access}, {"earlier", earlier_access}}},
                      {"other", {{"access", earlier_access}}}};
  if (later.statement >= 0) {
    line["source"]["line"] = line_of(program, later);
  } else {
    line["action"]["labels"] = {label_of(program, static_cast<size_t>(later.command))};
  }
  if (earlier.statement >= 0) line["other"]["places"] = {":" + std::to_string(line_of(program, earlier))};
  return line;
}

std::vector<Disagreement> compared(const char* name, const std::vector<nlohmann::json>& lines) {
  const Program& program = form(name).program;
  std::vector<Finding> findings;
  for (const auto& line : lines) findings.push_back(*finding_of(line));
  return compare(program, truth_of(program, kSubgroup), findings);
}

TEST(Compare, ReadsWhereAHazardIs) {
  const auto finding = finding_of(hazard(3, {2, 4}, "load", {1, 0}, "store", "read after write"));
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->program, 3u);
  EXPECT_EQ(finding->later, (Site{2, 4}));
  EXPECT_EQ(finding->earlier, (std::vector<Site>{{1, 0}}));
  EXPECT_FALSE(finding_of({{"kind", "note"}}));
}

TEST(Compare, AcceptsWhatIsTrue) {
  EXPECT_TRUE(
      compared("no_barrier", {hazard(0, {1, 0}, "load", {0, 0}, "store", "read after write")}).empty());
  // In one dispatch in either order.
  EXPECT_TRUE(compared("stencil", {hazard(0, {0, 0}, "load", {0, 1}, "store", "read after write")}).empty());
  EXPECT_TRUE(compared("stencil", {hazard(0, {0, 1}, "store", {0, 0}, "load", "write after read")}).empty());
  EXPECT_TRUE(compared("right_barrier", {}).empty());
  EXPECT_TRUE(compared("copy_is_not_clear", {hazard(0, {2, 0}, "load", {0, -1}, "store", "read after write")})
                  .empty());
}

void expect_one(const std::vector<Disagreement>& all, Problem problem) {
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].problem, problem) << name_of(all[0].problem);
}

TEST(Compare, TellsWhatIsWrong) {
  expect_one(compared("no_barrier", {}), Problem::missed);
  expect_one(compared("right_barrier", {hazard(0, {2, 0}, "load", {0, 0}, "store", "read after write")}),
             Problem::false_report);
  // Another kind, another statement, the earlier command last.
  expect_one(compared("no_barrier", {hazard(0, {1, 0}, "store", {0, 0}, "store", "write after write")}),
             Problem::wrong_sides);
  expect_one(compared("stencil", {hazard(0, {0, 1}, "store", {0, 1}, "store", "write after write")}),
             Problem::wrong_sides);
  expect_one(compared("no_barrier", {hazard(0, {0, 0}, "store", {1, 0}, "load", "write after read")}),
             Problem::wrong_sides);
  expect_one(compared("no_barrier", {hazard(0, {1, 0}, "load", {0, -1}, "store", "read after write")}),
             Problem::wrong_sides);
  expect_one(compared("no_barrier", {hazard(0, {1, 0}, "load", {0, 0}, "store", "write after write")}),
             Problem::wrong_class);
}

TEST(Compare, KnowsReadersThroughAnotherBinding) {
  const auto reported = [](const Site& reader) {
    return compared("own_read_beside_one_through_another_binding",
                    {hazard(0, {0, 2}, "store", reader, "load", "write after read")});
  };
  EXPECT_TRUE(reported({0, 1}).empty());
  const std::vector<Disagreement> other = reported({0, 0});
  ASSERT_EQ(other.size(), 1u);
  EXPECT_EQ(other[0].problem, Problem::wrong_sides);
  EXPECT_EQ(other[0].known, "a reader through another binding");
  EXPECT_EQ(compared("stencil", {hazard(0, {0, 1}, "store", {0, 1}, "load", "write after read")})[0].known,
            "");
}

// The class of a form of which nothing was reported.
std::string class_of(const char* name, bool lenient = false) {
  const Program& program = form(name).program;
  return known_class(program, truth_of(program, kSubgroup), lenient);
}

TEST(Known, PlainRacesAreInNoClass) {
  for (const char* name : {"no_barrier",
                           "stencil",
                           "all_write_one",
                           "exchange_between_workgroups",
                           "on_a_part",
                           "bytes_of_two_dispatches",
                           "update_in_place_after_a_read",
                           "update_in_place_after_a_copy",
                           "broadcast_by_barrier_alone",
                           "subgroup_barrier_then_all",
                           "barriers_of_two_subgroups",
                           "atomics_of_workgroup_scope",
                           "workgroup_scope_in_two_dispatches",
                           "acquire_from_oneself",
                           "store_behind_the_release",
                           "message_without_release",
                           "message_fence_behind_the_flag",
                           "store_behind_the_message",
                           "message_to_others",
                           "lock_of_each_workgroup",
                           "lock_that_releases_nothing",
                           "turns_that_release_nothing",
                           "turns_of_all_released_to_the_workgroup",
                           "atomic_on_workgroup_memory_then_a_barrier_of_device_scope",
                           "read_in_two_phases",
                           "shared_read_in_two_phases",
                           "look_at_a_flag_that_releases_nothing",
                           "shared_stencil",
                           "shared_atomic_then_read",
                           "shared_read_and_atomic_then_an_atomic_of_others",
                           "subgroup_fences_of_two_subgroups",
                           "read_by_its_subgroup_then_by_others",
                           "read_by_its_subgroup_then_by_another_dispatch",
                           "image_barrier_for_workgroup_memory",
                           "image_stencil",
                           "image_clear_is_not_copy",
                           "pass_that_keeps_what_is_available_alone",
                           "pass_object_whose_clear_is_beside_its_transition"})
    EXPECT_EQ(class_of(name), "") << name;
}

TEST(Known, ClassesAreFound) {
  const std::pair<const char*, const char*> cases[] = {
      {"bytes_read_then_an_atomic_on_their_word", "parts of words"},
      {"stencil_of_bytes_by_address", "parts of words"},
      {"atomics_of_two_sizes", "atomics of two sizes"},
      {"workgroup_scope_then_device_scope", "atomics of several scopes"},
      {"atomic_load_of_workgroup_scope_beside_an_atomic", "atomics of several scopes"},
      {"subgroup_scope_across_subgroups", "atomics of several scopes"},
      {"private_access", "private access"},
      {"store_between_two_releases", "release and acquire"},
      {"acquired_from_two_locations", "release and acquire"},
      {"store_between_fence_and_barrier", "release and acquire"},
      {"message_by_workgroup_memory_to_others", "release by an atomic on workgroup memory"},
      {"atomic_without_visibility", "atomic without visibility"},
      {"write_behind_a_private_read", "private access"},
      {"store_behind_the_lock", "release and acquire"},
      {"acquire_from_oneself_within_the_workgroup", "release and acquire"},
      {"message_behind_another_dispatch", "release and acquire"},
      {"shared_acquire_from_oneself", "release in workgroup memory"},
      {"shared_atomic_before_a_read_of_its_subgroup", "subgroup barrier"},
      {"reads_of_two_subgroups", "subgroup barrier"},
      {"reads_of_its_subgroup_and_another_one", "subgroup barrier"},
      {"fence_before_the_access_and_behind_the_barrier", "access behind a fence"},
      {"subgroup_barrier_that_only_acquires", "half a barrier"},
      {"second_fence_of_the_subgroup", "fences of a subgroup"},
      {"half_a_barrier_behind_narrow_fences", "fences of a subgroup"},
      {"fence_of_one_behind_the_barrier", "order on one side"},
      {"shared_fence_too_narrow", "narrow fence in workgroup memory"},
      {"barrier_to_copy_is_none_to_compute", "one access a cell"},
      {"read_beside_ones_own_behind_a_part_of_the_order", "own access beside it"},
      {"shared_read_beside_ones_own_behind_a_part_of_the_order", "own access beside it"},
      {"read_beside_ones_own_behind_a_narrow_fence", "own access beside it"},
      {"shared_read_beside_ones_own_behind_a_narrow_fence", "own access beside it"},
      {"read_without_the_message", "one access behind an acquire"},
      {"copy_among_readers", "two actions a cell"},
      {"pass_object_whose_last_transition_does_not_wait", "transition at the end of a pass"},
      {"read_then_two_atomics_beside_another_workgroup", "one kind a cell"},
      {"read_and_atomic_of_one_beside_an_atomic", "one kind a cell"},
      {"draw_read_then_stored_behind_a_barrier_in_their_pass", "barrier within its pass"}};
  for (const auto& [name, known] : cases) EXPECT_EQ(class_of(name), known) << name;
}

TEST(Known, AcquiresAreTakenForGrantedOnlyIfLenient) {
  for (const char* name : {"no_fence_behind_the_barrier", "message_without_acquire",
                           "narrow_fence_before_a_barrier_of_one_subgroup"}) {
    EXPECT_EQ(class_of(name), "") << name;
    EXPECT_EQ(class_of(name, true), "fence of the acquire") << name;
  }
}

// Only a race that nobody reported may be known.
TEST(Known, NoReportIs) {
  const auto load = compared("atomic_load_then_load",
                             {hazard(0, {1, 0}, "load", {0, 0}, "atomic", "atomic against plain")});
  EXPECT_EQ(load.at(0).problem, Problem::false_report);
  EXPECT_EQ(load.at(0).known, "");
}

// On some machines a loader runs it, and is what /proc/self/exe names.
TEST(OwnPath, IsThatOfTheProgramAndNotOfItsLoader) {
  ASSERT_EQ(unsetenv("SHADERQA_ORACLE"), 0);
  const std::string file = std::filesystem::read_symlink("/proc/self/exe");
  EXPECT_EQ(own_path(("elsewhere/" + std::filesystem::path(file).filename().string()).c_str()), file);
  EXPECT_EQ(own_path("/bin/another"), "/bin/another");
  EXPECT_EQ(own_path("another"), std::filesystem::current_path() / "another");
  ASSERT_EQ(setenv("SHADERQA_ORACLE", "/told", 1), 0);
  EXPECT_EQ(own_path("/bin/another"), "/told");
  ASSERT_EQ(unsetenv("SHADERQA_ORACLE"), 0);
}

}  // namespace
}  // namespace oracle
