"""The main job through boto3's client: edges written once, read both ways, with counters."""

import pytest
from botocore.exceptions import ClientError


def edge(table, source, target, at):
    return {
        "Put": {
            "TableName": table,
            "Item": {
                "PK": {"S": f"ACTOR#{source}"},
                "SK": {"S": f"TARGET#{target}"},
                "GSI1PK": {"S": f"TARGET#{target}"},
                "GSI1SK": {"S": f"ACTOR#{source}"},
                "createdAt": {"N": str(at)},
                "edgeType": {"S": "FOLLOWS"},
            },
            "ConditionExpression": "attribute_not_exists(PK)",
        }
    }


def count(table, actor, counter, by):
    return {
        "Update": {
            "TableName": table,
            "Key": {"PK": {"S": f"ACTOR#{actor}"}, "SK": {"S": "PROFILE"}},
            "UpdateExpression": "ADD #c :by",
            "ExpressionAttributeNames": {"#c": counter},
            "ExpressionAttributeValues": {":by": {"N": str(by)}},
        }
    }


def follow(client, table, source, target, at=1718900000):
    client.transact_write_items(
        TransactItems=[
            edge(table, source, target, at),
            count(table, source, "following", 1),
            count(table, target, "followers", 1),
        ]
    )


def unfollow(client, table, source, target):
    client.transact_write_items(
        TransactItems=[
            {
                "Delete": {
                    "TableName": table,
                    "Key": {"PK": {"S": f"ACTOR#{source}"}, "SK": {"S": f"TARGET#{target}"}},
                    "ConditionExpression": "attribute_exists(PK)",
                }
            },
            count(table, source, "following", -1),
            count(table, target, "followers", -1),
        ]
    )


def following(client, table, actor, **more):
    return client.query(
        TableName=table,
        KeyConditionExpression="PK = :p AND begins_with(SK, :s)",
        ExpressionAttributeValues={":p": {"S": f"ACTOR#{actor}"}, ":s": {"S": "TARGET#"}},
        **more,
    )


def followers(client, table, actor, **more):
    return client.query(
        TableName=table,
        IndexName="GSI1",
        KeyConditionExpression="GSI1PK = :p AND begins_with(GSI1SK, :s)",
        ExpressionAttributeValues={":p": {"S": f"TARGET#{actor}"}, ":s": {"S": "ACTOR#"}},
        **more,
    )


def counters(client, table, actor):
    item = client.get_item(
        TableName=table,
        Key={"PK": {"S": f"ACTOR#{actor}"}, "SK": {"S": "PROFILE"}},
        ConsistentRead=True,
    )["Item"]
    return tuple(int(item[c]["N"]) if c in item else 0 for c in ("following", "followers"))


def sort_keys(page, attribute="SK"):
    return [item[attribute]["S"] for item in page["Items"]]


def test_an_edge_is_written_once_and_read_both_ways(client, follow_table):
    follow(client, follow_table, "alice", "bob", 1718900000)
    follow(client, follow_table, "alice", "carol", 1718900100)
    follow(client, follow_table, "dave", "bob", 1718900200)
    out = following(client, follow_table, "alice")
    assert sort_keys(out) == ["TARGET#bob", "TARGET#carol"]
    into = followers(client, follow_table, "bob")
    assert sort_keys(into, "GSI1SK") == ["ACTOR#alice", "ACTOR#dave"]
    assert into["Items"][0]["createdAt"] == {"N": "1718900000"}
    assert counters(client, follow_table, "alice") == (2, 0)
    assert counters(client, follow_table, "bob") == (0, 2)


def test_following_twice_is_refused_by_the_condition_and_changes_nothing(client, follow_table):
    follow(client, follow_table, "alice", "bob")
    with pytest.raises(client.exceptions.TransactionCanceledException) as refused:
        follow(client, follow_table, "alice", "bob")
    reasons = refused.value.response["CancellationReasons"]
    assert [r["Code"] for r in reasons] == ["ConditionalCheckFailed", "None", "None"]
    assert reasons[0]["Message"] == "The conditional request failed"
    assert refused.value.response["Error"]["Message"] == (
        "Transaction cancelled, please refer cancellation reasons for specific reasons "
        "[ConditionalCheckFailed, None, None]"
    )
    assert counters(client, follow_table, "alice") == (1, 0)
    assert counters(client, follow_table, "bob") == (0, 1)


