"""Calls the gateway and reads its answers with the generated classes; prints each answer as they write it."""

import json
import os
import sys
import urllib.request
from typing import Any, Optional

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "generated", "python"))

import vouchgraph as api

ACCOUNT = sys.argv[1]


def call(method: str, path: str, body: Optional[Any] = None) -> Any:
    request = urllib.request.Request(
        os.environ["BASE_URL"] + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"x-api-key": os.environ["API_KEY"], "content-type": "application/json"},
    )
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def read(name: str, answer: Any) -> Any:
    """Decodes an answer, and keeps both forms for the test to compare."""
    decoded = getattr(api, name + "_from_dict")(answer)
    written = getattr(api, name + "_to_dict")(decoded)
    print(json.dumps({"name": name, "answer": answer, "written": written}))
    return decoded


session: api.SessionCreateAnswer = read("session_create_answer", call("POST", "/session", {}))
body = api.SessionAuthenticateBody(
    account=api.SessionAuthenticateBodyAccount(id=ACCOUNT, username="python"),
    session_id=session.session_id,
)
authenticated: api.SessionAuthenticateAnswer = read(
    "session_authenticate_answer",
    call("POST", "/session/authenticate", api.session_authenticate_body_to_dict(body)),
)
account: api.AccountGetAnswer = read("account_get_answer", call("GET", f"/account/{ACCOUNT}"))
linked: api.AccountLinkedAnswer = read("account_linked_answer", call("GET", f"/account/{ACCOUNT}/accounts-linked"))
lists: api.ListAllAnswer = read("list_all_answer", call("GET", "/list"))
phone: api.PhoneCheckAnswer = read("phone_check_answer", call("POST", "/phone", {"phone_number": "+14155552671"}))
