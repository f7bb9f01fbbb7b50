// SPDX-License-Identifier: Apache-2.0
#include "host/findings/check_text.h"

#include <string_view>

#include "host/findings/report_fields.h"
#include "host/text/text_escape.h"

namespace shaderqa {
namespace {

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += between;
    text += part;
  }
  return text;
}

// A nested object: its first member has no comma.
class JsonObject {
 public:
  JsonObject(std::string& out, std::string_view key) : out_(out) {
    out += ",\"";
    out += key;
    out += "\":{";
    begin_ = out.size();
  }
  ~JsonObject() {
    if (out_.size() > begin_) out_.erase(begin_, 1);
    out_ += '}';
  }
  JsonObject(const JsonObject&) = delete;
  JsonObject& operator=(const JsonObject&) = delete;

 private:
  std::string& out_;
  size_t begin_;
};

void append_list(std::string& out, std::string_view key, const std::vector<std::string>& list) {
  if (list.empty()) return;
  out += ",\"";
  out += key;
  out += "\":[";
  for (size_t i = 0; i < list.size(); ++i) {
    out += i == 0 ? "\"" : ",\"";
    append_json(out, list[i]);
    out += '"';
  }
  out += ']';
}

void append_hex_member(std::string& out, std::string_view key, uint64_t value) {
  std::string text;
  append_hex(text, value);
  append_member(out, key, text);
}

std::string instruction_line(const CheckDetails& details) {
  std::string line = details.instruction + " (word ";
  append_number(line, details.word);
  line += ')';
  if (!details.variable.empty()) {
    line += ", " + details.variable + " (set ";
    append_number(line, details.set);
    line += ", binding ";
    append_number(line, details.binding);
    line += ')';
  }
  return line;
}

std::string access_line(const CheckDetails& details) {
  std::string line = details.access + " of ";
  append_number(line, details.size);
  line += details.size == 1 ? " byte" : " bytes";
  line += details.size > 16 ? ", here " : " at ";
  append_hex(line, details.address);
  if (!details.earlier.empty()) line += ", before it: " + details.earlier;
  return line;
}

std::string buffer_line(const BufferOrigin& buffer) {
  std::string line = buffer.name.empty() ? "" : "\"" + buffer.name + "\" ";
  line += "(VkBuffer ";
  append_hex(line, buffer.handle);
  line += ", ";
  append_number(line, buffer.size);
  line += buffer.destroyed ? " bytes, destroyed by now)" : " bytes)";
  return line;
}

std::string action_line(const CheckDetails& details) {
  std::string line;
  append_number(line, details.action_number);
  if (!details.action) return line + " (its command buffer is gone)";
  const ActionOrigin& action = *details.action;
  line += ": " + action.command;
  if (!action.labels.empty()) line += " in " + joined(action.labels, " > ");
  if (!action.command_buffer.empty()) {
    line += ", number ";
    append_number(line, action.index);
    line += " of command buffer " + action.command_buffer;
  }
  if (!action.queue.empty()) line += ", queue " + action.queue;
  return line;
}

}  // namespace

void append_check_access(std::string& out, const CheckDetails& details) {
  if (!details.access.empty()) append_detail(out, "access ", access_line(details));
  if (!details.instruction.empty()) append_detail(out, "instruction ", instruction_line(details));
  if (details.buffer) append_detail(out, "buffer ", buffer_line(*details.buffer));
}

void append_check_action(std::string& out, const CheckDetails& details) {
  if (details.action_number != 0) append_detail(out, "action ", action_line(details));
  if (!details.scope.empty()) append_detail(out, "other access ", details.scope);
  for (const std::string& command : details.commands) append_detail(out, "  ", command);
  if (!details.hint.empty()) append_detail(out, "hint: ", details.hint);
}

void append_check_json(std::string& out, const CheckDetails& details) {
  append_member(out, "check", details.check);
  if (!details.instruction.empty()) {
    const JsonObject object(out, "instruction");
    append_member(out, "text", details.instruction);
    append_number_member(out, "word", details.word);
  }
  if (!details.variable.empty()) {
    const JsonObject object(out, "resource");
    append_member(out, "name", details.variable);
    append_number_member(out, "set", details.set);
    append_number_member(out, "binding", details.binding);
  }
  append_member(out, "value", details.value);
  if (!details.access.empty()) {
    {
      const JsonObject object(out, "hazard");
      append_member(out, "class", details.hazard_class);
      append_member(out, "access", details.access);
      append_member(out, "earlier", details.earlier);
      append_member(out, "scope", details.scope);
      append_member(out, "hint", details.hint);
    }
    if (details.other) {
      const OtherAccess& other = *details.other;
      const JsonObject object(out, "other");
      append_member(out, "access", other.access);
      append_list(out, "places", other.places);
      append_member(out, "who", other.who);
      if (other.same_action) out += ",\"same_action\":true";
      if (other.action) append_number_member(out, "action", other.action->number);
    }
    append_hex_member(out, "address", details.address);
    append_number_member(out, "size", details.size);
  }
  if (details.buffer) {
    const BufferOrigin& buffer = *details.buffer;
    const JsonObject object(out, "buffer");
    append_member(out, "name", buffer.name);
    append_hex_member(out, "handle", buffer.handle);
    append_number_member(out, "offset", buffer.offset);
    append_number_member(out, "size", buffer.size);
    if (buffer.destroyed) out += ",\"destroyed\":true";
  }
  if (details.action_number != 0) {
    const JsonObject object(out, "action");
    append_number_member(out, "number", details.action_number);
    if (details.action) {
      const ActionOrigin& action = *details.action;
      append_member(out, "command", action.command);
      append_list(out, "labels", action.labels);
      append_member(out, "command_buffer", action.command_buffer);
      append_number_member(out, "index", action.index);
      append_member(out, "queue", action.queue);
      append_number_member(out, "first_since_clear", action.first_since_clear);
    }
  }
  append_list(out, "commands", details.commands);
  if (details.count != 0) append_number_member(out, "count", details.count);
}

}  // namespace shaderqa
