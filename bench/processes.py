# SPDX-License-Identifier: Apache-2.0
"""What the processes of the benchmarks have in common."""
import os


def clean_environment(driver, caches="", **settings):
    """The environment without what selects layers. driver: a driver file, or nothing. caches: a folder where drivers keep what they
    have compiled, or nothing. settings: more variables; those without a value are left out."""
    result = {name: value for name, value in os.environ.items()
              if not name.startswith(("VK_LAYER_", "VK_INSTANCE_LAYERS", "SHADERQA"))}
    if caches:
        result.update(MESA_SHADER_CACHE_DIR=f"{caches}/mesa", __GL_SHADER_DISK_CACHE_PATH=caches)
    if driver:
        result.update(VK_DRIVER_FILES=driver, VK_ICD_FILENAMES=driver)
    result.update((name, value) for name, value in settings.items() if value)
    return result
