// SPDX-License-Identifier: Apache-2.0
// Where findings go: stderr (one block each, "shaderqa: <kind>: ..."), the JSON-lines report file
// (docs/report.md), and a queue for the application's debug messengers.
#ifndef SHADERQA_HOST_FINDINGS_REPORT_H
#define SHADERQA_HOST_FINDINGS_REPORT_H

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "host/settings/settings.h"
#include "instrument/shader_record.h"

namespace shaderqa {

struct CheckDetails;

struct Finding {
  std::string kind;  // printf assume nan hazard trace note
  std::string text;  // of a printf the rendered message, nothing added
  // What is known; empty or zero: not said.
  uint64_t shader = 0;
  std::string stage;
  std::string entry_point;
  SourcePosition source;
  std::string invocation;
  std::string pipeline;  // object names as the application gave them
  std::string shader_name;
  // Of failed checks; shared, since messages of printf, which have none, come in millions.
  std::shared_ptr<const CheckDetails> check;
};

// Thread-safe. Writes are whole lines by one write(2) each, so that several processes can share the file. A
// sink that fails (disk full, file not writable) is said once on stderr and given up; the others go on.
class Reporter {
 public:
  explicit Reporter(const Settings& settings);
  ~Reporter();
  void report(const Finding& finding);
  // A note is said once for a key.
  void note(const std::string& key, const std::string& text);
  void flush();

  // Findings are kept for messengers only while one exists: the layer sets this, and takes the queue from
  // application threads (a callback belongs to the thread that calls Vulkan).
  void keep_for_messengers(bool keep);
  std::vector<Finding> take_for_messengers();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// What every message of a printing site says; the text and the invocation are a message's own.
Finding site_finding(const PrintfSite& site);

// One JSON object, one line, newline included: the report file's format.
std::string to_json_line(const Finding& finding);

}  // namespace shaderqa
#endif
