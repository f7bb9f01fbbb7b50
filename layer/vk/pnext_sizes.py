#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes pnext_sizes.inl from the Vulkan registry of the headers in the build, and pnext_sizes_newer.inl, what only a newer
registry has:

    pnext_sizes.py build/deps/vulkan/usr/share/vulkan/registry/vk.xml > pnext_sizes.inl
    pnext_sizes.py build/deps/vulkan/usr/share/vulkan/registry/vk.xml newest/vk.xml > pnext_sizes_newer.inl

The newest one to be had is in the libvulkan-dev of Debian sid. The headers know no structure that is newer than themselves,
so these are written with the value of the sType and the bytes that the members take on 64-bit systems.

Only the structures that may lie in a chain of which the layer copies a prefix (creation of devices and buffers, shader
stages, allocations) or that it must understand to edit what they hang on (submissions), and only those of the
platform-independent header. Aliases are left out: they have the sType of what they stand for.
"""
import re
import sys
import xml.etree.ElementTree as ElementTree

EXTENDED = {"VkDeviceCreateInfo", "VkPhysicalDeviceFeatures2", "VkPipelineShaderStageCreateInfo", "VkBufferCreateInfo",
            "VkMemoryAllocateInfo", "VkSubmitInfo", "VkSubmitInfo2"}
BYTES = {"char": 1, "uint8_t": 1, "int8_t": 1, "uint16_t": 2, "int16_t": 2, "uint32_t": 4, "int32_t": 4, "float": 4, "int": 4,
         "uint64_t": 8, "int64_t": 8, "double": 8, "size_t": 8}


class Registry:
    def __init__(self, path):
        self.root = ElementTree.parse(path).getroot()
        self.types = {type_.get("name") or type_.findtext("name"): type_ for type_ in self.root.findall("types/type")
                      if "vulkan" in type_.get("api", "vulkan").split(",")}
        text = "".join(self.types["VK_HEADER_VERSION_COMPLETE"].itertext())
        complete = re.search(r"\(\s*(\d+),\s*(\d+),\s*(\d+),", text)
        header = "".join(self.types["VK_HEADER_VERSION"].itertext()).split()[-1]
        self.version = f"{complete[2]}.{complete[3]}.{header}"

    def sources(self):
        for source in list(self.root.findall("feature")) + list(self.root.findall("extensions/extension")):
            wanted = "vulkan" in (source.get("api") or source.get("supported") or "").split(",")
            if wanted and not source.get("platform") and source.get("provisional") != "true":
                yield source

    def requirements(self):
        for source in self.sources():
            for require in source.findall("require"):
                if "vulkan" in require.get("api", "vulkan").split(","):
                    yield source, require

    def structures(self):
        """sType by name, of all that may lie in such a chain."""
        known = {type_.get("name") for _, require in self.requirements() for type_ in require.findall("type")}
        found = {}
        for type_ in self.root.findall("types/type[@category='struct']"):
            name = type_.get("name")
            if type_.get("alias") or name not in known:
                continue
            if EXTENDED & set((type_.get("structextends") or "").split(",")) or name == "VkPhysicalDeviceFeatures2":
                found[name] = type_.find("member").get("values")
        return found

    def values(self):
        """The numbers behind the names of sTypes."""
        found = {enum.get("name"): int(enum.get("value"))
                 for enum in self.root.findall("enums[@name='VkStructureType']/enum") if enum.get("value")}
        for source, require in self.requirements():
            for enum in require.findall("enum[@extends='VkStructureType']"):
                if enum.get("value"):
                    found[enum.get("name")] = int(enum.get("value"))
                elif enum.get("offset"):
                    number = int(enum.get("extnumber") or source.get("number"))
                    found[enum.get("name")] = 1000000000 + (number - 1) * 1000 + int(enum.get("offset"))
        return found

    def constant(self, name):
        if name.isdigit():
            return int(name)
        return int(self.root.find(f"enums[@name='API Constants']/enum[@name='{name}']").get("value"))

    def layout(self, name):
        """Bytes and alignment of a type."""
        if name in BYTES:
            return BYTES[name], BYTES[name]
        type_ = self.types[name]
        if type_.get("alias"):
            return self.layout(type_.get("alias"))
        category = type_.get("category")
        if category == "enum":
            wide = self.root.find(f"enums[@name='{name}']")
            return (8, 8) if wide is not None and wide.get("bitwidth") == "64" else (4, 4)
        if category in ("bitmask", "basetype"):
            return self.layout({"VkFlags": "uint32_t", "VkFlags64": "uint64_t"}.get(name) or type_.findtext("type"))
        if category in ("handle", "funcpointer"):
            return 8, 8
        if category != "struct":
            raise ValueError(f"{name} is a {category}")
        end, largest = 0, 1
        for member in type_.findall("member"):
            if "vulkan" not in (member.get("api") or "vulkan").split(","):
                continue
            text = "".join(part for part in member.itertext())
            declaration = text.split(member.findtext("name"), 1)[0]
            if (member.find("name").tail or "").lstrip().startswith(":"):
                raise ValueError(f"{name} has bit fields")
            size, alignment = (8, 8) if "*" in declaration else self.layout(member.findtext("type"))
            for count in re.findall(r"\[\s*(\w+)\s*\]", re.sub(r"/\*.*?\*/", "", text)):
                size *= self.constant(count)
            end = (end + alignment - 1) // alignment * alignment + size
            largest = max(largest, alignment)
        return (end + largest - 1) // largest * largest, largest


print("// SPDX-License-Identifier: Apache-2.0")
headers = Registry(sys.argv[1])
known = headers.structures()
if len(sys.argv) == 2:
    rows = [f"PNEXT_SIZE({s_type},\n           {name})" if len(s_type) + len(name) > 95 else f"PNEXT_SIZE({s_type}, {name})"
            for name, s_type in known.items()]
    print(f"// Written by pnext_sizes.py from the Vulkan registry {headers.version}; do not edit.")
else:
    newest = Registry(sys.argv[2])
    # A structure that was promoted has a new name, and its old number.
    taken = {value for name, value in headers.values().items() if name in known.values()}
    numbers = newest.values()
    rows = [f"PNEXT_SIZE_NEWER({numbers[s_type]}, {newest.layout(name)[0]})  // {name}"
            for name, s_type in newest.structures().items() if numbers[s_type] not in taken]
    print(f"// Written by pnext_sizes.py from the Vulkan registry {newest.version}, what {headers.version} does not have; "
          "do not edit.")
print("\n".join(sorted(rows)))
