import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.util.concurrent.Executors;
import org.apache.jena.query.Dataset;
import org.apache.jena.query.DatasetFactory;
import org.apache.jena.query.QueryExecution;
import org.apache.jena.query.QueryExecutionFactory;
import org.apache.jena.query.ResultSetFormatter;
import org.apache.jena.riot.RDFDataMgr;
import org.apache.jena.sys.JenaSystem;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Answers SELECT queries over a file of RDF by Jena's engine: `java Jena.java PORT FILE`. */
public final class Jena {
    public static void main(String[] arguments) throws IOException {
        JenaSystem.init();
        Dataset data = DatasetFactory.create();
        RDFDataMgr.read(data, arguments[1]);
        InetAddress here = InetAddress.getLoopbackAddress();
        HttpServer server =
                HttpServer.create(new InetSocketAddress(here, Integer.parseInt(arguments[0])), 0);
        server.createContext("/", exchange -> answer(exchange, data));
        server.setExecutor(Executors.newFixedThreadPool(4));
        server.start();
    }

    private static void answer(HttpExchange exchange, Dataset data) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        int status = 200;
        String media = "application/sparql-results+json";
        try (QueryExecution asked = QueryExecutionFactory.create(query(exchange), data)) {
            ResultSetFormatter.outputAsJSON(body, asked.execSelect());
        } catch (RuntimeException error) {
            status = 400;
            media = "text/plain";
            body.reset();
            body.write(String.valueOf(error.getMessage()).getBytes(UTF_8));
        }
        exchange.getResponseHeaders().set("Content-Type", media);
        exchange.sendResponseHeaders(status, body.size());
        exchange.getResponseBody().write(body.toByteArray());
        exchange.close();
    }

    private static String query(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
        String media = exchange.getRequestHeaders().getFirst("Content-Type");
        if (media != null && media.startsWith("application/sparql-query")) {
            return body;
        }
        boolean get = exchange.getRequestMethod().equals("GET");
        for (String field : (get ? exchange.getRequestURI().getRawQuery() : body).split("&")) {
            if (field.startsWith("query=")) {
                return URLDecoder.decode(field.substring("query=".length()), UTF_8);
            }
        }
        return "";
    }
}
