package sdktests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static software.amazon.awssdk.services.dynamodb.model.AttributeValue.fromB;
import static software.amazon.awssdk.services.dynamodb.model.AttributeValue.fromBool;
import static software.amazon.awssdk.services.dynamodb.model.AttributeValue.fromBs;
import static software.amazon.awssdk.services.dynamodb.model.AttributeValue.fromL;
import static software.amazon.awssdk.services.dynamodb.model.AttributeValue.fromM;
import static software.amazon.awssdk.services.dynamodb.model.AttributeValue.fromN;
import static software.amazon.awssdk.services.dynamodb.model.AttributeValue.fromNs;
import static software.amazon.awssdk.services.dynamodb.model.AttributeValue.fromNul;
import static software.amazon.awssdk.services.dynamodb.model.AttributeValue.fromS;
import static software.amazon.awssdk.services.dynamodb.model.AttributeValue.fromSs;

import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.client.builder.AwsClientBuilder;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;
import software.amazon.awssdk.services.dynamodb.model.ReturnValue;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.Select;
import software.amazon.awssdk.services.dynamodb.model.ShardIteratorType;
import software.amazon.awssdk.services.dynamodb.model.StreamViewType;
import software.amazon.awssdk.services.dynamodb.model.TableStatus;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;
import software.amazon.awssdk.services.dynamodb.streams.DynamoDbStreamsClient;

/** The AWS SDK for Java v2 against the server that BOTHWAYS_ENDPOINT names: tables, items, queries, transactions, streams, errors. */
class SdkTest {
  private static DynamoDbClient client;
  private static DynamoDbStreamsClient streams;

  @BeforeAll
  static void connect() {
    client = configured(DynamoDbClient.builder()).build();
    streams = configured(DynamoDbStreamsClient.builder()).build();
  }

