#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs without the layer and with all its checks, compares what they do, and prints a table.

Each program runs five times: alone; again with the Khronos validation layer; with shaderqa loaded but nothing to check
(so that its time for making pipelines is measured); with all checks; with all checks and the Khronos layer below.
What they wrote stays in the output folder, a folder for each program.
"""
import argparse
import contextlib
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import catalogue

CHECKS = ["--printf", "--sync", "--assume", "--nan=writes"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True, help="build tree of shaderqa")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--validation", type=Path, help="folder of the Khronos layer's manifest")
    parser.add_argument("--loader", default="", help="starts programs with the Khronos layer; parts between ;")
    parser.add_argument("--device", required=True, help="the Vulkan device's name")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one run")
    parser.add_argument("programs", nargs="*", help="only those whose name has one of these texts in it")
    return parser.parse_args()


class Run:
    """One run of one program: what it wrote, and how long it took."""

    def __init__(self, options, program, name, layered=False, idle=False, validated=False):
        self.folder = options.output / re.sub(r"[^a-zA-Z0-9]+", "-", program.name).strip("-") / name
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.program = program
        self.frames, self.khronos_log = self.folder / "frames", self.folder / "khronos.log"
        self.report, self.dump = self.folder / "report.jsonl", self.folder / "shaders"
        environment = dict(os.environ, **program.environment)
        layers, layer_folders = [], []
        if program.frames:
            environment["SHADERQA_FRAME_HASHES"] = str(self.frames)
            layers.append("VK_LAYER_SHADERQATEST_frame_hash")
            layer_folders.append(str(options.build / "lib/test_layers"))
        if validated:
            layers.append("VK_LAYER_KHRONOS_validation")
            layer_folders.append(str(options.validation))
            settings = self.folder / "vk_layer_settings.txt"
            settings.write_text("khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG\n"
                                "khronos_validation.report_flags = error,warn\n"
                                f"khronos_validation.log_filename = {self.khronos_log}\n")
            environment["VK_LAYER_SETTINGS_PATH"] = str(settings)
        if layers:
            environment["VK_INSTANCE_LAYERS"] = ":".join(layers)
            environment["VK_LAYER_PATH"] = ":".join(layer_folders)
        command = list(program.command)
        if program.steady_time:
            command = ["env", f"LD_PRELOAD={options.output / 'steady_time.so'}", *command]
        if validated and options.loader:
            at = command.index(program.command[0])
            command[at] = shutil.which(command[at]) or command[at]
            command[at:at] = options.loader.split(";")
        if layered or idle:
            environment["SHADERQA_DUMP_DIR"] = str(self.dump)
            checks = CHECKS if layered else ["--printf"]
            command = [str(options.build / "bin/shaderqa"), "run", *checks, f"--report={self.report}", "--", *command]
        self._execute(command, environment, options.timeout)

    def _execute(self, command, environment, timeout):
        (self.folder / "command").write_text(" ".join(command) + "\n")
        self.ended = False  # by us, since it had drawn enough
        begin = time.monotonic()
        with open(self.folder / "stdout", "wb") as out, open(self.folder / "stderr", "wb") as err:
            process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                       cwd=self.folder, start_new_session=True)
            self.timed_out = False
            while process.poll() is None:
                if self.program.frames and len(self._frame_lines()) >= self.program.frames:
                    # Programs that end by themselves may.
                    self.seconds = time.monotonic() - begin
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        process.wait(2)
                    self.ended = process.poll() is None
                    break
                if time.monotonic() - begin > timeout:
                    self.timed_out = True
                    break
                time.sleep(0.02)
            else:
                self.seconds = time.monotonic() - begin
            if process.poll() is None:
                self._end(process)
        if self.timed_out:
            self.seconds = timeout
        self.code = process.returncode

    @staticmethod
    def _end(process):
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(15)
                return

    def _frame_lines(self):
        return self.frames.read_text().splitlines() if self.frames.exists() else []

    def result(self):
        """What two runs must have in common; None: there is nothing to compare."""
        if self.timed_out:
            return None
        if self.program.frames:
            lines = self._frame_lines()[: self.program.frames]
            return lines if len(lines) == self.program.frames else None
        output = (self.folder / "stdout").read_text(errors="replace")
        return self.code, self.program.keep(output) if self.program.keep else output

    def khronos_messages(self):
        text = self.khronos_log.read_text(errors="replace") if self.khronos_log.exists() else ""
        return set(re.findall(r"(?:Validation (?:Error|Warning|Performance Warning):? )\[ ([^\]]+) \]", text))

    def _lines(self, path):
        lines = path.read_text(errors="replace").splitlines() if path.exists() else []
        return [json.loads(line) for line in lines if line.endswith("}")]

    def findings(self):
        return [line for line in self._lines(self.report) if line["kind"] not in ("note", "checked")]

    def notes(self):
        return [line["text"] for line in self._lines(self.report) if line["kind"] == "note"]

    def shaders(self):
        """Numbers of modules: rewritten, refused, left alone; then the rewritten files and the seconds in pipelines."""
        states, files, seconds = {}, set(), 0.0
        rank = {"instrumented": 2, "refused": 1}
        for line in self._lines(self.dump / "index.jsonl"):
            if line["event"] == "pipelines":
                seconds += line["nanoseconds"] / 1e9
                continue
            state = line.get("status", "left alone")
            if "rewritten" in line:
                files.add(self.dump / line["rewritten"])
            if rank.get(state, 0) >= rank.get(states.get(line["shader"]), 0):
                states[line["shader"]] = state
        count = lambda *wanted: sum(state in wanted for state in states.values())
        numbers = count("instrumented"), count("refused"), count("untouched", "left alone")
        return numbers, sorted(files), seconds


def spirv_val(file):
    # As drivers and the Khronos layer take them: which layouts and sizes are allowed is a matter of enabled features.
    done = subprocess.run(["spirv-val", "--target-env", "vulkan1.3", "--scalar-block-layout",
                           "--workgroup-scalar-block-layout", "--allow-localsizeid", file],
                          capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode != 0 else ""


def validate(files):
    """How many of the rewritten files are valid, invalid, and not understood; what spirv-val says goes beside them.
    Not understood: it refuses the program's own module, too, for the same reason (extensions newer than spirv-val)."""
    counts = {"valid": 0, "INVALID": 0, "unknown to spirv-val": 0}
    for file in files:
        said = spirv_val(file)
        Path(f"{file}.txt").write_text(said)
        reason = lambda text: re.sub(r"line \d+: ", "", text.splitlines()[0]) if text else ""
        original = reason(spirv_val(file.with_name(file.name.split("-")[0] + ".spv"))) if said else ""
        counts["valid" if not said else "unknown to spirv-val" if original == reason(said) else "INVALID"] += 1
    return counts


