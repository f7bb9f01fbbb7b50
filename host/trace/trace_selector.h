// SPDX-License-Identifier: Apache-2.0
// Which invocations to trace: STAGE:INPUT=NUMBERS;..., several separated by '|', as in
//   compute:GlobalInvocationID=5,0,0   fragment:FragCoord=75,75;match=2 vertex:VertexIndex=2;InstanceIndex=3
// A stage alone stands for all of its invocations.
#ifndef SHADERQA_HOST_TRACE_TRACE_SELECTOR_H
#define SHADERQA_HOST_TRACE_TRACE_SELECTOR_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "instrument/runtime/abi_trace.h"
#include "instrument/shader_record.h"

namespace shaderqa {

// Nothing: `error` says what is wrong, with the text and a caret under the place.
std::optional<std::vector<abi::TraceSelector>> parse_trace_selectors(std::string_view text,
                                                                     std::string& error);

// Where an input such as WorkgroupID.x lies in the location. bits: how many it has; 0: all.
struct TraceInput {
  uint32_t dword = 0, shift = 0, bits = 0;
};
// Nothing: not all of these stages (bits as abi::TraceSelector has them) have it.
std::optional<TraceInput> trace_input(std::string_view name, uint32_t stages);
// Those of all of the stages, with commas between.
std::string trace_inputs(uint32_t stages);

// "GlobalInvocationID=5,0,0", as a selector names the invocation.
std::string describe_location(Stage stage, const uint32_t (&location)[8]);

}  // namespace shaderqa
#endif