  private static <B extends AwsClientBuilder<B, C>, C> B configured(B builder) {
    String endpoint = System.getenv("BOTHWAYS_ENDPOINT");
    assertNotNull(endpoint, "BOTHWAYS_ENDPOINT must name the server");
    return builder
        .endpointOverride(URI.create(endpoint))
        .region(Region.of("localhost"))
        .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("local", "local")))
        .overrideConfiguration(c -> c.retryStrategy(r -> r.maxAttempts(1)));
  }

  private static Map<String, AttributeValue> key(String partition, int sort) {
    return new HashMap<>(Map.of("pk", fromS(partition), "sk", fromN(Integer.toString(sort))));
  }

  private static List<KeySchemaElement> schema(String partition, String sort) {
    return List.of(
        KeySchemaElement.builder().attributeName(partition).keyType(KeyType.HASH).build(),
        KeySchemaElement.builder().attributeName(sort).keyType(KeyType.RANGE).build());
  }

  /** A table of its own for a test, with an index and a stream. */
  private static String table(String test) {
    String name = "java-" + ProcessHandle.current().pid() + "-" + test;
    client.createTable(r -> r
        .tableName(name)
        .billingMode(BillingMode.PAY_PER_REQUEST)
        .keySchema(schema("pk", "sk"))
        .attributeDefinitions(
            a -> a.attributeName("pk").attributeType(ScalarAttributeType.S),
            a -> a.attributeName("sk").attributeType(ScalarAttributeType.N),
            a -> a.attributeName("group").attributeType(ScalarAttributeType.S))
        .globalSecondaryIndexes(i -> i
            .indexName("by-group")
            .keySchema(schema("group", "sk"))
            .projection(p -> p.projectionType(ProjectionType.KEYS_ONLY)))
        .streamSpecification(s -> s.streamEnabled(true).streamViewType(StreamViewType.NEW_AND_OLD_IMAGES)));
    client.waiter().waitUntilTableExists(r -> r.tableName(name));
    return name;
  }

  private static void put(String table, Map<String, AttributeValue> item) {
    client.putItem(r -> r.tableName(table).item(item));
  }

  @Test
  void tablesAreCreatedDescribedListedChangedAndDeleted() {
    String name = table("tables");
    var described = client.describeTable(r -> r.tableName(name)).table();
    assertEquals(TableStatus.ACTIVE, described.tableStatus());
    assertEquals("by-group", described.globalSecondaryIndexes().get(0).indexName());
    assertTrue(client.listTablesPaginator(r -> r.limit(1)).tableNames().stream().anyMatch(name::equals));
    client.updateTable(r -> r.tableName(name).deletionProtectionEnabled(true));
    var refused = assertThrows(DynamoDbException.class, () -> client.deleteTable(r -> r.tableName(name)));
    assertEquals("ValidationException", refused.awsErrorDetails().errorCode());
    client.updateTable(r -> r.tableName(name).deletionProtectionEnabled(false));
    client.deleteTable(r -> r.tableName(name));
    client.waiter().waitUntilTableNotExists(r -> r.tableName(name));
  }

  @Test
  void itemsKeepTheirTypes() {
    String name = table("items");
    Map<String, AttributeValue> whole = key("types", 1);
    whole.put("text", fromS("☃"));
    whole.put("number", fromN("-1.5"));
    whole.put("bytes", fromB(SdkBytes.fromByteArray(new byte[] {0, 1, -1})));
    whole.put("yes", fromBool(true));
    whole.put("nothing", fromNul(true));
    whole.put("list", fromL(List.of(fromN("1"), fromS("two"))));
    whole.put("map", fromM(Map.of("deep", fromM(Map.of()))));
    whole.put("strings", fromSs(List.of("a", "b")));
    whole.put("numbers", fromNs(List.of("1", "2")));
    whole.put("blobs", fromBs(List.of(SdkBytes.fromByteArray(new byte[] {1}))));
    put(name, whole);
    assertEquals(whole, client.getItem(r -> r.tableName(name).key(key("types", 1)).consistentRead(true)).item());
    var updated = client.updateItem(r -> r
        .tableName(name)
        .key(key("types", 1))
        .updateExpression("SET #m.deep.er = :v REMOVE #l[0]")
        .expressionAttributeNames(Map.of("#m", "map", "#l", "list"))
        .expressionAttributeValues(Map.of(":v", fromN("7")))
        .returnValues(ReturnValue.ALL_NEW)).attributes();
    assertEquals(List.of(fromS("two")), updated.get("list").l());
    assertEquals("7", updated.get("map").m().get("deep").m().get("er").n());
    var deleted = client.deleteItem(r -> r.tableName(name).key(key("types", 1)).returnValues(ReturnValue.ALL_OLD));
    assertEquals(updated, deleted.attributes());
  }

  @Test
  void queriesScansBatchesAndStatementsRead() {
    String name = table("queries");
    List<WriteRequest> requests = new ArrayList<>();
    for (int sort = 0; sort < 20; sort++) {
      Map<String, AttributeValue> item = key("list", sort);
      item.put("group", fromS(sort % 2 == 0 ? "even" : "odd"));
      requests.add(WriteRequest.builder().putRequest(p -> p.item(item)).build());
    }
    client.batchWriteItem(r -> r.requestItems(Map.of(name, requests)));
    var pages = client.queryPaginator(r -> r
        .tableName(name)
        .indexName("by-group")
        .keyConditionExpression("#g = :g AND sk > :s")
        .expressionAttributeNames(Map.of("#g", "group"))
        .expressionAttributeValues(Map.of(":g", fromS("even"), ":s", fromN("9")))
        .scanIndexForward(false)
        .limit(2));
    var sorts = pages.items().stream().map(item -> item.get("sk").n()).toList();
    assertEquals(List.of("18", "16", "14", "12", "10"), sorts);
    var counted = client.scan(r -> r
        .tableName(name)
        .select(Select.COUNT)
        .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL));
    assertEquals(20, counted.count());
    assertEquals(0.5, counted.consumedCapacity().capacityUnits());
    var batch = client.batchGetItem(r -> r.requestItems(Map.of(
        name, software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes.builder()
            .keys(List.of(key("list", 1), key("list", 99))).build())));
    assertEquals(1, batch.responses().get(name).size());
    var said = client.executeStatement(r -> r
        .statement("SELECT sk FROM \"" + name + "\" WHERE pk = ? AND sk BETWEEN ? AND ?")
        .parameters(fromS("list"), fromN("3"), fromN("4")));
    assertEquals(List.of(Map.of("sk", fromN("3")), Map.of("sk", fromN("4"))), said.items());
  }

  private static void follow(String name, String token) {
    client.transactWriteItems(r -> r
        .clientRequestToken(token)
        .transactItems(
            t -> t.put(p -> p
                .tableName(name)
                .item(key("edge", 1))
                .conditionExpression("attribute_not_exists(pk)")
                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)),
            t -> t.update(u -> u
                .tableName(name)
                .key(key("count", 0))
                .updateExpression("ADD edges :one")
                .expressionAttributeValues(Map.of(":one", fromN("1"))))));
  }

  @Test
  void transactionsHappenWholeOrNotAtAll() {
    String name = table("transactions");
    follow(name, "first");
    follow(name, "first"); // The same token: done already.
    var canceled = assertThrows(TransactionCanceledException.class, () -> follow(name, "second"));
    var reasons = canceled.cancellationReasons();
    assertEquals(List.of("ConditionalCheckFailed", "None"), reasons.stream().map(r -> r.code()).toList());
    assertEquals(key("edge", 1), reasons.get(0).item());
    var got = client.transactGetItems(r -> r.transactItems(
        t -> t.get(g -> g.tableName(name).key(key("count", 0))),
        t -> t.get(g -> g.tableName(name).key(key("edge", 2))))).responses();
    assertEquals("1", got.get(0).item().get("edges").n());
    assertFalse(got.get(1).hasItem());
  }

  @Test
  void streamsTellEveryChangeInOrder() {
    String name = table("streams");
    Map<String, AttributeValue> changed = key("a", 1);
    changed.put("v", fromN("2"));
    put(name, key("a", 1));
    put(name, key("a", 1)); // Changes nothing, so it is not told.
    put(name, changed);
    client.deleteItem(r -> r.tableName(name).key(key("a", 1)));
    String arn = streams.listStreams(r -> r.tableName(name)).streams().get(0).streamArn();
    String shard = streams.describeStream(r -> r.streamArn(arn)).streamDescription().shards().get(0).shardId();
    String begun = streams.getShardIterator(r -> r
        .streamArn(arn)
        .shardId(shard)
        .shardIteratorType(ShardIteratorType.TRIM_HORIZON)).shardIterator();
    var read = streams.getRecords(r -> r.shardIterator(begun));
    var told = read.records().stream().map(record -> record.eventNameAsString()).toList();
    assertEquals(List.of("INSERT", "MODIFY", "REMOVE"), told);
    assertEquals(changed, read.records().get(1).dynamodb().newImage());
    assertEquals(key("a", 1), read.records().get(1).dynamodb().oldImage());
    assertNotNull(read.nextShardIterator());
  }

  @Test
  void errorsAreTypesWithAwssWords() {
    String name = table("errors");
    Map<String, AttributeValue> kept = key("kept", 1);
    kept.put("v", fromN("1.50"));
    put(name, kept);
    var failed = assertThrows(ConditionalCheckFailedException.class, () -> client.putItem(r -> r
        .tableName(name)
        .item(key("kept", 1))
        .conditionExpression("attribute_not_exists(pk)")
        .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)));
    assertEquals("The conditional request failed", failed.awsErrorDetails().errorMessage());
    assertEquals("1.5", failed.item().get("v").n());
    assertEquals(52, failed.requestId().length());
    var missing = assertThrows(ResourceNotFoundException.class, () -> client.describeTable(r -> r.tableName("java-nowhere")));
    assertEquals("Requested resource not found: Table: java-nowhere not found", missing.awsErrorDetails().errorMessage());
    var wrong = assertThrows(DynamoDbException.class, () -> client.getItem(r -> r.tableName(name).key(Map.of("pk", fromS("kept")))));
    assertEquals("ValidationException", wrong.awsErrorDetails().errorCode());
    assertEquals("The provided key element does not match the schema", wrong.awsErrorDetails().errorMessage());
  }
}
