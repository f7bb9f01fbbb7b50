// SPDX-License-Identifier: Apache-2.0
// What one instance of a process has checked and what not: numbers and facts, for the verdict at the end.
#ifndef SHADERQA_HOST_SUMMARY_RUN_SUMMARY_H
#define SHADERQA_HOST_SUMMARY_RUN_SUMMARY_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/summary/run_page.h"

namespace shaderqa {

struct Finding;
struct ProcessRecord;

// What became of a shader. If one is given to several pipelines, the last in this order holds.
enum class ShaderFate : uint8_t { nothing, excluded, checked, refused };

// Thread-safe. With a directory the numbers lie in a shared file there and the facts in a second one, which
// stay behind for the parent. Without one, both are kept in memory.
class RunSummary {
 public:
  // problem: set if the directory cannot be used; the summary is in memory then.
  RunSummary(const std::string& directory, std::string& problem);
  ~RunSummary();
  RunSummary(const RunSummary&) = delete;
  RunSummary& operator=(const RunSummary&) = delete;

  void add(Tally tally, uint64_t number = 1) {
    page().tallies[static_cast<size_t>(tally)].fetch_add(number, std::memory_order_relaxed);
  }
  // Facts of the process: the checks that its settings allow, its `only` setting, and the part of the run
  // that is checked (empty: all of it).
  void begin(const std::vector<std::string>& checks, const std::string& only, const std::string& part = {});
  void device(const std::string& name, const std::string& driver, const std::string& inert_reason);
  void shader(uint64_t hash, ShaderFate fate);
  // An action with the shader ran, where a part of the run is chosen. checked: in that part.
  void shader_used(uint64_t hash, bool checked);
  // What is said of a shader while it is compiled.
  void describe_shader(const CompiledShader& shader);
  // What describe_shader() was told of a shader; empty: nothing.
  std::string shader_name(uint64_t hash) const;
  void finding(const Finding& finding);
  // When the DeviceWait that began first did; 0: there is none.
  uint64_t first_wait_ns() const { return shaderqa::first_wait_ns(page()); }
  // The checked action that began last on a device, for whoever sees that this process waits. Empty:
  // none is known.
  void tell_begun(const std::string& action, uint64_t now_ns);
  // Everything was delivered: the process may end. Does nothing in a forked child.
  void end();

  // Pipelines that are going to be made. Each is reported as done later, by CompileTimer or by
  // add(Tally::pipelines_done).
  void pipelines_wait(uint64_t count) { add(Tally::pipelines_begun, count); }

  // What is known so far, as the parent would read it.
  ProcessRecord record() const;

 private:
  friend class CompileTimer;
  friend class DeviceWait;
  struct Impl;
  void name_unseen();
  RunPage& page() const { return *page_; }
  CompileSlot* begin_compiling();
  void end_compiling(CompileSlot* slot, uint64_t began_ns, const CompiledShader& largest, uint32_t pipelines);

  RunPage* page_ = nullptr;
  std::unique_ptr<Impl> impl_;
};

// While it exists, pipelines are being made by this thread.
class CompileTimer {
 public:
  // announced: pipelines_wait() was called for them.
  CompileTimer(RunSummary& summary, uint32_t pipelines, bool announced = false);
  ~CompileTimer();
  CompileTimer(const CompileTimer&) = delete;
  CompileTimer& operator=(const CompileTimer&) = delete;
  // They have these shaders, the largest of which stands for all.
  void shaders(std::span<const uint64_t> hashes);

 private:
  RunSummary& summary_;
  const uint32_t pipelines_;
  const uint64_t began_ns_;
  CompiledShader largest_;
  CompileSlot* const slot_;
};

uint64_t monotonic_ns();

// While it exists, this thread waits for the device. Waits that end with a timeout and soon begin again, as
// in a loop, are one.
class DeviceWait {
 public:
  explicit DeviceWait(RunSummary& summary, uint64_t now_ns = monotonic_ns());
  ~DeviceWait();
  DeviceWait(const DeviceWait&) = delete;
  DeviceWait& operator=(const DeviceWait&) = delete;
  void timed_out() { timed_out_ = true; }

 private:
  std::atomic<uint64_t>* slot_ = nullptr;  // null: all are in use
  uint64_t began_ns_;
  bool timed_out_ = false;
};

}  // namespace shaderqa
#endif
