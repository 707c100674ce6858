"""Drives a NETCONF server with ncclient, a client that Tenure does not contain.

Arguments: host, port, user, a file with the user's private key, and the server's public key in base64.
Each line on standard input is one step, a JSON object with "session" (a name the caller chooses) and "op";
for each one line of JSON with the outcome is printed:

  {"kind": "ok", "warnings": [...]}                      the server answered ok
  {"kind": "data", "xml": "...", "warnings": [...]}      the server answered with data
  {"kind": "error", "errors": [...]}                     the server answered with rpc-errors
  {"kind": "hello", "sessionId": "...", "capabilities": [...]}
  {"kind": "closed"}                                     the session ended, as asked
  {"kind": "failure", "reason": "..."}                   no answer: the session or the client broke

Standard input at its end closes every session that is still open.
"""

import json
import sys
import time

from lxml import etree
from ncclient import manager
from ncclient.operations.rpc import RaiseMode
from ncclient.transport import session as transport_session
from ncclient.xml_ import to_ele
# How long ncclient waits for input before it sends what is queued: each request costs that much, 0.1 s by default.
transport_session.TICK = 0.005


def main():
    host, port, user, key_file, host_key = sys.argv[1:6]
    sessions = {}
    for line in sys.stdin:
        step = json.loads(line)
        try:
            outcome = run(step, sessions, (host, int(port), user, key_file, host_key))
        except Exception as error:  # whatever ncclient raises is an outcome to compare
            outcome = {"kind": "failure", "reason": f"{type(error).__name__}: {error}"}
        print(json.dumps(outcome), flush=True)
    for session in sessions.values():
        drop(session)


def run(step, sessions, address):
    operation = step["op"]
    name = step["session"]
    if operation == "open":
        sessions[name] = connect(*address)
        return {
            "kind": "hello",
            "sessionId": sessions[name].session_id,
            "capabilities": sorted(sessions[name].server_capabilities),
        }
    session = sessions[name]
    if operation == "close":
        reply = session.close_session()
        del sessions[name]
        return {"kind": "closed"} if reply.ok else outcome_of(reply)
    if operation == "drop":
        drop(session)
        del sessions[name]
        return {"kind": "closed"}
    if operation == "poll-config":
        return poll_config(session, step)
    return outcome_of(send(session, step))


def connect(host, port, user, key_file, host_key):
    session = manager.connect(
        host=host,
        port=port,
        username=user,
        key_filename=key_file,
        hostkey_b64=host_key,
        allow_agent=False,
        look_for_keys=False,
        timeout=10,
        manager_params={"timeout": 30},
    )
    session.raise_mode = RaiseMode.NONE
    return session


def drop(session):
    """Ends the SSH connection without a word to the server."""
    transport = session._session.transport
    if transport is not None:
        transport.close()


def send(session, step):
    operation = step["op"]
    if operation == "get-config":
        return session.get_config(**read_arguments(step))
    if operation == "get":
        return session.get(filter=filter_of(step))
    if operation == "edit-config":
        names = {
            "defaultOperation": "default_operation",
            "testOption": "test_option",
            "errorOption": "error_option",
        }
        options = {names[key]: step[key] for key in names if key in step}
        return session.edit_config(to_ele(step["config"]), target=step["target"], format="xml", **options)
    if operation == "copy-config":
        return session.copy_config(source=step["source"], target=step["target"])
    if operation == "delete-config":
        return session.delete_config(target=step["target"])
    if operation == "validate":
        return session.validate(source=step["source"])
    if operation == "commit":
        return session.commit(
            confirmed=step.get("confirmed", False),
            timeout=step.get("timeout"),
            persist=step.get("persist"),
            persist_id=step.get("persistId"),
        )
    if operation == "cancel-commit":
        return session.cancel_commit(persist_id=step.get("persistId"))
    if operation == "discard-changes":
        return session.discard_changes()
    if operation == "lock":
        return session.lock(target=step["target"])
    if operation == "unlock":
        return session.unlock(target=step["target"])
    if operation == "get-schema":
        return session.get_schema(step["identifier"], version=step.get("version"), format=step.get("format"))
    if operation == "rpc":
        return session.dispatch(to_ele(step["xml"]))
    raise ValueError(f"no such operation: {operation}")


def read_arguments(step):
    arguments = {"source": step["source"], "filter": filter_of(step)}
    if "withDefaults" in step:
        arguments["with_defaults"] = step["withDefaults"]
    return arguments


def filter_of(step):
    return ("subtree", step["filter"]) if "filter" in step else None


def poll_config(session, step):
    """Reads until the text of the reply contains, or no longer contains, a marker; gives the last reply in any case."""
    deadline = time.monotonic() + step["limitSeconds"]
    while True:
        outcome = outcome_of(session.get_config(**read_arguments(step)))
        found = step["marker"] in outcome.get("xml", "")
        if outcome["kind"] != "data" or found == (step["until"] == "present") or time.monotonic() > deadline:
            return outcome
        time.sleep(step["everySeconds"])


def outcome_of(reply):
    root = etree.fromstring(reply.xml.encode())
    reports = [report_of(error) for error in reply.errors]
    failed = [report for report in reports if report["severity"] != "warning"]
    if failed:
        return {"kind": "error", "errors": reports}
    children = [child for child in root if isinstance(child.tag, str) and not child.tag.endswith("}rpc-error")]
    data = [child for child in children if etree.QName(child).localname == "data"]
    if data:
        return {"kind": "data", "xml": etree.tostring(data[0], encoding="unicode", with_tail=False), "warnings": reports}
    return {"kind": "ok", "warnings": reports}


def report_of(error):
    return {
        "type": error.type,
        "tag": error.tag,
        "severity": error.severity,
        "appTag": error.app_tag,
        "path": error.path,
        "message": error.message,
        "info": error.info,
    }


main()
