"""Drives `txvm dap` as an editor does, over its standard streams. drive.py TXVM PROJECT"""
import base64
import json
import os
import queue
import re
import subprocess
import sys
import tempfile
import threading

TXVM, PROJECT = sys.argv[1:3]
WAIT = 60  # seconds


class Client:
    """Requests and events; every request waits for its answer."""

    def __init__(self):
        self.process = subprocess.Popen([TXVM, "dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, cwd=PROJECT)
        self.sequence, self.answers, self.events = 0, queue.Queue(), queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        out = self.process.stdout
        while True:
            header = out.readline()
            if not header:
                return
            assert header.startswith(b"Content-Length: "), header
            assert out.readline() == b"\r\n"
            message = json.loads(out.read(int(header.split()[1])))
            (self.events if message["type"] == "event" else self.answers).put(message)

    def send(self, command, arguments=None):
        self.sequence += 1
        body = json.dumps({"seq": self.sequence, "type": "request", "command": command,
                           "arguments": arguments or {}}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def ask(self, command, refused=False, **arguments):
        """The body of the answer, or the message of a request that has to be refused."""
        self.send(command, arguments)
        answer = self.answers.get(timeout=WAIT)
        assert answer["request_seq"] == self.sequence and answer["command"] == command, answer
        assert answer["success"] is not refused, answer
        return answer["message"] if refused else answer["body"]

    def event(self, name):
        """The next event of this name; output is remembered, nothing else may come before."""
        while True:
            event = self.events.get(timeout=WAIT)
            if event["event"] == name:
                return event["body"]
            assert event["event"] == "output", event

    def launch(self, program, **arguments):
        assert self.ask("initialize", adapterID="txvm")["supportsStepBack"]
        self.event("initialized")
        self.ask("launch", program=program, **arguments)

    def begin(self):
        self.ask("configurationDone")
        assert self.event("stopped")["reason"] == "entry"

    def stop(self, command, reason, **arguments):
        """Goes on and stops; the place in words and the line."""
        self.ask(command, threadId=1, **arguments)
        stopped = self.event("stopped")
        assert stopped["reason"] == reason, stopped
        return self.where()

    def where(self):
        frame = self.ask("stackTrace", threadId=1)["stackFrames"][0]
        return frame["name"], frame["line"]

    def variables(self, scope, frame=1):
        scopes = {s["name"]: s["variablesReference"] for s in self.ask("scopes", frameId=frame)["scopes"]}
        found = self.ask("variables", variablesReference=scopes[scope])["variables"]
        return {v["name"]: v["value"] for v in found}

    def close(self):
        self.ask("disconnect")
        assert self.process.wait(timeout=WAIT) == 0
        errors = self.process.stderr.read()
        assert not errors, errors


def state(client):
    return (client.where(), client.variables("Locals"), client.variables("Operand stack"),
            client.ask("evaluate", expression="step")["result"])


def test_forward_and_back():
    client = Client()
    client.launch("examples/fib.wat", invoke="fib", args=["5"])
    lines = client.ask("setBreakpoints", source={"path": os.path.join(PROJECT, "examples/fib.wat")},
                       breakpoints=[{"line": 1}])["breakpoints"]
    assert lines[0]["verified"] and lines[0]["line"] > 1, lines
    assert client.ask("setBreakpoints", source={"path": os.path.join(PROJECT, "examples/fib.wat")},
                      breakpoints=[])["breakpoints"] == []
    found = client.ask("setFunctionBreakpoints", breakpoints=[{"name": "fib"}, {"name": "nobody"}])["breakpoints"]
    assert found[0]["verified"] and not found[1]["verified"] and "nobody" in found[1]["message"], found
    client.begin()
    name, line = client.stop("continue", "breakpoint")
    assert name.startswith("fib+") and line == 5, (name, line)
    first = state(client)
    assert first[1] == {"local 0": "5"}, first
    # Forward by instructions, and back to the same states.
    states = [first]
    for _ in range(20):
        client.ask("stepIn", threadId=1, granularity="instruction")
        client.event("stopped")
        states.append(state(client))
    for expected in reversed(states[:-1]):
        client.ask("stepBack", threadId=1, granularity="instruction")
        client.event("stopped")
        assert state(client) == expected
    # To another call and back to the first.
    client.stop("continue", "breakpoint")
    assert client.ask("stackTrace", threadId=1)["totalFrames"] >= 3
    client.stop("reverseContinue", "breakpoint")
    assert state(client) == first
    # To the end: out of every call, then the result.
    client.ask("setFunctionBreakpoints", breakpoints=[])
    client.ask("continue", threadId=1)
    assert client.event("output")["output"] == "5\n"
    assert client.event("exited")["exitCode"] == 0
    client.event("terminated")
    client.close()


def test_lines():
    client = Client()
    client.launch("examples/fib.wat", invoke="fib", args=["4"], stopAtEnd=True)
    client.ask("setFunctionBreakpoints", breakpoints=[{"name": "fib"}])
    client.begin()
    _, before = client.stop("continue", "breakpoint")
    client.ask("setFunctionBreakpoints", breakpoints=[])
    _, line = client.stop("next", "step")
    assert (before, line) == (5, 9), (before, line)
    assert client.stop("stepBack", "step")[1] == 5
    client.stop("stepOut", "step")
    client.ask("continue", threadId=1)
    assert client.event("stopped")["text"] == "3"  # the result: it can be gone back from here
    client.stop("stepBack", "step", granularity="instruction")
    client.stop("restart", "entry")
    assert client.ask("evaluate", expression="step")["result"] == "0"
    client.close()


def test_heads_and_memory():
    client = Client()
    client.launch("examples/hello.wat")
    client.begin()
    heads = client.variables("Heads of the next step")
    assert re.fullmatch(r"query (\d+) finds key \1; score \d+, margin \d+, of \d+ keys", heads["Fetch"]), heads
    memory = client.ask("readMemory", memoryReference="0x0", count=65_536 * 3)
    assert memory["unreadableBytes"] > 0 and b"ello" in base64.b64decode(memory["data"])
    listed = client.ask("disassemble", memoryReference="0x0", instructionOffset=-2, instructionCount=5)["instructions"]
    assert [row["address"] for row in listed][2:] == ["0x0", "0x1", "0x2"] and len(listed) == 5
    assert "query" in client.ask("evaluate", expression="attention")["result"]
    client.ask("continue", threadId=1)
    assert "ello" in client.event("output")["output"]
    client.event("exited")
    client.close()


def test_trap():
    client = Client()
    client.launch("examples/trap.wat", invoke="divide", args=[0], stopOnEntry=False)
    client.ask("configurationDone")
    stopped = client.event("stopped")
    assert stopped["reason"] == "exception" and "integer divide by zero" in stopped["text"], stopped
    assert client.ask("exceptionInfo", threadId=1)["exceptionId"] == "integer divide by zero"
    client.stop("stepBack", "step")  # what led to it can be looked at
    client.close()


def test_pause_and_listing():
    folder = tempfile.TemporaryDirectory()
    source, compiled = os.path.join(folder.name, "spin.txa"), os.path.join(folder.name, "spin.txp")
    with open(source, "w", encoding="utf-8") as program:
        program.write("again:\n  PUSH 1\n  JNZ again\n")
    subprocess.run([TXVM, "asm", source, "-o", compiled], check=True)
    os.remove(source)
    with folder:
        client = Client()
        client.launch(compiled, stopOnEntry=False, engine="native")
        client.send("configurationDone")
        client.answers.get(timeout=WAIT)
        client.ask("pause", threadId=1)
        assert client.event("stopped")["reason"] == "pause"
        # Its source is gone: the instructions stand for it, a line each.
        source = client.ask("stackTrace", threadId=1)["stackFrames"][0]["source"]
        text = client.ask("source", sourceReference=source["sourceReference"])["content"]
        line = next(i for i, row in enumerate(text.splitlines(), 1) if row.startswith("JNZ "))
        set_there = client.ask("setBreakpoints", source=source, breakpoints=[{"line": line}, {"line": 999}])
        assert [b["verified"] for b in set_there["breakpoints"]] == [True, False], set_there
        client.stop("continue", "breakpoint")
        client.close()


def test_what_makes_no_sense():
    client = Client()
    client.ask("initialize", adapterID="txvm")
    client.event("initialized")
    assert "no program is launched" in client.ask("stackTrace", refused=True)
    assert "launch needs" in client.ask("launch", refused=True)
    assert "cannot read" in client.ask("launch", refused=True, program="nowhere.wat")
    assert "'swift' is none of" in client.ask("launch", refused=True, program="examples/fib.wat", engine="swift")
    assert "not supported" in client.ask("fly", refused=True)
    client.ask("launch", program="examples/gcd.txa", invoke="gcd", args=["48", "18"])
    client.begin()
    assert "there is no frame 99" in client.ask("scopes", refused=True, frameId=99)
    assert "there are no variables" in client.ask("variables", refused=True, variablesReference=12345)
    assert "is none of: local N" in client.ask("evaluate", refused=True, expression="x + y")
    assert "is no address" in client.ask("readMemory", refused=True, memoryReference="zero", count=1)
    assert "is launched already" in client.ask("launch", refused=True, program="examples/gcd.txa")
    client.close()
    for garbage in (b"hello\r\n\r\n", b"Content-Length: 3\r\n\r\n[1]", b"Content-Length: 99999999999\r\n\r\n",
                    b"Content-Length: 5\r\n\r\n{", b"x" * 10_000):
        done = subprocess.run([TXVM, "dap"], input=garbage, capture_output=True, timeout=WAIT)
        assert done.returncode == 3 and b"txvm: error: standard input: " in done.stderr, (garbage[:40], done)
    assert subprocess.run([TXVM, "dap"], input=b"", capture_output=True, timeout=WAIT).returncode == 0


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print("ok", name[5:].replace("_", " "))
