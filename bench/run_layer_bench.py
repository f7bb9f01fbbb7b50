#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs layer_bench without a layer, under shaderqa and under the Khronos layer's printf, in turns, and prints a table of the
fastest times with their ratios, and what the warm-ups before the measurements saw. Needs only the build's bin, lib and share
folders and a Vulkan loader."""
import argparse
import os
import pathlib
import subprocess
import tempfile

from processes import KHRONOS_PRINTF, clean_environment, khronos_environment, under_shaderqa
from times import read_times, warm_up_text

HERE = pathlib.Path(__file__).resolve().parent


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=HERE.parent / "build", type=pathlib.Path, help="folder with bin, lib, share")
    parser.add_argument("--device", default="0", help="number of the Vulkan device")
    parser.add_argument("--rounds", default=3, type=int)
    parser.add_argument("--driver", help="driver file (VK_DRIVER_FILES); without it the machine's drivers")
    parser.add_argument("--khronos", help="folder of the Khronos validation layer's manifest; without it, it is left out")
    parser.add_argument("--loader", default="", help="dynamic loader and its arguments, ';' between them, that starts the programs")
    return parser.parse_args()


def programs(arguments, what, output):
    """name -> (command, environment)"""
    bench = [part for part in arguments.loader.split(";") if part]
    bench += [str(arguments.build / "bin/layer_bench"), what, output, arguments.device]
    base = clean_environment(arguments.driver, MESA_SHADER_CACHE_DISABLE="true")
    result = {
        "no layer": (bench, base),
        "shaderqa": (under_shaderqa(arguments.build / "bin", ["--printf"], bench), base),
    }
    if arguments.khronos:
        result["Khronos"] = (bench, khronos_environment(base, arguments.khronos, KHRONOS_PRINTF))
        # The Khronos layer has one buffer for each dispatch; of 1024 bytes, its default, nearly all messages would be lost.
        if what == "messages":
            result["Khronos"][1]["VK_LAYER_PRINTF_BUFFER_SIZE"] = str(4 << 20)
    return result


def main():
    arguments = parse_arguments()
    best, order, device, warm_ups = {}, [], "", []
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "times")
        for what in ["costs", "messages"] * arguments.rounds:
            chosen = programs(arguments, what, output)
            for layer, (command, environment) in chosen.items():
                subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                device, values, seen = read_times(output)
                warm_ups += seen
                for name, value in values.items():
                    if name not in order:
                        order.append(name)
                    key = name, layer
                    best[key] = min(best.get(key, float("inf")), value)
    print(f"{device}; fastest of {arguments.rounds} runs; in brackets: times no layer\n")
    print("| | " + " | ".join(chosen) + " |")
    print("|---|" + "---|" * len(chosen))
    for name in order:
        plain = best[name, "no layer"]
        cells = [f"{plain:.2f}"] + [f"{best[name, layer]:.2f} ({best[name, layer] / plain:.2f})"
                                    for layer in chosen if layer != "no layer"]
        print(f"| {name} | " + " | ".join(cells) + " |")
    print("\n" + warm_up_text(warm_ups))


if __name__ == "__main__":
    main()
