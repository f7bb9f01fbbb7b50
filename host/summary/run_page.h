// SPDX-License-Identifier: Apache-2.0
// The numbers of a process, in a page that `shaderqa run` reads while the process runs and after its end,
// however it ends.
#ifndef SHADERQA_HOST_SUMMARY_RUN_PAGE_H
#define SHADERQA_HOST_SUMMARY_RUN_PAGE_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace shaderqa {

inline constexpr uint64_t kRunPageMagic = 0x316e757251415153;  // "SQAQrun1"

// What is counted. Shaders are counted once for each device, pipelines when the call that makes them returns.
enum class Tally : uint32_t {
  devices,
  inert_devices,     // on which no shader can be rewritten
  shaders_checked,   // rewritten
  shaders_nothing,   // with nothing that the checks which are on look at
  shaders_excluded,  // left alone because of only, skip or hashes
  shaders_refused,   // left alone although a check is wanted
  image_shaders,     // read or write storage images, which sync does not check
  pipelines_begun,   // being made, waiting or made
  pipelines_done,
  pipeline_ns,        // in the calls that make them, in all threads together
  actions,            // submitted: draws, dispatches and traces. Only counted where accesses are checked
  actions_checked,    // ... that had a record
  actions_unchecked,  // ... that should have had one
  actions_left_out,   // ... that should have had one, but are not in the chosen part of the run
  actions_late,       // ... that are, in command buffers recorded before that part and used again
  submissions,        // vkQueueSubmit
  submissions_checked,
  frames,           // presented
  frames_checked,   // ... in which something was submitted while checks were on
  shaders_used,     // in actions, where a part of the run is chosen
  shaders_in_part,  // ... that were checked
  buffers,          // that something on the device can write
  buffers_checked,  // ... and that a checked action had in its descriptors, where a part is chosen
  messages,         // of printf
  facts_lost,       // lines that did not fit into the file of facts
  rescue_missing,   // memory of a device that does not outlive the process
  end
};
inline constexpr size_t kTallies = static_cast<size_t>(Tally::end);

// What is known of a shader that a pipeline is made of.
struct CompiledShader {
  uint64_t hash = 0;  // 0: no rewritten shader
  uint32_t words = 0, sites = 0;
  char name[80] = {};
};

// A call that makes pipelines.
struct CompileSlot {
  std::atomic<uint64_t> began_ns;  // CLOCK_MONOTONIC; 0: the slot is free. Written last
  CompiledShader largest;
};
inline constexpr size_t kCompileSlots = 64;
inline constexpr size_t kWaitSlots = 16;

// The checked action that began last on a device, for people.
struct BegunText {
  std::atomic<uint32_t> writes;   // odd while it is being written
  std::atomic<uint64_t> told_ns;  // when it was true
  char text[300];                 // ends with a null
};

struct RunPage {
  uint64_t magic;
  uint64_t created_ns;          // CLOCK_REALTIME
  std::atomic<uint32_t> ended;  // 1: in order, everything was delivered
  uint32_t process;
  std::array<std::atomic<uint64_t>, kTallies> tallies;
  uint64_t slowest_ns;  // of one call
  CompiledShader slowest;
  std::array<CompileSlot, kCompileSlots> compiling;
  std::array<std::atomic<uint64_t>, kWaitSlots> waiting;  // when a DeviceWait began; 0: the slot is free
  BegunText begun;                                        // renewed while a DeviceWait lasts
};
static_assert(std::atomic<uint64_t>::is_always_lock_free);

// When the DeviceWait that began first did; 0: there is none.
inline uint64_t first_wait_ns(const RunPage& page) {
  uint64_t first = 0;
  for (const std::atomic<uint64_t>& slot : page.waiting) {
    const uint64_t began = slot.load(std::memory_order_relaxed);
    if (began != 0 && (first == 0 || began < first)) first = began;
  }
  return first;
}

}  // namespace shaderqa
#endif
