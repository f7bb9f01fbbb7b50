// SPDX-License-Identifier: Apache-2.0
#include "host/trace/debug_messages.h"

#include <cstring>

#include "instrument/runtime/abi_trace.h"

namespace shaderqa {

DebugMessage debug_message(DebugMessageKind kind, const std::string& text) {
  DebugMessage message{};
  message.magic = kDebugMessageMagic;
  message.version = kDebugMessageVersion;
  message.kind = kind;
  text.copy(message.text, sizeof message.text - 1);
  return message;
}

std::optional<DebugMessage> read_debug_message(std::span<const std::byte> packet, std::string& error) {
  DebugMessage message{};
  if (packet.size() >= sizeof message) std::memcpy(&message, packet.data(), sizeof message);
  if (packet.size() != sizeof message || message.magic != kDebugMessageMagic) {
    error = "it is no message between shaderqa debug and its layer";
    return std::nullopt;
  }
  if (message.version != kDebugMessageVersion) {
    error = "it is a message of version " + std::to_string(message.version) + "; this shaderqa has version " +
            std::to_string(kDebugMessageVersion);
    return std::nullopt;
  }
  const auto kind = static_cast<uint32_t>(message.kind);
  const bool known = kind >= static_cast<uint32_t>(DebugMessageKind::hello) &&
                     kind <= static_cast<uint32_t>(DebugMessageKind::go_on);
  if (!known || message.mode > SQA_DEBUG_EVERYWHERE || message.violation > SQA_DEBUG_INDEX ||
      message.change_mask > 15) {
    error = "it is damaged";
    return std::nullopt;
  }
  message.text[sizeof message.text - 1] = 0;
  return message;
}

std::optional<DebugStop> read_mailbox(const abi::DebugControl& copy, const SegmentRange& range,
                                      std::string& error) {
  const uint32_t low = copy.segment_address[0], high = copy.segment_address[1];
  if (copy.check != abi::debug_check(copy.number, copy.piece, low, high, copy.records)) {
    error = "its check word is wrong";
    return std::nullopt;
  }
  const uint64_t address = low | static_cast<uint64_t>(high) << 32;
  const uint64_t distance = address - range.address;
  const uint64_t segment = range.segment_bytes == 0 ? UINT64_MAX : distance / range.segment_bytes;
  if (address < range.address || segment >= range.segments || distance % range.segment_bytes != 0 ||
      copy.piece > SQA_TRACE_PIECE_MASK || copy.number == 0 || copy.violation > SQA_DEBUG_INDEX) {
    error = "it names an invocation that is not traced";
    return std::nullopt;
  }
  return DebugStop{copy.number,    static_cast<uint32_t>(segment),
                   copy.piece,     copy.records,
                   copy.violation, {copy.about[0], copy.about[1], copy.about[2]}};
}

}  // namespace shaderqa
