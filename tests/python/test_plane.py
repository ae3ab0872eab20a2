"""The control plane as boto3 drives it: policies, backups, recovery, exports and imports."""

import gzip
import json
import os
import time

import pytest
from botocore.exceptions import ClientError

pytestmark = pytest.mark.skipif(
    "BOTHWAYS_ENDPOINT" in os.environ, reason="buckets and backups of a server of its own"
)
SECONDS = 20


def until(read, done):
    """What `read` gives when `done` says so."""
    deadline = time.monotonic() + SECONDS
    while True:
        value = read()
        if done(value):
            return value
        assert time.monotonic() < deadline, value
        time.sleep(0.05)


def refused(call, **request):
    with pytest.raises(ClientError) as error:
        call(**request)
    return error.value.response["Error"]["Code"]


def put(client, table, key, value):
    client.put_item(TableName=table, Item={"p": {"S": key}, "n": {"N": "1"}, "v": {"N": str(value)}})


def values(client, table):
    items = client.scan(TableName=table, ConsistentRead=True)["Items"]
    return {item["p"]["S"]: item["v"]["N"] for item in items}


def active(client, table):
    until(lambda: client.describe_table(TableName=table)["Table"], lambda t: t["TableStatus"] == "ACTIVE")


def switch_on_recovery(client, table):
    client.update_continuous_backups(
        TableName=table,
        PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True},
    )


def test_the_endpoint_is_the_server(client, endpoint):
    (described,) = client.describe_endpoints()["Endpoints"]
    assert endpoint.endswith(described["Address"])


def test_a_policy_is_kept_and_given_back(client, table):
    arn = client.describe_table(TableName=table.name)["Table"]["TableArn"]
    account = arn.split(":")[4]
    policy = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"AWS": f"arn:aws:iam::{account}:root"},
                "Action": "dynamodb:GetItem",
                "Resource": arn,
            }
        ],
    }
    first = client.put_resource_policy(ResourceArn=arn, Policy=json.dumps(policy))["RevisionId"]
    kept = client.get_resource_policy(ResourceArn=arn)
    assert kept["RevisionId"] == first
    assert json.loads(kept["Policy"])["Statement"][0]["Resource"] == arn
    code = refused(client.delete_resource_policy, ResourceArn=arn, ExpectedRevisionId="1")
    assert code == "PolicyNotFoundException"
    client.delete_resource_policy(ResourceArn=arn, ExpectedRevisionId=first)
    assert refused(client.get_resource_policy, ResourceArn=arn) == "PolicyNotFoundException"


def test_a_backup_is_restored(client, table, name):
    put(client, table.name, "a", 1)
    arn = client.create_backup(TableName=table.name, BackupName="before")["BackupDetails"]["BackupArn"]
    put(client, table.name, "a", 2)
    details = until(
        lambda: client.describe_backup(BackupArn=arn)["BackupDescription"]["BackupDetails"],
        lambda backup: backup["BackupStatus"] == "AVAILABLE",
    )
    assert details["BackupName"] == "before"
    listed = client.list_backups(TableName=table.name)["BackupSummaries"]
    assert [backup["BackupArn"] for backup in listed] == [arn]
    restored = client.restore_table_from_backup(TargetTableName=f"{name}-then", BackupArn=arn)
    assert restored["TableDescription"]["TableStatus"] == "CREATING"
    active(client, f"{name}-then")
    assert values(client, f"{name}-then") == {"a": "1"}
    client.delete_backup(BackupArn=arn)
    assert refused(client.describe_backup, BackupArn=arn) == "BackupNotFoundException"


