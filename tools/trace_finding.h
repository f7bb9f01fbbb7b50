// SPDX-License-Identifier: Apache-2.0
// What `shaderqa trace --finding` traces: the invocation that a finding of a report names.
#ifndef SHADERQA_TOOLS_TRACE_FINDING_H
#define SHADERQA_TOOLS_TRACE_FINDING_H

#include <string>

#include "host/findings/report_line.h"
#include "tools/trace.h"

namespace shaderqa {

// The line of the report file with this number, from 1 on, or with this fingerprint. Nothing: `problem` says
// why.
std::optional<ReportLine> find_finding(const std::string& file, const std::string& which,
                                       std::string& problem);

// Its invocation as a selector; empty: `problem` says why.
std::string selector_of(const ReportLine& line, std::string& problem);

// Sets what the finding says, unless the request has it already. Returns what is wrong, or nothing.
std::string aim_at(const ReportLine& line, TraceRequest& request);

}  // namespace shaderqa
#endif
