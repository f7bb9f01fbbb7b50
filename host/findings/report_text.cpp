// SPDX-License-Identifier: Apache-2.0
#include "host/findings/report_text.h"

#include <string_view>

#include "host/findings/check_details.h"
#include "host/findings/check_text.h"
#include "host/findings/fingerprint.h"
#include "host/findings/report_fields.h"
#include "host/findings/report_line.h"
#include "host/text/shader_hash_text.h"
#include "host/text/text_escape.h"

namespace shaderqa {
namespace {

bool has_source(const SourcePosition& source) { return !source.file.empty() || source.line != 0; }

// Calls `write` with the finding's text, which is not copied where it is a printf's message.
template <typename Write>
void with_text(const Finding& finding, const Write& write) {
  if (finding.check) {
    write(check_sentence(*finding.check, finding.source, finding.entry_point));
  } else {
    write(finding.text);
  }
}

// Not the note that counts them.
bool is_failed_check(const Finding& finding) { return finding.check && !finding.check->count; }

std::string failed_check_block(const Finding& finding, const BlockStyle& style) {
  const std::optional<ReportLine> line = read_report_line(to_json_line(finding));
  return line ? bug_block(*line, 0, style) : std::string();
}

}  // namespace

std::string finding_text(const Finding& finding) {
  std::string result;
  with_text(finding, [&](const std::string& text) { result = text; });
  return result;
}

void append_details(std::string& out, const Finding& finding, const BlockStyle& style) {
  if (is_failed_check(finding)) {
    const std::string block = failed_check_block(finding, style);
    out += block.substr(block.find('\n') + 1);
    return;
  }
  const SourcePosition& source = finding.source;
  if (has_source(source)) {
    std::string at = source.file.empty() ? "line " : source.file + ":";
    append_number(at, source.line);
    if (source.column != 0) {
      at += ':';
      append_number(at, source.column);
    }
    append_detail(out, "at ", at);
    if (!source.text.empty()) append_detail(out, "| ", source.text);
  }
  if (!finding.invocation.empty()) append_detail(out, "", finding.invocation);
  if (finding.shader != 0) {
    std::string shader;
    append_hash(shader, finding.shader);
    std::string what = finding.stage == Stage::unknown ? "" : to_string(finding.stage);
    if (!finding.entry_point.empty()) what += (what.empty() ? "" : ", ") + finding.entry_point;
    if (!what.empty()) shader += " (" + what + ")";
    if (!finding.shader_name.empty()) shader += " \"" + finding.shader_name + "\"";
    append_detail(out, "shader ", shader);
  }
  if (!finding.pipeline.empty()) append_detail(out, "pipeline ", finding.pipeline);
}

void append_block(std::string& out, const Finding& finding, const BlockStyle& style) {
  if (is_failed_check(finding)) {
    out += failed_check_block(finding, style);
    return;
  }
  out += "shaderqa: ";
  out += to_string(finding.kind);
  out += ": ";
  with_text(finding, [&](std::string_view text) {
    while (!text.empty() && text.back() == '\n') text.remove_suffix(1);  // the block ends its own line
    append_terminal(out, text, "    ");
  });
  out += '\n';
  // The text of a note about a shader names it.
  if (style.details && (finding.kind != FindingKind::note || finding.check))
    append_details(out, finding, style);
}

void append_json_line(std::string& out, const Finding& finding) {
  out += "{\"kind\":\"";
  out += to_string(finding.kind);
  out += "\",\"text\":\"";
  with_text(finding, [&](const std::string& text) { append_json(out, text); });
  out += '"';
  if (finding.shader != 0) {
    out += ",\"shader\":\"";
    append_hash(out, finding.shader);
    out += '"';
  }
  if (finding.stage != Stage::unknown) append_member(out, "stage", to_string(finding.stage));
  append_member(out, "entry_point", finding.entry_point);
  const SourcePosition& source = finding.source;
  if (has_source(source)) {
    out += ",\"source\":{\"file\":\"";
    append_json(out, source.file);
    out += "\",\"line\":";
    append_number(out, source.line);
    if (source.column != 0) {
      out += ",\"column\":";
      append_number(out, source.column);
    }
    append_member(out, "text", source.text);
    out += '}';
  }
  append_member(out, "incomplete", to_string(finding.incomplete));
  if (const uint64_t fingerprint = fingerprint_of(finding)) {
    out += ",\"fingerprint\":\"";
    append_hash(out, fingerprint);
    out += '"';
  }
  append_member(out, "invocation", finding.invocation);
  append_member(out, "pipeline", finding.pipeline);
  append_member(out, "shader_name", finding.shader_name);
  if (is_failed_check(finding) && !finding.device.empty()) {
    out += ",\"device\":{\"name\":\"";
    append_json(out, finding.device);
    out += '"';
    append_member(out, "driver", finding.driver);
    out += '}';
  }
  if (finding.check) append_check_json(out, *finding.check, finding.source);
  out += "}\n";
}

Finding site_finding(const PrintfSite& site) {
  Finding finding;
  finding.kind = FindingKind::printf;
  finding.shader = site.shader_hash;
  finding.stage = site.stage;
  finding.entry_point = site.entry_point;
  finding.source = site.source;
  return finding;
}

std::string to_json_line(const Finding& finding) {
  std::string line;
  append_json_line(line, finding);
  return line;
}

}  // namespace shaderqa
