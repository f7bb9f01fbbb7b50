// SPDX-License-Identifier: Apache-2.0
#include "host/summary/checked_run.h"

#include <nlohmann/json.hpp>
#include <set>

#include "host/text/text_escape.h"

namespace shaderqa {
namespace {

using nlohmann::json;
using Records = std::vector<ProcessRecord>;

uint64_t sum(const Records& records, Tally which) {
  uint64_t total = 0;
  for (const ProcessRecord& record : records) total += record.tally(which);
  return total;
}

json device_json(const DeviceRecord& device) {
  json object = {{"name", to_utf8(device.name)}};
  if (!device.driver.empty()) object["driver"] = to_utf8(device.driver);
  if (!device.inert_reason.empty()) object["unchecked"] = to_utf8(device.inert_reason);
  return object;
}

std::set<std::string> checks_of(const ProcessRecord& record) {
  std::set<std::string> checks;
  for (const Concern concern : {Concern::printf, Concern::values, Concern::sync})
    if (record.checks.find(to_string(concern)) != std::string::npos) checks.insert(to_string(concern));
  return checks;
}

std::string text_at(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::vector<std::string> list_at(const json& object, const char* key) {
  std::vector<std::string> list;
  if (const auto found = object.find(key); found != object.end() && found->is_array())
    for (const json& each : *found)
      if (each.is_string()) list.push_back(each.get<std::string>());
  return list;
}

}  // namespace

std::string checked_line(const Records& records, const Verdict& verdict) {
  std::set<std::string> programs, checks;
  std::set<json> devices;
  for (const ProcessRecord& record : records) {
    if (!record.program.empty()) programs.insert(to_utf8(record.program));
    checks.merge(checks_of(record));
    for (const DeviceRecord& device : record.devices) devices.insert(device_json(device));
  }
  json gaps = json::array();
  for (const Gap& gap : verdict.gaps) gaps.push_back(to_utf8(gap.text));
  const json object = {
      {"kind", "checked"},
      {"text", to_utf8(verdict_text(records, verdict))},
      {"complete", verdict.gaps.empty()},
      {"programs", programs},
      {"checks", checks},
      {"devices", devices},
      {"shaders",
       {{"checked", sum(records, Tally::shaders_checked)},
        {"nothing", sum(records, Tally::shaders_nothing)},
        {"excluded", sum(records, Tally::shaders_excluded)},
        {"refused", sum(records, Tally::shaders_refused)}}},
      {"actions",
       {{"submitted", sum(records, Tally::actions)},
        {"checked", sum(records, Tally::actions_checked)},
        {"unchecked", sum(records, Tally::actions_unchecked) + sum(records, Tally::actions_late)},
        {"left_out", sum(records, Tally::actions_left_out)}}},
      {"gaps", gaps},
  };
  return object.dump() + "\n";
}

std::optional<CheckedRun> read_checked_line(std::string_view line) {
  const json object = json::parse(line, nullptr, false);
  if (!object.is_object() || text_at(object, "kind") != "checked") return std::nullopt;
  CheckedRun run;
  run.text = text_at(object, "text");
  run.run = text_at(object, "run");
  run.host = text_at(object, "host");
  const auto process = object.find("process");
  if (process != object.end() && process->is_number_unsigned()) run.process = process->get<uint64_t>();
  run.version = text_at(object, "version");
  const auto complete = object.find("complete");
  run.complete = complete != object.end() && complete->is_boolean() && complete->get<bool>();
  run.programs = list_at(object, "programs");
  run.checks = list_at(object, "checks");
  run.gaps = list_at(object, "gaps");
  if (const auto devices = object.find("devices"); devices != object.end() && devices->is_array())
    for (const json& device : *devices)
      if (device.is_object())
        run.devices.push_back(
            {text_at(device, "name"), text_at(device, "driver"), text_at(device, "unchecked")});
  return run;
}

}  // namespace shaderqa
