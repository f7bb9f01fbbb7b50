#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how many small mistakes the unit tests notice.

A mutant is the project with one operator or constant of one source file changed at random. Each mutant is built, and the
unit tests that need no GPU run until one fails: the mutant is then killed. A mutant that passes them all has survived; its
change is printed, because a test is missing there (or because the change makes no difference). One that runs too long,
in time of the processor, counts as killed.

Another mutant takes the place of one that does not compile, and of one that is equivalent: that makes no difference.
The compiler says which are ("trivial compiler equivalence", Papadakis et al. 2015): the changed file and the original are
compiled with optimisation and without debug information or sanitizers, and if the two objects are the same, so are the
two programs. How many there were is printed. This finds a part of the equivalent mutants; the others count as survivors.

No behaviour depends on what is only logged and on how much memory is reserved ahead. Therefore nothing is changed in the
arguments of SHADERQA_LOG, the one way to the log, and of `.reserve(` of containers. All other code is drawn from.

The script works on a copy of the sources (tracked files and new ones that git does not ignore, as they are on disk) in
DIR/source, with its own build there; the checkout is never changed. Both stay for the next run, which then builds only
what has changed.

  tools/mutants.py --count 40 --seed 7
  tools/mutants.py --folder layer --folder host --preset release
"""
import argparse
import dataclasses
import difflib
import itertools
import json
import os
import pathlib
import random
import re
import resource
import shlex
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
# Those of files whose paths begin so come first.
TRACE = (("trace_tests", "TraceFile.*:TraceSelector.*:TraceValidity.*:TracePlan.*"),)
OTHER_TESTS = {"host/trace/": TRACE, "instrument/passes/trace_": TRACE}

# Programs that wait for ever use no processor: they end after so many times the time that they have of it.
IDLE_FACTOR = 10


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
# What has no consequences: the beginnings of calls whose arguments are left alone.
IDLE_CALL = re.compile(r"\bSHADERQA_LOG\(|(?:\.|->)reserve\(")

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


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def end_of_call(code, begin):
    """Where the parenthesis closes that is open at `begin`."""
    depth = 1
    for match in re.compile(r"[()]").finditer(code, begin):
        depth += 1 if match.group() == "(" else -1
        if depth == 0:
            return match.start()
    return len(code)


def code_only(text):
    """The text with everything blanked out that is no code or has no consequences, at the same offsets."""
    code = NO_CODE.sub(lambda match: blank(match.group()), text)
    for match in IDLE_CALL.finditer(code):
        end = end_of_call(code, match.end())
        code = code[:match.end()] + blank(code[match.end():end]) + code[end:]
    return code


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


def optimised(command, output):
    """A compiler's command line changed so that the object in `output` holds the optimised program and nothing else: no
    debug information, and no sanitizers, which write positions in the source into the code."""
    changed, words = [], iter(command)
    for word in words:
        if word == "-o":
            next(words)
        elif not re.match(r"-g|-fsanitize|-fno-sanitize", word):
            changed.append(word)
    if not any(re.fullmatch("-O[23s]", word) for word in changed):
        changed.append("-O2")
    return [*changed, "-o", str(output)]


class Objects:
    """The code that the compiler makes of a project's files."""

    def __init__(self, build_dir, scratch):
        self.output = scratch / "mutant.o"
        launcher = re.search(r"^CMAKE_CXX_COMPILER_LAUNCHER:\w+=(.+)$", (build_dir / "CMakeCache.txt").read_text(), re.M)
        self.commands, self.originals = {}, {}
        for entry in json.loads((build_dir / "compile_commands.json").read_text()):
            command = shlex.split(entry["command"])
            if "-o" not in command:
                continue
            # With Ninja's own options a compiler cache knows the object when the build wants it.
            command += ["-MD", "-MT", command[command.index("-o") + 1], "-MF", f"{self.output}.d"]
            command = optimised(([launcher[1]] if launcher else []) + command, self.output)
            self.commands[entry["file"]] = command, entry["directory"]

    def remember(self, path):
        """To be called for a file before it is changed."""
        if path not in self.originals:
            self.originals[path] = self.code_of(path)
            if self.originals[path] is None:
                raise SystemExit(f"mutants: cannot compile {path} without a mutation")

    def code_of(self, path):
        """The bytes of a file's object, apart from what names the compiler and the build; None if it does not compile."""
        command, directory = self.commands[str(path)]
        if subprocess.run(command, cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            return None
        subprocess.run(["objcopy", "--strip-debug", "--remove-section=.comment", "--remove-section=.note*",
                        str(self.output)], check=True)
        return self.output.read_bytes()


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
                                                start_new_session=True, preexec_fn=self.limit_time), output))
            return self.first_failure(shards)
        finally:
            for process, output in shards:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)  # with the processes that it started
                process.wait()
                output.close()

    def limit_time(self):
        """Of the processor, because a busy machine must not kill mutants. Tests are also children of test programs."""
        resource.setrlimit(resource.RLIMIT_CPU, (self.timeout, self.timeout + 1))

    def first_failure(self, shards):
        deadline = time.monotonic() + IDLE_FACTOR * self.timeout
        while time.monotonic() < deadline:
            codes = [process.poll() for process, _ in shards]
            for (_, output), code in zip(shards, codes):
                if code in (-signal.SIGXCPU, -signal.SIGKILL):
                    return "too long"
                if code:
                    output.seek(0)
                    failed = re.search(r"\[  FAILED  \] (\S+)", output.read())
                    return failed[1].rstrip(",") if failed else f"exit code {code}"
            if all(code == 0 for code in codes):
                return None
            time.sleep(0.2)
        return "too long"


