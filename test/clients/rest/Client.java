import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import vouchgraph.ApiClient;
import vouchgraph.ApiException;
import vouchgraph.api.AccountApi;
import vouchgraph.api.ListApi;
import vouchgraph.api.SessionApi;
import vouchgraph.model.*;

/** Calls the gateway with the generated client and prints what it read. */
public class Client {
  public static void main(String[] arguments) throws Exception {
    String accountId = arguments[0];
    URI gateway = URI.create(System.getenv("BASE_URL"));
    ApiClient client = new ApiClient();
    client.setScheme(gateway.getScheme()).setHost(gateway.getHost()).setPort(gateway.getPort());
    client.setRequestInterceptor(request -> request.header("x-api-key", System.getenv("API_KEY")));
    SessionApi sessions = new SessionApi(client);
    AccountApi accounts = new AccountApi(client);
    Map<String, Object> read = new LinkedHashMap<>();

    String key = UUID.randomUUID().toString();
    OpenedSession session = sessions.sessionCreate(new SessionCreateBody(), key);
    read.put("sameSession", session.equals(sessions.sessionCreate(new SessionCreateBody(), key)));

    AccountInput account = new AccountInput().id(accountId).username("java");
    SessionAuthenticateBody body = new SessionAuthenticateBody().sessionId(session.getSessionId()).account(account);
    AuthenticatedSession authenticated = sessions.sessionAuthenticate(body, true, null);
    read.put("decision", authenticated.getDecision().getValue());
    read.put("username", accounts.accountGet(accountId).getAccount().getUsername());

    accounts.accountUpdate(accountId, new AccountUpdateBody().username("changed"));
    read.put("changed", accounts.accountGet(accountId).getAccount().getUsername());
    read.put("linked", accounts.accountLinked(accountId).getAccountsLinked());
    read.put("sessions", accounts.accountSessions(accountId).getSessions().size());
    try {
      accounts.accountGet(accountId + "-unknown");
    } catch (ApiException error) {
      read.put("unknown", error.getCode());
    }
    System.out.println(new ObjectMapper().writeValueAsString(read));
  }
}
