#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of tools/mutants.py that build nothing."""
import importlib.util
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
specification = importlib.util.spec_from_file_location("mutants", ROOT / "tools/mutants.py")
mutants = importlib.util.module_from_spec(specification)
sys.modules["mutants"] = mutants
specification.loader.exec_module(mutants)


def results_of(text):
    return {mutants.apply(text, mutation) for mutation in mutants.mutations_of(text)}


class Mutations(unittest.TestCase):
    def test_changes_one_operator(self):
        self.assertEqual(results_of("return a < b;"), {"return a <= b;"})
        self.assertEqual(results_of("return a && !b;"), {"return a || !b;", "return a && b;"})
        self.assertEqual(results_of("a |= b + c;"), {"a &= b + c;", "a |= b - c;"})

    def test_changes_one_constant(self):
        self.assertEqual(results_of("return 0;"), {"return 1;"})
        self.assertEqual(results_of("f(7u, 0x10);"), {"f(8u, 0x10);", "f(6u, 0x10);", "f(7u, 0x11);", "f(7u, 0xf);"})
        self.assertEqual(results_of("return true;"), {"return false;"})

    def test_a_loop_one_too_far(self):
        self.assertIn("for (size_t i = 0; i <= n; ++i)", results_of("for (size_t i = 0; i < n; ++i)"))

    def test_leaves_what_is_no_operator_or_constant(self):
        for text in ("std::vector<int> a;", "template <typename T>\nT& f(T&& x, const T* y);", "auto a = b->c(*d, -e);",
                     "// 1 + 2", "/* a < b */", 'f("1 + \\" 2");', 'R"(1 + 2)"', 'R"x(a < ")" b)x"', "f('1', '\\'');",
                     "#include <a1>\n", "#define A 1 + \\\n 2\n", "static_assert(sizeof(a) == 4);", "uint32_t a2 = b;"):
            self.assertEqual(mutants.mutations_of(text), [], text)

    def test_leaves_what_has_no_consequences(self):
        for text in ('SHADERQA_LOG(debug, "1" + std::to_string(f(a + 1) * 2));', "all.reserve(all.size() + f(1));",
                     "all->reserve((a + 1) * 2);"):
            self.assertEqual(mutants.mutations_of(text), [], text)
        self.assertEqual(results_of('all.reserve(f(n + 1));\nall.resize(n + m);'),
                         {'all.reserve(f(n + 1));\nall.resize(n - m);'})
        self.assertEqual(results_of('SHADERQA_LOG(info, ")" + a); return a + b;'),
                         {'SHADERQA_LOG(info, ")" + a); return a - b;'})
        self.assertEqual(results_of("preserve(a + b);"), {"preserve(a - b);"})

    def test_finds_the_place_behind_text_and_comments(self):
        text = 'log("a < b");  // a < b\nreturn a < b;\n'
        self.assertEqual(results_of(text), {'log("a < b");  // a < b\nreturn a <= b;\n'})

    def test_refuses_another_text(self):
        with self.assertRaises(ValueError):
            mutants.apply("return a - b;", mutants.Mutation(9, "+", "-"))

    def test_shows_the_change(self):
        self.assertEqual(mutants.difference("x.cpp", "a\nb < c\n", "a\nb <= c\n"),
                         "--- a/x.cpp\n+++ b/x.cpp\n@@ -1,2 +1,2 @@\n a\n-b < c\n+b <= c\n")


class Drawing(unittest.TestCase):
    def test_every_file_of_the_project_can_be_read(self):
        for folder in mutants.FOLDERS:
            paths = {path for path, _ in itertools.islice(mutants.draw(ROOT, [folder], 1), 400)}
            self.assertGreater(len(paths), 10)
            self.assertTrue(all(path.startswith(folder + "/") for path in paths))

    def test_the_seed_decides(self):
        def first(seed):
            return list(itertools.islice(mutants.draw(ROOT, ["host"], seed), 20))
        self.assertEqual(first(3), first(3))
        self.assertNotEqual(first(3), first(4))

    def test_sources_change_back_whatever_happens(self):
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name) / "x.cpp"
            path.write_text("return 1;")
            with self.assertRaises(KeyboardInterrupt):
                with mutants.Changed(path, mutants.Mutation(7, "1", "2")):
                    self.assertEqual(path.read_text(), "return 2;")
                    raise KeyboardInterrupt
            self.assertEqual(path.read_text(), "return 1;")


