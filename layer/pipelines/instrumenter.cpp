// SPDX-License-Identifier: Apache-2.0
#include "layer/pipelines/instrumenter.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <span>
#include <tuple>
#include <utility>

#include "host/cache/result_bytes.h"
#include "host/cache/shader_cache.h"
#include "host/findings/shader_subject.h"
#include "host/log/log.h"
#include "host/pictures/picture_scale.h"
#include "host/settings/check_selection.h"
#include "host/settings/hash_filter.h"
#include "host/settings/name_filter.h"
#include "host/summary/run_summary.h"
#include "host/switch/check_switch.h"
#include "instrument/ir/ray_queries.h"
#include "instrument/ir/source_files.h"
#include "instrument/ir/storage_images.h"
#include "instrument/runtime/abi_report.h"
#include "layer/context/instance.h"
#include "layer/context/object_names.h"
#include "layer/engines/engine.h"
#include "layer/loader/device.h"
#include "layer/output/check_output.h"
#include "layer/output/picture_output.h"
#include "layer/output/printf_output.h"
#include "layer/output/trace_output.h"
#include "layer/pipelines/shader_dump.h"
#include "layer/pipelines/shader_modules.h"
#include "layer/recording/command_buffers.h"
#include "layer/resources/pipeline_layouts.h"

