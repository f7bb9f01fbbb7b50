// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor.h"

#include <dlfcn.h>
#include <vulkan/vulkan_core.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tuple>

#include "host/settings/settings.h"
#include "host/settings/settings_table.h"
#include "host/summary/process_record.h"
#include "tools/process_watch.h"
#include "tools/rescue_folder.h"
#include "tools/run_environment.h"

namespace shaderqa {
namespace {

class Findings {
 public:
  void good(const std::string& text) const { std::printf("  ok    %s\n", text.c_str()); }
  void info(const std::string& text) const { std::printf("        %s\n", text.c_str()); }
  void bad(const std::string& text) {
    ++problems_;
    std::printf("  NO    %s\n", text.c_str());
  }
  // Works with limits.
  void limit(const std::string& text) const { std::printf("  less  %s\n", text.c_str()); }
  void heading(const char* text) const { std::printf("%s\n", text); }
  int problems() const { return problems_; }

 private:
  int problems_ = 0;
};

std::string version_text(uint32_t version) {
  return std::to_string(VK_API_VERSION_MAJOR(version)) + "." + std::to_string(VK_API_VERSION_MINOR(version)) +
         "." + std::to_string(VK_API_VERSION_PATCH(version));
}

// The loader as a program finds it, with an instance under the layer.
class Vulkan {
 public:
  ~Vulkan() {
    if (instance_) command<PFN_vkDestroyInstance>("vkDestroyInstance")(instance_, nullptr);
  }

  bool open(Findings& findings) {
    // Not closed: drivers do not expect that.
    void* const library = ::dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      findings.bad(std::string("the Vulkan loader cannot be opened: ") + ::dlerror() +
                   "; install libvulkan1");
      return false;
    }
    get_ = reinterpret_cast<PFN_vkGetInstanceProcAddr>(::dlsym(library, "vkGetInstanceProcAddr"));
    if (!get_) {
      findings.bad("libvulkan.so.1 is no Vulkan loader: it has no vkGetInstanceProcAddr");
      return false;
    }
    uint32_t version = VK_API_VERSION_1_0;
    if (const auto ask = command<PFN_vkEnumerateInstanceVersion>("vkEnumerateInstanceVersion")) ask(&version);
    if (version < VK_API_VERSION_1_2)
      findings.bad("the Vulkan loader knows only Vulkan " + version_text(version) + "; 1.2 is needed");
    else
      findings.good("the Vulkan loader, version " + version_text(version));
    return true;
  }

  bool create(Findings& findings) {
    VkApplicationInfo application{};
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.pApplicationName = "shaderqa doctor";
    application.apiVersion = VK_API_VERSION_1_2;
    VkInstanceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    info.pApplicationInfo = &application;
    const VkResult result = command<PFN_vkCreateInstance>("vkCreateInstance")(&info, nullptr, &instance_);
    if (result == VK_SUCCESS) return true;
    instance_ = VK_NULL_HANDLE;
    findings.bad("no Vulkan instance can be made (VkResult " + std::to_string(result) +
                 (result == VK_ERROR_INCOMPATIBLE_DRIVER
                      ? "): no driver for Vulkan 1.2 is installed, or VK_DRIVER_FILES "
                        "(VK_ICD_FILENAMES) names none"
                      : ")"));
    return false;
  }

  std::vector<VkPhysicalDevice> devices() const {
    const auto list = command<PFN_vkEnumeratePhysicalDevices>("vkEnumeratePhysicalDevices");
    uint32_t count = 0;
    list(instance_, &count, nullptr);
    std::vector<VkPhysicalDevice> found(count);
    list(instance_, &count, found.data());
    found.resize(count);
    return found;
  }

  template <typename Command>
  Command command(const char* name) const {
    return reinterpret_cast<Command>(get_(instance_, name));
  }