class EquivalentMutants(unittest.TestCase):
    def test_the_command_keeps_what_decides_about_the_code(self):
        command = ["c++", "-Ia", "-O2", "-g", "-g3", "-DNDEBUG", "-fPIC", "-fsanitize=address,undefined",
                   "-fno-sanitize-recover=all", "-std=c++20", "-o", "a.o", "-c", "a.cpp"]
        self.assertEqual(mutants.optimised(command, "b.o"),
                         ["c++", "-Ia", "-O2", "-DNDEBUG", "-fPIC", "-std=c++20", "-c", "a.cpp", "-o", "b.o"])
        self.assertEqual(mutants.optimised(["c++", "-O0", "-c", "a.cpp"], "b.o"),
                         ["c++", "-O0", "-c", "a.cpp", "-O2", "-o", "b.o"])

    def test_the_object_says_whether_a_change_makes_a_difference(self):
        with tempfile.TemporaryDirectory() as name:
            build = pathlib.Path(name)
            source = build / "a.cpp"
            (build / "CMakeCache.txt").write_text("CMAKE_BUILD_TYPE:STRING=Release\n")
            (build / "compile_commands.json").write_text(json.dumps(
                [{"file": str(source), "directory": name, "command": f"c++ -g -o a.o -c {source}"}]))
            objects = mutants.Objects(build, build)

            def code_of(text):
                source.write_text(text)
                return objects.code_of(source)
            loop = "int f(unsigned n) { int a = 0; for (unsigned i = 0; i %s n; ++i) a += %s; return a; }"
            original = code_of(loop % ("<", "2"))
            self.assertIsNotNone(original)
            self.assertEqual(code_of(loop % ("!=", "1 + 1")), original)
            self.assertNotEqual(code_of(loop % ("<=", "2")), original)
            self.assertNotEqual(code_of(loop % ("<", "3")), original)
            self.assertIsNone(code_of(loop % ("?", "2")))
            self.assertFalse((build / "a.o").exists())

    def test_a_file_that_does_not_compile_is_an_error(self):
        with tempfile.TemporaryDirectory() as name:
            build = pathlib.Path(name)
            (build / "a.cpp").write_text("no code")
            (build / "CMakeCache.txt").write_text("")
            (build / "compile_commands.json").write_text(json.dumps(
                [{"file": str(build / "a.cpp"), "directory": name, "command": f"c++ -o a.o -c {build}/a.cpp"}]))
            with self.assertRaises(SystemExit):
                mutants.Objects(build, build).remember(build / "a.cpp")


class Timeouts(unittest.TestCase):
    def test_are_in_time_of_the_processor(self):
        with tempfile.TemporaryDirectory() as name:
            project = mutants.Project(pathlib.Path(name) / "source", "release", 2, 1)
            (project.build_dir / "bin").mkdir(parents=True)

            def outcome(script):
                program = project.build_dir / "bin/program"
                program.write_text("#!/bin/sh\n" + script)
                program.chmod(0o755)
                return project.test("program")
            self.assertIsNone(outcome("sleep 2"))
            self.assertEqual(outcome("while true; do true; done"), "too long")
            self.assertEqual(outcome("echo '[  FAILED  ] A.B, where'; exit 1"), "A.B")
            self.assertEqual(outcome("exit 3"), "exit code 3")


class Tests(unittest.TestCase):
    def test_every_file_has_some_and_traces_have_their_own(self):
        self.assertEqual(mutants.tests_of("layer/x.cpp"), mutants.TESTS["layer"])
        self.assertEqual(mutants.tests_of("host/trace/x.cpp"), (*mutants.TRACE, *mutants.TESTS["host"]))
        for beginning in mutants.OTHER_TESTS:
            self.assertTrue(any(path.startswith(beginning) for path in mutants.sources_in(ROOT, mutants.FOLDERS)))


class Copying(unittest.TestCase):
    def test_takes_the_files_as_they_are_and_keeps_the_build(self):
        with tempfile.TemporaryDirectory() as name:
            root, target = pathlib.Path(name) / "root", pathlib.Path(name) / "target"
            root.mkdir()
            subprocess.run(["git", "init", "-q"], cwd=root, check=True)
            for file, content in ((".gitignore", "ignored\n"), ("ignored", ""), ("old", "1"), ("changed", "1")):
                (root / file).write_text(content)
            mutants.copy_sources(root, target)
            self.assertEqual({path.name for path in target.iterdir()}, {".gitignore", "old", "changed"})
            (target / "build").mkdir()
            (target / "build/object").write_text("")
            unchanged = (target / ".gitignore").stat().st_mtime_ns
            (root / "old").unlink()
            (root / "changed").write_text("2")
            mutants.copy_sources(root, target)
            self.assertEqual({path.name for path in target.iterdir()}, {".gitignore", "changed", "build"})
            self.assertEqual((target / "changed").read_text(), "2")
            self.assertTrue((target / "build/object").is_file())
            self.assertEqual((target / ".gitignore").stat().st_mtime_ns, unchanged)

    def test_dependencies_have_the_same_place_in_the_copy(self):
        with tempfile.TemporaryDirectory() as name:
            root, target = pathlib.Path(name) / "root", pathlib.Path(name) / "target"
            (root / "build/deps/headers").mkdir(parents=True)
            (root / "build/deps/paths.cmake").write_text(f'set(HEADERS "{root}/build/deps/headers")\n')
            subprocess.run(["git", "init", "-q"], cwd=root, check=True)
            (root / ".gitignore").write_text("build\n")
            mutants.copy_sources(root, target)
            mutants.copy_sources(root, target)
            self.assertEqual((target / "build/deps/paths.cmake").read_text(),
                             f'set(HEADERS "{target}/build/deps/headers")\n')
            self.assertEqual((target / "build/deps/headers").resolve(), (root / "build/deps/headers").resolve())


if __name__ == "__main__":
    unittest.main()
