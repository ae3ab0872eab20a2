"""Programs as the expression builder prints them, run against a server: each must find what its request finds.

The programs are those of crates/codegen/tests/golden; the requests, in the order in which they are run, are beside them.
"""

import base64
import builtins
import io
import json
import os
import pathlib
import shlex
import shutil
import subprocess
from contextlib import redirect_stdout

import boto3
import pytest
from awscli.clidriver import create_clidriver

from compiled import LANGUAGES, Runner, untyped
from conftest import REGION, free_port, wait_until_healthy

GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "crates/codegen/tests"
REQUESTS = json.loads((GOLDEN / "requests.json").read_text())
THINGS = json.loads((GOLDEN / "tables.json").read_text())[1]


def programs(language):
    text = (GOLDEN / "golden" / f"{language}.txt").read_text()
    parts = (part.split("\n", 1) for part in text.split("=== ")[1:])
    return {name: program for name, program in parts}


@pytest.fixture
def server(monkeypatch):
    """Called, it gives a fresh server with the sample, and a client of it; the environment names it."""
    running = []

    def start():
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        process = subprocess.Popen(
            [os.environ["BOTHWAYS"], "serve", "--memory", "--sample", "--port", str(port)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        running.append(process)
        wait_until_healthy(process, url)
        for name, value in {
            "AWS_ENDPOINT_URL_DYNAMODB": url,
            "AWS_ACCESS_KEY_ID": "local",
            "AWS_SECRET_ACCESS_KEY": "local",
            "AWS_DEFAULT_REGION": REGION,
            "AWS_REGION": REGION,
            "AWS_CONFIG_FILE": "/nonexistent",
            "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent",
            "AWS_PAGER": "",
        }.items():
            monkeypatch.setenv(name, value)
        client = boto3.client("dynamodb")
        client.create_table(**THINGS)
        client.get_waiter("table_exists").wait(TableName="things", WaiterConfig={"Delay": 0.05, "MaxAttempts": 200})
        return client

    yield start
    for process in running:
        process.terminate()
        process.wait(20)


def binary(value):
    """DynamoDB JSON with bytes instead of Base64, as boto3 takes it."""
    if isinstance(value, list):
        return [binary(one) for one in value]
    if isinstance(value, dict):
        if list(value) == ["B"] and isinstance(value["B"], str):
            return {"B": base64.b64decode(value["B"])}
        if list(value) == ["BS"] and isinstance(value["BS"], list):
            return {"BS": [base64.b64decode(one) for one in value["BS"]]}
        return {name: binary(one) for name, one in value.items()}
    return value


def settled(value):
    """Bytes as Base64, and sets in order, so that two items can be compared."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, dict):
        return {
            name: sorted(settled(one)) if name in ("SS", "NS", "BS") and isinstance(one, list) else settled(one)
            for name, one in value.items()
        }
    if isinstance(value, list):
        return [settled(one) for one in value]
    return value


def lines(items):
    """What tells the items of an answer; operation ids are drawn at random."""
    plain = [{name: value for name, value in settled(item).items() if name != "opId"} for item in items]
    return sorted(json.dumps(item, sort_keys=True) for item in plain)


def found(answer):
    """The items in an answer of any operation; a count stands as it is."""
    if "Items" in answer:
        return answer["Items"]
    if "Item" in answer or "Attributes" in answer:
        return [answer.get("Item") or answer["Attributes"]]
    responses = answer.get("Responses", [])
    if isinstance(responses, dict):
        return [item for items in responses.values() for item in items]
    if responses:
        return [response["Item"] for response in responses if response.get("Item")]
    return answer["Count"] if "Count" in answer else []


def ask(client, request):
    (operation, body), = request.items()
    body = binary(body)
    pages = "Limit" not in body and operation in ("Query", "Scan")
    items = None
    while True:
        answer = client._make_api_call(operation, body)
        page = found(answer)
        items = page if items is None else items + page
        if not pages or "LastEvaluatedKey" not in answer:
            return items if isinstance(items, int) else lines(items)
        body["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


@pytest.fixture
def expected(server):
    client = server()
    return {case["name"]: ask(client, case["request"]) for case in REQUESTS}


def has_binary(request):
    return binary(request) != request


def compare(expected, server, language, run, runs=lambda case: True, form=lambda item: item):
    """Runs every program; `form` is what a language's SDK keeps of an item when it prints it."""
    client, listing = server(), programs(language)
    assert len(listing) == len(REQUESTS) >= 60
    ran, wrong = 0, []
    for case in REQUESTS:
        name, program = case["name"], listing[case["name"]]
        if program.startswith("refused: ") or not runs(case):
            ask(client, case["request"])
            continue
        ran += 1
        answer, wanted = run(program), expected[name]
        if not isinstance(wanted, int):
            answer = lines(form(item) for item in answer)
            wanted = lines(form(json.loads(line)) for line in wanted)
        if answer != wanted:
            wrong.append((name, answer, wanted))
    assert wrong == []
    return ran


def test_boto3_programs_find_what_their_requests_find(server, expected, monkeypatch):
    def run(program):
        printed = []
        with monkeypatch.context() as patched:
            patched.setattr(builtins, "print", printed.append)
            exec(compile(program, "program.py", "exec"), {"__name__": "__main__"})
        return printed[0] if len(printed) == 1 and isinstance(printed[0], int) else printed

    assert compare(expected, server, "python", run) == len(REQUESTS)


@pytest.fixture
def cli():
    """Runs a command in this process: a process for each would take longer than all the rest."""
    drivers = []

    def run(program):
        # Made when the first command runs: it takes the endpoint from the environment.
        driver = drivers[0] if drivers else create_clidriver()
        drivers[:] = [driver]
        words = shlex.split(program.replace("\\\n", " "))
        assert words[:2] == ["aws", "dynamodb"]
        out = io.StringIO()
        out.buffer = io.BytesIO()
        with redirect_stdout(out):
            status = driver.main(words[1:])
        assert status == 0, program
        text = out.getvalue() or out.buffer.getvalue().decode()
        return found(json.loads(text)) if text.strip() else []

    return run


def takes_base64(case):
    """The CLI's version 1, which is run here, takes binary as text; what is printed is for version 2."""
    return not has_binary(case["request"])


def test_cli_commands_find_what_their_requests_find(server, expected, cli):
    assert compare(expected, server, "aws-cli", cli, takes_base64) >= len(REQUESTS) - 2


def test_statements_find_what_their_requests_find(server, expected, cli):
    # A condition that PartiQL cannot say the same way is refused; the rest must be the same.
    assert compare(expected, server, "partiql", cli, takes_base64) >= 44


@pytest.mark.parametrize("language", LANGUAGES)
def test_compiled_programs_find_what_their_requests_find(server, expected, language):
    make, tool = LANGUAGES[language]
    if not shutil.which(tool):
        pytest.skip(f"{tool} is not on this machine")
    listing = programs(language)
    names = {program: name for name, program in listing.items()}
    assert len(names) == len(listing)
    runner = Runner(make(listing))
    form = untyped if language == "go" else lambda item: item
    try:
        run = lambda program: runner(names[program])
        assert compare(expected, server, language, run, form=form) == len(REQUESTS)
    finally:
        runner.stop()
