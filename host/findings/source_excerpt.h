// SPDX-License-Identifier: Apache-2.0
// A line of a shader's source as a person sees it below a finding, and where a caret stands below it.
#ifndef SHADERQA_HOST_FINDINGS_SOURCE_EXCERPT_H
#define SHADERQA_HOST_FINDINGS_SOURCE_EXCERPT_H

#include <cstddef>
#include <optional>
#include <string>

#include "host/findings/report_line.h"

namespace shaderqa {

struct SourceExcerpt {
  std::string text;             // empty: the line is not known
  std::optional<size_t> caret;  // columns to its left
};

// memory: the accessed memory's name. The caret points at the source's column, else at that name, from its
// innermost member on, where the line has it once. room: columns; what is left of a longer line is around the
// caret; 0: all of it.
SourceExcerpt source_excerpt(const LineSource& source, const std::string& memory, size_t room);

}  // namespace shaderqa
#endif
