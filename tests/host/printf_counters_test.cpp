// SPDX-License-Identifier: Apache-2.0
#include "host/printf/printf_counters.h"

#include <gtest/gtest.h>

#include "instrument/runtime/abi_printf.h"
#include "tests/host/printf_builder.h"

namespace shaderqa::test {
namespace {

class PrintfCounters : public testing::Test {
 protected:
  PrintfCounters() {
    PrintfSite lone = args().site("lone\n", 7);
    lone.source = {"a.comp", 12, 0, ""};
    table_.add(make_record({lone, args().site("one", 9), args().site("two", 9 + SQA_PRINTF_SITE_SLOTS)}));
  }
  PrintfTable table_;
  abi::PrintfSiteCounters counters_{};
  PrintfCounterReader reader_;
};

TEST_F(PrintfCounters, NothingHappened) { EXPECT_TRUE(reader_.dropped(counters_, table_).empty()); }

TEST_F(PrintfCounters, NamesTheSite) {
  counters_.dropped[7] = 12;
  EXPECT_EQ(
      reader_.dropped(counters_, table_),
      std::vector<std::string>{"dropped 12 messages of \"lone \" (a.comp:12); raise printf_buffer_size"});
  EXPECT_TRUE(reader_.dropped(counters_, table_).empty()) << "said already";
  counters_.dropped[7] = 13;
  EXPECT_EQ(reader_.dropped(counters_, table_),
            std::vector<std::string>{
                "dropped 1 message of \"lone \" (a.comp:12), 13 so far; raise printf_buffer_size"});
}

TEST_F(PrintfCounters, NamesAllThatShareASlot) {
  counters_.dropped[9] = 2;
  const std::vector<std::string> said = reader_.dropped(counters_, table_);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0],
            "dropped 2 messages of one or more of \"one\", \"two\" (they share a counter); raise "
            "printf_buffer_size");
}

TEST_F(PrintfCounters, UnknownSlotAndWrap) {
  counters_.dropped[100] = 0xffffffff;
  ASSERT_EQ(reader_.dropped(counters_, table_).size(), 1u);
  counters_.dropped[100] = 1;
  EXPECT_EQ(reader_.dropped(counters_, table_)[0],
            "dropped 2 messages of an unknown printf, 4294967297 so far; raise printf_buffer_size");
}

TEST_F(PrintfCounters, Budgets) {
  counters_.issued[7] = 5000;
  counters_.issued[9] = 10;
  EXPECT_EQ(PrintfCounterReader().budgets(counters_, table_, 10, 100),
            std::vector<std::string>{
                "printed the first 10 and every 100th of 5000 messages of \"lone \" (a.comp:12)"});
  EXPECT_EQ(PrintfCounterReader().budgets(counters_, table_, 10, 0)[0],
            "printed the first 10 of 5000 messages of \"lone \" (a.comp:12)");
  EXPECT_EQ(PrintfCounterReader().budgets(counters_, table_, 0, 22).back().substr(0, 26),
            "printed every 22nd of 10 m");
  EXPECT_TRUE(PrintfCounterReader().budgets(counters_, table_, 0, 0).empty());
  EXPECT_TRUE(PrintfCounterReader().budgets(counters_, table_, 5000, 0).empty());
}

}  // namespace
}  // namespace shaderqa::test
