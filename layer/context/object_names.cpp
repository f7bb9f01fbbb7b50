// SPDX-License-Identifier: Apache-2.0
#include "layer/context/object_names.h"

#include <mutex>

namespace shaderqa::layer {

void ObjectNames::name_shader(uint64_t shader_hash, const std::string& name) {
  const std::unique_lock lock(mutex_);
  shader_names_[shader_hash] = name;
}

void ObjectNames::name_source(uint64_t shader_hash, const std::string& file) {
  const std::unique_lock lock(mutex_);
  shader_sources_[shader_hash] = file;
}

std::string ObjectNames::source_of_shader(uint64_t shader_hash) const {
  const std::shared_lock lock(mutex_);
  const auto found = shader_sources_.find(shader_hash);
  return found == shader_sources_.end() ? std::string() : found->second;
}

void ObjectNames::name_pipeline(VkPipeline pipeline, const std::string& name) {
  if (!any_pipeline_.load(std::memory_order_acquire)) return;
  const std::unique_lock lock(mutex_);
  if (const auto found = pipelines_.find(pipeline); found != pipelines_.end()) found->second.name = name;
}

void ObjectNames::add_pipeline(VkPipeline pipeline, const std::vector<uint64_t>& shader_hashes) {
  const std::unique_lock lock(mutex_);
  pipelines_[pipeline].shader_hashes = shader_hashes;
  for (const uint64_t hash : shader_hashes) users_[hash].insert(pipeline);
  any_pipeline_.store(true, std::memory_order_release);
}

void ObjectNames::remove_pipeline(VkPipeline pipeline) {
  if (!any_pipeline_.load(std::memory_order_acquire)) return;
  const std::unique_lock lock(mutex_);
  const auto found = pipelines_.find(pipeline);
  if (found == pipelines_.end()) return;
  for (const uint64_t hash : found->second.shader_hashes) users_[hash].erase(pipeline);
  pipelines_.erase(found);
}

std::vector<uint64_t> ObjectNames::shaders_of_pipeline(VkPipeline pipeline) const {
  if (!any_pipeline_.load(std::memory_order_acquire)) return {};
  const std::shared_lock lock(mutex_);
  const auto found = pipelines_.find(pipeline);
  return found == pipelines_.end() ? std::vector<uint64_t>() : found->second.shader_hashes;
}

std::string ObjectNames::shader_name(uint64_t shader_hash) const {
  const std::shared_lock lock(mutex_);
  const auto found = shader_names_.find(shader_hash);
  return found == shader_names_.end() ? std::string() : found->second;
}

std::string ObjectNames::pipeline_of_shader(uint64_t shader_hash) const {
  const std::shared_lock lock(mutex_);
  const auto found = users_.find(shader_hash);
  if (found == users_.end() || found->second.empty()) return {};
  if (found->second.size() == 1) return pipelines_.at(*found->second.begin()).name;
  return "one of " + std::to_string(found->second.size()) + " pipelines";
}

}  // namespace shaderqa::layer
