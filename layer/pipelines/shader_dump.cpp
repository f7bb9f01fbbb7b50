// SPDX-License-Identifier: Apache-2.0
#include "layer/pipelines/shader_dump.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "host/text/text_escape.h"

namespace shaderqa::layer {
namespace {

std::string hash_text(uint64_t hash) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

std::string member(const char* name, const std::string& value) {
  std::string json = "\"" + std::string(name) + "\":\"";
  append_json(json, value);
  return json + "\"";
}

const char* status_text(InstrumentStatus status) {
  switch (status) {
    case InstrumentStatus::instrumented:
      return "instrumented";
    case InstrumentStatus::refused:
      return "refused";
    case InstrumentStatus::untouched:
      break;
  }
  return "untouched";
}

}  // namespace

ShaderDump::ShaderDump(const std::string& directory) : directory_(directory) {
  if (directory_.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(directory_, error);
  if (error) {
    fail(directory_ + ": " + error.message());
  } else if (const std::string problem = index_.open(directory_ + "/index.jsonl"); !problem.empty()) {
    fail(directory_ + "/index.jsonl: " + problem);
  }
}

void ShaderDump::shader(std::span<const uint32_t> words, const InstrumentOptions& options,
                        const InstrumentResult& result) {
  if (!enabled()) return;
  const std::string hash = hash_text(shader_hash(words));
  std::string line =
      "{\"event\":\"shader\"," + member("shader", hash) + "," + member("stage", to_string(options.stage)) +
      "," + member("entry_point", options.entry_point) + "," + member("status", status_text(result.status)) +
      "," + member("original", write(hash + ".spv", words));
  if (result.status == InstrumentStatus::instrumented) {
    const std::string name = hash + "-" + hash_text(shader_hash(result.words)) + ".spv";
    line += "," + member("rewritten", write(name, result.words));
    line += ",\"words\":" + std::to_string(words.size()) +
            ",\"rewritten_words\":" + std::to_string(result.words.size());
  }
  if (!result.message.empty()) line += "," + member("reason", result.message);
  append(line + "}");
}

void ShaderDump::left_alone(uint64_t shader_hash, const std::string& reason) {
  if (!enabled()) return;
  append("{\"event\":\"left alone\"," + member("shader", hash_text(shader_hash)) + "," +
         member("reason", reason) + "}");
}

void ShaderDump::pipelines(uint32_t count, std::chrono::nanoseconds time) {
  if (!enabled()) return;
  append("{\"event\":\"pipelines\",\"count\":" + std::to_string(count) +
         ",\"nanoseconds\":" + std::to_string(time.count()) + "}");
}

// Returns the file's name. An existing file of that name has the same content and stays.
std::string ShaderDump::write(const std::string& name, std::span<const uint32_t> words) {
  const std::string path = directory_ + "/" + name;
  if (access(path.c_str(), F_OK) == 0) return name;
  // Renamed when complete, so that readers of the directory see only whole files.
  std::string temporary = path + ".XXXXXX";
  const int descriptor = mkostemp(temporary.data(), O_CLOEXEC);
  bool written = descriptor >= 0;
  for (size_t at = 0; written && at < words.size_bytes();) {
    const ssize_t count =
        ::write(descriptor, reinterpret_cast<const char*>(words.data()) + at, words.size_bytes() - at);
    if (count > 0) at += static_cast<size_t>(count);
    written = count > 0 || (count < 0 && errno == EINTR);
  }
  if (written) written = fchmod(descriptor, 0644) == 0 && rename(temporary.c_str(), path.c_str()) == 0;
  const int error = errno;
  if (descriptor >= 0) close(descriptor);
  if (!written) {
    if (descriptor >= 0) unlink(temporary.c_str());
    const std::lock_guard lock(mutex_);
    fail(path + ": " + std::strerror(error));
  }
  return name;
}

void ShaderDump::append(const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (!index_.usable()) return;
  index_.buffer() += line + "\n";
  if (const std::string problem = index_.flush(); !problem.empty()) fail("index.jsonl: " + problem);
}

void ShaderDump::fail(const std::string& problem) {
  if (!std::exchange(failed_, true)) problem_ = problem;
}

std::string ShaderDump::take_problem() {
  const std::lock_guard lock(mutex_);
  return std::exchange(problem_, {});
}

}  // namespace shaderqa::layer
