"""Programs of the compiled languages: built together into one runner a language, which reads a name a line and prints
what that program finds, an item a line as JSON, and `--`."""

import json
import os
import pathlib
import shutil
import subprocess
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
HARNESS = ROOT / "tests/programs"
BUILD_SECONDS = 900
RUN_SECONDS = 60


def build(*command, cwd, **environment):
    ended = subprocess.run(
        command, cwd=cwd, env=os.environ | environment, capture_output=True, text=True, timeout=BUILD_SECONDS
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def emptied(name):
    folder = ROOT / "target/sdk-tests" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def go(programs):
    folder = emptied("go-programs")
    for file in HARNESS.glob("go/*"):
        shutil.copy(file, folder)
    imports, names = [], []
    for number, (name, program) in enumerate(programs.items()):
        package = f"p{number}"
        (folder / package).mkdir()
        text = program.replace("package main", f"package {package}", 1).replace("func main()", "func Main()")
        (folder / package / "program.go").write_text(text)
        imports.append(f'\t"bothways/programs/{package}"\n')
        names.append(f"\t{json.dumps(name)}: {package}.Main,\n")
    listing = f"package main\n\nimport (\n{''.join(imports)})\n\nvar programs = map[string]func(){{\n{''.join(names)}}}\n"
    (folder / "programs.go").write_text(listing)
    build("go", "build", "-o", "run", ".", cwd=folder, GOTOOLCHAIN="local")
    return [folder / "run"]


def java(programs):
    folder = emptied("java-programs")
    build(
        "mvn", "-q", "-B", "-ntp", "dependency:build-classpath", f"-Dmdep.outputFile={folder}/classpath",
        cwd=ROOT / "tests/java",
    )
    shutil.copy(HARNESS / "java/Run.java", folder)
    sources = ["Run.java"]
    for number, (name, program) in enumerate(programs.items()):
        package = f"p{number}"
        (folder / package).mkdir()
        program = program.replace("System.out::println", "run.Run::show").replace("System.out.println", "run.Run.show")
        (folder / package / "Main.java").write_text(f"package {package};\n{program}")
        sources.append(f"{package}/Main.java")
    (folder / "names").write_text("".join(f"{name}\n" for name in programs))
    classpath = f"{folder}:{(folder / 'classpath').read_text()}"
    build("javac", "-d", ".", "-cp", classpath, *sources, cwd=folder)
    return ["java", "-cp", classpath, "run.Run", folder / "names"]


def rust(_):
    built = build(
        "cargo", "build", "-q", "--locked", "--example", "programs", "--message-format", "json",
        cwd=ROOT / "tests/rust", CARGO_TARGET_DIR=str(ROOT / "target/sdk-tests/rust"),
    )
    return [json.loads(built.splitlines()[-2])["executable"]]


def bothways(_):
    built = build("cargo", "build", "-q", "--locked", "-p", "bothways-programs", "--message-format", "json", cwd=ROOT)
    return [json.loads(built.splitlines()[-2])["executable"]]


LANGUAGES = {"go": (go, "go"), "java": (java, "mvn"), "rust": (rust, "cargo"), "bothways": (bothways, "cargo")}


class Runner:
    """The runner of a language, started when its first program runs: it reads the endpoint from the environment."""

    def __init__(self, command):
        self.command, self.process, self.overdue = command, None, None

    def __call__(self, name):
        if self.process is None:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
            )
            self.overdue = threading.Timer(RUN_SECONDS, self.process.kill)
            self.overdue.start()
        self.process.stdin.write(f"{name}\n")
        printed = []
        for line in self.process.stdout:
            if line == "--\n":
                break
            printed.append(json.loads(line))
        else:
            raise AssertionError(f"the program {name} failed")
        return printed[0] if len(printed) == 1 and isinstance(printed[0], int) else printed

    def stop(self):
        if self.process is not None:
            self.overdue.cancel()
            self.process.stdin.close()
            self.process.wait(20)


def untyped(item):
    """An item as the Go SDK prints it: what each value holds, without the letter of its type."""
    return {name: {"Value": content(value)} for name, value in item.items()}


def content(value):
    ((_, held),) = value.items()
    if isinstance(held, dict):
        return untyped(held)
    if isinstance(held, list):
        return sorted(held) if all(isinstance(one, str) for one in held) else [{"Value": content(one)} for one in held]
    return held
