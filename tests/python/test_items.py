"""Items, queries, batches and scans through boto3's resource API, and tables through its client."""

from decimal import Decimal

import pytest
from boto3.dynamodb.conditions import Attr, Key
from boto3.dynamodb.types import Binary
from botocore.exceptions import ClientError


def code(raised):
    return raised.value.response["Error"]["Code"]


def message(raised):
    """Without the frame that some of AWS's regions put around it."""
    return raised.value.response["Error"]["Message"].removeprefix("1 validation error detected: ")


EVERY_TYPE = {
    "text": "ünïcode ☃ \U0001f980 \u0000 \" \\",
    "empty": "",
    "int": Decimal(42),
    "zero": Decimal(0),
    "negative": Decimal("-0.001"),
    "precise": Decimal("3.1415926535897932384626433832795028841"),
    "large": Decimal("12345678901234567890123456789012345678"),
    "small": Decimal("1E-130"),
    "bytes": Binary(bytes(range(256))),
    "no bytes": Binary(b""),
    "yes": True,
    "no": False,
    "null": None,
    "texts": {"a", "b", "ü"},
    "numbers": {Decimal(1), Decimal("2.5"), Decimal("-3")},
    "blobs": {Binary(b"\x00"), Binary(b"\xff")},
    "list": [Decimal(1), "two", [Binary(b"3")], {}],
    "map": {"deep": {"deeper": [None, {"x": Decimal("1e10")}]}},
}


def test_every_type_comes_back_as_it_went(table):
    table.put_item(Item={"p": "all", "n": 1, **EVERY_TYPE})
    item = table.get_item(Key={"p": "all", "n": 1}, ConsistentRead=True)["Item"]
    assert item == {"p": "all", "n": 1, **EVERY_TYPE}


def test_a_missing_item_is_no_item(table):
    assert "Item" not in table.get_item(Key={"p": "none", "n": 1})


def test_the_largest_numbers_come_back_in_full(client, table):
    """As text: boto3's resource API cannot read a number that is written with more than 38 digits."""
    for sent, digits in (("9.99E+125", "999" + "0" * 123), ("-1E+125", "-1" + "0" * 125)):
        key = {"p": {"S": "large"}, "n": {"N": sent}}
        client.put_item(TableName=table.name, Item=key)
        assert client.get_item(TableName=table.name, Key=key)["Item"]["n"] == {"N": digits}


def test_numbers_sort_as_numbers(table):
    numbers = ["-1e37", "-2", "-1.5", "0", "1e-100", "0.5", "2", "10", "1e37"]
    with table.batch_writer() as batch:
        for n in numbers:
            batch.put_item(Item={"p": "sorted", "n": Decimal(n)})
    items = table.query(KeyConditionExpression=Key("p").eq("sorted"))["Items"]
    assert [i["n"] for i in items] == [Decimal(n) for n in numbers]
    between = Key("p").eq("sorted") & Key("n").between(Decimal(-2), Decimal("0.5"))
    assert table.query(KeyConditionExpression=between)["Count"] == 5


def test_an_update_changes_paths_and_tells_what_it_did(table):
    key = {"p": "u", "n": 1}
    table.put_item(Item={**key, "a": 1, "list": [1, 2], "map": {"x": 1}, "tags": {"t"}})
    updated = table.update_item(
        Key=key,
        UpdateExpression=(
            "SET a = a + :one, #m.x = if_not_exists(#m.y, :ten), #l = list_append(#l, :three) "
            "REMOVE gone ADD tags :more"
        ),
        ExpressionAttributeNames={"#m": "map", "#l": "list"},
        ExpressionAttributeValues={":one": 1, ":ten": 10, ":three": [3], ":more": {"u"}},
        ReturnValues="ALL_NEW",
    )["Attributes"]
    assert updated == {
        **key, "a": 2, "list": [1, 2, 3], "map": {"x": 10}, "tags": {"t", "u"},
    }
    before = table.update_item(
        Key=key,
        UpdateExpression="DELETE tags :gone SET a = :a",
        ExpressionAttributeValues={":gone": {"t"}, ":a": 9},
        ReturnValues="UPDATED_OLD",
    )["Attributes"]
    assert before == {"a": 2, "tags": {"t", "u"}}


def test_writes_return_what_was_there(table):
    key = {"p": "old", "n": 1}
    assert "Attributes" not in table.put_item(Item={**key, "v": 1}, ReturnValues="ALL_OLD")
    assert table.put_item(Item={**key, "v": 2}, ReturnValues="ALL_OLD")["Attributes"]["v"] == 1
    assert table.delete_item(Key=key, ReturnValues="ALL_OLD")["Attributes"]["v"] == 2
    assert "Attributes" not in table.delete_item(Key=key, ReturnValues="ALL_OLD")


def test_conditions_guard_writes(table):
    key = {"p": "c", "n": 1}
    table.put_item(Item={**key, "stock": 1})
    take = dict(
        Key=key,
        UpdateExpression="SET stock = stock - :one",
        ConditionExpression=Attr("stock").gte(1),
        ExpressionAttributeValues={":one": 1},
    )
    table.update_item(**take)
    with pytest.raises(ClientError) as refused:
        table.update_item(**take)
    assert code(refused) == "ConditionalCheckFailedException"
    assert table.get_item(Key=key)["Item"]["stock"] == 0


