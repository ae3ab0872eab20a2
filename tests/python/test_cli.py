"""The AWS CLI: the main job in its short form."""

import json
import os
import subprocess
import sysconfig

from conftest import REGION

AWS = os.path.join(sysconfig.get_path("scripts"), "aws")


def aws(endpoint, *arguments, fails=False):
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": "/nonexistent",
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_DEFAULT_REGION": REGION,
        "AWS_MAX_ATTEMPTS": "1",
        "AWS_PAGER": "",
    }
    done = subprocess.run(
        [AWS, "dynamodb", "--endpoint-url", endpoint, "--output", "json", *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    if fails:
        assert done.returncode != 0
        return done.stderr
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) if done.stdout else None


def test_follow_and_read_both_ways(endpoint, client, follow_table):
    item = json.dumps(
        {
            "PK": {"S": "ACTOR#alice"},
            "SK": {"S": "TARGET#bob"},
            "GSI1PK": {"S": "TARGET#bob"},
            "GSI1SK": {"S": "ACTOR#alice"},
            "createdAt": {"N": "1718900000"},
        }
    )
    put = [
        "put-item", "--table-name", follow_table, "--item", item,
        "--condition-expression", "attribute_not_exists(PK)",
    ]
    aws(endpoint, *put)
    assert "ConditionalCheckFailedException" in aws(endpoint, *put, fails=True)
    out = aws(
        endpoint, "query", "--table-name", follow_table,
        "--key-condition-expression", "PK = :p",
        "--expression-attribute-values", '{":p": {"S": "ACTOR#alice"}}',
    )
    assert [i["SK"]["S"] for i in out["Items"]] == ["TARGET#bob"]
    into = aws(
        endpoint, "query", "--table-name", follow_table, "--index-name", "GSI1",
        "--key-condition-expression", "GSI1PK = :p",
        "--expression-attribute-values", '{":p": {"S": "TARGET#bob"}}',
    )
    assert [i["PK"]["S"] for i in into["Items"]] == ["ACTOR#alice"]
    key = '{"PK": {"S": "ACTOR#alice"}, "SK": {"S": "TARGET#bob"}}'
    aws(endpoint, "delete-item", "--table-name", follow_table, "--key", key)
    assert aws(endpoint, "scan", "--table-name", follow_table)["Count"] == 0
    assert follow_table in aws(endpoint, "list-tables")["TableNames"]
