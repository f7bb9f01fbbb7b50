// SPDX-License-Identifier: Apache-2.0
// Decides which shaders are rewritten, rewrites each once, and notes why others are left alone.
#ifndef SHADERQA_LAYER_PIPELINES_INSTRUMENTER_H
#define SHADERQA_LAYER_PIPELINES_INSTRUMENTER_H

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/findings/finding_types.h"
#include "instrument/instrument.h"
#include "layer/pipelines/pipeline_copy.h"
#include "layer/pipelines/result_cache.h"

namespace shaderqa {
struct CheckSelection;
struct ShaderSubject;
}  // namespace shaderqa

namespace shaderqa::layer {

class Device;
struct KeptShader;
struct PipelineLayout;

// What a shader is rewritten for (docs/internals/start.md).
enum class VersionKind : uint8_t {
  alone,  // a pipeline that has no other version, or a shader object
  // The same for dispatches. What indirect ones read is checked as accesses of the command.
  alone_for_dispatches,
  // The version of a pipeline that runs all but indirect commands, and actions of which the record does not
  // say where all cells are (EngineRecorder::found_directly()).
  direct,
  by_page,  // the same, without the latter condition
  complete  // the version that runs all actions
};

// Thread-safe. No lock is held while passes run, so two threads may both rewrite the same shader; the results
// are the same.
class Instrumenter {
 public:
  explicit Instrumenter(Device& device) : device_(device) {}

  // The sites of the result are known to the device's outputs on return. layout: null if it is not known;
  // then accesses are not checked.
  Instrumented instrument(const KeptShader& shader, VkShaderStageFlagBits stage, const char* entry_point,
                          const PipelineLayout* layout, const VkSpecializationInfo* specialisation,
                          VersionKind version, const FragmentTests& tests = {});
  // Notes, once for each shader, why it is left as it is.
  // Concern::nothing: the user wants it so.
  void note_left_alone(uint64_t shader_hash, const std::string& reason,
                       Concern incomplete = Concern::everything) const;
  void note_left_alone(const KeptShader& shader, const std::string& reason,
                       Concern incomplete = Concern::everything) const;
  // The same for shaders whose instrumented code the driver rejected although it takes the application's.
  void note_rejected(const std::vector<uint64_t>& shader_hashes) const;
  // Notes why accesses through some of its descriptors are not checked.
  void note_unchecked(const KeptShader& shader, const std::string& reason) const;

 private:
  // Whether it may be traced, and what follows for the trace. A pipeline's only version also runs where the
  // user chose other actions.
  bool traces(const KeptShader& shader, VersionKind version) const;
  bool has_picture(const KeptShader& shader, VersionKind version) const;
  PictureOptions picture_options() const;
  // Whether a picture leaves out fragments that are hidden.
  void set_early_tests(const KeptShader& shader, InstrumentOptions& options,
                       const FragmentTests& tests) const;
  bool allowed_by_name(const KeptShader& shader, const char* entry_point) const;
  // Why a shader of the stage cannot be rewritten; empty: it can.
  std::string reason_against(VkShaderStageFlagBits stage) const;
  InstrumentOptions options_for(const CheckSelection& checks, VkShaderStageFlagBits stage,
                                const char* entry_point, const PipelineLayout* layout) const;
  // What is checked in workgroup memory. Nothing in shaders without.
  WorkgroupOptions workgroup_options(const KeptShader& shader, const CheckSelection& checks,
                                     VkShaderStageFlagBits stage,
                                     const VkSpecializationInfo* specialisation) const;
  bool outputs_ready(const InstrumentOptions& options);
  void dump(const KeptShader& shader, const InstrumentOptions& options, const InstrumentResult& result) const;
  void summarise(const KeptShader& shader, const InstrumentOptions& options,
                 const InstrumentResult& result) const;
  void say_notes(const ShaderRecord& record) const;
  // As notes name it. Without the words, the source is known if the shader was rewritten before.
  ShaderSubject subject(uint64_t hash, Stage stage, const std::string& entry_point) const;
  ShaderSubject subject_of(const KeptShader& shader) const;
  void publish(const InstrumentResult& result, std::span<const uint32_t> words);

  // Loaded from the shader cache, or else made and stored there.
  InstrumentResult result_of(const KeptShader& shader, const InstrumentOptions& options) const;

  // Enough for the shaders that a program creates pipelines from again and again.
  static constexpr size_t kMaxResultBytes = 64u << 20;

  Device& device_;
  ResultCache results_{kMaxResultBytes};
};

}  // namespace shaderqa::layer
#endif
