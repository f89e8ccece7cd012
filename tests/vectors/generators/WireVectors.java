// Makes tests/vectors/wire.json: every request and response that src/wire speaks, in every version, with fields filled and with
// fields empty, as JSON (Kafka's own JSON converters) and as the bytes which Kafka's own classes write. Needs Java 17 and the jars
// of Kafka 4.3.1:  java -cp 'LIBS/*' WireVectors.java > tests/vectors/wire.json
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.*;
import java.nio.ByteBuffer;
import java.util.*;
import org.apache.kafka.common.protocol.*;
import org.apache.kafka.common.protocol.types.*;

public class WireVectors {
  static final JsonNodeFactory F = JsonNodeFactory.instance;
  static final String[] APIS = {"Metadata", "FindCoordinator", "JoinGroup", "Heartbeat", "LeaveGroup", "SyncGroup", "SaslHandshake",
      "ApiVersions", "InitProducerId", "SaslAuthenticate", "DescribeTransactions", "ListTransactions"};
  static int counter = 1;

  static String camel(String snake) {
    StringBuilder out = new StringBuilder();
    boolean upper = false;
    for (char c : snake.toCharArray()) {
      if (c == '_') { upper = true; continue; }
      out.append(upper ? Character.toUpperCase(c) : c);
      upper = false;
    }
    return out.toString();
  }

  // Full: every field has a value of its own. Otherwise: nulls where allowed, empty arrays and strings, small numbers.
  static JsonNode value(Type type, boolean full) {
    if (type instanceof Schema schema) return object(schema, full);
    if (type.isArray()) {
      if (!full && type.isNullable()) return F.nullNode();
      ArrayNode array = F.arrayNode();
      if (full) for (int i = 0; i < 2; i++) array.add(value(type.arrayElementType().get(), true));
      return array;
    }
    int n = counter++;
    String name = type.toString();
    if (name.contains("STRING")) return !full && type.isNullable() ? F.nullNode() : F.textNode(full ? "s-" + n + "-\u00e4" : "");
    if (name.contains("BYTES")) return F.binaryNode(full ? new byte[] {(byte) n, 0, -1} : new byte[0]);
    if (name.equals("UUID")) return F.textNode(new org.apache.kafka.common.Uuid(n * 77L, full ? -n : 0).toString());
    if (name.equals("BOOLEAN")) return F.booleanNode(full);
    if (name.equals("INT8")) return F.numberNode((short) (full ? 1 : 0));
    if (name.equals("INT16")) return F.numberNode((short) (full ? -n : 0));
    if (name.equals("INT32")) return F.numberNode(full ? n * 65537 : 0);
    if (name.equals("INT64")) return F.numberNode(full ? n * 4294967297L : 0L);
    throw new IllegalStateException(name);
  }

  static ObjectNode object(Schema schema, boolean full) {
    ObjectNode out = F.objectNode();
    for (BoundField field : schema.fields()) {
      if (field.def.type instanceof TaggedFields tagged) {
        if (full) for (Field f : tagged.fields().values()) out.set(camel(f.name), value(f.type, true));
      } else {
        out.set(camel(field.def.name), value(field.def.type, full));
      }
    }
    return out;
  }

  public static void main(String[] args) throws Exception {
    List<String> lines = new ArrayList<>();
    for (String api : APIS) for (String kind : new String[] {"Request", "Response"}) {
      Class<?> data = Class.forName("org.apache.kafka.common.message." + api + kind + "Data");
      Class<?> converter = Class.forName("org.apache.kafka.common.message." + api + kind + "DataJsonConverter");
      Schema[] schemas = (Schema[]) data.getField("SCHEMAS").get(null);
      short last = api.equals("InitProducerId") ? 5 : (short) (schemas.length - 1);  // version 6 is marked unstable
      for (short version = 0; version <= last; version++) for (boolean full : new boolean[] {true, false}) {
        if (schemas[version] == null) continue;
        ObjectNode json = object(schemas[version], full);
        Message message = (Message) converter.getMethod("read", JsonNode.class, short.class).invoke(null, json, version);
        ByteBuffer buffer = MessageUtil.toByteBufferAccessor(message, version).buffer();
        StringBuilder hex = new StringBuilder();
        while (buffer.hasRemaining()) hex.append(String.format("%02x", buffer.get()));
        lines.add("{\"message\": \"" + api + kind + "\", \"version\": " + version + ", \"fields\": " + json + ", \"bytes\": \"" + hex + "\"}");
      }
    }
    System.out.println("{\"messages\": [\n" + String.join(",\n", lines) + "\n],\n\"errors\": [");
    StringJoiner errors = new StringJoiner(",\n");
    for (Errors e : Errors.values())
      errors.add("{\"code\": " + e.code() + ", \"name\": \"" + e.name() + "\", \"retriable\": "
          + (e.exception() instanceof org.apache.kafka.common.errors.RetriableException) + "}");
    System.out.println(errors + "\n]}");
  }
}
