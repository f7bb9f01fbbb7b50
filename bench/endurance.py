#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program for a long time under the layer with all checks on, and prints its memory over time: one of many dispatches, each
recorded anew, submitted and waited for, or, with --render SECONDS, one that renders to a swapchain (frames.h). Each dispatch or
frame prints messages, stores a NaN, and reads and writes buffers and workgroup memory.
Fails if one message is missing, or if memory grows (which is judged from 300,000 dispatches on)."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

from processes import clean_environment, under_shaderqa

HERE = pathlib.Path(__file__).resolve().parent
# Dispatches may use what those before them wrote: each was waited for.
SHADER = """#version 460
#extension GL_EXT_debug_printf : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Io { uint io[]; };
shared uint sums[64];
void main() {
  uint l = gl_LocalInvocationIndex;
  sums[l] = io[64u + l];
  barrier();
  io[64u + l] = sums[63u - l] + 1u;
  if (l == 0u) {
    uint number = ++io[0];
    debugPrintfEXT("dispatch %u", number);
    io[1] = floatBitsToUint(sqrt(-float(number)));
  }
}
"""
CHECKS = ["--printf", "--assume", "--nan", "--sync", "--uninit"]
# What the C library and the driver keep of what was freed.
SLACK_KIB = 8 << 10
# The layer keeps what it knows of this many actions, for reports that come late (CommandHistory): memory grows until then.
KEPT_ACTIONS = 65536


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=HERE.parent / "build", type=pathlib.Path, help="folder with bin, lib, share")
    parser.add_argument("--driver", help="driver file (VK_DRIVER_FILES); without it the machine's drivers")
    parser.add_argument("--loader", default="", help="command that starts the programs, where the system's dynamic loader cannot")
    parser.add_argument("--dispatches", default=1000000, type=int)
    parser.add_argument("--render", metavar="SECONDS", type=float, help="frames for so long, in place of dispatches (without the layer a minute at most)")
    parser.add_argument("--rate", default=60, type=int, help="frames per second; 0: as many as it can")
    parser.add_argument("--options", nargs="*", default=CHECKS, help="of `shaderqa run`")
    return parser.parse_args()


def resident(pid):
    """KiB; 0: the process has ended."""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return 0
    found = re.search(r"VmRSS:\s+(\d+)", status)
    return int(found.group(1)) if found else 0


def child_of(pid):
    try:
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
    except OSError:
        return None
    return int(children[0]) if children else None


def program_of(arguments, layered, folder):
    if arguments.render:
        seconds = arguments.render if layered else min(arguments.render, 60)
        return [str(arguments.build / "bin/frames"), str(seconds), "0", str(arguments.rate)]
    source, shader = f"{folder}/endurance.comp", f"{folder}/endurance.spv"
    pathlib.Path(source).write_text(SHADER, encoding="utf-8")
    subprocess.run(["glslangValidator", "--quiet", "-g", "-V", source, "-o", shader], check=True)
    return [str(arguments.build / "bin/e2e_runner"), "compute", "--free=1", f"--repeat={arguments.dispatches}", shader]


def run(arguments, layered, folder):
    """Returns samples (seconds, KiB), the numbers of each message in order, the runs of the shaders, what else was said, and the report's size."""
    program = [*arguments.loader.split(), *program_of(arguments, layered, folder)]
    report, said = f"{folder}/report", f"{folder}/said"
    command = under_shaderqa(arguments.build / "bin", [*arguments.options, "--report", report], program) if layered else program
    with open(said, "w", encoding="utf-8") as output:
        process = subprocess.Popen(command, env=clean_environment(arguments.driver, folder), stdout=output,
                                   stderr=subprocess.PIPE, text=True)
    samples, rest = [], []
    numbers = {"moved": [], "drawn": []} if arguments.render else {"dispatch": []}

    def read():
        for line in process.stderr:
            found = re.search(r": (\w+) (\d+)$", line.rstrip())
            if found and found.group(1) in numbers:
                numbers[found.group(1)].append(int(found.group(2)))
            else:
                rest.append(line)
    reader = threading.Thread(target=read)
    reader.start()
    begin = time.monotonic()
    while process.poll() is None:
        pid = child_of(process.pid) if layered else process.pid
        size = resident(pid) if pid else 0
        if size:
            samples.append((time.monotonic() - begin, size))
        time.sleep(0.25)
    reader.join()
    if process.returncode:
        raise SystemExit(f"endurance: error: exit code {process.returncode}: {''.join(rest[-20:])}")
    size = pathlib.Path(report).stat().st_size if layered else 0
    frames = re.search(r"^frames: (\d+)$", pathlib.Path(said).read_text(encoding="utf-8"), re.M)
    return samples, numbers, int(frames.group(1)) if frames else arguments.dispatches, rest, size


def at(samples, share):
    """The memory when that share of the time had passed."""
    limit = samples[0][0] + (samples[-1][0] - samples[0][0]) * share
    return next(size for when, size in samples if when >= limit)


def main():
    arguments = parse_arguments()
    shares, failures = [0.1, 0.25, 0.5, 0.75, 1.0], []
    print(f"| | {'frames' if arguments.render else 'dispatches'} | seconds | " + " | ".join(f"MiB at {share:.0%}" for share in shares) + " | messages |")
    print("|---|---|---|" + "---|" * (len(shares) + 1))
    rest = []
    with tempfile.TemporaryDirectory() as folder:
        for name, layered in (("no layer", False), ("shaderqa " + " ".join(arguments.options), True)):
            samples, numbers, runs, rest, size = run(arguments, layered, folder)
            cells = [f"{at(samples, share) / 1024:.1f}" for share in shares]
            print(f"| {name} | {runs:,} | {samples[-1][0]:.0f} | " + " | ".join(cells) +
                  f" | {sum(map(len, numbers.values())):,} |", flush=True)
            filled = max(0.25, 2 * KEPT_ACTIONS / runs)
            grown = at(samples, 1.0) - at(samples, filled) if filled <= 0.5 else 0
            if layered and grown > SLACK_KIB:
                failures.append(f"memory grew by {grown / 1024:.1f} MiB in the last {1 - filled:.0%} of the time")
            for what, seen in numbers.items():
                if layered and seen != list(range(1, runs + 1)):
                    failures.append(f"{runs - len(set(seen))} of the messages '{what}' are missing, or their order is wrong")
    print(f"\nThe report file has {size / 1e6:.1f} MB. The run ends with:\n")
    print("".join("    " + line for line in rest[-6:]))
    if failures:
        sys.exit("endurance: " + "; ".join(failures))


if __name__ == "__main__":
    main()
