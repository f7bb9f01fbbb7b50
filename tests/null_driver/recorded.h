// SPDX-License-Identifier: Apache-2.0
#ifndef SHADERQA_TESTS_NULL_DRIVER_RECORDED_H
#define SHADERQA_TESTS_NULL_DRIVER_RECORDED_H

#include <cstdint>
#include <utility>

#include "tests/null_driver/state.h"

namespace shaderqa::null_driver {

// What a command of a command buffer does: it is one line of the log.
class Recorded {
 public:
  Recorded(VkCommandBuffer handle, const char* command) : call_(command) {
    record_.command_buffer = reinterpret_cast<uint64_t>(handle);
    record_.command = command + 2;  // without "vk"
  }
  ~Recorded() { state().records.commands.push_back(std::move(record_)); }
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;
  template <typename... Values>
  Recorded& with(Values... values) {
    (record_.values.push_back(static_cast<uint64_t>(values)), ...);
    return *this;
  }
  template <typename T>
  Recorded& with_all(const T* values, uint32_t count) {
    record_.values.insert(record_.values.end(), values, values + count);
    return *this;
  }
  VkResult result() const { return call_.fault; }

 private:
  Call call_;
  CommandRecord record_;
};

}  // namespace shaderqa::null_driver
#endif
