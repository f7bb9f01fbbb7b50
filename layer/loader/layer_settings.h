// SPDX-License-Identifier: Apache-2.0
// Where the layer finds its settings: the environment, vk_layer_settings.txt, VK_EXT_layer_settings.
#ifndef SHADERQA_LAYER_LOADER_LAYER_SETTINGS_H
#define SHADERQA_LAYER_LOADER_LAYER_SETTINGS_H

#include <memory>

#include "host/log/log.h"
#include "host/settings/settings.h"

namespace shaderqa::layer {

struct Instance;

LoadedSettings load_layer_settings(const void* instance_create_chain);

// Opens the log that the settings ask for, and says in it which layer came into which program.
std::shared_ptr<const LogUse> open_layer_log(const Settings& settings);

// Loads the filter that settings.hashes names. Its problems become notes.
void load_hash_filter(Instance& instance);

// Opens the cache that settings.cache_dir names.
void open_shader_cache(Instance& instance);

}  // namespace shaderqa::layer
#endif
