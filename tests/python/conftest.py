"""A `bothways serve` of its own for each test file, and clients that talk to it.

BOTHWAYS names the binary. BOTHWAYS_ENDPOINT, where set, names a server that is already up (any DynamoDB endpoint)
and none is started.
"""

import itertools
import os
import socket
import subprocess
import time
import urllib.request

import boto3
import pytest
from botocore.config import Config

REGION = "eu-west-2"
START_SECONDS = 20
STOP_SECONDS = 20
_names = itertools.count(1)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_healthy(process, url):
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            pytest.fail(f"bothways serve ended with {process.returncode}")
        try:
            with urllib.request.urlopen(f"{url}/healthz", timeout=1):
                return
        except OSError:
            time.sleep(0.02)
    pytest.fail("bothways serve did not answer in time")


@pytest.fixture(scope="module")
def buckets(tmp_path_factory):
    """The directory whose subdirectories are the buckets of the server."""
    return tmp_path_factory.mktemp("buckets")


@pytest.fixture(scope="module")
def endpoint(buckets):
    given = os.environ.get("BOTHWAYS_ENDPOINT")
    if given:
        yield given
        return
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(
        [os.environ["BOTHWAYS"], "serve", "--memory", "--port", str(port), "--bucket-dir", str(buckets)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    try:
        wait_until_healthy(process, url)
        yield url
        assert process.poll() is None, "the server died during the tests"
    finally:
        process.terminate()
        process.wait(STOP_SECONDS)
    assert process.returncode == 0, "the server did not stop cleanly"


def arguments(endpoint):
    return {
        "endpoint_url": endpoint,
        "region_name": REGION,
        "aws_access_key_id": "local",
        "aws_secret_access_key": "local",
        "config": Config(retries={"total_max_attempts": 1}, read_timeout=30, connect_timeout=5),
    }


@pytest.fixture(scope="module")
def client(endpoint):
    with_client = boto3.client("dynamodb", **arguments(endpoint))
    yield with_client
    with_client.close()


@pytest.fixture(scope="module")
def resource(endpoint):
    return boto3.resource("dynamodb", **arguments(endpoint))


@pytest.fixture
def name():
    return f"t{next(_names)}-{os.getpid()}"


def create_follow_table(client, name):
    """The adjacency list: edges by source in the table, by target in GSI1."""
    client.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[
            {"AttributeName": a, "AttributeType": "S"} for a in ("PK", "SK", "GSI1PK", "GSI1SK")
        ],
        KeySchema=[
            {"AttributeName": "PK", "KeyType": "HASH"},
            {"AttributeName": "SK", "KeyType": "RANGE"},
        ],
        GlobalSecondaryIndexes=[
            {
                "IndexName": "GSI1",
                "KeySchema": [
                    {"AttributeName": "GSI1PK", "KeyType": "HASH"},
                    {"AttributeName": "GSI1SK", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
    )
    client.get_waiter("table_exists").wait(
        TableName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 20}
    )


@pytest.fixture
def follow_table(client, name):
    create_follow_table(client, name)
    return name


@pytest.fixture
def table(client, resource, name):
    """A plain table with a string partition key and a numeric sort key, as a resource."""
    client.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[
            {"AttributeName": "p", "AttributeType": "S"},
            {"AttributeName": "n", "AttributeType": "N"},
        ],
        KeySchema=[
            {"AttributeName": "p", "KeyType": "HASH"},
            {"AttributeName": "n", "KeyType": "RANGE"},
        ],
    )
    made = resource.Table(name)
    made.wait_until_exists()
    return made
