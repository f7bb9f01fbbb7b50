#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/compare.py on a few programs, from a folder that it has packed: usage: compare_test.py BUILD DRIVER"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def rows(text):
    """The cells of the tables."""
    lines = [line.strip()[1:-1].split("|") for line in text.splitlines() if line.startswith("|") and "---" not in line]
    return [[cell.strip() for cell in line] for line in lines]


def number(cell):
    return int(cell.replace(",", ""))


def expect(condition, what, text):
    if not condition:
        raise SystemExit(f"{what}\n{text}")


def run(command, environment):
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    expect(result.returncode == 0, " ".join(command), result.stdout + result.stderr)
    return result.stdout


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("VK_", "SHADERQA"))}
    with tempfile.TemporaryDirectory() as folder:
        run([str(REPOSITORY / "bench/compare.py"), "--build", str(build), "--pack", folder, "--only", "lobal_barrier"], environment)
        expect(not (pathlib.Path(folder) / "build/CMakeCache.txt").exists(), "more than needed is packed", "")
        # The packed programs alone: a loader, a layer and shaders of the build tree would not be found on another machine.
        packed = [f"{folder}/bench/compare.py", "--driver", sys.argv[2], "--rounds", "1"]

        text = run([*packed, "races"], environment)
        programs = json.loads((pathlib.Path(folder) / "build/compare/programs.json").read_text(encoding="utf-8"))
        racy = sum(program["racy"] for program in programs)
        head, *found = rows(text)
        column = {name: i for i, name in enumerate(head)}
        total = [sum(number(row[column[name]]) for row in found) for name in ("racy programs", "found by shaderqa")]
        expect(racy > 0 and total == [racy, racy], "every race is found, and counted", text)
        expect(all(number(row[column["reported by shaderqa"]]) == 0 for row in found), "no correct program is reported", text)
        expect(any(number(row[column["found by Khronos"]]) > 0 for row in found), "the Khronos layer runs, too", text)

        text = run([*packed, "messages", "--messages", "2000"], environment)
        lost = {row[1]: (number(row[2]), number(row[3])) for row in rows(text)[1:]}
        expect(lost["shaderqa"] == (10000, 0), "no message is lost", text)
        expect(lost["Khronos"][1] > 9000, "its default buffer holds a few messages", text)

        text = run([*packed, "starts", "--pipelines", "60"], environment)
        expect([row[0] for row in rows(text)[1:]] == ["60 pipelines, 50 used", "sample_compute", "sample_graphics", "sample_sync"],
               "all programs run under all layers", text)


if __name__ == "__main__":
    main()
