// SPDX-License-Identifier: Apache-2.0
// Fills the report block with random and damaged records and reads it. Usage: fuzz_checks [ITERATIONS
// [SEED]]. A defect shows as a crash, a sanitizer's report, or an exit code of 1.
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "host/findings/check_collector.h"
#include "host/findings/report_text.h"
#include "instrument/runtime/abi_report.h"
#include "tests/host/check_builder.h"

namespace shaderqa::test {
namespace {

using Random = std::mt19937_64;

uint32_t below(Random& random, uint32_t limit) { return static_cast<uint32_t>(random() % limit); }

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz_checks: %s\n", what);
  std::exit(1);
}

std::string random_text(Random& random) {
  std::string text;
  for (uint32_t i = below(random, 12); i > 0; --i) text += static_cast<char>(below(random, 256));
  return text;
}

CheckSite random_site(Random& random) {
  CheckSite site = check_site(below(random, 20), below(random, 7), below(random, 5));
  site.text = random_text(random);
  site.variable = random_text(random);
  site.source.text = random_text(random);
  site.invocation = static_cast<InvocationKind>(below(random, 6));
  return site;
}

abi::Report random_record(Random& random) {
  abi::Report record = report_of(below(random, 20), below(random, 7), below(random, 5), below(random, 70),
                                 {static_cast<uint32_t>(random()), static_cast<uint32_t>(random())});
  auto words = reinterpret_cast<uint32_t*>(&record);
  for (uint32_t i = below(random, 3); i > 0; --i) words[below(random, 16)] = static_cast<uint32_t>(random());
  return record;
}

FindingContext random_context(Random& random) {
  FindingContext around;
  if (below(random, 2) == 0)
    around.buffer = BufferOrigin{random_text(random), random(), random(), random(), below(random, 2) == 0};
  if (below(random, 2) == 0) {
    ActionOrigin& action = around.action.emplace();
    action.number = below(random, 4);
    action.first_since_clear = below(random, 5);
    action.name = action.command = random_text(random);
    action.kind = static_cast<ActionKind>(below(random, 4));
    action.labels = {random_text(random), random_text(random)};
  }
  if (below(random, 4) == 0) around.commands = {random_text(random)};
  return around;
}

struct FuzzClient : CheckClient {
  explicit FuzzClient(Random& its_random) : random(its_random) {}
  FindingContext context(const CheckReport&) override { return random_context(random); }
  void finding(const Finding& finding) override {
    findings += finding.kind == FindingKind::note ? 0 : 1;
    std::string text;
    append_block(text, finding, {true, 60, true});
    check(text.find('\0') == std::string::npos, "a block holds NUL");
    check(nlohmann::json::accept(to_json_line(finding)), "a line is no JSON");
  }
  void note(const std::string& key, const std::string&) override { notes.insert(key); }

  Random& random;
  std::set<std::string> notes;
  uint32_t findings = 0;
};

void fuzz_block(Random& random) {
  CheckTable table;
  uint32_t sites = 0;
  for (uint32_t i = below(random, 3) + 1; i > 0; --i) {
    ShaderRecord record = checked_shader({}, random_text(random), static_cast<Stage>(below(random, 15)));
    for (uint32_t k = below(random, 20); k > 0; --k) record.check_sites.push_back(random_site(random));
    sites += static_cast<uint32_t>(record.check_sites.size()) + 1;
    table.add(record);
  }
  FakeBlock block;
  FuzzClient client(random);
  CheckCollector collector(table, 24, client);
  const auto take = [&](const abi::Report& record) { collector.take(record); };
  for (uint32_t round = 0; round < 4; ++round) {
    for (uint32_t i = below(random, 30); i > 0; --i) {
      const uint32_t slot = below(random, SQA_REPORT_SLOTS);
      const abi::Report record = random_record(random);
      if (below(random, 3) != 0) {
        block.publish(slot, record);
      } else {
        block.records[slot] = record;
        block.records[slot].ticket = static_cast<uint32_t>(random());
      }
    }
    if (below(random, 4) == 0) block.control->published = static_cast<uint32_t>(random());
    block.reader.drain(CheckReader::Mode::running, take);
  }
  block.reader.drain(CheckReader::Mode::finished, take);
  for (const abi::Report& record : block.records) check(record.ticket == 0, "a record was left");
  check(client.findings <= sites, "more findings than sites");
  check(client.notes.size() <= 7, "a note for each damaged record");
  collector.report_counts([&](uint32_t counter) { return block.reader.failures(counter); });
}

}  // namespace
}  // namespace shaderqa::test

int main(int argc, char** argv) {
  const int iterations = argc > 1 ? std::atoi(argv[1]) : 1000;
  shaderqa::test::Random random(argc > 2 ? static_cast<uint64_t>(std::atoll(argv[2])) : 1);
  for (int i = 0; i < iterations; ++i) shaderqa::test::fuzz_block(random);
  std::printf("fuzz_checks: %d iterations\n", iterations);
}
