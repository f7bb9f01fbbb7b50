// SPDX-License-Identifier: Apache-2.0
#ifndef SHADERQA_HOST_SETTINGS_POSSIBLE_CHECKS_H
#define SHADERQA_HOST_SETTINGS_POSSIBLE_CHECKS_H

namespace shaderqa {

class HashFilter;
struct Settings;

// Which checks any shader of an instance can get: nothing needs to be prepared for the others.
struct PossibleChecks {
  bool printf = false;
  bool values = false;
  bool sync = false;
  bool trace = false;
  bool pictures = false;
  bool operator==(const PossibleChecks&) const = default;
};
PossibleChecks possible_checks(const Settings& settings, const HashFilter& filter);

}  // namespace shaderqa
#endif
