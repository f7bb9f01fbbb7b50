// SPDX-License-Identifier: Apache-2.0
// Where findings go: stderr (one block each, "shaderqa: <kind>: ..."), the JSON-lines report file
// (docs/manual/report.md), and a queue for the application's debug messengers.
#ifndef SHADERQA_HOST_FINDINGS_REPORT_H
#define SHADERQA_HOST_FINDINGS_REPORT_H

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "host/findings/finding_types.h"
#include "host/settings/settings.h"
#include "instrument/shader_record.h"

namespace shaderqa {

struct CheckDetails;
struct ShaderSubject;

// Files of a run's folder: what the program's messengers were going to hear.
inline constexpr const char* kUndeliveredSuffix = ".undelivered";

struct Finding {
  FindingKind kind = FindingKind::note;
  // A printf's message as it was rendered, or a sentence. Empty where `check` is set: the writers make the
  // sentence of a failed check.
  std::string text;
  // What is known; empty, zero or unknown: not said.
  uint64_t shader = 0;
  Stage stage = Stage::unknown;
  std::string entry_point;
  SourcePosition source;
  std::string invocation;
  std::string pipeline;  // object names as the application gave them
  std::string shader_name;
  std::string device, driver;             // of a failed check
  Concern incomplete = Concern::nothing;  // of a note
  bool printf_format = false;             // the note is about a mistake in a printf's format
  uint64_t fingerprint = 0;               // of the finding that a note is about; else fingerprint_of() has it
  // Only of failed checks. Shared, because findings of printf, which have none, come in millions and are
  // copied.
  std::shared_ptr<const CheckDetails> check;
};

// Thread-safe. Each line is written whole by one write(2), so that several processes can share the file. If a
// sink fails (disk full, file not writable), stderr says so once, and findings go on to the other sinks.
class Reporter {
 public:
  explicit Reporter(const Settings& settings);
  ~Reporter();
  void report(const Finding& finding);
  // A line of the report file that is no finding: one JSON object with a newline. False: there is a report
  // file, and the line is not in it.
  bool append_line(const std::string& line);
  // Only the first note with a key is reported. Unless its writer says otherwise, a note means that the check
  // is not complete: a run must not look checked because somebody forgot to say so.
  void note(const std::string& key, const std::string& text, Concern incomplete = Concern::everything);
  // A note about one shader: its name, and `rest` behind that (": Its trace ...", " is left as it is"). Each
  // is reported once. Behind the first ones, shaders with the same `rest` go to the report file and to the
  // verdict alone, which one more note says.
  void note_about(const ShaderSubject& shader, const std::string& rest,
                  Concern incomplete = Concern::everything);
  static constexpr uint32_t kMostShadersSaid = 10;
  // A mistake in the format of a printf; each text once.
  void printf_format(const std::string& text);
  // Called with every finding but printf messages, and with what messages there are counted.
  struct Listener {
    std::function<void(const Finding&)> finding;
    std::function<void()> message;
  };
  void listen(Listener listener);
  void flush();

  // Findings that a messenger takes are kept for it, and do not go to stderr unless the setting `messengers`
  // says so. The layer sets which these are (null: there is no messenger) and takes the queue from
  // application threads, because a callback belongs to the thread that calls Vulkan. What no messenger has
  // heard by the time it goes, or the process ends, goes to stderr after all.
  using Takes = std::function<bool(const Finding&)>;
  void keep_for_messengers(Takes takes);
  std::vector<Finding> take_for_messengers();
  void delivered();  // what was taken was heard
  void say_undelivered();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// What all messages of a printing site have in common: everything but text and invocation.
Finding site_finding(const PrintfSite& site);

// One JSON object, one line, newline included: the report file's format.
std::string to_json_line(const Finding& finding);

}  // namespace shaderqa
#endif
