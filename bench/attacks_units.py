"""Attacks on what all tasks of a unit share: its program, its memory, its slots, its caches, the loudspeaker.

Each attack returns its result as text for the table.
"""

import base64
import contextlib
import random
import statistics
import struct
import threading
import time
from pathlib import Path
from typing import Any

from bench.bystander import ASR, LLM
from bench.target import Attack, Harm, Target, Wire

MEMORY_MIB = 512
OWNERS = "[auth]\ntrust_loopback = false\n"
HEADER = "#JSGF V1.0; grammar g; public "
STARS = HEADER + "<a> = " + "(" * 500 + "hello" + ")*" * 500 + ";"
BAD_GRAMMAR_SECONDS = 10.0
NEWCOMER_SECONDS = 2.0
HOGS = 12
# Ratio of the times to the first frame of a cached and a new prompt: 1 reveals nothing about other clients.
LEAST_LIKE_NEW = 0.8


def doubling(levels: int) -> str:
    """Return a JSGF grammar whose expansion doubles with each level."""
    rules = "".join(f"<a{i}> = <a{i + 1}> <a{i + 1}>;" for i in range(levels))
    return f"{HEADER}{rules}<a{levels}> = hello;"


def ambiguous(rules: int) -> str:
    """Return a GBNF grammar with two ways to read each letter, for each rule."""
    lines = [f'r{i} ::= r{i + 1} "x" | r{i + 1} "y"' for i in range(rules)]
    return "\n".join(["root ::= r0", *lines, f'r{rules} ::= "a"'])


def nested_stars(target: Target) -> str:
    """Set up a recogniser with 2 KB of nested repetitions, which once hung its program."""
    return _refused(target, "asr", ASR, STARS)


def ambiguous_rules(target: Target) -> str:
    """Set up an llm task with 25 ambiguous rules, which once hung its program."""
    return _refused(target, "llm", LLM, ambiguous(25))


def doubling_rules(target: Target) -> str:
    """Set up a recogniser with 316 bytes that once took 1 GiB."""
    return _refused(target, "asr", ASR, doubling(15))


def _refused(target: Target, unit: str, data: dict[str, Any], grammar: str) -> str:
    program, client = target.programs(unit)[0], target.wire()
    began = time.monotonic()
    for _ in range(5):
        code = client.code(unit, "setup", data | {"grammar": grammar})
        if code == 0:
            raise Harm("the grammar is accepted")
    seconds = (time.monotonic() - began) / 5
    if seconds > BAD_GRAMMAR_SECONDS:
        raise Harm(f"each refusal takes {seconds:.1f} s")
    if program not in target.programs(unit):
        raise Harm("the program died")
    if (size := sum(each.memory_info().rss for each in target.daemon.children()) / 2**20) > MEMORY_MIB:
        raise Harm(f"the programs take {size:.0f} MiB")
    return f"refused with {code} after {seconds * 1e3:.0f} ms"


def poison(target: Target) -> str:
    """Let a program die during the work of the same task, again and again."""
    client = target.wire()
    task = target.set_up(client, max_token_len=1000, end_bias=-50)
    others = target.states().keys() - {task}
    deaths = 0
    while deaths < 5:
        client.send(work_id=task, action="inference", object="llm.utf-8", data="tell me a story")
        while (frame := client.receive())["work_id"] != task:
            pass
        if frame["error"]["code"]:
            break
        target.programs("llm")[0].kill()
        deaths += 1
        while not client.receive()["error"]["code"]:
            pass
        _wait_until(lambda: target.states()[task] not in ("loading", "restarting"))
    states = target.states()
    if states[task] != "failed" or deaths > 3:
        raise Harm(f"after {deaths} deaths the task is {states[task]}")
    if failed := [each for each in others if states[each] == "failed"]:
        raise Harm(f"others failed with it: {failed}")
    return f"failed after {deaths} deaths"


def _wait_until(condition: Any) -> None:
    until = time.monotonic() + 30
    while not condition():
        if time.monotonic() > until:
            raise Harm("a task does not come back")
        time.sleep(0.1)