def ratio(with_layer, without):
    return f"{with_layer / without:.1f}" if without > 0.0005 else "-"


class Row:
    HEADER = ["program", "results", "rewritten / refused / left alone", "findings", "Khronos without / only with us",
              "spirv-val", "pipelines, s", "ratio", "wall, s", "ratio"]

    def __init__(self, options, program):
        plain = Run(options, program, "plain")
        if plain.result() is None or (plain.code != 0 and not plain.ended):
            self.failed = False
            self.cells = [program.name, f"does not run here (exit code {plain.code})"] + ["-"] * 8
            return
        idle = Run(options, program, "idle", idle=True)
        layered = Run(options, program, "layered", layered=True)
        validated = []
        if options.validation:
            validated = [Run(options, program, "validated", validated=True),
                         Run(options, program, "layered-validated", layered=True, validated=True)]
        (rewritten, refused, alone), files, seconds = layered.shaders()
        _, _, plain_seconds = idle.shaders()
        valid = validate(files)
        result, findings = self.compare(options, program, plain, idle, layered)
        khronos = "-"
        new = set()
        if validated:
            before, after = (run.khronos_messages() for run in validated)
            new = after - before
            khronos = f"{len(before)} / {len(new)}"
        self.failed = result not in ("equal", "vary by themselves") or refused > 0 or valid["INVALID"] > 0 or bool(new)
        if program.finds:
            self.failed |= not any(line["kind"] == program.finds for line in findings)
        elif findings:
            self.failed = True
        self.cells = [program.name, result, f"{rewritten} / {refused} / {alone}", self.kinds(findings), khronos,
                      ", ".join(f"{count} {state}" for state, count in valid.items() if count) or "-", f"{plain_seconds:.2f} → {seconds:.2f}",
                      ratio(seconds, plain_seconds), f"{plain.seconds:.1f} → {layered.seconds:.1f}",
                      ratio(layered.seconds, plain.seconds)]
        self.details = [f"note: {text}" for text in layered.notes()] + [f"Khronos, only with us: {one}" for one in new]

    details = []

    @staticmethod
    def compare(options, program, plain, idle, layered):
        findings = layered.findings()
        if layered.result() is None:
            return ("too slow" if layered.timed_out else f"none with us (exit code {layered.code})"), findings
        if program.finds or layered.result() == plain.result():
            return "equal", findings
        # With nothing to check the layer changes nothing: where that run differs, or another one without the layer,
        # the program does by itself.
        others = itertools.chain([idle], (Run(options, program, f"again-{i}") for i in range(8)))
        varies = any(other.result() != plain.result() for other in others)
        return ("vary by themselves" if varies else "DIFFERENT"), findings

    @staticmethod
    def kinds(findings):
        counts = {}
        for line in findings:
            counts[line["kind"]] = counts.get(line["kind"], 0) + 1
        return ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())) or "none"


def main():
    options = arguments()
    options.build, options.output = options.build.absolute(), options.output.absolute()
    chosen = [program for program in catalogue.programs(options.output, options.device)
              if not options.programs or any(text in program.name for text in options.programs)]
    rows = []
    for program in chosen:
        print(f"-- {program.name}", flush=True)
        row = Row(options, program)
        print("   " + " | ".join(row.cells[1:]), flush=True)
        for detail in row.details:
            print("   " + detail, flush=True)
        rows.append(row)
    table = ["| " + " | ".join(cells) + " |" for cells in [Row.HEADER, ["---"] * len(Row.HEADER)]]
    table += ["| " + " | ".join(row.cells) + " |" for row in rows]
    (options.output / "table.md").write_text("\n".join(table) + "\n")
    print("\n" + "\n".join(table))
    return 1 if any(row.failed for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
