// SPDX-License-Identifier: Apache-2.0
// Arguments and results of instrument() as bytes: the keys and contents of the shader cache.
#ifndef SHADERQA_HOST_CACHE_RESULT_BYTES_H
#define SHADERQA_HOST_CACHE_RESULT_BYTES_H

#include <optional>
#include <string>
#include <string_view>

#include "instrument/instrument.h"

namespace shaderqa {

// Equal options give equal bytes.
std::string to_bytes(const InstrumentOptions& options);

std::string to_bytes(const InstrumentResult& result);
// Nothing if the bytes are not a result that result_bytes() can have written.
std::optional<InstrumentResult> result_from_bytes(std::string_view bytes);

}  // namespace shaderqa
#endif