def shared_prompts(target: Target) -> str:
    """Try to find out by the time to the first frame whether another token's client asked the same."""
    rng = random.Random(3)
    words = ["kitchen", "light", "story", "name", "weather", "music", "garden", "seven", "table", "window"]
    anna, ben = (target.wire(target.token(name, "use")) for name in ("anna", "ben"))
    hers, his = (target.set_up(each) for each in (anna, ben))
    known, new = [], []
    for _ in range(6):
        secret, other = (" ".join(rng.choices(words, k=800)) for _ in range(2))
        _time_to_first(anna, hers, secret)
        new.append(_time_to_first(ben, his, other))
        known.append(_time_to_first(ben, his, secret))
    ratio = statistics.median(known) / statistics.median(new)
    if ratio < LEAST_LIKE_NEW:
        raise Harm(f"what another asked answers in {ratio:.2f} of the time")
    return f"first frame after {ratio:.2f} of the time of a new prompt"


def _time_to_first(client: Wire, task: str, prompt: str) -> float:
    messages = [{"role": "system", "content": prompt}, {"role": "user", "content": "hi"}]
    return client.first_frame(task, options={"messages": messages, "max_token_len": 1})


def foreign_sound(target: Target) -> str:
    """Try to stop the sound of another token's client."""
    anna, ben = (target.wire(target.token(name, "use")) for name in ("anna", "ben"))
    sound = base64.b64encode(struct.pack("<h", 1000) * 16_000 * 60).decode()
    if code := anna.code("audio", "queue_play", sound, object="audio.pcm.base64"):
        raise Harm(f"sound is refused: {code}")
    before = anna.ask("audio", "audio_status")["data"]["queued_seconds"]
    for action in ("play_stop", "queue_stop"):
        ben.ask("audio", action)
    after = anna.ask("audio", "audio_status")["data"]["queued_seconds"]
    if after < before - 10:
        raise Harm(f"{before - after:.0f} of {before:.0f} s of another's sound are gone")
    return "it plays on"


def long_answers(target: Target) -> str:
    """Keep every slot of the model busy with twelve answers of 4,000 tokens, then ask as a new client."""
    hog = target.wire()
    for _ in range(HOGS):
        task = target.set_up(hog, max_token_len=4000, end_bias=-100)
        hog.send(work_id=task, action="inference", object="llm.utf-8", data="tell me a story")

    def swallow() -> None:
        with contextlib.suppress(OSError, ValueError):
            while hog.socket.recv(65536):
                pass

    threading.Thread(target=swallow, daemon=True).start()
    waits, newcomer = [], target.wire()
    task = target.set_up(newcomer)
    for _ in range(10):
        waits.append(newcomer.first_frame(task, data="hello"))
        time.sleep(0.5)
    hog.socket.close()
    if max(waits) > NEWCOMER_SECONDS * 1.5:
        raise Harm(f"a newcomer waits {max(waits):.1f} s")
    return f"a newcomer waits {statistics.median(waits):.1f} s, {max(waits):.1f} s at most"


def hostile_file(folder: Path) -> None:
    """Put a GGUF with 1.3 million keys among the models."""
    models = folder / "hostile"
    models.mkdir()
    keys = 1_300_000
    with (models / "many.gguf").open("wb") as file:
        file.write(b"GGUF" + struct.pack("<IQQ", 3, 0, keys))
        file.write(b"".join(struct.pack("<Q", 8) + b"k%07d" % i + struct.pack("<IB", 0, 1) for i in range(keys)))


def many_keys(target: Target) -> str:
    """List models while a file with 1.3 million keys lies among them."""
    client, began = target.wire(), time.monotonic()
    reply = client.ask("sys", "lsmode")
    seconds = time.monotonic() - began
    if reply["error"]["code"] or seconds > 1:
        raise Harm(f"lsmode takes {seconds:.1f} s, {reply['error']}")
    return f"`lsmode` takes {seconds * 1e3:.0f} ms"


ATTACKS = (
    Attack("nested-stars", nested_stars),
    Attack("ambiguous-rules", ambiguous_rules),
    Attack("doubling-rules", doubling_rules, f'[limits]\nmemory = "{MEMORY_MIB}M"\n'),
    Attack("poison", poison, kills=True),
    Attack("shared-prompts", shared_prompts, OWNERS),
    Attack("foreign-sound", foreign_sound, OWNERS, playback="file:FOLDER/out.wav"),
    Attack("long-answers", long_answers),
    Attack("many-keys", many_keys, models='["FOLDER/hostile"]', prepare=hostile_file),
)
