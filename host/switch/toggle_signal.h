// SPDX-License-Identifier: Apache-2.0
// The signal that switches checks on and off (the setting `switch_signal`).
#ifndef SHADERQA_HOST_SWITCH_TOGGLE_SIGNAL_H
#define SHADERQA_HOST_SWITCH_TOGGLE_SIGNAL_H

#include <atomic>
#include <cstdint>
#include <string>

namespace shaderqa {

// How often the signal came.
extern std::atomic<uint32_t> toggle_signals;

// name: "sigusr1". The handler stays until the process ends. Returns why it cannot be used, or nothing.
std::string watch_toggle_signal(const std::string& name);

}  // namespace shaderqa
#endif