def tests_of(path):
    first = [tests for beginning, tests in OTHER_TESTS.items() if path.startswith(beginning)]
    return *itertools.chain(*first), *TESTS[path.split("/")[0]]


def judge(project, objects, path):
    """"survived", "does not compile", "equivalent", or the test that failed. `path` is relative to the sources."""
    code = objects.code_of(project.source / path)
    if code is None:
        return "does not compile"
    if code == objects.originals[project.source / path]:
        return "equivalent"
    for target, tests in tests_of(path):
        if not project.build(target):
            return "does not compile"
        failure = project.test(target, tests)
        if failure:
            return f"{target}: {failure}"
    return "survived"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10, help="how many mutants that compile and make a difference (default 10)")
    parser.add_argument("--seed", type=int, default=1, help="the same seed and sources give the same mutants")
    parser.add_argument("--folder", action="append", choices=FOLDERS, help="change files of this folder only (repeatable)")
    parser.add_argument("--jobs", type=int, default=2, help="compilers, and parts of a test program, at a time (default 2)")
    parser.add_argument("--build-dir", type=pathlib.Path, default=ROOT / "build/mutants", metavar="DIR",
                        help="where the copy and its build lie (default build/mutants)")
    parser.add_argument("--preset", choices=("asan", "release"), default="asan",
                        help="the address sanitizer notices more, a release build is quicker (default asan)")
    parser.add_argument("--timeout", type=int, default=300,
                        help="seconds of processor time for one test program (default 300)")
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
    needed = sorted({tests for folder in folders for path in sources_in(source, [folder]) for tests in tests_of(path)})
    project.must(project.build_command(sorted({target for target, _ in needed})), "build")
    for target, tests in needed:
        if failure := project.test(target, tests):
            raise SystemExit(f"mutants: {target} fails without a mutation: {failure}")

    objects = Objects(project.build_dir, source.parent)
    killed, survivors, replaced = 0, [], {"does not compile": 0, "equivalent": 0}
    for path, mutation in draw(source, folders, options.seed):
        if killed + len(survivors) == options.count:
            break
        objects.remember(source / path)
        with Changed(source / path, mutation) as changed:
            diff = difference(path, changed.text, changed.mutated)
            result = judge(project, objects, path)
        if result in replaced:
            replaced[result] += 1
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
          f" ({replaced['equivalent']} more were equivalent, {replaced['does not compile']} did not compile),"
          f" seed {options.seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
