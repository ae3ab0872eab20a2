"""Requests as no SDK sends them: each gets DynamoDB's error, and the server stays up."""

import gzip
import http.client
import json
from urllib.parse import urlsplit

import pytest

MEGABYTE = 1_000_000
AUTHORIZATION = (
    "AWS4-HMAC-SHA256 Credential=local/20260101/eu-west-2/dynamodb/aws4_request, "
    "SignedHeaders=host;x-amz-date;x-amz-target, Signature=00"
)


def post(endpoint, operation, body, **headers):
    """One POST on a connection of its own: status, error type, message."""
    if not isinstance(body, bytes):
        body = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    where = urlsplit(endpoint)
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=30)
    try:
        all_headers = {
            "X-Amz-Target": f"DynamoDB_20120810.{operation}",
            "Content-Type": "application/x-amz-json-1.0",
            "X-Amz-Date": "20260101T000000Z",
            "Authorization": AUTHORIZATION,
            **{k.replace("_", "-"): v for k, v in headers.items()},
        }
        connection.request(
            "POST", "/", body, {k: v for k, v in all_headers.items() if v is not None}
        )
        response = connection.getresponse()
        text = response.read()
    finally:
        connection.close()
    answer = json.loads(text) if text else {}
    kind = answer.get("__type", "").rpartition("#")[2]
    message = answer.get("message", answer.get("Message"))
    # Some of AWS's regions put a frame around it.
    return response.status, kind, message and message.removeprefix("1 validation error detected: ")


@pytest.fixture(autouse=True)
def still_up(endpoint, client):
    yield
    client.list_tables(Limit=1)


def put(table, item, **more):
    return {"TableName": table.name, "Item": item, **more}


def key(**more):
    return {"p": {"S": "x"}, "n": {"N": "1"}, **more}


def test_broken_json(endpoint):
    for body in ("{", "", "hi", "{'a':1}", '{"TableName":', "\x00", '"text"', "[1", "{}}"):
        status, kind, _ = post(endpoint, "GetItem", body)
        assert (status, kind) == (400, "SerializationException"), body


def test_unknown_operation(endpoint):
    for operation in ("GetItems", "", "getItem", "GetItem.x"):
        status, kind, _ = post(endpoint, operation, {})
        assert (status, kind) == (400, "UnknownOperationException"), operation


def test_no_signature(endpoint):
    answer = post(endpoint, "ListTables", {}, Authorization=None)
    assert answer == (
        400, "MissingAuthenticationTokenException", "Request is missing Authentication Token",
    )


def test_a_body_of_17_megabytes(endpoint, table):
    body = put(table, key(pad={"S": "x" * 17 * MEGABYTE}))
    assert post(endpoint, "PutItem", body)[0] == 413


def test_a_gzip_bomb(endpoint):
    bomb = gzip.compress(b" " * (200 * MEGABYTE))
    assert post(endpoint, "PutItem", bomb, Content_Encoding="gzip")[0] == 413


def test_100_000_open_parentheses(endpoint, table):
    many = "(" * 100_000
    status, kind, message = post(
        endpoint, "PutItem", put(table, key(), ConditionExpression=many)
    )
    assert (status, kind) == (400, "ValidationException")
    assert message.startswith(
        "Invalid ConditionExpression: Expression size has exceeded the maximum allowed size;"
    )
    assert post(endpoint, "PutItem", many)[:2] == (400, "SerializationException")
    status, kind, message = post(
        endpoint, "PutItem", put(table, key(), ConditionExpression="(" * 4000)
    )
    assert (status, kind) == (400, "ValidationException")
    assert message.startswith("Invalid ConditionExpression: ")


def test_5_000_nested_lists(endpoint, table):
    nested = '{"L":[' * 5000 + '{"S":"x"}' + "]}" * 5000
    body = json.dumps(put(table, key(deep="HERE"))).replace('"HERE"', nested)
    status, kind, message = post(endpoint, "PutItem", body)
    assert (status, kind) in ((400, "ValidationException"), (400, "SerializationException"))
    if kind == "ValidationException":
        assert message == (
            "Nesting Levels have exceeded supported limits: Attributes in the item have nested "
            "levels beyond supported limit"
        )
    for opening in ("[", "{"):
        status, kind, _ = post(endpoint, "PutItem", '{"Item":' + opening * 1_000_000)
        assert (status, kind) == (400, "SerializationException")


def test_an_item_of_500_kilobytes(endpoint, table):
    answer = post(endpoint, "PutItem", put(table, key(pad={"S": "x" * 500_000})))
    assert answer == (
        400, "ValidationException", "Item size has exceeded the maximum allowed size",
    )


def test_an_empty_key(endpoint, table):
    answer = post(endpoint, "PutItem", put(table, {"p": {"S": ""}, "n": {"N": "1"}}))
    assert answer == (
        400,
        "ValidationException",
        "One or more parameter values are not valid. The AttributeValue for a key attribute "
        "cannot contain an empty string value. Key: p",
    )


def test_a_number_of_39_digits(endpoint, table):
    answer = post(endpoint, "PutItem", put(table, key(v={"N": "1" * 39})))
    assert answer == (
        400,
        "ValidationException",
        "Attempting to store more than 38 significant digits in a Number",
    )


def test_a_legal_batch_of_10_megabytes(endpoint, client, table):
    puts = [
        {"PutRequest": {"Item": {"p": {"S": "big"}, "n": {"N": str(n)}, "pad": {"S": "x" * 409_000}}}}
        for n in range(25)
    ]
    body = json.dumps({"RequestItems": {table.name: puts}})
    assert len(body) > 10 * MEGABYTE
    status, kind, message = post(endpoint, "BatchWriteItem", body)
    assert (status, kind, message) == (200, "", None)
    keys = [{"p": {"S": "big"}, "n": {"N": str(n)}} for n in range(25)]
    got = client.batch_get_item(RequestItems={table.name: {"Keys": keys}})
    assert len(got["Responses"][table.name]) == 25
    assert not got["UnprocessedKeys"]


def test_a_gzip_body(endpoint, table):
    body = gzip.compress(json.dumps(put(table, key())).encode())
    assert post(endpoint, "PutItem", body, Content_Encoding="gzip")[0] == 200


def test_another_origin_is_refused(endpoint):
    status, kind, _ = post(endpoint, "ListTables", {}, Origin="http://evil.example")
    assert (status, kind) == (403, "AccessDeniedException")
