#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the layer with the Khronos validation layer and prints tables: how fast messages of shaders arrive and how many are lost,
what each finds in the racy programs of tests/e2e, and how long programs take to start. Without arguments it uses the build tree's
programs, and its Khronos layer if tools/setup.sh has put one there. `--pack FOLDER` copies all that is needed into a folder for
another machine, which needs only python3 and a Vulkan driver: FOLDER/bench/compare.py."""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from processes import KHRONOS_PRINTF, KHRONOS_SYNC, clean_environment, khronos_environment, under_shaderqa
from times import read_times

BUILD = pathlib.Path(__file__).resolve().parent.parent / "build"
PROGRAMS = ["shaderqa", "layer_bench", "start_bench", "e2e_sync_runner", "e2e_runner", "sample_compute", "sample_graphics", "sample_sync"]
# The layer's messages in both forms in which it prints them, and those of the program of `layer_bench messages`.
MESSAGE = re.compile(r"invocation \d+ has \d+")
TRIES = 5  # dispatches of `layer_bench messages`


class Machine:
    """Where the programs run: their folder, loader, driver, and the Khronos layer."""

    def __init__(self, arguments):
        # Programs run in folders of their own.
        arguments.build = arguments.build.resolve()
        self.arguments = arguments
        self.programs = arguments.build / "bin"
        runtime = sorted((arguments.build / "deps/runtime").glob("usr/lib/*/ld-linux-*.so.*"))
        self.loader = arguments.loader.split() if arguments.loader else \
            [str(runtime[0]), "--library-path", str(runtime[0].parent)] if runtime else []
        lavapipe = arguments.build / "deps/icd/lavapipe.json"
        cpu = not any(pathlib.Path(device).exists() for device in ("/dev/dri", "/dev/nvidiactl", "/dev/kfd"))
        driver = arguments.driver or (lavapipe if cpu and lavapipe.exists() else None)
        self.driver = str(driver.resolve()) if driver else ""
        folder = arguments.khronos.resolve() if arguments.khronos else arguments.build / "deps/validation_layer"
        self.khronos = folder if list(folder.glob("*.json")) else None
        if arguments.khronos and not self.khronos:
            raise SystemExit(f"compare: error: there is no layer manifest in {folder}")

    def environment(self, caches="", **settings):
        return clean_environment(self.driver, caches, **settings)

    def command(self, program, *arguments):
        return [*self.loader, str(self.programs / program), *map(str, arguments)]

    def layered(self, options, command, environment):
        return under_shaderqa(self.programs, options, command), environment

    def with_khronos(self, command, environment, settings):
        return command, khronos_environment(environment, self.khronos, settings)

    def run(self, command, environment, **more):
        return subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace",
                              timeout=self.arguments.timeout, check=False, **more)

    def khronos_version(self):
        manifest = json.loads(next(self.khronos.glob("*.json")).read_text(encoding="utf-8"))
        return manifest["layer"]["api_version"]


def table(heading, rows):
    print("| " + " | ".join(heading) + " |\n|" + "---|" * len(heading))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(flush=True)


def times_of(machine, command, environment, output):
    result = machine.run(command, environment)
    if result.returncode:
        raise SystemExit(f"compare: error: {' '.join(command)}: {result.stdout[-2000:]}{result.stderr[-2000:]}")
    return *read_times(output)[:2], result.stdout + result.stderr


def messages(machine):
    """Prints the table of messages, and returns the device's name. Times are of whole programs, as a reader of their output has them,
    less those of a program that prints one message: some layers deliver after the program's wait has returned."""
    rows, device = [], ""
    with tempfile.TemporaryDirectory() as folder:
        output = f"{folder}/times"
        for count in machine.arguments.messages:
            room = max(1 << 20, count * 64)
            ways = {"shaderqa": (["--printf"], None), f"shaderqa, a buffer of {room >> 20} MiB": (["--printf", f"--printf-buffer-size={room}"], None)}
            if machine.khronos:
                ways["Khronos"] = None, KHRONOS_PRINTF
                ways[f"Khronos, a buffer of {room >> 20} MiB"] = None, {**KHRONOS_PRINTF, "VK_LAYER_PRINTF_BUFFER_SIZE": str(room)}
            for name, (options, settings) in ways.items():
                best, lost = {}, []
                for printed in [1, count] * machine.arguments.rounds:
                    command = machine.command("layer_bench", "messages", output, machine.arguments.device, printed)
                    environment = machine.environment(MESA_SHADER_CACHE_DISABLE="true")
                    layered = machine.layered(options, command, environment) if options else \
                        machine.with_khronos(command, environment, settings)
                    begin = time.monotonic()
                    device, _, text = times_of(machine, *layered, output)
                    best[printed] = min(best.get(printed, float("inf")), time.monotonic() - begin)
                    if printed == count:
                        lost.append(TRIES * count - len(MESSAGE.findall(text)))
                missing = statistics.median(lost)
                speed = (TRIES * count - missing) / max(best[count] - best[1], 1e-3)
                rows.append([f"{count:,}", name, f"{TRIES * count:,}", f"{missing:,.0f}", f"{speed:,.0f}"])
    table(["messages in a dispatch", "layer", "printed in all", "lost", "delivered a second"], rows)
    return device


