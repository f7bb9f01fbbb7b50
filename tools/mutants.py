#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how many small mistakes the unit tests notice.

A mutant is the project with one operator or constant of one source file changed at random. Each mutant is built, and the
unit tests that need no GPU run until one fails: the mutant is then killed. A mutant that passes them all has survived; its
change is printed, because a test is missing there (or because the change makes no difference). A mutant that does not
compile is replaced by another one; one that runs too long counts as killed.

The script works on a copy of the sources (tracked files and new ones that git does not ignore, as they are on disk) in
DIR/source, with its own build there; the checkout is never changed. Both stay for the next run, which then builds only
what has changed.

  tools/mutants.py --count 40 --seed 7
  tools/mutants.py --folder layer --folder host --preset release
"""
import argparse
import dataclasses
import difflib
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("host", "instrument", "layer")
# The test programs that can notice a change of a folder, the quickest first: (program, filter of its tests).
SLOW = "*Validity*:*SyncWithPrintf*"  # all passes over all shaders
TESTS = {
    "host": (("host_tests", "*"), ("layer_tests", "*")),
    "instrument": (("instrument_tests", f"-{SLOW}"), ("layer_tests", "*"), ("instrument_tests", SLOW)),
    "layer": (("layer_tests", "*"),),
}


@dataclasses.dataclass(frozen=True)
class Mutation:
    """At `offset` of a text, `old` becomes `new`."""

    offset: int
    old: str
    new: str


# Literals and comments are no code; neither are preprocessor lines, and static assertions fail to compile.
NO_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<delimiter>[^(\s]*)\(.*?\)(?P=delimiter)"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:\\\n|[^\n])*|\bstatic_assert\b[^;]*;",
    re.DOTALL | re.MULTILINE)

OPERATORS = {
    "==": ("!=",), "!=": ("==",), "<": ("<=",), "<=": ("<",), ">": (">=",), ">=": (">",),
    "&&": ("||",), "||": ("&&",), "+": ("-",), "-": ("+",), "*": ("+",), "/": ("*",), "%": ("/",),
    "&": ("|",), "|": ("&",), "<<": (">>",), ">>": ("<<",),
    "+=": ("-=",), "-=": ("+=",), "|=": ("&=",), "&=": ("|=",),
}
# The format puts spaces around binary operators and around nothing else (templates, pointers and references have them on
# one side at most).
BINARY = re.compile(r"(?<=[^\s(,])[ \n]+(?P<token>[=!<>]=|&&|\|\||<<|>>|[-+|&]=|[-+*/%<>&|])(?=[ \n])")
NOT = re.compile(r"!(?=[\w(])")
CONSTANT = re.compile(r"(?<![\w.\"'])(?P<token>0[xX][0-9a-fA-F]+|\d+)(?P<suffix>[uU]?[lL]{0,2})(?![\w.'])")
WORD = re.compile(r"\b(?P<token>true|false)\b")


def code_only(text):
    """The text with everything that is no code blanked out, at the same offsets."""
    return NO_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def mutations_of(text):
    """All mutations of a source text, in its order."""
    code = code_only(text)
    found = []
    for match in BINARY.finditer(code):
        token = match["token"]
        found += [Mutation(match.start("token"), token, new) for new in OPERATORS[token]]
    for match in NOT.finditer(code):
        found.append(Mutation(match.start(), "!", ""))
    for match in CONSTANT.finditer(code):
        token = match["token"]
        value = int(token, 0) if token.lower().startswith("0x") or not token.startswith("0") else int(token, 8)
        for new in {value + 1, max(value - 1, 0)} - {value}:
            found.append(Mutation(match.start("token"), token, hex(new) if "x" in token.lower() else str(new)))
    for match in WORD.finditer(code):
        found.append(Mutation(match.start("token"), match["token"], "false" if match["token"] == "true" else "true"))
    return sorted(found, key=lambda mutation: (mutation.offset, mutation.new))


def apply(text, mutation):
    end = mutation.offset + len(mutation.old)
    if text[mutation.offset:end] != mutation.old:
        raise ValueError("the text is not the one that the mutation was made for")
    return text[:mutation.offset] + mutation.new + text[end:]


def difference(path, old, new):
    return "".join(difflib.unified_diff(old.splitlines(True), new.splitlines(True), f"a/{path}", f"b/{path}", n=2))


def sources_in(root, folders):
    return sorted(path.relative_to(root).as_posix() for folder in folders for path in (root / folder).rglob("*.cpp"))


def draw(root, folders, seed):
    """(path, mutation) pairs without end; every operator and constant of all files has the same chance."""
    places = {}
    for path in sources_in(root, folders):
        for mutation in mutations_of((root / path).read_text()):
            places.setdefault((path, mutation.offset), []).append(mutation)
    if not places:
        raise SystemExit("mutants: nothing to change in " + ", ".join(folders))
    chance = random.Random(seed)
    everything = sorted(places)
    while True:
        path, offset = chance.choice(everything)
        yield path, chance.choice(places[path, offset])


def copy_sources(root, target):
    """Makes `target` hold the files of a checkout; files that are the same already keep their times."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root,
                            check=True, capture_output=True, text=True).stdout.split("\0")
    wanted = {name for name in listed if name and (root / name).is_file()}
    for name in wanted:
        to = target / name
        content = (root / name).read_bytes()
        if to.is_file() and to.read_bytes() == content:
            continue
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / name, to)
        to.touch()
    for folder, folders, files in os.walk(target):
        if pathlib.Path(folder) == target and "build" in folders:
            folders.remove("build")
        for path in (pathlib.Path(folder) / name for name in files):
            if path.relative_to(target).as_posix() not in wanted:
                path.unlink()
    share_dependencies(root / "build/deps", target / "build/deps")


