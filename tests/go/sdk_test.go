// Package sdktests runs the AWS SDK for Go v2 against a running bothways serve, which BOTHWAYS_ENDPOINT names: tables,
// items, queries, transactions, streams and errors.
package sdktests

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/aws/smithy-go"
)

type item = map[string]types.AttributeValue

var (
	ctx     = context.Background()
	client  *dynamodb.Client
	streams *dynamodbstreams.Client
)

func TestMain(m *testing.M) {
	endpoint := os.Getenv("BOTHWAYS_ENDPOINT")
	if endpoint == "" {
		fmt.Fprintln(os.Stderr, "BOTHWAYS_ENDPOINT must name the server")
		os.Exit(1)
	}
	config := aws.Config{
		Region:       "localhost",
		BaseEndpoint: aws.String(endpoint),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local"}, nil
		}),
		RetryMaxAttempts: 1,
	}
	client = dynamodb.NewFromConfig(config)
	streams = dynamodbstreams.NewFromConfig(config)
	os.Exit(m.Run())
}

func s(text string) types.AttributeValue { return &types.AttributeValueMemberS{Value: text} }
func n(text string) types.AttributeValue { return &types.AttributeValueMemberN{Value: text} }

func text(value types.AttributeValue) string {
	switch value := value.(type) {
	case *types.AttributeValueMemberS:
		return value.Value
	case *types.AttributeValueMemberN:
		return value.Value
	}
	return fmt.Sprintf("%#v", value)
}

func key(partition string, sort int) item {
	return item{"pk": s(partition), "sk": n(fmt.Sprint(sort))}
}

func schema(partition, sort string) []types.KeySchemaElement {
	return []types.KeySchemaElement{
		{AttributeName: &partition, KeyType: types.KeyTypeHash},
		{AttributeName: &sort, KeyType: types.KeyTypeRange},
	}
}

// table creates a table of its own for a test, with an index and a stream.
func table(t *testing.T) *string {
	t.Helper()
	name := fmt.Sprintf("go-%d-%s", os.Getpid(), t.Name())
	_, err := client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:   &name,
		BillingMode: types.BillingModePayPerRequest,
		KeySchema:   schema("pk", "sk"),
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("sk"), AttributeType: types.ScalarAttributeTypeN},
			{AttributeName: aws.String("group"), AttributeType: types.ScalarAttributeTypeS},
		},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName:  aws.String("by-group"),
			KeySchema:  schema("group", "sk"),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		}},
		StreamSpecification: &types.StreamSpecification{
			StreamEnabled:  aws.Bool(true),
			StreamViewType: types.StreamViewTypeNewAndOldImages,
		},
	})
	check(t, err)
	waiter := dynamodb.NewTableExistsWaiter(client)
	check(t, waiter.Wait(ctx, &dynamodb.DescribeTableInput{TableName: &name}, 20*time.Second))
	return &name
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got %#v, want %#v", got, want)
	}
}

func put(t *testing.T, table *string, put item) {
	t.Helper()
	_, err := client.PutItem(ctx, &dynamodb.PutItemInput{TableName: table, Item: put})
	check(t, err)
}

func TestTablesAreCreatedDescribedListedChangedAndDeleted(t *testing.T) {
	name := table(t)
	described, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: name})
	check(t, err)
	equal(t, described.Table.TableStatus, types.TableStatusActive)
	equal(t, *described.Table.GlobalSecondaryIndexes[0].IndexName, "by-group")
	found := false
	pages := dynamodb.NewListTablesPaginator(client, &dynamodb.ListTablesInput{Limit: aws.Int32(1)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		check(t, err)
		found = found || len(page.TableNames) == 1 && page.TableNames[0] == *name
	}
	equal(t, found, true)
	_, err = client.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: name, DeletionProtectionEnabled: aws.Bool(true)})
	check(t, err)
	_, err = client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: name})
	var protected smithy.APIError
	equal(t, errors.As(err, &protected) && protected.ErrorCode() == "ValidationException", true)
	_, err = client.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: name, DeletionProtectionEnabled: aws.Bool(false)})
	check(t, err)
	_, err = client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: name})
	check(t, err)
	gone := dynamodb.NewTableNotExistsWaiter(client)
	check(t, gone.Wait(ctx, &dynamodb.DescribeTableInput{TableName: name}, 20*time.Second))
}

