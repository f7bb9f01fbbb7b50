// The format language of shader printf (docs/printf.md): renders one message from a site and the words the GPU wrote.
#ifndef SHADERQA_HOST_PRINTF_FORMAT_H
#define SHADERQA_HOST_PRINTF_FORMAT_H

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "instrument/shader_record.h"

namespace shaderqa {

struct RenderedPrintf {
  std::string text;
  std::vector<std::string> warnings;  // sentences about the format and its arguments; the same for every message of a site
};

// payload: the dwords after the entry header, as many as the entry has; may be too short ("<missing>") or too long
// (ignored). Never reads past it, never throws on any content.
RenderedPrintf render_printf(const PrintfSite& site, std::span<const uint32_t> payload);

// "global invocation 1,2,3", "vertex 5, instance 0", "fragment 10,20", ...; empty for InvocationKind::none.
std::string render_invocation(const PrintfSite& site, std::span<const uint32_t> payload);

}  // namespace shaderqa
#endif
