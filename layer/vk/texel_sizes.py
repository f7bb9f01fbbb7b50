#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes texel_sizes.inl from the Vulkan registry: `texel_sizes.py vk.xml > texel_sizes.inl`.

TEXEL_SIZE: formats that a buffer view can have, neither compressed nor subsampled nor of several planes. FORMAT_PLANE: the planes of
formats that have several, each with the format of its texels, and by what its width and height are less than the image's.
"""
import sys
import xml.etree.ElementTree as ElementTree

registry = ElementTree.parse(sys.argv[1]).getroot()
print("// SPDX-License-Identifier: Apache-2.0\n// Written by texel_sizes.py from the Vulkan registry; do not edit.")
for format_ in registry.find("formats"):
    for plane in format_.findall("plane"):
        print(f"FORMAT_PLANE({format_.get('name')}, {plane.get('index')}, {plane.get('widthDivisor')}, {plane.get('heightDivisor')}, "
              f"{plane.get('compatible')})")
    if format_.get("compressed") or format_.get("chroma") or format_.find("plane") is not None:
        continue
    print(f"TEXEL_SIZE({format_.get('name')}, {format_.get('blockSize')})")
