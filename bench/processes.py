# SPDX-License-Identifier: Apache-2.0
"""What the processes of the benchmarks have in common: their environment, and how they get a layer."""
import os
import pathlib


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


def under_shaderqa(programs, options, command):
    """The command under `shaderqa run`. programs: the folder of `shaderqa`."""
    return [str(pathlib.Path(programs) / "shaderqa"), "run", *options, "--", *command]


KHRONOS_PRINTF = {"VK_LAYER_PRINTF_ENABLE": "1", "VK_LAYER_PRINTF_ONLY_PRESET": "1", "VK_LAYER_PRINTF_TO_STDOUT": "1"}
# By both names that versions of the layer know. The heuristic has it look at what shaders access.
KHRONOS_SYNC = {"VK_LAYER_VALIDATE_SYNC": "1", "VK_KHRONOS_VALIDATION_VALIDATE_SYNC": "1",
                "VK_LAYER_SYNCVAL_SHADER_ACCESSES_HEURISTIC": "1",
                "VK_KHRONOS_VALIDATION_SYNCVAL_SHADER_ACCESSES_HEURISTIC": "1"}


def khronos_environment(environment, folder, settings=None):
    """The environment, with the Khronos validation layer. folder: that of its manifest."""
    return dict(environment, VK_INSTANCE_LAYERS="VK_LAYER_KHRONOS_validation", VK_LAYER_PATH=str(folder), **(settings or {}))