def test_unfollowing_takes_the_edge_out_of_both_lists(client, follow_table):
    follow(client, follow_table, "alice", "bob")
    unfollow(client, follow_table, "alice", "bob")
    assert following(client, follow_table, "alice")["Count"] == 0
    assert followers(client, follow_table, "bob")["Count"] == 0
    assert counters(client, follow_table, "alice") == (0, 0)
    with pytest.raises(client.exceptions.TransactionCanceledException):
        unfollow(client, follow_table, "alice", "bob")


def test_a_single_put_gets_the_conditional_failure_with_the_item_in_the_way(client, follow_table):
    put = edge(follow_table, "alice", "bob", 7)["Put"]
    client.put_item(**put)
    with pytest.raises(client.exceptions.ConditionalCheckFailedException) as refused:
        client.put_item(**put, ReturnValuesOnConditionCheckFailure="ALL_OLD")
    response = refused.value.response
    assert response["Error"]["Message"] == "The conditional request failed"
    assert response["ResponseMetadata"]["HTTPStatusCode"] == 400
    assert response["Item"]["createdAt"] == {"N": "7"}


def test_a_long_list_comes_in_pages_without_repeat_or_gap(client, follow_table):
    wanted = [f"ACTOR#u{n:03}" for n in range(60)]
    for n in range(60):
        client.put_item(**edge(follow_table, f"u{n:03}", "star", n)["Put"])
    for forward in (True, False):
        seen, pages, start = [], 0, {}
        while True:
            page = followers(
                client, follow_table, "star", Limit=7, ScanIndexForward=forward, **start
            )
            seen += sort_keys(page, "GSI1SK")
            pages += 1
            if "LastEvaluatedKey" not in page:
                break
            assert set(page["LastEvaluatedKey"]) == {"PK", "SK", "GSI1PK", "GSI1SK"}
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
        assert seen == (wanted if forward else wanted[::-1])
        assert pages == 9


def test_a_transaction_with_a_token_happens_once(client, follow_table):
    def once():
        client.transact_write_items(
            TransactItems=[count(follow_table, "alice", "following", 1)],
            ClientRequestToken="the-same-token",
        )

    once()
    once()
    assert counters(client, follow_table, "alice") == (1, 0)
    with pytest.raises(client.exceptions.IdempotentParameterMismatchException):
        client.transact_write_items(
            TransactItems=[count(follow_table, "alice", "following", 2)],
            ClientRequestToken="the-same-token",
        )


def test_a_transaction_reads_several_items_at_once(client, follow_table):
    follow(client, follow_table, "alice", "bob")
    keys = [("ACTOR#alice", "TARGET#bob"), ("ACTOR#alice", "PROFILE"), ("ACTOR#nobody", "PROFILE")]
    responses = client.transact_get_items(
        TransactItems=[
            {"Get": {"TableName": follow_table, "Key": {"PK": {"S": p}, "SK": {"S": s}}}}
            for p, s in keys
        ]
    )["Responses"]
    assert [r.get("Item", {}).get("SK", {}).get("S") for r in responses] == [
        "TARGET#bob",
        "PROFILE",
        None,
    ]


def test_capacity_is_told_by_table_and_index(client, follow_table):
    put = edge(follow_table, "alice", "bob", 1)["Put"]
    spent = client.put_item(**put, ReturnConsumedCapacity="INDEXES")["ConsumedCapacity"]
    assert spent["TableName"] == follow_table
    assert spent["CapacityUnits"] == 2.0
    assert spent["Table"]["CapacityUnits"] == 1.0
    assert spent["GlobalSecondaryIndexes"]["GSI1"]["CapacityUnits"] == 1.0
    read = followers(client, follow_table, "bob", ReturnConsumedCapacity="TOTAL")
    assert read["ConsumedCapacity"]["CapacityUnits"] == 0.5


def test_an_index_cannot_be_read_consistently(client, follow_table):
    with pytest.raises(ClientError) as refused:
        followers(client, follow_table, "bob", ConsistentRead=True)
    error = refused.value.response["Error"]
    assert error["Code"] == "ValidationException"
    assert error["Message"] == "Consistent reads are not supported on global secondary indexes"
