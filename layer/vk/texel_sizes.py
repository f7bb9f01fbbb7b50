#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes texel_sizes.inl from the Vulkan registry: `texel_sizes.py vk.xml > texel_sizes.inl`.

Only formats that a buffer view can have: neither compressed nor subsampled nor of several planes.
"""
import sys
import xml.etree.ElementTree as ElementTree

registry = ElementTree.parse(sys.argv[1]).getroot()
print("// Written by texel_sizes.py from the Vulkan registry; do not edit.")
for format_ in registry.find("formats"):
    if format_.get("compressed") or format_.get("chroma") or format_.find("plane") is not None:
        continue
    print(f"TEXEL_SIZE({format_.get('name')}, {format_.get('blockSize')})")