 private:
  PFN_vkGetInstanceProcAddr get_ = nullptr;
  VkInstance instance_ = VK_NULL_HANDLE;
};

bool has_extension(const Vulkan& vulkan, VkPhysicalDevice device, const char* wanted) {
  const auto list =
      vulkan.command<PFN_vkEnumerateDeviceExtensionProperties>("vkEnumerateDeviceExtensionProperties");
  uint32_t count = 0;
  list(device, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> found(count);
  list(device, nullptr, &count, found.data());
  return std::ranges::any_of(
      found, [&](const VkExtensionProperties& one) { return std::strcmp(one.extensionName, wanted) == 0; });
}

// Returns whether anything can be checked on it.
bool examine_device(const Vulkan& vulkan, VkPhysicalDevice device, const Findings& findings) {
  VkPhysicalDeviceDriverProperties driver{};
  driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  VkPhysicalDeviceVulkan12Features features12{};
  features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  VkPhysicalDeviceFeatures2 features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  vulkan.command<PFN_vkGetPhysicalDeviceProperties2>("vkGetPhysicalDeviceProperties2")(device, &properties);
  const std::string name = properties.properties.deviceName;
  if (properties.properties.apiVersion < VK_API_VERSION_1_2) {
    findings.limit(name + ": only Vulkan " + version_text(properties.properties.apiVersion) +
                   ", where checks work only with extensions that are not examined here");
    return false;
  }
  properties.pNext = &driver;
  features.pNext = &features12;
  vulkan.command<PFN_vkGetPhysicalDeviceProperties2>("vkGetPhysicalDeviceProperties2")(device, &properties);
  vulkan.command<PFN_vkGetPhysicalDeviceFeatures2>("vkGetPhysicalDeviceFeatures2")(device, &features);
  const std::string title = name + ", " + driver.driverName + " " + driver.driverInfo;
  if (!features12.bufferDeviceAddress) {
    findings.limit(title + ": nothing can be checked, because it has no bufferDeviceAddress");
    return false;
  }
  findings.good(title);
  findings.info("printf, assume, expect, nan, uninit, trace, debug, show: yes");
  const bool exact = features.features.shaderInt64 && features12.shaderBufferInt64Atomics;
  findings.info(exact ? "sync: yes, exact, with workgroup memory; images with --sync-images"
                      : "sync: only by the filter (bloom), with workgroup memory and without images, because "
                        "it has no 64-bit "
                        "atomics on buffers");
  if (!features.features.vertexPipelineStoresAndAtomics)
    findings.info("not in vertex, tessellation and geometry shaders: no vertexPipelineStoresAndAtomics");
  if (!features.features.fragmentStoresAndAtomics)
    findings.info("not in fragment shaders: no fragmentStoresAndAtomics");
  findings.info(
      has_extension(vulkan, device, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME)
          ? "findings survive a crash: yes"
          : "findings survive a crash: not the last ones, because it has no VK_EXT_external_memory_host");
  return true;
}

void examine_settings(const EnvironmentMap& environment, Findings& findings) {
  SettingsSources sources;
  sources.environment = [&](const char* name) -> std::optional<std::string> {
    const auto found = environment.find(name);
    return found == environment.end() ? std::nullopt : std::optional(found->second);
  };
  sources.environment_names = environment_names();
  std::tie(sources.file_text, sources.file_name) = find_settings_file(sources.environment);
  if (sources.file_text) findings.info("settings file: " + sources.file_name);
  const LoadedSettings loaded = load_settings(sources);
  for (const std::string& problem : loaded.problems) findings.bad(problem);
  // Both have a line for each setting, in the same order.
  const std::string now = loaded.settings.dump(), otherwise = Settings().dump();
  bool any = false;
  for (size_t a = 0, b = 0; a < now.size() && b < otherwise.size();) {
    const size_t end = now.find('\n', a), other_end = otherwise.find('\n', b);
    const std::string line = now.substr(a, end - a);
    if (line != otherwise.substr(b, other_end - b)) {
      any = true;
      const std::string key = line.substr(0, line.find(' '));
      const Setting* const setting = find_setting(key);
      const bool here = setting && environment.contains(environment_variable(*setting));
      findings.info(line + (here ? "  (from " + environment_variable(*setting) + ")" : "  (from elsewhere)"));
    }
    if (end == std::string::npos || other_end == std::string::npos) break;
    a = end + 1;
    b = other_end + 1;
  }
  if (!any) findings.good("no setting differs from its default");
}

void examine_toggles(const EnvironmentMap& environment, Findings& findings) {
  for (const char* name : {"SHADERQA", "SHADERQA_DISABLE", "VK_INSTANCE_LAYERS", "VK_LOADER_LAYERS_ENABLE",
                           "VK_LOADER_LAYERS_DISABLE", "VK_IMPLICIT_LAYER_PATH", "VK_LAYER_PATH",
                           "VK_LAYER_SETTINGS_PATH", "VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) {
    const auto found = environment.find(name);
    if (found != environment.end()) findings.info(std::string(name) + "=" + found->second);
  }
  if (environment.contains("SHADERQA_DISABLE"))
    findings.limit("SHADERQA_DISABLE keeps the layer out of all programs but those of `shaderqa run`");
}

void examine_program(const std::vector<std::string>& program, const EnvironmentMap& environment,
                     Findings& findings) {
  const std::string path = find_program(program[0], environment);
  if (path.empty()) return findings.bad(program[0] + ": there is no such program");
  const ProgramFile file = inspect_program(path);
  if (file.other_word_size)
    return findings.bad(path + ": has another word size (32 or 64 bits) than the layer: it cannot be loaded");
  if (file.raises_rights)
    return findings.bad(
        path +
        ": has other rights than you (setuid, setgid or file capabilities): the loader ignores layers "
        "from the environment");
  if (file.is_static)
    return findings.bad(path + ": is linked statically: a loader that is linked in may not find layers");
  findings.good(
      path + (file.is_elf ? ": nothing keeps the layer out" : ": a script; what it starts was not examined"));
}

}  // namespace

int examine(const std::vector<std::string>& program) {
  Findings findings;
  const EnvironmentMap given = current_environment();
  findings.heading("What is set");
  examine_toggles(given, findings);
  examine_settings(given, findings);

  findings.heading("The layer and the Vulkan loader");
  std::string error;
  const std::string share = find_share_folder(error);
  const RescueFolder folder;
  bool any_device = false;
  if (share.empty()) {
    findings.bad(error);
  } else {
    findings.good("the layer's manifest and library, in " + share);
    EnvironmentMap environment = given;
    enable_layer(environment, share);
    environment[variable_of("rescue_dir")] = folder.path();
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    ::unsetenv("SHADERQA_DISABLE");
    Vulkan vulkan;
    if (vulkan.open(findings) && vulkan.create(findings)) {
      if (read_processes(folder.path()).empty())
        findings.bad(
            "the loader does not load the layer into a program that asks for it: set VK_LOADER_DEBUG=all to "
            "see why");
      else
        findings.good("the loader loads the layer");
      findings.heading("Devices");
      for (const VkPhysicalDevice device : vulkan.devices())
        any_device = examine_device(vulkan, device, findings) || any_device;
      if (!any_device) findings.bad("no device on which anything can be checked");
    }
  }
  if (!program.empty()) {
    findings.heading("The program");
    examine_program(program, given, findings);
  }
  if (findings.problems() == 0) {
    std::printf("verdict: `shaderqa run` works here\n");
    return 0;
  }
  std::printf("verdict: %d %s above (NO)\n", findings.problems(),
              findings.problems() == 1 ? "thing does not work: see" : "things do not work: see");
  return 1;
}

}  // namespace shaderqa
