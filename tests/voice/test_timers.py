"""A timer by voice alone, through the whole daemon: from the wake word to the ring, and to its end."""

from pathlib import Path

import pytest

from tests.support.units.spoken import RATE, joined, silence, speak
from tests.support.units.voice_setups import ASR, KWS, TTS, WAKE, StartDaemon, loud_parts, played, until, write_wav
from tests.support.waiting import eventually

GRAMMAR = """#JSGF V1.0;
grammar timers;
public <command> = set a timer for ten seconds | stop;
"""
SKILLS = {"response_format": "intent.utf-8.stream", "enoutput": True, "tools": "skills"}


@pytest.mark.timeout(90)
async def test_a_spoken_timer_rings_until_stop_is_said(start: StartDaemon, tmp_path: Path) -> None:
    """The loudspeaker says that it is set, rings ten seconds later, and is silent after "hey jarvis, stop"."""
    loudspeaker = tmp_path / "out.wav"
    asked = joined(silence(1), speak(f"{WAKE} set a timer for ten seconds"), silence(14))
    again = [each for _ in range(6) for each in (speak(f"{WAKE} stop"), silence(1.2))]
    microphone = write_wav(tmp_path / "in.wav", joined(asked, *again, silence(20)))
    _, client = await start(capture=microphone, playback=f"file:{loudspeaker}")
    kws = await client.setup("kws", KWS | {"input": [], "enoutput": False})
    asr = await client.setup("asr", ASR | {"input": [], "grammar": GRAMMAR, "enoutput": False})
    skills = await client.setup("intent", SKILLS | {"input": [asr, kws], "enoutput": False})
    await client.setup("tts", TTS | {"response_format": "sys.pcm", "input": [skills, kws], "enoutput": False})
    await client.ask(work_id="sys", action="timer", data={"do": "subscribe"})
    for target, source in ((asr, kws), (asr, "sys.pcm"), (kws, "sys.pcm")):
        await client.ask(work_id=target, action="link", data=source)

    events = [
        (await until(client, lambda frame: frame["object"] == "sys.timer.stream", timeout=40))["data"] for _ in range(3)
    ]
    end = len(played(loudspeaker))
    await eventually(lambda: len(played(loudspeaker)) > end + 6 * RATE, timeout=15)

    assert [each["event"] for each in events] == ["started", "ringing", "stopped"]
    assert events[0]["timer"]["seconds"] == 10
    ring_at = loud_parts(played(loudspeaker)[:end])[-1][0]
    said_until = max(over for begin, over in loud_parts(played(loudspeaker)[:end]) if begin < ring_at)
    assert ring_at - said_until > 4, "the words of the answer are over before the ring"
    assert not [part for part in loud_parts(played(loudspeaker)[end + 4 * RATE :]) if part[1] - part[0] > 1.2], (
        "no ring"
    )
