#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes pnext_sizes.inl from the Vulkan registry: `pnext_sizes.py vk.xml > pnext_sizes.inl`.

Only the structures that may lie in a chain of which the layer copies a prefix (creation of devices and buffers, shader
stages, allocations) or that it must understand to edit what they hang on (submissions), and only those of the platform-independent header. Aliases are left out: they have the sType of
what they stand for.
"""
import sys
import xml.etree.ElementTree as ElementTree

EXTENDED = {"VkDeviceCreateInfo", "VkPhysicalDeviceFeatures2", "VkPipelineShaderStageCreateInfo", "VkBufferCreateInfo",
            "VkMemoryAllocateInfo", "VkSubmitInfo", "VkSubmitInfo2"}

registry = ElementTree.parse(sys.argv[1]).getroot()
known = set()
for source in list(registry.findall("feature")) + list(registry.findall("extensions/extension")):
    wanted = "vulkan" in (source.get("api") or source.get("supported") or "").split(",")
    if not wanted or source.get("platform") or source.get("provisional") == "true":
        continue
    for require in source.findall("require"):
        if require.get("api", "vulkan") == "vulkan":
            known.update(type_.get("name") for type_ in require.findall("type"))

rows = []
for type_ in registry.findall("types/type[@category='struct']"):
    name = type_.get("name")
    if type_.get("alias") or name not in known:
        continue
    if not EXTENDED & set((type_.get("structextends") or "").split(",")) and name != "VkPhysicalDeviceFeatures2":
        continue
    s_type = type_.find("member").get("values")
    rows.append(f"PNEXT_SIZE({s_type},\n           {name})" if len(s_type) + len(name) > 95
                else f"PNEXT_SIZE({s_type}, {name})")
print("// Written by pnext_sizes.py from the Vulkan registry; do not edit.")
print("\n".join(sorted(rows)))