func TestItemsKeepTheirTypes(t *testing.T) {
	name := table(t)
	whole := item{
		"pk":      s("types"),
		"sk":      n("1"),
		"text":    s("☃"),
		"number":  n("-1.5"),
		"bytes":   &types.AttributeValueMemberB{Value: []byte{0, 1, 255}},
		"yes":     &types.AttributeValueMemberBOOL{Value: true},
		"nothing": &types.AttributeValueMemberNULL{Value: true},
		"list":    &types.AttributeValueMemberL{Value: []types.AttributeValue{n("1"), s("two")}},
		"map":     &types.AttributeValueMemberM{Value: item{"deep": &types.AttributeValueMemberM{Value: item{}}}},
		"strings": &types.AttributeValueMemberSS{Value: []string{"a", "b"}},
		"numbers": &types.AttributeValueMemberNS{Value: []string{"1", "2"}},
		"blobs":   &types.AttributeValueMemberBS{Value: [][]byte{{1}, {2}}},
	}
	put(t, name, whole)
	got, err := client.GetItem(ctx, &dynamodb.GetItemInput{TableName: name, Key: key("types", 1), ConsistentRead: aws.Bool(true)})
	check(t, err)
	equal(t, got.Item, whole)
	updated, err := client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 name,
		Key:                       key("types", 1),
		UpdateExpression:          aws.String("SET #m.deep.er = :v REMOVE #l[0]"),
		ExpressionAttributeNames:  map[string]string{"#m": "map", "#l": "list"},
		ExpressionAttributeValues: item{":v": n("7")},
		ReturnValues:              types.ReturnValueAllNew,
	})
	check(t, err)
	equal(t, updated.Attributes["list"], types.AttributeValue(&types.AttributeValueMemberL{Value: []types.AttributeValue{s("two")}}))
	deleted, err := client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: name, Key: key("types", 1), ReturnValues: types.ReturnValueAllOld})
	check(t, err)
	equal(t, deleted.Attributes, updated.Attributes)
}

func TestQueriesScansBatchesAndStatementsRead(t *testing.T) {
	name := table(t)
	requests := []types.WriteRequest{}
	for sort := range 20 {
		made := key("list", sort)
		made["group"] = s([]string{"even", "odd"}[sort%2])
		requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: made}})
	}
	_, err := client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{*name: requests}})
	check(t, err)
	sorts := []string{}
	pages := dynamodb.NewQueryPaginator(client, &dynamodb.QueryInput{
		TableName:                 name,
		IndexName:                 aws.String("by-group"),
		KeyConditionExpression:    aws.String("#g = :g AND sk > :s"),
		ExpressionAttributeNames:  map[string]string{"#g": "group"},
		ExpressionAttributeValues: item{":g": s("even"), ":s": n("9")},
		ScanIndexForward:          aws.Bool(false),
		Limit:                     aws.Int32(2),
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		check(t, err)
		for _, found := range page.Items {
			sorts = append(sorts, text(found["sk"]))
		}
	}
	equal(t, sorts, []string{"18", "16", "14", "12", "10"})
	scanned, err := client.Scan(ctx, &dynamodb.ScanInput{TableName: name, Select: types.SelectCount, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal})
	check(t, err)
	equal(t, scanned.Count, int32(20))
	equal(t, *scanned.ConsumedCapacity.CapacityUnits, 0.5)
	batch, err := client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
		*name: {Keys: []map[string]types.AttributeValue{key("list", 1), key("list", 99)}},
	}})
	check(t, err)
	equal(t, len(batch.Responses[*name]), 1)
	said, err := client.ExecuteStatement(ctx, &dynamodb.ExecuteStatementInput{
		Statement:  aws.String(fmt.Sprintf(`SELECT sk FROM "%s" WHERE pk = ? AND sk BETWEEN ? AND ?`, *name)),
		Parameters: []types.AttributeValue{s("list"), n("3"), n("4")},
	})
	check(t, err)
	equal(t, said.Items, []map[string]types.AttributeValue{{"sk": n("3")}, {"sk": n("4")}})
}

