// SPDX-License-Identifier: Apache-2.0
#include "host/trace/traced_actions.h"

#include <algorithm>
#include <cstring>

namespace shaderqa {
namespace {

constexpr size_t kMostNamed = 3;

class Writer {
 public:
  void number(uint64_t value, size_t bytes = 4) {
    text_.append(reinterpret_cast<const char*>(&value), bytes);
  }
  void text(const std::string& value) {
    number(value.size());
    text_ += value;
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool failed() const { return failed_; }
  bool at_end() const { return bytes_.empty(); }
  uint64_t number(size_t bytes = 4) {
    uint64_t value = 0;
    if (bytes > bytes_.size()) return fail();
    std::memcpy(&value, bytes_.data(), bytes);
    bytes_ = bytes_.subspan(bytes);
    return value;
  }
  // A number of things that take at least four bytes each.
  size_t count() {
    const uint64_t count = number();
    return count <= bytes_.size() / 4 ? count : fail();
  }
  std::string text() {
    const uint64_t size = number();
    if (size > bytes_.size()) fail();
    if (failed_) return {};
    std::string value(reinterpret_cast<const char*>(bytes_.data()), size);
    bytes_ = bytes_.subspan(size);
    return value;
  }

 private:
  uint64_t fail() {
    failed_ = true;
    bytes_ = {};
    return 0;
  }
  std::span<const std::byte> bytes_;
  bool failed_ = false;
};

std::string describe(const TracedSubmission& submission, const TracedAction& action) {
  std::string text =
      "action " + std::to_string(action.index) + " of " +
      (submission.command_buffer.empty() ? "its command buffer"
                                         : "command buffer \"" + submission.command_buffer + "\"") +
      " (" + action.kind + ")";
  for (size_t i = 0; i < action.labels.size(); ++i) text += (i == 0 ? ", within " : " > ") + action.labels[i];
  return text + ", frame " + std::to_string(submission.frame);
}

}  // namespace

std::string to_bytes(const TracedSubmission& submission) {
  Writer out;
  out.number(submission.frame, 8);
  out.number(submission.claimed);
  out.text(submission.command_buffer);
  out.number(submission.actions.size());
  for (const TracedAction& action : submission.actions) {
    out.number(action.index);
    out.text(action.kind);
    out.number(action.labels.size());
    for (const std::string& label : action.labels) out.text(label);
    out.number(action.shaders.size());
    for (const uint64_t shader : action.shaders) out.number(shader, 8);
  }
  return out.take();
}

std::optional<TracedSubmission> submission_of(std::span<const std::byte> bytes) {
  Reader in(bytes);
  TracedSubmission submission;
  submission.frame = in.number(8);
  submission.claimed = static_cast<uint32_t>(in.number());
  submission.command_buffer = in.text();
  submission.actions.resize(in.count());
  for (TracedAction& action : submission.actions) {
    action.index = static_cast<uint32_t>(in.number());
    action.kind = in.text();
    action.labels.resize(in.count());
    for (std::string& label : action.labels) label = in.text();
    action.shaders.resize(in.count());
    for (uint64_t& shader : action.shaders) shader = in.number(8);
  }
  if (in.failed() || !in.at_end()) return std::nullopt;
  return submission;
}

std::string describe_action(const TracedActions& actions, uint32_t segment, uint64_t shader) {
  if (actions.unlisted.contains(0) || actions.unlisted.contains(shader)) return {};
  std::vector<std::string> found;
  for (const TracedSubmission& submission : actions.submissions) {
    // More segments than this one were in use before it.
    if (submission.claimed > segment) continue;
    for (const TracedAction& action : submission.actions)
      if (std::ranges::find(action.shaders, shader) != action.shaders.end())
        found.push_back(describe(submission, action));
  }
  if (found.size() <= 1) return found.empty() ? std::string() : found.front();
  std::string text = "one of " + std::to_string(found.size()) + " actions";
  for (size_t i = 0; i < found.size() && found.size() <= kMostNamed; ++i)
    text += (i == 0 ? ": " : "; ") + found[i];
  return text;
}

}  // namespace shaderqa
