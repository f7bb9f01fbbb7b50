// SPDX-License-Identifier: Apache-2.0
#include "host/findings/layout_text.h"

#include "host/findings/hazard_text.h"

namespace shaderqa {
namespace {

constexpr const char* kUndefined = "VK_IMAGE_LAYOUT_UNDEFINED";

// "the depth of mip level 1, layer 2"; empty: of an image that has one subresource as far as is known.
std::string part_text(const WrongLayout& layout) {
  std::string text;
  if (layout.image.mip != 0) text = "mip level " + std::to_string(layout.image.mip);
  if (layout.image.layer != 0)
    text += (text.empty() ? "layer " : ", layer ") + std::to_string(layout.image.layer);
  if (layout.aspect.empty()) return text;
  return layout.aspect + (text.empty() ? "" : " of " + text);
}

}  // namespace

std::string layout_sentence(const CheckDetails& details) {
  const WrongLayout& layout = *details.layout;
  std::string text = layout.image.name.empty() ? "an image" : "image \"" + layout.image.name + "\"";
  if (const std::string part = part_text(layout); !part.empty()) text += " (" + part + ")";
  text += " is in " + layout.is + ", ";
  if (layout.of_descriptor) return text + "and is accessed through a descriptor that says " + layout.named;
  text += "and " + command_name(details.action) + (layout.presented ? " needs " : " names ") + layout.named;
  return layout.as_old ? text + " as the layout before" : text;
}

std::vector<std::string> layout_cure(const CheckDetails& details) {
  const WrongLayout& layout = *details.layout;
  const std::string command = command_name(details.action);
  if (layout.as_old) {
    if (layout.is == kUndefined)
      return {"give " + command + " " + layout.is + " as the layout before: the image has no contents yet"};
    return {"give " + command + " " + layout.is + " as the layout before, or " + std::string(kUndefined) +
            " where the contents do not matter"};
  }
  const std::string place = layout.presented ? "in a submission that " + command + " waits for:"
                                             : "in front of " + command + ", outside of render passes:";
  std::vector<std::string> cure = {place, "  barrier.oldLayout = " + layout.is + ";",
                                   "  barrier.newLayout = " + layout.named + ";"};
  if (layout.presented) return cure;
  // Nothing can be done in this layout.
  if (layout.is != kUndefined && layout.is != "VK_IMAGE_LAYOUT_PREINITIALIZED")
    cure.push_back(std::string("or name ") + layout.is + " in the " +
                   (layout.of_descriptor ? "descriptor" : "command") + ", if that is meant");
  return cure;
}

}  // namespace shaderqa