def found_by_shaderqa(machine, program, command):
    with tempfile.TemporaryDirectory() as folder:
        report = f"{folder}/report"
        options = ["--sync", *program["options"].split(), "--report", report]
        result = machine.run(*machine.layered(options, command, machine.environment(GALLIVM_PERF="nopt")))
        lines = pathlib.Path(report).read_text(encoding="utf-8").splitlines() if pathlib.Path(report).exists() else []
    return result, any(json.loads(line)["kind"] == "hazard" for line in lines)


def found_by_khronos(machine, _, command):
    result = machine.run(*machine.with_khronos(command, machine.environment(GALLIVM_PERF="nopt"), KHRONOS_SYNC))
    return result, "SYNC-HAZARD-" in result.stdout + result.stderr


def races(machine):
    """Prints the table of findings, and what was not as it should be."""
    folder = machine.arguments.programs or machine.arguments.build / "compare"
    if not (folder / "programs.json").exists():
        write_programs(machine, folder, machine.arguments.only if machine.arguments.programs else "")
    programs = [program for program in json.loads((folder / "programs.json").read_text(encoding="utf-8"))
                if machine.arguments.only in program["name"]]
    layers = {"shaderqa": found_by_shaderqa, **({"Khronos": found_by_khronos} if machine.khronos else {})}
    counts, notes = collections.Counter(), []

    def run(program):
        name, *arguments = program["command"]
        command = machine.command(name, *(folder / word if word.endswith(".spv") else word for word in arguments))
        return {layer: find(machine, program, command) for layer, find in layers.items()}

    with concurrent.futures.ThreadPoolExecutor(machine.arguments.jobs) as pool:
        results = list(zip(programs, pool.map(run, programs)))
    for program, found in results:
        kind, racy = program["kind"], program["racy"]
        result = found["shaderqa"][0]
        if result.returncode or "not supported" in result.stdout:
            notes.append(f"{program['name']}: left out, the device lacks what it needs" if not result.returncode or
                         "EXTENSION" in result.stderr or "FEATURE" in result.stderr else
                         f"{program['name']}: exit code {result.returncode}: {result.stderr.strip()[-200:]}")
            continue
        counts[kind, racy] += 1
        for layer, (_, reported) in found.items():
            counts[kind, racy, layer] += reported
            if reported and not racy:
                notes.append(f"{program['name']} is correct, and {layer} reports a hazard")
            elif layer == "shaderqa" and racy and not reported:
                notes.append(f"{program['name']} is racy, and {layer} reports nothing")
    rows = []
    for kind in dict.fromkeys(program["kind"] for program in programs):
        racy, correct = counts[kind, True], counts[kind, False]
        row = [kind, f"{racy}", *(f"{counts[kind, True, layer]}" for layer in layers),
               f"{correct}", *(f"{counts[kind, False, layer]}" for layer in layers)]
        rows.append(row)
    table(["", "racy programs", *(f"found by {layer}" for layer in layers), "correct programs",
           *(f"reported by {layer}" for layer in layers)], rows)
    for note in notes:
        print(f"- {note}")
    print(flush=True)


def starts(machine):
    """Prints the tables of start-up times: of many pipelines, and of whole programs."""
    arguments = machine.arguments
    layers = {"no layer": lambda command, base: (command, base),
              "shaderqa --printf": lambda command, base: machine.layered(["--printf"], command, base),
              "shaderqa --sync": lambda command, base: machine.layered(["--sync"], command, base)}
    if machine.khronos:
        layers["Khronos, printf"] = lambda command, base: machine.with_khronos(command, base, KHRONOS_PRINTF)
        layers["Khronos, synchronization"] = lambda command, base: machine.with_khronos(command, base, KHRONOS_SYNC)
    rows = {f"{arguments.pipelines} pipelines, 50 used": ["start_bench", "OUT", arguments.pipelines, 50, arguments.device],
            "sample_compute": ["sample_compute"], "sample_graphics": ["sample_graphics"], "sample_sync": ["sample_sync"]}
    seen = collections.defaultdict(list)
    for _ in range(arguments.rounds):
        for name, program in rows.items():
            for layer, make in layers.items():
                with tempfile.TemporaryDirectory() as folder:
                    output = f"{folder}/times"
                    command = machine.command(*(output if word == "OUT" else word for word in program))
                    command, environment = make(command, machine.environment(folder))
                    begin = time.monotonic()
                    result = machine.run(command, environment, cwd=folder)
                    whole = (time.monotonic() - begin) * 1000
                    if result.returncode:
                        raise SystemExit(f"compare: error: {' '.join(command)}: {result.stderr[-2000:]}")
                    seen[name, layer].append(read_times(output)[1]["first submission [ms]"] if "OUT" in program else whole)
    cells = []
    for name in rows:
        plain = statistics.median(seen[name, "no layer"])
        cells.append([name, f"{plain:.0f}", *(f"{statistics.median(seen[name, layer]):.0f}"
                                              f" ({statistics.median(seen[name, layer]) / plain:.2f})"
                                              for layer in layers if layer != "no layer")])
    table(["[ms]", *layers], cells)


