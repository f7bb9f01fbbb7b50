#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes pipeline_chains.inl from the Vulkan registry of the headers in the build: the structures in the chains of pipeline create
infos that can be copied as they are, and their arrays.

    pipeline_chains.py build/deps/vulkan/usr/share/vulkan/registry/vk.xml > pipeline_chains.inl

Left out are structures that name objects, which may be gone when the copy is used; pointers to anything but arrays whose length is
another member; and structures whose arrays are ignored in some states, so that they may be invalid.
"""
import sys
import xml.etree.ElementTree as ElementTree

STATES = ["VertexInput", "InputAssembly", "Tessellation", "Viewport", "Rasterization", "Multisample", "DepthStencil", "ColorBlend",
          "Dynamic"]
EXTENDED = ({"VkGraphicsPipelineCreateInfo", "VkComputePipelineCreateInfo", "VkPipelineShaderStageCreateInfo"} |
            {f"VkPipeline{state}StateCreateInfo" for state in STATES})
IGNORED_ARRAYS = {"VkPipelineViewportWScalingStateCreateInfoNV", "VkPipelineViewportExclusiveScissorStateCreateInfoNV",
                  "VkPipelineDiscardRectangleStateCreateInfoEXT", "VkPipelineCoverageModulationStateCreateInfoNV",
                  "VkPipelineColorWriteCreateInfoEXT", "VkPipelineViewportSwizzleStateCreateInfoNV"}
# These have a meaning that a copy cannot have: memory of the pipeline, feedback, code.
SPECIAL = {"VkComputePipelineIndirectBufferInfoNV", "VkPipelineCreationFeedbackCreateInfo", "VkShaderModuleCreateInfo"}

root = ElementTree.parse(sys.argv[1]).getroot()
types = {type_.get("name") or type_.findtext("name"): type_ for type_ in root.findall("types/type")
         if "vulkan" in type_.get("api", "vulkan").split(",")}
header = "".join(types["VK_HEADER_VERSION"].itertext()).split()[-1]


def required():
    for source in list(root.findall("feature")) + list(root.findall("extensions/extension")):
        wanted = "vulkan" in (source.get("api") or source.get("supported") or "").split(",")
        if wanted and not source.get("platform") and source.get("provisional") != "true":
            for require in source.findall("require"):
                yield from (type_.get("name") for type_ in require.findall("type"))


def members(name):
    return [member for member in types[name].findall("member") if "vulkan" in (member.get("api") or "vulkan").split(",")]


def is_pointer(member):
    return "*" in "".join(member.itertext())


def is_plain(name):
    """Neither pointers nor handles."""
    type_ = types.get(name)
    while type_ is not None and type_.get("alias"):
        type_ = types[type_.get("alias")]
    if type_ is None or type_.get("category") in ("handle", "funcpointer", "union"):
        return False
    if type_.get("category") != "struct":
        return True
    name = type_.get("name")
    return all(not is_pointer(member) and is_plain(member.findtext("type")) for member in members(name))


def arrays(name):
    """Pairs of member and count; None if the structure cannot be copied."""
    found = []
    for member in members(name):
        member_name, type_name = member.findtext("name"), member.findtext("type")
        if member_name in ("sType", "pNext"):
            continue
        if not is_pointer(member):
            if not is_plain(type_name):
                return None
            continue
        count = (member.get("len") or "").split(",")
        known = {other.findtext("name") for other in members(name)}
        if len(count) != 1 or count[0] not in known or not is_plain(type_name) or type_name == "void":
            return None
        found.append((member_name, count[0]))
    return found


print("// SPDX-License-Identifier: Apache-2.0")
print(f"// Written by pipeline_chains.py from the Vulkan registry 1.4.{header}; do not edit.")
print("// clang-format off")
known = set(required())
rows = []
for name, type_ in types.items():
    if type_.get("category") != "struct" or type_.get("alias") or name not in known or name in IGNORED_ARRAYS | SPECIAL:
        continue
    if not EXTENDED & set((type_.get("structextends") or "").split(",")):
        continue
    lists = arrays(name)
    if lists is not None:
        s_type = next(member.get("values") for member in members(name) if member.findtext("name") == "sType")
        copies = " ".join(f"PIPELINE_ARRAY({member}, {count})" for member, count in lists)
        rows.append(f"PIPELINE_CHAIN({s_type}, {name}, {copies})")
print("\n".join(sorted(rows)))
