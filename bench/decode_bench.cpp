// SPDX-License-Identifier: Apache-2.0
// How fast one core drains and renders printf messages: from a full segment to text, and on to the report
// file's lines.
#include <benchmark/benchmark.h>

#include <cstring>

#include "host/findings/report_text.h"
#include "host/printf/printf_stream.h"
#include "instrument/runtime/abi_printf.h"

namespace shaderqa {
namespace {

constexpr uint64_t kId = 0x1234deadbeef;
constexpr uint32_t kCapacity = 1u << 18;  // dwords: the default buffer's segment

struct Message {
  PrintfSite site;
  std::vector<uint32_t> payload;
  void add(ArgumentShape shape, Scalar scalar, const std::vector<uint64_t>& values) {
    PrintfArgument argument;
    argument.shape = shape;
    for (const uint64_t value : values) {
      argument.scalars.push_back(scalar);
      payload.push_back(static_cast<uint32_t>(value));
      if (scalar.payload_dwords() == 2) payload.push_back(static_cast<uint32_t>(value >> 32));
    }
    site.arguments.push_back(argument);
  }
};

uint64_t bits(float value) {
  uint32_t result;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

Message make_message(const std::string& format) {
  constexpr Scalar i32{ScalarKind::signed_int, 32}, f32{ScalarKind::floating, 32},
      u64{ScalarKind::unsigned_int, 64};
  Message message;
  message.site.id = kId;
  message.site.format = format;
  if (format == "x=%d v=%v2f") {
    message.add(ArgumentShape::scalar, i32, {static_cast<uint32_t>(-4711)});
    message.add(ArgumentShape::vector, f32, {bits(1.2f), bits(123.456f)});
  } else if (format == "%d") {
    message.add(ArgumentShape::scalar, i32, {42});
  } else if (format == "%v4f") {
    message.add(ArgumentShape::vector, f32, {bits(1.2f), bits(-0.001f), bits(1e4f), bits(3.1415f)});
  } else if (format == "%g") {
    message.add(ArgumentShape::scalar, f32, {bits(3.1415f)});
  } else if (format == "0x%08lx") {
    message.add(ArgumentShape::scalar, u64, {0x2000000000000001});
  }
  return message;
}

// Fills a segment as shaders do and drains it; sink: what becomes of the text.
template <typename Sink>
void drain(benchmark::State& state, const std::string& format, Sink sink) {
  const Message message = make_message(format);
  PrintfTable table;
  ShaderRecord record;
  record.printf_sites.push_back(message.site);
  table.add(record);
  const uint32_t size = static_cast<uint32_t>(message.payload.size()) + 2;
  std::vector<uint32_t> entry = {size | static_cast<uint32_t>(kId & 0xffff) << 16,
                                 static_cast<uint32_t>(kId >> 16)};
  entry.insert(entry.end(), message.payload.begin(), message.payload.end());
  const uint32_t count = kCapacity / size;
  std::vector<uint32_t> full(kCapacity), entries(kCapacity);
  for (uint32_t i = 0; i < count; ++i)
    std::memcpy(full.data() + size_t{i} * size, entry.data(), size_t{size} * 4);

  abi::PrintfBufferHeader header{};
  uint64_t cursor = 0;
  uint32_t active = 0;
  PrintfStream stream({{entries.data(), kCapacity, &header, &cursor}}, &active, table);
  std::string text;
  const PrintfStream::Callbacks callbacks{[&](const PrintfMessage& found) {
                                            text.clear();
                                            found.format->render(found.payload, text);
                                            sink(text);
                                          },
                                          {}};
  uint64_t messages = 0;
  for (auto _ : state) {
    state.PauseTiming();
    entries = full;
    header.buffer_offset = uint64_t{count} * size;
    state.ResumeTiming();
    messages += stream.drain(PrintfStream::Mode::finished, callbacks);
  }
  state.SetItemsProcessed(static_cast<int64_t>(messages));
}

void render(benchmark::State& state, const std::string& format) {
  drain(state, format, [](const std::string& text) { benchmark::DoNotOptimize(text.data()); });
}

void report(benchmark::State& state, const std::string& format) {
  std::string lines;
  Finding finding;
  finding.kind = FindingKind::printf;
  finding.shader = 0x0123456789abcdef;
  finding.stage = Stage::compute;
  finding.entry_point = "main";
  drain(state, format, [&](const std::string& text) {
    finding.text = text;
    append_json_line(lines, finding);
    if (lines.size() > 1u << 16) lines.clear();
  });
}

BENCHMARK_CAPTURE(render, text, "no arguments");
BENCHMARK_CAPTURE(render, d, "%d");
BENCHMARK_CAPTURE(render, d_v2f, "x=%d v=%v2f");
BENCHMARK_CAPTURE(render, v4f, "%v4f");
BENCHMARK_CAPTURE(render, g, "%g");
BENCHMARK_CAPTURE(render, lx, "0x%08lx");
BENCHMARK_CAPTURE(report, d_v2f_json, "x=%d v=%v2f");

}  // namespace
}  // namespace shaderqa
