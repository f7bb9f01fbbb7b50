# SPDX-License-Identifier: Apache-2.0
"""The programs that tools/programs.sh runs, and how each one's result is told."""
import glob
import re
from dataclasses import dataclass, field
from typing import Callable, Optional

ZINK = {"MESA_LOADER_DRIVER_OVERRIDE": "zink", "LIBGL_ALWAYS_SOFTWARE": "1"}
PIGLIT = "/usr/lib/x86_64-linux-gnu/piglit"


@dataclass
class Program:
    name: str
    command: list
    frames: int = 0  # compare hashes of so many presented frames, then end the program; 0: compare its output
    steady_time: bool = False  # it animates by the clock
    window: bool = False  # it needs a display (those with frames do anyway)
    environment: dict = field(default_factory=dict)
    keep: Optional[Callable[[str], str]] = None  # what of its output is its result
    finds: str = ""  # it is known to be wrong: the kind of finding that must come


def vulkaninfo_result(output):
    """Without the layers that are listed, and how much memory is in use at the moment."""
    output = re.sub(r"^Layers: count.*?(?=^Presentable Surfaces|^Device Groups)", "", output, flags=re.S | re.M)
    return re.sub(r"^\s*(usage|budget)\s*=.*$", "", output, flags=re.M)


def lines_with(*words):
    return lambda output: "\n".join(line for line in output.splitlines() if any(word in line for word in words))


def ffmpeg(name, graph, *more_inputs):
    command = ["ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin", "-init_hw_device", "vulkan=v:0",
               "-filter_hw_device", "v"]
    for source in ("testsrc=size=320x240:rate=10:duration=0.5", *more_inputs):
        command += ["-f", "lavfi", "-i", source]
    return Program("ffmpeg " + name, command + ["-filter_complex", graph, "-f", "framemd5", "-"])


def piglit(folder):
    """Invocations store the same value to the same place, or load plainly what others change by atomics."""
    tests = sorted(glob.glob(f"{PIGLIT}/tests/spec/{folder}/*.shader_test"))
    return Program(f"piglit {folder.split('/')[0]} ({len(tests)} tests, Zink)",
                   [f"{PIGLIT}/bin/shader_runner", *tests, "-auto", "-fbo"], window=True, environment=ZINK,
                   keep=lines_with("PIGLIT"), finds="hazard")


def programs(folder, device_name):
    """folder: where webgpu/*.mjs and its node_modules are."""
    adapter = {"PROGRAMS_ADAPTER": device_name.split(" ")[0]}
    node = lambda script, *arguments: ["node", f"{folder}/webgpu/{script}.mjs", *arguments]
    up = "format=yuv420p,hwupload"
    down = "hwdownload,format=yuv420p"
    glmark2 = lambda *scenes: ["glmark2", "--size", "200x150", *[part for scene in scenes for part in ("-b", scene)]]
    return [
        Program("vulkaninfo", ["vulkaninfo"], keep=vulkaninfo_result),
        Program("vkcube", ["vkcube", "--c", "50", "--suppress_popups"], frames=50),
        Program("vkcubepp", ["vkcubepp", "--c", "50", "--suppress_popups"], frames=50),
        Program("vkd3d-gears", ["vkd3d-gears"], frames=20, steady_time=True),
        Program("vkd3d-triangle", ["vkd3d-triangle"], frames=1),
        Program("WebGPU compute (Dawn)", node("compute"), environment=adapter),
        Program("WebGPU render (Dawn)", node("render"), environment=adapter),
        Program("WebGPU with a race (Dawn)", node("compute", "--race"), environment=adapter, finds="hazard"),
        ffmpeg("gblur_vulkan", f"{up},gblur_vulkan,{down}"),
        ffmpeg("scale_vulkan", f"{up},scale_vulkan=160:120,{down}"),
        ffmpeg("chromaber, transpose, flip_vulkan",
               f"{up},chromaber_vulkan=2:2,transpose_vulkan,flip_vulkan,{down}"),
        ffmpeg("overlay_vulkan", f"[0]{up}[a];[1]{up}[b];[a][b]overlay_vulkan=10:10,{down}",
               "testsrc2=size=64x64:rate=10:duration=0.5"),
        ffmpeg("libplacebo", f"{up},libplacebo=w=640:h=480,{down}"),
        Program("GStreamer vulkancolorconvert", ["gst-launch-1.0", "-q", "videotestsrc", "num-buffers=10", "!",
                "video/x-raw,format=BGRA,width=320,height=240", "!", "vulkanupload", "!", "vulkancolorconvert", "!",
                "video/x-raw(memory:VulkanImage),format=RGBA", "!", "vulkandownload", "!", "checksumsink"]),
        Program("mpv gpu-next", ["mpv", "--no-config", "--vo=gpu-next", "--gpu-api=vulkan", "--gpu-context=x11vk",
                f"--vulkan-device={device_name}", "--untimed", "--framedrop=no", "--video-sync=display-desync",
                "--interpolation=no", "--osd-level=0", "--no-audio", "--keep-open=no", f"{folder}/test.mkv"], frames=5),
        Program("glxgears (Zink)", ["glxgears"], frames=5, steady_time=True, environment=ZINK),
        Program("es2gears (Zink)", ["es2gears_x11"], frames=5, steady_time=True, environment=ZINK),
        Program("glmark2 build (Zink)", glmark2("build:nframes=5"), frames=5, steady_time=True, environment=ZINK),
        Program("glmark2 shading, bump (Zink)", glmark2("shading:shading=phong:nframes=3", "bump:nframes=3"), frames=6,
                steady_time=True, environment=ZINK),
        Program("glmark2 effect2d, buffer (Zink)", glmark2("effect2d:nframes=3", "buffer:nframes=3"), frames=6,
                steady_time=True, environment=ZINK),
        piglit("arb_compute_shader/execution"),
        piglit("arb_shader_storage_buffer_object/execution"),
    ]