def share_dependencies(source, target):
    """Makes what tools/setup.sh unpacked appear in the copy too: under the same relative paths, so that a compiler
    cache finds what it knows."""
    paths = source / "paths.cmake"
    if not paths.is_file():
        return
    target.mkdir(parents=True, exist_ok=True)
    for entry in source.iterdir():
        if entry.is_dir() and not (target / entry.name).exists():
            (target / entry.name).symlink_to(entry)
    text = paths.read_text().replace(str(source), str(target))
    if not (target / "paths.cmake").is_file() or (target / "paths.cmake").read_text() != text:
        (target / "paths.cmake").write_text(text)


class Changed:
    """A file with a mutation in it, until the block ends."""

    def __init__(self, path, mutation):
        self.path = path
        self.text = path.read_text()
        self.mutated = apply(self.text, mutation)

    def __enter__(self):
        self.path.write_text(self.mutated)
        return self

    def __exit__(self, *_):
        self.path.write_text(self.text)


class Project:
    def __init__(self, source, preset, jobs, timeout):
        self.source, self.preset, self.jobs, self.timeout = source, preset, jobs, timeout
        self.build_dir = source / "build" if preset == "release" else source / "build" / preset
        self.log = source.parent / "last.log"

    def configure(self):
        self.must(["cmake", "--preset", self.preset], "configure")

    def must(self, command, what):
        with open(self.log, "w") as log:
            if subprocess.run(command, cwd=self.source, stdout=log, stderr=subprocess.STDOUT).returncode:
                raise SystemExit(f"mutants: cannot {what} without a mutation, see {self.log}")

    def build_command(self, targets):
        return ["cmake", "--build", str(self.build_dir), "--target", *targets, "--", f"-j{self.jobs}"]

    def build(self, target):
        with open(self.log, "w") as log:
            return subprocess.run(self.build_command([target]), cwd=self.source, stdout=log,
                                  stderr=subprocess.STDOUT).returncode == 0

    def test(self, target, tests="*"):
        """Runs a test program in --jobs parts. Returns why it failed, or None."""
        shards = []
        try:
            for index in range(self.jobs):
                environment = dict(os.environ, GTEST_TOTAL_SHARDS=str(self.jobs),
                                   GTEST_SHARD_INDEX=str(index), GTEST_FAIL_FAST="1", GTEST_BRIEF="1", GTEST_FILTER=tests)
                output = open(f"{self.log}.{index}", "w+")
                shards.append((subprocess.Popen([str(self.build_dir / "bin" / target)], cwd=self.build_dir,
                                                env=environment, stdout=output, stderr=subprocess.STDOUT,
                                                start_new_session=True), output))
            return self.first_failure(shards)
        finally:
            for process, output in shards:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)  # with the processes that it started
                process.wait()
                output.close()

    def first_failure(self, shards):
        deadline = time.monotonic() + self.timeout
        while time.monotonic() < deadline:
            codes = [process.poll() for process, _ in shards]
            for (_, output), code in zip(shards, codes):
                if code:
                    output.seek(0)
                    failed = re.search(r"\[  FAILED  \] (\S+)", output.read())
                    return failed[1].rstrip(",") if failed else f"exit code {code}"
            if all(code == 0 for code in codes):
                return None
            time.sleep(0.2)
        return "too long"


