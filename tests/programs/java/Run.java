package run;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Runs the programs that the expression builder prints in Java: a line of the input names one; what it finds is printed
 * as DynamoDB JSON, an item a line, and {@code --} ends it.
 */
public class Run {
    public static void main(String[] args) throws Exception {
        List<String> names = Files.readAllLines(Path.of(args[0]));
        BufferedReader wanted = new BufferedReader(new InputStreamReader(System.in));
        for (String name = wanted.readLine(); name != null; name = wanted.readLine()) {
            Class.forName("p" + names.indexOf(name) + ".Main")
                .getMethod("main", String[].class)
                .invoke(null, (Object) new String[0]);
            System.out.println("--");
        }
    }

    public static void show(int count) {
        System.out.println(count);
    }

    public static void show(Map<String, AttributeValue> item) {
        System.out.println(attributes(item));
    }

    static String attributes(Map<String, AttributeValue> item) {
        return item.entrySet().stream()
            .map(entry -> text(entry.getKey()) + ":" + value(entry.getValue()))
            .collect(Collectors.joining(",", "{", "}"));
    }

    static String value(AttributeValue of) {
        return switch (of.type()) {
            case B -> typed("B", bytes(of.b()));
            case BOOL -> typed("BOOL", String.valueOf(of.bool()));
            case BS -> typed("BS", list(of.bs(), Run::bytes));
            case L -> typed("L", list(of.l(), Run::value));
            case M -> typed("M", attributes(of.m()));
            case N -> typed("N", text(of.n()));
            case NS -> typed("NS", list(of.ns(), Run::text));
            case NUL -> typed("NULL", "true");
            case S -> typed("S", text(of.s()));
            case SS -> typed("SS", list(of.ss(), Run::text));
            default -> throw new IllegalArgumentException(of.toString());
        };
    }

    static String typed(String type, String content) {
        return "{\"" + type + "\":" + content + "}";
    }

    static <T> String list(List<T> all, Function<T, String> one) {
        return all.stream().map(one).collect(Collectors.joining(",", "[", "]"));
    }

    static String bytes(SdkBytes of) {
        return text(Base64.getEncoder().encodeToString(of.asByteArray()));
    }

    static String text(String of) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : of.toCharArray()) {
            if (c == '"' || c == '\\' || c < ' ' || c > '~') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }
}