def test_a_filter_drops_items_after_they_were_read(table):
    with table.batch_writer() as batch:
        for n in range(10):
            batch.put_item(Item={"p": "f", "n": n, "even": n % 2 == 0, "rank": n, "name": f"item {n}"})
    page = table.query(
        KeyConditionExpression=Key("p").eq("f"),
        FilterExpression=Attr("even").eq(True) & Attr("name").contains("item") & ~Attr("rank").gt(6),
        ProjectionExpression="#n",
        ExpressionAttributeNames={"#n": "n"},
    )
    assert [i["n"] for i in page["Items"]] == [0, 2, 4, 6]
    assert (page["Count"], page["ScannedCount"]) == (4, 10)


def test_batches_write_and_read_many(client, table):
    with table.batch_writer(overwrite_by_pkeys=["p", "n"]) as batch:
        for n in range(60):
            batch.put_item(Item={"p": "b", "n": n})
        batch.delete_item(Key={"p": "b", "n": 59})
    keys = [{"p": {"S": "b"}, "n": {"N": str(n)}} for n in range(0, 100)]
    answer = client.batch_get_item(RequestItems={table.name: {"Keys": keys}})
    assert answer["UnprocessedKeys"] == {}
    got = {int(i["n"]["N"]) for i in answer["Responses"][table.name]}
    assert got == set(range(59))


def test_pages_end_at_one_megabyte(table):
    with table.batch_writer() as batch:
        for n in range(30):
            batch.put_item(Item={"p": "mb", "n": n, "pad": "x" * 100_000})
    first = table.query(KeyConditionExpression=Key("p").eq("mb"))
    assert first["LastEvaluatedKey"] == {"p": "mb", "n": first["Items"][-1]["n"]}
    assert 10 <= first["Count"] <= 11
    paginator = table.meta.client.get_paginator("query")
    pages = paginator.paginate(TableName=table.name, KeyConditionExpression=Key("p").eq("mb"))
    assert [i["n"] for page in pages for i in page["Items"]] == list(range(30))


def test_parallel_segments_partition_a_scan(table):
    with table.batch_writer() as batch:
        for n in range(100):
            batch.put_item(Item={"p": f"scan {n}", "n": n})
    seen = []
    for segment in range(4):
        more = {}
        while True:
            page = table.scan(Segment=segment, TotalSegments=4, Limit=9, **more)
            seen += [int(i["n"]) for i in page["Items"]]
            if "LastEvaluatedKey" not in page:
                break
            more = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
    assert sorted(seen) == list(range(100))
    assert table.scan(Select="COUNT")["Count"] == 100


def test_tables_come_and_go(client, resource, name):
    for suffix in ("a", "b", "c"):
        client.create_table(
            TableName=f"{name}-{suffix}",
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "B"}],
            KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}],
        )
    client.get_waiter("table_exists").wait(TableName=f"{name}-a")
    described = client.describe_table(TableName=f"{name}-a")["Table"]
    assert described["TableStatus"] == "ACTIVE"
    assert described["TableArn"].endswith(f":table/{name}-a")
    assert described["KeySchema"] == [{"AttributeName": "k", "KeyType": "HASH"}]
    assert described["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    pages = client.get_paginator("list_tables").paginate(PaginationConfig={"PageSize": 1})
    names = [n for page in pages for n in page["TableNames"] if n.startswith(name)]
    assert names == [f"{name}-a", f"{name}-b", f"{name}-c"]
    with pytest.raises(client.exceptions.ResourceInUseException) as raised:
        client.create_table(
            TableName=f"{name}-a",
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "B"}],
            KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}],
        )
    assert message(raised) == f"Table already exists: {name}-a"
    resource.Table(f"{name}-a").delete()
    client.get_waiter("table_not_exists").wait(TableName=f"{name}-a")
    with pytest.raises(client.exceptions.ResourceNotFoundException) as raised:
        client.describe_table(TableName=f"{name}-a")
    assert message(raised) == f"Requested resource not found: Table: {name}-a not found"


def test_errors_have_aws_types_and_words(client, table):
    cases = [
        (
            lambda: table.get_item(Key={"p": "x"}),
            "ValidationException",
            "The provided key element does not match the schema",
        ),
        (
            lambda: table.put_item(Item={"p": "x", "n": "not a number"}),
            "ValidationException",
            "One or more parameter values were invalid: "
            "Type mismatch for key n expected: N actual: S",
        ),
        (
            lambda: client.get_item(TableName="nowhere", Key={"p": {"S": "x"}}),
            "ResourceNotFoundException",
            "Requested resource not found",
        ),
        (
            lambda: table.update_item(
                Key={"p": "x", "n": 1}, UpdateExpression="SET a = :unknown"
            ),
            "ValidationException",
            "Invalid UpdateExpression: An expression attribute value used in expression is not "
            "defined; attribute value: :unknown",
        ),
    ]
    for act, expected_code, expected_message in cases:
        with pytest.raises(ClientError) as raised:
            act()
        assert (code(raised), message(raised)) == (expected_code, expected_message)
