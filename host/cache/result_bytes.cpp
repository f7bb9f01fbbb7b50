// SPDX-License-Identifier: Apache-2.0
#include "host/cache/result_bytes.h"

#include <algorithm>

#include "host/cache/byte_archive.h"

namespace shaderqa {

// Not in an anonymous namespace, because the archive finds these functions by argument-dependent lookup.
static constexpr Stage last_value(Stage) { return Stage::unknown; }
static constexpr ScalarKind last_value(ScalarKind) { return ScalarKind::pointer; }
static constexpr ArgumentShape last_value(ArgumentShape) { return ArgumentShape::string; }
static constexpr PictureKind last_value(PictureKind) { return PictureKind::divergence; }
static constexpr InvocationKind last_value(InvocationKind) { return InvocationKind::launch_id; }
static constexpr InstrumentStatus last_value(InstrumentStatus) { return InstrumentStatus::refused; }
static constexpr Concern last_value(Concern) { return Concern::sync; }

// Each of these names all members of its structure: a member that is added and forgotten here does not
// compile. `Value` is const for a writer.
template <typename Value, typename T>
concept Is = std::is_same_v<std::remove_const_t<Value>, T>;

template <typename Archive, Is<DescriptorSlots> Value>
static void fields(Archive& archive, Value& value) {
  auto& [set, binding, slot, count, dynamic, direct, table] = value;
  archive(set, binding, slot, count, dynamic, direct, table);
}
template <typename Archive, Is<SyncOptions> Value>
static void fields(Archive& archive, Value& value) {
  auto& [enabled, engine, merge, own_elements, unwatched_version, log_reads, calls, indirect, direct, loops,
         footprints, images, race_map, strict, record_set, record_constant, descriptors] = value;
  archive(enabled, engine, merge, own_elements, unwatched_version, log_reads, calls, indirect, direct, loops,
          footprints, images, race_map, strict, record_set, record_constant, descriptors);
}
template <typename Archive, Is<SpecialisedValue> Value>
static void fields(Archive& archive, Value& value) {
  auto& [constant, specialised] = value;
  archive(constant, specialised);
}
template <typename Archive, Is<WorkgroupOptions> Value>
static void fields(Archive& archive, Value& value) {
  auto& [races, uninitialised, limit, strict, own_elements, large, values_known, values] = value;
  archive(races, uninitialised, limit, strict, own_elements, large, values_known, values);
}
template <typename Archive, Is<PictureOptions> Value>
static void fields(Archive& archive, Value& value) {
  auto& [kind, expression, line, early_tests, colours, location, scaled, low, high] = value;
  archive(kind, expression, line, early_tests, colours, location, scaled, low, high);
}
template <typename Archive, Is<InstrumentOptions> Value>
static void fields(Archive& archive, Value& value) {
  auto& [printf, assume, expect, keep_assume, nan, trace, code, debug, accesses, picture, sync, workgroup,
         root_address, entry_point, stage, int64_atomics, subgroup_ballot, memory_barrier, device_scope,
         varying_addresses, record_invocation, first, every, max_sites] = value;
  archive(printf, assume, expect, keep_assume, nan, trace, code, debug, accesses, picture, sync, workgroup,
          root_address, entry_point, stage, int64_atomics, subgroup_ballot, memory_barrier, device_scope,
          varying_addresses, record_invocation, first, every, max_sites);
}

template <typename Archive, Is<Scalar> Value>
static void fields(Archive& archive, Value& value) {
  auto& [kind, width] = value;
  archive(kind, width);
}
template <typename Archive, Is<PrintfArgument> Value>
static void fields(Archive& archive, Value& value) {
  auto& [shape, scalars, text] = value;
  archive(shape, scalars, text);
}
template <typename Archive, Is<SourcePosition> Value>
static void fields(Archive& archive, Value& value) {
  auto& [file, line, column, text] = value;
  archive(file, line, column, text);
}
template <typename Archive, Is<PrintfSite> Value>
static void fields(Archive& archive, Value& value) {
  auto& [id, format, arguments, invocation, ordinal, source, shader_hash, stage, entry_point] = value;
  archive(id, format, arguments, invocation, ordinal, source, shader_hash, stage, entry_point);
}
template <typename Archive, Is<SourceFrame> Value>
static void fields(Archive& archive, Value& value) {
  auto& [function, file, line] = value;
  archive(function, file, line);
}
template <typename Archive, Is<OriginOperand> Value>
static void fields(Archive& archive, Value& value) {
  auto& [name, whole] = value;
  archive(name, whole);
}
template <typename Archive, Is<ValueOrigin> Value>
static void fields(Archive& archive, Value& value) {
  auto& [operation, file, line, operands, complete] = value;
  archive(operation, file, line, operands, complete);
}
template <typename Archive, Is<CheckSite> Value>
static void fields(Archive& archive, Value& value) {
  auto& [instruction, check, access, text, variable, set, binding, invocation, source, tag, parts, frames,
         origins] = value;
  archive(instruction, check, access, text, variable, set, binding, invocation, source, tag, parts, frames,
          origins);
}
template <typename Archive, Is<WorkgroupVariable> Value>
static void fields(Archive& archive, Value& value) {
  auto& [name, first, count, unit, shape] = value;
  archive(name, first, count, unit, shape);
}
template <typename Archive, Is<WorkgroupLayout> Value>
static void fields(Archive& archive, Value& value) {
  auto& [id, variables] = value;
  archive(id, variables);
}
template <typename Archive, Is<PictureRecord> Value>
static void fields(Archive& archive, Value& value) {
  auto& [kind, scalar, components, colours, blocks] = value;
  archive(kind, scalar, components, colours, blocks);
}
template <typename Archive, Is<ShaderNote> Value>
static void fields(Archive& archive, Value& value) {
  auto& [text, incomplete, common] = value;
  archive(text, incomplete, common);
}
template <typename Archive, Is<ShaderRecord> Value>
static void fields(Archive& archive, Value& value) {
  auto& [shader_hash, stage, entry_point, printf_sites, check_sites, footprints_complete, direct, logs_reads,
         workgroup, picture, sites_beyond_limit, notes] = value;
  archive(shader_hash, stage, entry_point, printf_sites, check_sites, footprints_complete, direct, logs_reads,
          workgroup, picture, sites_beyond_limit, notes);
}
template <typename Archive, Is<InstrumentResult> Value>
static void fields(Archive& archive, Value& value) {
  auto& [status, words, record, message] = value;
  archive(status, words, record, message);
}

namespace {

constexpr uint32_t kSpirvMagic = 0x07230203;
constexpr size_t kSpirvHeaderWords = 5;

bool plausible(const Scalar& scalar) {
  constexpr uint8_t widths[] = {1, 8, 16, 32, 64};
  return std::ranges::find(widths, scalar.width) != std::end(widths);
}

bool plausible(const PrintfSite& site) {
  return site.id != 0 && site.id >> 48 == 0 && std::ranges::all_of(site.arguments, [](const auto& argument) {
           return std::ranges::all_of(argument.scalars,
                                      [](const Scalar& scalar) { return plausible(scalar); });
         });
}

bool plausible(const InstrumentResult& result) {
  if (result.status == InstrumentStatus::instrumented &&
      (result.words.size() < kSpirvHeaderWords || result.words[0] != kSpirvMagic))
    return false;
  return std::ranges::all_of(result.record.printf_sites, [](const auto& site) { return plausible(site); });
}

}  // namespace

std::string to_bytes(const InstrumentOptions& options) {
  ByteWriter writer;
  writer(options);
  return writer.take();
}

std::string to_bytes(const InstrumentResult& result) {
  ByteWriter writer;
  writer(result);
  return writer.take();
}

std::optional<InstrumentResult> result_from_bytes(std::string_view bytes) {
  ByteReader reader(bytes);
  std::optional<InstrumentResult> result(std::in_place);
  reader(*result);
  if (reader.failed() || !reader.at_end() || !plausible(*result)) result.reset();
  return result;
}

}  // namespace shaderqa
