"""A lock under test in Python, judged as -strategy token: SET NX PX of a token, compare and delete. See docs/worker-protocol.md."""
import json, socket, sys, time, uuid
RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"
cfg, token, wire = {}, None, None
def redis(*args):  # the reply's first line, which is all of it here; None without a good one
    global wire
    commands = [args]
    try:
        if wire is None:
            host, port = cfg["redis"].rsplit(":", 1)
            wire = socket.create_connection((host, int(port)), max(5 / cfg["scale"], 0.05)).makefile("rwb")
            commands = ([("AUTH", cfg["password"])] if cfg["password"] else []) + commands
        for command in commands:
            words = [str(word).encode() for word in command]
            wire.write(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words))
            wire.flush()
            reply = wire.readline().strip()
            if reply[:1] not in (b"+", b":", b"$"):
                raise OSError(reply or "connection closed")
        return reply
    except OSError as err:
        print(err, file=sys.stderr)
        wire = None  # a late reply must not be taken for another command's
def acquire(end, mine):
    while (reply := redis("SET", cfg["key"], mine, "NX", "PX", cfg["lease_ms"])) != b"+OK" and time.monotonic() < end:
        time.sleep(0.01)
    return (mine, None) if reply == b"+OK" else (None, "not acquired" if reply else "network")
def work(left):
    while left > 0:  # in slices, so that time in which the process is stopped does not count
        begun = time.monotonic()
        time.sleep(min(left, 0.005))
        left -= min(time.monotonic() - begun, 0.01)
for line in sys.stdin:
    ask, error = json.loads(line), None
    if ask["do"] == "start": cfg, error = ask, None if ask["version"] == 1 else "version 1 only"
    if ask["do"] == "acquire": token, error = acquire(time.monotonic() + ask.get("wait_ms", 0) / 1000, str(uuid.uuid4()))
    if ask["do"] == "work": work(ask.get("ms", 0) / 1000)
    if ask["do"] == "release": error = {b":1": None, None: "network"}.get(redis("EVAL", RELEASE, 1, cfg["key"], token), "not held")
    print(json.dumps({"id": ask["id"], "ok": not error, **({"error": error} if error else {})}), flush=True)
    if ask["do"] == "stop": break
