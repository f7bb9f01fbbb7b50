// SPDX-License-Identifier: Apache-2.0
#include "layer/output/picture_output.h"

#include <atomic>
#include <cstring>

#include "host/findings/shader_subject.h"
#include "instrument/runtime/abi_root.h"
#include "layer/context/device_context.h"
#include "layer/context/instance.h"
#include "layer/context/object_names.h"
#include "layer/vk/guarded.h"

namespace shaderqa::layer {
namespace {

constexpr const char* kDefaultFolder = "shaderqa-pictures";

std::string description(const Settings& settings) {
  std::string text = settings.show == "value" ? settings.show_value : settings.show;
  if (settings.show == "value" && settings.show_line != 0)
    text += " before line " + std::to_string(settings.show_line);
  return text;
}

}  // namespace

std::unique_ptr<PictureOutput> PictureOutput::create(const DeviceContext& device, const ObjectNames& names,
                                                     RootBlock& root, std::string& problem) {
  std::unique_ptr<PictureOutput> output(new PictureOutput(device, names));
  DeviceBuffer::Request request;
  request.size = sizeof(abi::PictureControl);
  request.preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;  // every invocation reads it
  output->control_ = DeviceBuffer::create(device, request, problem);
  if (!output->control_) return nullptr;
  root.root().picture_control_address = output->control_->address();
  return output;
}

bool PictureOutput::make_memory(Picture& picture, std::string& problem) const {
  DeviceBuffer::Request request;
  request.size = picture.file->bytes();
  request.preferred = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  const VkDeviceSize alignment = device_.facts.host_import_alignment;
  if (picture.file->in_memory() && alignment != 0 && kPicturePage % alignment == 0 &&
      reinterpret_cast<uintptr_t>(picture.file->memory()) % alignment == 0) {
    request.import = picture.file->memory();
    std::string unused;
    picture.memory = DeviceBuffer::create(device_, request, unused);
    picture.in_file = picture.memory != nullptr;
  }
  if (picture.memory) return true;
  request.import = nullptr;
  picture.memory = DeviceBuffer::create(device_, request, problem);
  if (!picture.memory) return false;
  std::memcpy(picture.memory->mapped(), picture.file->memory(), SQA_PICTURE_EXTENT * sizeof(uint32_t));
  return true;
}

void PictureOutput::add_shader(const ShaderRecord& record) {
  if (record.picture.kind == PictureKind::none) return;
  const Settings& settings = device_.instance->settings;
  const uint64_t key = picture_key(record);
  const std::lock_guard lock(mutex_);
  if (pictures_.contains(key)) return;
  auto& control = *reinterpret_cast<abi::PictureControl*>(control_->mapped());
  std::string problem;
  if (control.slots == SQA_PICTURE_SLOTS) {
    problem = "there are already " + std::to_string(SQA_PICTURE_SLOTS) + "; choose shaders with --shader";
    device_.note("pictures of further shaders", "there are no pictures of further shaders: " + problem,
                 Concern::nothing);
    return;
  }
  Picture picture;
  picture.file = PictureFile::create(settings.show_dir.empty() ? kDefaultFolder : settings.show_dir, record,
                                     names_.shader_name(record.shader_hash), description(settings),
                                     settings.show_width, settings.show_height, problem);
  if (!picture.file || !make_memory(picture, problem)) {
    device_.note_about({record.shader_hash, record.stage, record.entry_point,
                        names_.source_of_shader(record.shader_hash), names_.shader_name(record.shader_hash)},
                       " has no picture: " + problem, Concern::nothing);
    return;
  }
  abi::PictureSlot& slot = control.slot[control.slots];
  slot.key[0] = static_cast<uint32_t>(key);
  slot.key[1] = static_cast<uint32_t>(key >> 32);
  slot.address = picture.memory->address();
  std::atomic_ref(control.slots).fetch_add(1, std::memory_order_release);
  pictures_.emplace(key, std::move(picture));
}

void PictureOutput::save() noexcept {
  guarded([&] {
    const std::lock_guard lock(mutex_);
    for (auto& [key, picture] : pictures_)
      if (!picture.in_file)
        std::memcpy(picture.file->memory(), picture.memory->mapped(), picture.file->bytes());
  });
}

}  // namespace shaderqa::layer
