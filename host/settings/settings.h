// SPDX-License-Identifier: Apache-2.0
// All settings in one struct, with the precedence of the ecosystem: environment > vk_layer_settings.txt >
// VK_EXT_layer_settings. docs/settings.md lists them; manifests/ carries the same list (a test compares the
// three).
#ifndef SHADERQA_HOST_SETTINGS_SETTINGS_H
#define SHADERQA_HOST_SETTINGS_SETTINGS_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shaderqa {

struct Settings {
  // Checks. If none is chosen anywhere, printf is on.
  bool printf = true;
  bool assume = false;
  bool expect = false;
  std::string nan;   // "", "writes", "full", "flush-nan"
  std::string sync;  // "", "exact", "bloom"

  uint64_t printf_buffer_size = 4u << 20;  // bytes, all segments together; 64 KiB .. 2 GiB
  bool printf_verbose = false;
  uint32_t printf_first = 0;  // budget of a site: first N messages (0: no limit) ...
  uint32_t printf_every = 0;  // ... then every Nth (0: none)
  uint32_t max_sites = 4096;  // instrumented instructions of one shader; 0: no limit
  bool printf_to_stderr =
      true;  // findings of printf on stderr; the report file and messengers are independent

  std::string hashes;  // hash-filter file; falls back to VKD3D_QA_HASHES
  std::string only;    // glob patterns: shaders with other names are left alone
  std::string skip;    // glob patterns: shaders with such names are left alone
  std::string report;  // JSON-lines file, appended
  std::string
      rescue_dir;         // set by `shaderqa run`: printf buffers live in files there, readable after a crash
  std::string dump_dir;   // shaders before and after rewriting, and what became of them
  std::string cache_dir;  // rewritten shaders are kept there for the next run; empty: nowhere
  uint64_t cache_size = 256u << 20;  // bytes, the most that are kept there
  bool stable_addresses = true;   // ask for the same device address in every run, so that driver caches hit
  bool quiet_notes = false;       // notes only in the report file
  bool breadcrumbs = false;       // hazards carry the commands around them
  bool sync_own_elements = true;  // stores to an invocation's own elements are not compared
  // Compute shaders have a second version without checks of their loads.
  bool sync_unwatched_version = true;
  bool sync_merge = true;          // neighbouring accesses of an invocation are one check
  bool sync_redundant = false;     // barriers that ordered nothing are listed; chooses sync=exact
  std::string sync_host;           // "", "waits", "maps": when the host reads; chooses sync=exact
  uint64_t sync_memory_limit = 0;  // bytes, of sync=exact; 0: a quarter of the largest device-local heap
  uint32_t bloom_buffer_size_log2 = 26;  // VKD3D_BLOOM_BUFFER_SIZE_LOG2

  // VKD3D_CONFIG asks for them: NaN and infinity where they are written, unless `nan` or the hash file says
  // otherwise.
  bool instruction_qa_checks = false;

  std::string dump() const;  // one "key = value" a line, every setting
};

struct SettingDescription {
  const char* key;   // "printf_verbose"; file key is "shaderqa_instrument." + key
  const char* type;  // vkconfig's: BOOL, INT, STRING, ENUM, SAVE_FILE, LOAD_FILE
  const char* default_value;
  const char* description;  // one sentence
};
const std::vector<SettingDescription>& setting_descriptions();

struct SettingsSources {
  // Environment lookup (std::getenv in production). Names tried for a key, strongest first: SHADERQA_<KEY>,
  // VK_SHADERQA_INSTRUMENT_<KEY>, VK_INSTRUMENT_<KEY>; then the foreign ones (VKD3D_QA_HASHES, VKD3D_CONFIG,
  // ...).
  std::function<std::optional<std::string>(const char*)> environment;
  std::optional<std::string> file_text;                  // vk_layer_settings.txt
  std::string file_name;                                 // for messages
  std::vector<std::pair<std::string, std::string>> api;  // VK_EXT_layer_settings, values joined with ','
  std::vector<std::string> environment_names;  // all there are, to find misspelt ones; may be left empty
};

struct LoadedSettings {
  Settings settings;
  std::vector<std::string>
      problems;  // bad values, unknown shaderqa_instrument.* keys: where, what is wrong, what to do
};
LoadedSettings load_settings(const SettingsSources& sources);
// The names of the process's environment variables, for SettingsSources.
std::vector<std::string> environment_names();

// vk_layer_settings.txt as the loader's ecosystem searches it (VK_LAYER_SETTINGS_PATH, XDG_DATA_HOME, working
// directory).
std::pair<std::optional<std::string>, std::string> find_settings_file(
    const std::function<std::optional<std::string>(const char*)>& environment);

}  // namespace shaderqa
#endif