namespace shaderqa::layer {
namespace {

bool stands_alone(VersionKind version) {
  return version == VersionKind::alone || version == VersionKind::alone_for_dispatches;
}

constexpr VkShaderStageFlags kVertexPipelineStages =
    VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT |
    VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT | VK_SHADER_STAGE_GEOMETRY_BIT;

Stage stage_of(VkShaderStageFlagBits stage) {
  switch (stage) {
    case VK_SHADER_STAGE_VERTEX_BIT:
      return Stage::vertex;
    case VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT:
      return Stage::tessellation_control;
    case VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT:
      return Stage::tessellation_evaluation;
    case VK_SHADER_STAGE_GEOMETRY_BIT:
      return Stage::geometry;
    case VK_SHADER_STAGE_FRAGMENT_BIT:
      return Stage::fragment;
    case VK_SHADER_STAGE_COMPUTE_BIT:
      return Stage::compute;
    case VK_SHADER_STAGE_TASK_BIT_EXT:
      return Stage::task;
    case VK_SHADER_STAGE_MESH_BIT_EXT:
      return Stage::mesh;
    case VK_SHADER_STAGE_RAYGEN_BIT_KHR:
      return Stage::ray_generation;
    case VK_SHADER_STAGE_INTERSECTION_BIT_KHR:
      return Stage::intersection;
    case VK_SHADER_STAGE_ANY_HIT_BIT_KHR:
      return Stage::any_hit;
    case VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR:
      return Stage::closest_hit;
    case VK_SHADER_STAGE_MISS_BIT_KHR:
      return Stage::miss;
    case VK_SHADER_STAGE_CALLABLE_BIT_KHR:
      return Stage::callable;
    default:
      return Stage::unknown;
  }
}

std::string hash_text(uint64_t hash) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

void log_result(const KeptShader& shader, const InstrumentOptions& options, const InstrumentResult& result,
                const char* how, const LogTimer& timer) {
  if (!log_wanted(LogLevel::info)) return;
  const std::string name =
      "shader " + hash_text(shader.hash) + " (" + to_string(options.stage) + ", " + options.entry_point + ")";
  if (result.status == InstrumentStatus::instrumented) {
    SHADERQA_LOG(info, name + " is instrumented: " + std::to_string(shader.words.size()) + " words became " +
                           std::to_string(result.words.size()) + ", " +
                           std::to_string(result.record.printf_sites.size()) + " messages, " +
                           std::to_string(result.record.check_sites.size()) + " checks; " + how +
                           timer.text());
  } else {
    // A note says more about those that are refused.
    SHADERQA_LOG(debug, name +
                            (result.status == InstrumentStatus::refused ? " cannot be rewritten; "
                                                                        : " has nothing to check; ") +
                            how + timer.text());
  }
}

// Empty: the module does not name it.
std::string main_file(std::span<const uint32_t> words) {
  const std::vector<std::string> files = source_files(words);
  return files.empty() ? std::string() : files.front();
}

void learn_constants(WorkgroupOptions& options, const KeptShader& shader,
                     const VkSpecializationInfo* specialisation) {
  options.values_known = true;
  if (!specialisation) return;
  for (const uint32_t constant : integer_constants(shader.words))
    for (const VkSpecializationMapEntry& entry :
         std::span(specialisation->pMapEntries, specialisation->mapEntryCount)) {
      if (entry.constantID != constant || entry.size != sizeof(uint32_t)) continue;
      SpecialisedValue& value = options.values.emplace_back(SpecialisedValue{constant});
      std::memcpy(&value.value, static_cast<const std::byte*>(specialisation->pData) + entry.offset,
                  sizeof value.value);
    }
}

bool checks_accesses(const ShaderRecord& record) {
  return std::ranges::any_of(record.check_sites,
                             [](const CheckSite& site) { return site.check == SQA_CHECK_HAZARD; });
}

}  // namespace

Instrumented Instrumenter::instrument(const KeptShader& shader, VkShaderStageFlagBits stage,
                                      const char* entry_point, const PipelineLayout* layout,
                                      const VkSpecializationInfo* specialisation, VersionKind version,
                                      const FragmentTests& tests) {
  const Instance& instance = *device_.instance;
  const uint32_t modes = instance.hash_filter->match(shader.hash);
  CheckSelection checks = select_checks(instance.settings, modes, stage_of(stage));
  checks.printf = checks.printf && shader.prints;
  RunSummary& summary = *instance.summary;
  if (!checks.any()) {
    summary.shader(shader.hash, excluded_by_hash(modes) ? ShaderFate::excluded : ShaderFate::nothing);
    SHADERQA_LOG(debug, "shader " + hash_text(shader.hash) + " is left as it is: no check is on for it");
    if (shader.prints)
      note_left_alone(shader, "the hash filter " + instance.settings.hashes + " excludes it",
                      Concern::nothing);
    return {};
  }
  if (!allowed_by_name(shader, entry_point)) {
    summary.shader(shader.hash, ShaderFate::excluded);
    SHADERQA_LOG(debug,
                 "shader " + hash_text(shader.hash) + " is left as it is: `only` or `skip` excludes it");
    if (shader.prints) note_left_alone(shader, "the settings `only` and `skip` exclude it", Concern::nothing);
    return {};
  }
  if (const std::string reason = reason_against(stage); !reason.empty()) {
    note_left_alone(shader, reason);
    return {};
  }
  checks.trace = checks.trace && traces(shader, version);
  checks.picture = checks.picture && has_picture(shader, version);
  InstrumentOptions options = options_for(checks, stage, entry_point, layout);
  options.sync.indirect = version == VersionKind::alone || version == VersionKind::complete;
  options.sync.direct = version == VersionKind::direct && stage == VK_SHADER_STAGE_COMPUTE_BIT && layout;
  set_early_tests(shader, options, tests);
  options.workgroup = workgroup_options(shader, checks, stage, specialisation);
  if (!outputs_ready(options)) {
    summary.shader(shader.hash, ShaderFate::refused);
    return {};
  }

  ResultCache::Key key(shader.hash, to_bytes(options));
  Instrumented found = results_.find(key);
  if (found)
    SHADERQA_LOG(trace, "shader " + hash_text(shader.hash) + ": what was made of it before is used again");
  if (!found) {
    found.result = std::make_shared<const InstrumentResult>(result_of(shader, options));
    found.needs_record = checks_accesses(found.result->record);
    if (!results_.was_added(key)) {
      device_.names.name_source(shader.hash, main_file(shader.words));
      dump(shader, options, *found.result);
      // Published before others can find it, and so before a pipeline can run it.
      if (found.result->status == InstrumentStatus::instrumented) publish(*found.result, shader.words);
      // There may be something to check, and no way to.
      if (found.result->status == InstrumentStatus::untouched) say_notes(found.result->record);
      summarise(shader, options, *found.result);
    }
    found = results_.add(std::move(key), std::move(found));
  }
  if (found.result->status == InstrumentStatus::refused) note_left_alone(shader, found.result->message);
  if (found.result->status != InstrumentStatus::instrumented) return {};
  if (layout) device_.engine->add_shader(found.result->record, *layout);
  return found;
}

// Whatever is wrong with the trace, everything else goes on.
bool Instrumenter::traces(const KeptShader& shader, VersionKind version) const {
  TraceOutput* const output = device_.require_trace_output();
  if (!output || !stands_alone(version)) return output != nullptr;
  if (!device_.instance->checks->has_selection()) {
    output->add_unlisted(shader.hash);
    return true;
  }
  device_.note_about(subject_of(shader),
                     " is not traced: its pipeline has one version alone (it is a ray tracing pipeline, of "
                     "libraries, a shader object, or start=creation), so that its trace could be that of an "
                     "action that was not chosen",
                     Concern::nothing);
  return false;
}

bool Instrumenter::has_picture(const KeptShader& shader, VersionKind version) const {
  if (!device_.require_picture_output()) return false;
  if (!stands_alone(version) || !device_.instance->checks->has_selection()) return true;
  device_.note_about(
      subject_of(shader),
      " has no picture: its pipeline has one version alone (it is of libraries, a shader object, "
      "or start=creation), which would also show actions that were not chosen",
      Concern::nothing);
  return false;
}

void Instrumenter::set_early_tests(const KeptShader& shader, InstrumentOptions& options,
                                   const FragmentTests& tests) const {
  if (options.picture.kind != PictureKind::value || options.stage != Stage::fragment || !tests.any) return;
  options.picture.early_tests = tests.may_be_early;
  if (!tests.may_be_early)
    device_.note_about(
        subject_of(shader),
        ": Its picture can have fragments that others hide, because its pipeline makes coverage from "
        "alpha, or because it reads its own depth: tests of depth come after the shader.",
        Concern::nothing);
}

PictureOptions Instrumenter::picture_options() const {
  const Settings& settings = device_.instance->settings;
  PictureOptions options;
  options.kind = settings.show == "value"      ? PictureKind::value
                 : settings.show == "overdraw" ? PictureKind::overdraw
                                               : PictureKind::divergence;
  if (options.kind != PictureKind::value) return options;
  options.expression = settings.show_value;
  options.line = settings.show_line;
  options.colours = settings.show_colours;
  options.location = settings.show_location;
  const auto scale = parse_picture_scale(settings.show_scale);
  if (!settings.show_scale.empty() && !scale)
    device_.note("show_scale", "show_scale is ignored: it should be two different numbers, as in 0..10",
                 Concern::nothing);
  options.scaled = scale.has_value();
  if (scale) std::tie(options.low, options.high) = *scale;
  return options;
}

void Instrumenter::summarise(const KeptShader& shader, const InstrumentOptions& options,
                             const InstrumentResult& result) const {
  RunSummary& summary = *device_.instance->summary;
  // Only sync checks accesses, and those to images only if sync_images is set.
  if (options.sync.enabled && !options.sync.images && accesses_storage_images(shader.words))
    summary.add(Tally::image_shaders);
  if (options.sync.enabled && queries_rays(shader.words))
    device_.note("ray queries",
                 "what ray queries read of acceleration structures is not checked for synchronisation",
                 Concern::sync);
  const bool checked = result.status == InstrumentStatus::instrumented;
  summary.shader(shader.hash, checked ? ShaderFate::checked : ShaderFate::nothing);
  if (!checked) return;
  CompiledShader compiled;
  compiled.hash = shader.hash;
  compiled.words = static_cast<uint32_t>(shader.words.size());
  compiled.sites =
      static_cast<uint32_t>(result.record.printf_sites.size() + result.record.check_sites.size());
  const std::string given = device_.names.shader_name(shader.hash);
  const std::string name = hash_text(shader.hash) + " (" + to_string(options.stage) + ", " +
                           (given.empty() ? options.entry_point : given) + ")";
  name.copy(compiled.name, sizeof compiled.name - 1);
  summary.describe_shader(compiled);
}

bool Instrumenter::allowed_by_name(const KeptShader& shader, const char* entry_point) const {
  const NameFilter& filter = *device_.instance->name_filter;
  if (filter.empty()) return true;
  std::vector<std::string> names = source_files(shader.words);
  for (size_t i = names.size(); i-- > 0;) {
    if (const size_t slash = names[i].find_last_of("/\\"); slash != std::string::npos)
      names.push_back(names[i].substr(slash + 1));
  }
  names.insert(names.end(), {hash_text(shader.hash), entry_point, device_.names.shader_name(shader.hash)});
  return filter.allows(names);
}

void Instrumenter::dump(const KeptShader& shader, const InstrumentOptions& options,
                        const InstrumentResult& result) const {
  ShaderDump& dump = *device_.instance->dump;
  dump.shader(shader.words, options, result);
  if (const std::string problem = dump.take_problem(); !problem.empty())
    device_.note("dump_dir", "dump_dir cannot be written to: " + problem, Concern::nothing);
}

InstrumentResult Instrumenter::result_of(const KeptShader& shader, const InstrumentOptions& options) const {
  const LogTimer timer;
  ShaderCache* const cache = device_.shader_cache();
  if (cache) {
    if (auto known = cache->load(shader.words, options)) {
      log_result(shader, options, *known, "read from the cache in ", timer);
      return std::move(*known);
    }
  }
  InstrumentResult result = shaderqa::instrument(shader.words, options);
  log_result(shader, options, result, "rewriting took ", timer);
  if (cache) cache->store(shader.words, options, result);
  return result;
}

void Instrumenter::publish(const InstrumentResult& result, std::span<const uint32_t> words) {
  if (TraceOutput* output = device_.trace_output()) output->add_shader(result.record, words);
  if (PictureOutput* output = device_.picture_output()) output->add_shader(result.record);
  if (PrintfOutput* output = device_.printf_output(); output && !result.record.printf_sites.empty())
    output->add_shader(result.record);
  if (CheckOutput* output = device_.check_output(); output && !result.record.check_sites.empty())
    output->add_shader(result.record);
  say_notes(result.record);
}

void Instrumenter::say_notes(const ShaderRecord& record) const {
  const ShaderSubject shader = subject(record.shader_hash, record.stage, record.entry_point);
  for (const auto& [text, incomplete, common] : record.notes) {
    if (common)
      device_.note(text, text, incomplete);
    else
      device_.note_about(shader, ": " + text, incomplete);
  }
}

ShaderSubject Instrumenter::subject_of(const KeptShader& shader) const {
  device_.names.name_source(shader.hash, main_file(shader.words));
  return subject(shader.hash, Stage::unknown, {});
}

ShaderSubject Instrumenter::subject(uint64_t hash, Stage stage, const std::string& entry_point) const {
  return {hash, stage, entry_point, device_.names.source_of_shader(hash), device_.names.shader_name(hash)};
}

bool Instrumenter::outputs_ready(const InstrumentOptions& options) {
  const bool checks = options.assume || options.expect || options.nan != NanCheck::none ||
                      options.sync.enabled || options.workgroup.any();
  const bool prints = !options.printf || device_.require_printf_output();
  return prints && (!checks || device_.require_check_output());
}

void Instrumenter::note_left_alone(const KeptShader& shader, const std::string& reason,
                                   Concern incomplete) const {
  device_.names.name_source(shader.hash, main_file(shader.words));
  note_left_alone(shader.hash, reason, incomplete);
}

void Instrumenter::note_left_alone(uint64_t shader_hash, const std::string& reason,
                                   Concern incomplete) const {
  if (incomplete != Concern::nothing) device_.instance->summary->shader(shader_hash, ShaderFate::refused);
  device_.instance->dump->left_alone(shader_hash, reason);
  device_.note_about(subject(shader_hash, Stage::unknown, {}),
                     " is left as it is, so it prints nothing and is not checked: " + reason, incomplete);
}

void Instrumenter::note_rejected(const std::vector<uint64_t>& shader_hashes) const {
  for (const uint64_t hash : shader_hashes)
    note_left_alone(hash, "the driver refuses its instrumented form, and got the original");
}

void Instrumenter::note_unchecked(const KeptShader& shader, const std::string& reason) const {
  device_.note_about(
      subject_of(shader),
      ": accesses through some of its descriptors are not checked for synchronisation, because " + reason,
      Concern::sync);
}

std::string Instrumenter::reason_against(VkShaderStageFlagBits stage) const {
  const DeviceFacts& facts = device_.facts;
  if (!facts.inert_reason.empty())
    return "no shader can be instrumented on this device, because " + facts.inert_reason;
  if (stage_of(stage) == Stage::unknown) return "its stage is none that shaderqa knows";
  if ((stage & kVertexPipelineStages) && !facts.vertex_stores) {
    return "vertexPipelineStoresAndAtomics cannot be enabled on this device";
  }
  if (stage == VK_SHADER_STAGE_FRAGMENT_BIT && !facts.fragment_stores) {
    return "fragmentStoresAndAtomics cannot be enabled on this device";
  }
  return {};
}

WorkgroupOptions Instrumenter::workgroup_options(const KeptShader& shader, const CheckSelection& checks,
                                                 VkShaderStageFlagBits stage,
                                                 const VkSpecializationInfo* specialisation) const {
  // What Vulkan guarantees for these stages; their own limits are not asked for.
  constexpr uint32_t kTaskMemory = 32768, kMeshMemory = 28672;
  WorkgroupOptions options;
  const bool has_memory = checks.workgroup() && has_workgroup_memory(shader.words);
  // Which elements of buffers and texels are an invocation's own may depend on constants, too.
  const bool has_own =
      checks.sync && device_.instance->settings.sync_own_elements && stage == VK_SHADER_STAGE_COMPUTE_BIT;
  if (has_memory || has_own) learn_constants(options, shader, specialisation);
  if (!has_memory) return options;
  options.races = checks.sync_shared;
  options.uninitialised = checks.uninit;
  options.large = device_.instance->settings.sync_shared_large;
  options.strict = device_.instance->settings.sync_strict;
  options.own_elements = device_.instance->settings.sync_own_elements;
  options.limit = device_.facts.limits.maxComputeSharedMemorySize;
  if (stage == VK_SHADER_STAGE_TASK_BIT_EXT) options.limit = kTaskMemory;
  if (stage == VK_SHADER_STAGE_MESH_BIT_EXT) options.limit = kMeshMemory;
  return options;
}

InstrumentOptions Instrumenter::options_for(const CheckSelection& checks, VkShaderStageFlagBits stage,
                                            const char* entry_point, const PipelineLayout* layout) const {
  const DeviceFacts& facts = device_.facts;
  const Settings& settings = device_.instance->settings;
  InstrumentOptions options;
  options.printf = checks.printf;
  options.assume = checks.assume;
  options.expect = checks.expect;
  options.nan = checks.nan;
  options.keep_assume = facts.expect_assume;
  options.trace = checks.trace;
  if (checks.trace) options.trace_code = settings.trace_code;
  if (checks.picture) options.picture = picture_options();
  if (checks.trace && !settings.debug_socket.empty())
    options.debug = facts.is_cpu ? DebugStops::unordered : DebugStops::ordered;
  options.debug_accesses = options.debug != DebugStops::none && settings.debug_violations;
  options.sync.enabled = checks.sync && layout && device_.pipeline_layouts.has_record(*layout) &&
                         device_.command_buffers.has_records();
  if (options.sync.enabled) {
    options.sync.merge = settings.sync_merge;
    options.sync.own_elements = settings.sync_own_elements;
    options.sync.log_reads = settings.sync_log_reads;
    // A traced invocation runs the version that the trace's records are in.
    options.sync.unwatched_version = settings.sync_unwatched_version && !checks.trace;
    if (settings.sync_calls == "never") options.sync.calls = SyncCalls::never;
    if (settings.sync_calls == "always") options.sync.calls = SyncCalls::always;
    if (settings.sync_calls == "queue" || (settings.sync_calls.empty() && device_.facts.inlines_calls))
      options.sync.calls = SyncCalls::queued;
    options.sync.loops = settings.sync_loops;
    options.sync.strict = settings.sync_strict;
    options.sync.record_set = device_.pipeline_layouts.record_set();
    if (layout->with_constant || layout->heaps) options.sync.record_constant = layout->longer.record;
    options.sync.descriptors = layout->descriptors;
    device_.engine->set_options(stage, options.sync);
  }
  options.root_address = device_.root_address();
  options.entry_point = entry_point;
  options.stage = stage_of(stage);
  options.int64_atomics = facts.int64_atomics;
  options.subgroup_ballot = facts.ballot_stages & stage;
  options.memory_barrier = facts.memory_barrier;
  options.varying_addresses = facts.loads_while_inactive;
  options.vulkan_memory_model_device_scope = facts.memory_model_device_scope;
  options.record_invocation = settings.printf_verbose;
  options.printf_first = settings.printf_first;
  options.printf_every = settings.printf_every;
  options.max_sites = settings.max_sites;
  return options;
}

}  // namespace shaderqa::layer
