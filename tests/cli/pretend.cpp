// SPDX-License-Identifier: Apache-2.0
// Stands for a program under the layer: writes the summary that its arguments say, in their order.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>

#include "host/findings/check_details.h"
#include "host/findings/fingerprint.h"
#include "host/findings/report.h"
#include "host/summary/run_summary.h"

namespace {

using shaderqa::Tally;

// A race of a store in this line of a file with a load in line 7.
shaderqa::Finding hazard(uint32_t line) {
  shaderqa::Finding finding;
  finding.kind = shaderqa::FindingKind::hazard;
  finding.shader = 0x1234;
  finding.stage = shaderqa::Stage::compute;
  finding.entry_point = "main";
  finding.source = {"folder/race.comp", line, 3, "  bins[0] = 1;"};
  auto details = std::make_shared<shaderqa::CheckDetails>();
  details->check = shaderqa::Check::hazard;
  details->instruction = "OpStore %Bins.bins";
  details->word = 10 * line;
  details->variable = "Bins";
  shaderqa::Hazard& race = details->hazard.emplace();
  race.hazard_class = shaderqa::HazardClass::write_after_read;
  race.access = shaderqa::Access::store;
  race.earlier = shaderqa::EarlierAccess::load;
  race.stage = shaderqa::Stage::compute;
  race.address = 0x1000u + static_cast<uint64_t>(::getpid());
  race.size = 4;
  shaderqa::OtherAccess& other = race.other.emplace();
  other.same_action = true;
  other.stage = shaderqa::Stage::compute;
  other.places = {{"folder/race.comp", 7, {}, 0, 0, 0, "  x = bins[0];"}};
  finding.check = details;
  return finding;
}

shaderqa::Finding counted(uint32_t line, uint64_t failures) {
  shaderqa::Finding finding = hazard(line);
  finding.fingerprint = shaderqa::fingerprint_of(finding);
  finding.kind = shaderqa::FindingKind::note;
  auto details = std::make_shared<shaderqa::CheckDetails>(*finding.check);
  details->hazard.reset();
  details->count = shaderqa::FailureCount{failures, 1, false, false};
  finding.check = details;
  return finding;
}

shaderqa::Finding note(const std::string& text, shaderqa::Concern concern) {
  shaderqa::Finding finding;
  finding.text = text;
  finding.incomplete = concern;
  return finding;
}

}  // namespace

int main(int argc, char** argv) {
  const char* const folder = std::getenv("SHADERQA_RESCUE_DIR");
  if (!folder) return 64;
  std::string problem;
  shaderqa::RunSummary summary(folder, problem);
  if (!problem.empty()) {
    std::fprintf(stderr, "%s\n", problem.c_str());
    return 65;
  }
  const std::map<std::string, shaderqa::ShaderFate> fates = {{"nothing", shaderqa::ShaderFate::nothing},
                                                             {"excluded", shaderqa::ShaderFate::excluded},
                                                             {"checked", shaderqa::ShaderFate::checked},
                                                             {"refused", shaderqa::ShaderFate::refused}};
  uint64_t shaders = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i], name = argument.substr(0, argument.find('=')),
                      value = name.size() < argument.size() ? argument.substr(name.size() + 1) : "";
    const auto number = static_cast<uint32_t>(std::atoi(value.c_str()));
    if (name == "checks")
      summary.begin({value}, std::getenv("SHADERQA_ONLY") ? std::getenv("SHADERQA_ONLY") : "");
    if (name == "device") summary.device("a device", "a driver", value);
    if (name == "shader") summary.shader(++shaders, fates.at(value));
    if (name == "actions") summary.add(Tally::actions, number), summary.add(Tally::actions_checked, number);
    if (name == "messages") summary.add(Tally::messages, number);
    if (name == "images") summary.add(Tally::image_shaders, number);
    if (name == "hazard") summary.finding(hazard(number));
    if (name == "count") summary.finding(counted(12, number));
    if (name == "note") summary.finding(note(value, shaderqa::Concern::nothing));
    if (name == "gap") summary.finding(note(value, shaderqa::Concern::everything));
    if (name == "sync-gap") summary.finding(note(value, shaderqa::Concern::sync));
    if (name == "compile") {
      const shaderqa::CompileTimer timer(summary, 1);
      ::usleep(number * 1000);
    }
    if (name == "begun") summary.tell_begun(value, shaderqa::monotonic_ns());
    if (name == "wait") {  // as if it had begun so many milliseconds ago
      const shaderqa::DeviceWait wait(summary, shaderqa::monotonic_ns() - uint64_t{number} * 1'000'000);
      ::usleep(1'200'000);
    }
    if (name == "kill") ::kill(::getpid(), SIGKILL);
    if (name == "_exit") ::_exit(static_cast<int>(number));
    if (name == "exit") {
      summary.end();
      return static_cast<int>(number);
    }
  }
  return 0;
}
