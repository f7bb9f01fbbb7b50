// SPDX-License-Identifier: Apache-2.0
#include "host/settings/settings.h"

namespace shaderqa {

const std::vector<SettingDescription>& setting_descriptions() {
  static const std::vector<SettingDescription> descriptions = {
      {"printf", "BOOL", "true",
       "Print the messages of shaders (debugPrintfEXT, printf); on if no check is chosen."},
      {"assume", "BOOL", "false",
       "Report assumptions that do not hold (OpAssumeTrueKHR) and breakpoints passed (DebugBreak)."},
      {"expect", "BOOL", "false",
       "Report expectations that turn out wrong (OpExpectKHR), which slow down but break nothing."},
      {"nan", "ENUM", "none",
       "NaN and infinity: none, writes (reported where they leave the shader), full (where they are "
       "computed), flush-nan (NaN becomes 0)."},
      {"sync", "ENUM", "none",
       "Report unsynchronised accesses to buffers: none, exact (a cell a word), bloom (a filter)."},
      {"printf_buffer_size", "INT", "4194304",
       "Bytes for messages of one device, 65536 to 2147483648; k, M and G may follow the number."},
      {"printf_verbose", "BOOL", "false",
       "Say with every message where it comes from: source line, invocation, shader, pipeline."},
      {"printf_first", "INT", "0", "Print only the first so many messages of a printf; 0: no limit."},
      {"printf_every", "INT", "0", "After printf_first messages, print every so manyth; 0: none."},
      {"max_sites", "INT", "4096",
       "Printfs, checked instructions and accesses of one shader that are instrumented at most; 0: no "
       "limit."},
      {"printf_to_stderr", "BOOL", "true",
       "Write messages to stderr; the report file and messengers are independent."},
      {"hashes", "LOAD_FILE", "",
       "File of shader hash ranges that selects shaders; without it VKD3D_QA_HASHES."},
      {"only", "STRING", "",
       "Patterns of names: only shaders called so are checked (module, entry point, source file, hash)."},
      {"skip", "STRING", "", "Patterns of names: shaders called so are left alone."},
      {"report", "SAVE_FILE", "", "File that gets one JSON object a line for each finding, appended."},
      {"rescue_dir", "STRING", "",
       "Directory for printf buffers that outlive the program; set by shaderqa run."},
      {"dump_dir", "STRING", "",
       "Directory that gets the shaders of pipelines, as given and as rewritten, and what became of them."},
      {"cache_dir", "SAVE_FOLDER", "",
       "Directory where rewritten shaders are kept for the next run; made if it is not there."},
      {"cache_size", "INT", "268435456",
       "Bytes kept in cache_dir, 1048576 to 1099511627776; what was not used for longest goes."},
      {"stable_addresses", "BOOL", "true",
       "Ask the driver for the same device address in every run, so that its pipeline cache hits."},
      {"quiet_notes", "BOOL", "false", "Write notes only to the report file."},
      {"breadcrumbs", "BOOL", "false", "Say with every hazard which commands were recorded around it."},
      {"sync_redundant", "BOOL", "false",
       "List the barriers that ordered no conflicting accesses in the whole run; chooses sync=exact."},
      {"sync_host", "ENUM", "none",
       "Check what the host reads of mapped memory: none, waits (all of it, whenever it waited for the "
       "device), maps (what it maps or invalidates); chooses sync=exact."},
      {"bloom_buffer_size_log2", "INT", "26",
       "Size of the filter of sync=bloom, log2 of bytes, 12 to 30; without it VKD3D_BLOOM_BUFFER_SIZE_LOG2."},
      {"sync_merge", "BOOL", "true",
       "Check what an invocation accesses side by side, with nothing between that orders, as one access."},
      {"sync_own_elements", "BOOL", "true",
       "Do not compare stores to elements of which each is one invocation's own with what is in the cells."},
      {"sync_unwatched_version", "BOOL", "true",
       "Give compute shaders of sync=exact a second version, without checks of loads, for memory that "
       "nothing writes."},
      {"sync_memory_limit", "INT", "0",
       "Bytes of device memory for the cells of sync=exact; 0: a quarter of the largest device-local heap."},
  };
  return descriptions;
}

}  // namespace shaderqa