def judge(project, folder):
    """"survived", "does not compile", or the test that failed."""
    for target, tests in TESTS[folder]:
        if not project.build(target):
            return "does not compile"
        failure = project.test(target, tests)
        if failure:
            return f"{target}: {failure}"
    return "survived"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10, help="how many mutants that compile (default 10)")
    parser.add_argument("--seed", type=int, default=1, help="the same seed and sources give the same mutants")
    parser.add_argument("--folder", action="append", choices=FOLDERS, help="change files of this folder only (repeatable)")
    parser.add_argument("--jobs", type=int, default=2, help="compilers, and parts of a test program, at a time (default 2)")
    parser.add_argument("--build-dir", type=pathlib.Path, default=ROOT / "build/mutants", metavar="DIR",
                        help="where the copy and its build lie (default build/mutants)")
    parser.add_argument("--preset", choices=("asan", "release"), default="asan",
                        help="the address sanitizer notices more, a release build is quicker (default asan)")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one test program (default 300)")
    parser.add_argument("--list", action="store_true", help="print the drawn changes without building them")
    options = parser.parse_args(arguments)
    folders = options.folder or list(FOLDERS)
    if options.list:
        drawn = draw(ROOT, folders, options.seed)
        for _ in range(options.count):
            path, mutation = next(drawn)
            text = (ROOT / path).read_text()
            print(difference(path, text, apply(text, mutation)))
        return 0

    source = options.build_dir.resolve() / "source"
    copy_sources(ROOT, source)
    project = Project(source, options.preset, options.jobs, options.timeout)
    project.configure()
    targets = sorted({target for folder in folders for target, _ in TESTS[folder]})
    project.must(project.build_command(targets), "build")
    for target in targets:
        if failure := project.test(target):
            raise SystemExit(f"mutants: {target} fails without a mutation: {failure}")

    killed, survivors, not_compiled = 0, [], 0
    for path, mutation in draw(source, folders, options.seed):
        if killed + len(survivors) == options.count:
            break
        with Changed(source / path, mutation) as changed:
            diff = difference(path, changed.text, changed.mutated)
            result = judge(project, path.split("/")[0])
        if result == "does not compile":
            not_compiled += 1
            continue
        line = changed.text.count("\n", 0, mutation.offset) + 1
        print(f"{killed + len(survivors) + 1}/{options.count} {path}:{line} "
              f"`{mutation.old}` -> `{mutation.new}`: {result}", flush=True)
        if result == "survived":
            survivors.append(diff)
        else:
            killed += 1
    for diff in survivors:
        print("\nsurvived:\n" + diff, end="")
    print(f"\n{killed} of {options.count} mutants killed, {len(survivors)} survived"
          f" ({not_compiled} more did not compile), seed {options.seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