def write_programs(machine, folder, only=""):
    print("compare: compiling the racy programs", file=sys.stderr)
    subprocess.run([str(machine.programs / "compare_programs"), str(folder), only], check=True, stdout=subprocess.DEVNULL)


def pack(machine, folder):
    """Copies what this needs, as if the folder were a repository."""
    build = folder / "build"
    for part in ("bin", "lib", "share"):
        (build / part).mkdir(parents=True, exist_ok=True)
    for program in PROGRAMS:
        shutil.copy2(machine.programs / program, build / "bin")
    for library in (machine.arguments.build / "lib").glob("libVkLayer_shaderqa*.so"):
        shutil.copy2(library, build / "lib")
    shutil.copytree(machine.arguments.build / "share", build / "share", dirs_exist_ok=True)
    write_programs(machine, build / "compare", machine.arguments.only)
    for source in (build / "compare").iterdir():
        if source.suffix not in (".spv", ".json"):
            source.unlink()
    if machine.khronos:
        manifest = json.loads(next(machine.khronos.glob("*.json")).read_text(encoding="utf-8"))
        layers = build / "deps/validation_layer"
        layers.mkdir(parents=True, exist_ok=True)
        library = pathlib.Path(manifest["layer"]["library_path"])
        shutil.copy2(machine.khronos / library, layers)
        manifest["layer"]["library_path"] = f"./{library.name}"
        (layers / "khronos.json").write_text(json.dumps(manifest), encoding="utf-8")
        if machine.loader:
            runtime = pathlib.Path(machine.loader[0]).parent
            target = build / "deps/runtime/usr/lib" / runtime.name
            target.mkdir(parents=True, exist_ok=True)
            for name in (pathlib.Path(machine.loader[0]).name, "libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0",
                         "librt.so.1", "libstdc++.so.6", "libgcc_s.so.1"):
                shutil.copy2(runtime / name, target)
    for script in ("compare.py", "processes.py", "times.py"):
        (folder / "bench").mkdir(exist_ok=True)
        shutil.copy2(pathlib.Path(__file__).parent / script, folder / "bench")
    binaries = [*(build / "bin").iterdir(), *(build / "lib").iterdir()]
    subprocess.run(["strip", *map(str, binaries)], check=True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", default=["messages", "races", "starts"], help="messages, races, starts; by default all")
    parser.add_argument("--pack", type=pathlib.Path, metavar="FOLDER", help="copy what is needed for another machine, and end")
    parser.add_argument("--build", default=BUILD, type=pathlib.Path, help="folder with bin, lib, share")
    parser.add_argument("--device", default="0", help="number of the Vulkan device, for messages and pipelines")
    parser.add_argument("--driver", type=pathlib.Path, help="driver file (VK_DRIVER_FILES); without it the machine's drivers, or lavapipe if it has no GPU")
    parser.add_argument("--khronos", type=pathlib.Path, help="folder of the Khronos validation layer's manifest")
    parser.add_argument("--loader", default="", help="command that starts the programs, where the system's dynamic loader cannot")
    parser.add_argument("--rounds", default=3, type=int)
    parser.add_argument("--jobs", default=1, type=int, help="racy programs at the same time")
    parser.add_argument("--messages", nargs="+", default=[20000, 1000000], type=int, help="messages of one dispatch")
    parser.add_argument("--pipelines", default=1000, type=int)
    parser.add_argument("--programs", type=pathlib.Path, help="folder of the compiled racy programs; by default in --build")
    parser.add_argument("--only", default="", help="only racy programs with this text in their name")
    parser.add_argument("--timeout", default=300, type=float, help="seconds for one program")
    arguments = parser.parse_args()
    unknown = [what for what in arguments.what if what not in ("messages", "races", "starts")]
    if unknown:
        parser.error(f"unknown: {' '.join(unknown)}")
    return arguments


def main():
    machine = Machine(parse_arguments())
    if machine.arguments.pack:
        return pack(machine, machine.arguments.pack)
    against = f"the Khronos validation layer {machine.khronos_version()}" if machine.khronos else "no Khronos layer here"
    begin = time.monotonic()
    device = ""
    for what in machine.arguments.what:
        device = {"messages": messages, "races": races, "starts": starts}[what](machine) or device
    print(f"{device + ', ' if device else ''}{against}; {time.monotonic() - begin:.0f} s.")
    return None


if __name__ == "__main__":
    main()