def test_a_table_is_restored_to_a_second_between_two_writes(client, table, name):
    switch_on_recovery(client, table.name)
    put(client, table.name, "a", 1)
    time.sleep(1.2)
    between = int(time.time())
    time.sleep(1.2)
    put(client, table.name, "a", 2)
    described = client.describe_continuous_backups(TableName=table.name)
    recovery = described["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
    assert recovery["EarliestRestorableDateTime"].timestamp() <= between
    client.restore_table_to_point_in_time(
        SourceTableName=table.name, TargetTableName=f"{name}-then", RestoreDateTime=between
    )
    active(client, f"{name}-then")
    assert values(client, f"{name}-then") == {"a": "1"}
    assert values(client, table.name) == {"a": "2"}


def test_what_is_exported_is_imported(client, table, name, buckets):
    (buckets / "bucket").mkdir()
    switch_on_recovery(client, table.name)
    for number in range(50):
        put(client, table.name, f"k{number}", number)
    arn = client.describe_table(TableName=table.name)["Table"]["TableArn"]
    begun = client.export_table_to_point_in_time(TableArn=arn, S3Bucket="bucket", S3Prefix="out")
    export = until(
        lambda: client.describe_export(ExportArn=begun["ExportDescription"]["ExportArn"]),
        lambda answer: answer["ExportDescription"]["ExportStatus"] != "IN_PROGRESS",
    )["ExportDescription"]
    assert export["ExportStatus"] == "COMPLETED"
    assert export["ItemCount"] == 50
    summary = json.loads((buckets / "bucket" / export["ExportManifest"]).read_text())
    files = (buckets / "bucket" / summary["manifestFilesS3Key"]).read_text().splitlines()
    data = json.loads(files[0])["dataFileS3Key"]
    with gzip.open(buckets / "bucket" / data, "rt") as lines:
        assert len(lines.readlines()) == 50
    begun = client.import_table(
        S3BucketSource={"S3Bucket": "bucket", "S3KeyPrefix": os.path.dirname(data) + "/"},
        InputFormat="DYNAMODB_JSON",
        InputCompressionType="GZIP",
        TableCreationParameters={
            "TableName": f"{name}-in",
            "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [
                {"AttributeName": "p", "AttributeType": "S"},
                {"AttributeName": "n", "AttributeType": "N"},
            ],
            "KeySchema": [
                {"AttributeName": "p", "KeyType": "HASH"},
                {"AttributeName": "n", "KeyType": "RANGE"},
            ],
        },
    )
    done = until(
        lambda: client.describe_import(ImportArn=begun["ImportTableDescription"]["ImportArn"]),
        lambda answer: answer["ImportTableDescription"]["ImportStatus"] != "IN_PROGRESS",
    )["ImportTableDescription"]
    assert done["ImportStatus"] == "COMPLETED"
    assert done["ImportedItemCount"] == 50
    active(client, f"{name}-in")
    assert values(client, f"{name}-in") == values(client, table.name)


def test_what_does_not_work_yet_says_so(client):
    assert refused(client.list_global_tables) == "UnknownOperationException"
    code = refused(client.describe_kinesis_streaming_destination, TableName="ttt")
    assert code == "UnknownOperationException"


def test_contributor_insights_are_switched_and_listed(client, table):
    on = client.update_contributor_insights(
        TableName=table.name, ContributorInsightsAction="ENABLE"
    )
    assert on["ContributorInsightsStatus"] == "ENABLING"
    described = client.describe_contributor_insights(TableName=table.name)
    assert described["ContributorInsightsStatus"] == "ENABLED"
    assert len(described["ContributorInsightsRuleList"]) == 4
    listed = client.list_contributor_insights(TableName=table.name)["ContributorInsightsSummaries"]
    assert [entry["ContributorInsightsStatus"] for entry in listed] == ["ENABLED"]
    client.update_contributor_insights(TableName=table.name, ContributorInsightsAction="DISABLE")
    assert client.list_contributor_insights()["ContributorInsightsSummaries"] == []


def test_vectors_are_searched(client, name):
    client.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[
            {"AttributeName": "p", "AttributeType": "S"},
            {"AttributeName": "shelf", "AttributeType": "S"},
        ],
        KeySchema=[{"AttributeName": "p", "KeyType": "HASH"}],
        VectorIndexes=[
            {
                "IndexName": "meaning",
                "VectorAttribute": {"AttributeName": "v"},
                "SearchSchema": [{"AttributeName": "shelf", "SearchSchemaElementType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"},
                "Dimensions": 2,
                "DistanceFunction": "COSINE",
            }
        ],
    )
    active(client, name)
    for key, shelf, vector in [
        ("east", "a", ("1", "0")),
        ("north", "a", ("0", "1")),
        ("west", "a", ("-1", "0")),
        ("elsewhere", "b", ("1", "0")),
    ]:
        client.put_item(
            TableName=name,
            Item={"p": {"S": key}, "shelf": {"S": shelf}, "v": {"L": [{"N": n} for n in vector]}},
        )
    found = client.search_vectors(
        TableName=name,
        IndexName="meaning",
        SearchVector=[{"N": "1"}, {"N": "0.1"}],
        SearchConditionExpression="shelf = :s",
        ExpressionAttributeValues={":s": {"S": "a"}},
        TopK=2,
        ReturnConsumedCapacity="TOTAL",
    )
    assert [result["Item"]["p"]["S"] for result in found["SearchResults"]] == ["east", "north"]
    assert found["SearchResults"][0]["Score"] < found["SearchResults"][1]["Score"]
    assert found["ConsumedCapacity"]["VectorSearchRequestBytes"] == 1024
    described = client.describe_table(TableName=name)["Table"]["VectorIndexes"]
    assert [(index["IndexName"], index["ItemCount"]) for index in described] == [("meaning", 4)]