func TestTransactionsHappenWholeOrNotAtAll(t *testing.T) {
	name := table(t)
	write := func(token string) error {
		_, err := client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
			ClientRequestToken: &token,
			TransactItems: []types.TransactWriteItem{
				{Put: &types.Put{
					TableName: name, Item: key("edge", 1), ConditionExpression: aws.String("attribute_not_exists(pk)"),
					ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
				}},
				{Update: &types.Update{
					TableName: name, Key: key("count", 0), UpdateExpression: aws.String("ADD edges :one"),
					ExpressionAttributeValues: item{":one": n("1")},
				}},
			},
		})
		return err
	}
	check(t, write("first"))
	check(t, write("first")) // The same token: done already.
	var canceled *types.TransactionCanceledException
	if err := write("second"); !errors.As(err, &canceled) {
		t.Fatal(err)
	}
	equal(t, *canceled.CancellationReasons[0].Code, "ConditionalCheckFailed")
	equal(t, canceled.CancellationReasons[0].Item, key("edge", 1))
	equal(t, *canceled.CancellationReasons[1].Code, "None")
	got, err := client.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{
		{Get: &types.Get{TableName: name, Key: key("count", 0)}},
		{Get: &types.Get{TableName: name, Key: key("edge", 2)}},
	}})
	check(t, err)
	equal(t, text(got.Responses[0].Item["edges"]), "1")
	equal(t, len(got.Responses[1].Item), 0)
}

func TestStreamsTellEveryChangeInOrder(t *testing.T) {
	name := table(t)
	put(t, name, key("a", 1))
	put(t, name, key("a", 1)) // Changes nothing, so it is not told.
	changed := key("a", 1)
	changed["v"] = n("2")
	put(t, name, changed)
	_, err := client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: name, Key: key("a", 1)})
	check(t, err)
	listed, err := streams.ListStreams(ctx, &dynamodbstreams.ListStreamsInput{TableName: name})
	check(t, err)
	arn := listed.Streams[0].StreamArn
	described, err := streams.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: arn})
	check(t, err)
	begun, err := streams.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{
		StreamArn: arn, ShardId: described.StreamDescription.Shards[0].ShardId,
		ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon,
	})
	check(t, err)
	read, err := streams.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: begun.ShardIterator})
	check(t, err)
	told := []string{}
	for _, record := range read.Records {
		told = append(told, string(record.EventName))
	}
	equal(t, told, []string{"INSERT", "MODIFY", "REMOVE"})
	equal(t, read.Records[1].Dynamodb.NewImage["v"], streamtypes.AttributeValue(&streamtypes.AttributeValueMemberN{Value: "2"}))
	equal(t, len(read.Records[1].Dynamodb.OldImage), 2)
	equal(t, read.NextShardIterator != nil, true)
}

func TestErrorsAreTypesWithAWSsWords(t *testing.T) {
	name := table(t)
	kept := key("kept", 1)
	kept["v"] = n("1.50")
	put(t, name, kept)
	_, err := client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: name, Item: key("kept", 1), ConditionExpression: aws.String("attribute_not_exists(pk)"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	var failed *types.ConditionalCheckFailedException
	if !errors.As(err, &failed) {
		t.Fatal(err)
	}
	equal(t, failed.ErrorMessage(), "The conditional request failed")
	equal(t, text(failed.Item["v"]), "1.5")
	_, err = client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String("go-nowhere")})
	var missing *types.ResourceNotFoundException
	if !errors.As(err, &missing) {
		t.Fatal(err)
	}
	equal(t, missing.ErrorMessage(), "Requested resource not found: Table: go-nowhere not found")
	_, err = client.GetItem(ctx, &dynamodb.GetItemInput{TableName: name, Key: item{"pk": s("kept")}})
	var wrong smithy.APIError
	if !errors.As(err, &wrong) {
		t.Fatal(err)
	}
	equal(t, []string{wrong.ErrorCode(), wrong.ErrorMessage()}, []string{"ValidationException", "The provided key element does not match the schema"})
}
