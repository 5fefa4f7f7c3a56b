"""One speech engine in a process of its own: `bench.voice` starts it and reads its figures."""

import json
import sys
import time
from collections.abc import Callable, Iterator

import psutil

from bench.speech import LIBRI, RATE, RECORDINGS, Samples, a_minute, clips_of, read_wav, word_errors

PERIOD = RATE // 50
Feed = Callable[[Samples], object]

ZH = str(RECORDINGS / "kws-zh" / "tokens.txt")
COMMANDS = "#JSGF V1.0; grammar home; public <c> = turn (on | off) the (kitchen | bedroom) light;"


def kws(phrase: str, engine: str = "auto", path: str = "", **options: object) -> Feed:
    """Return the listener of a kws task."""
    from units.engines import find_engine
    from units.kws.task import KwsTask

    data = {"kws": phrase, "response_format": "kws.bool", **options}
    task = KwsTask("kws.1", data, find_engine("kws", engine)(path), lambda words: None)
    return lambda samples: task.hear("upload", samples)


def asr(engine: str = "auto", path: str = "", grammar: str = "") -> Feed:
    """Return the stream of an asr task."""
    from units.asr.engine import read_options
    from units.engines import find_engine

    loaded = find_engine("asr", engine)({"path": path, "engine_options": {}})
    stream = loaded.open(read_options({"grammar": grammar}, loaded.usual_rules, has_vad=False))
    return lambda samples: stream.feed(samples)


def vad(engine: str) -> Feed:
    """Return the gate of a vad task."""
    from units.engines import find_engine
    from units.vad.gate import GateRules, SpeechGate

    return SpeechGate(find_engine("vad", engine)(), GateRules()).feed


ENGINES: dict[str, Callable[[], Feed]] = {
    "kws, microWakeWord (alexa)": lambda: kws("alexa"),
    "kws, pocketsphinx (computer)": lambda: kws("computer"),
    "kws, sherpa-onnx (wenetspeech)": lambda: kws("小爱同学", "sherpa-onnx", ZH),
    "asr, pocketsphinx, free speech": asr,
    "asr, pocketsphinx, grammar": lambda: asr(grammar=COMMANDS),
    "asr, sherpa-onnx (wenetspeech)": lambda: asr("sherpa-onnx", ZH),
    "vad, silero": lambda: vad("silero"),
    "vad, webrtc": lambda: vad("webrtc"),
}


def cost(name: str) -> dict[str, float]:
    """Return seconds of processor per second of audio, MiB beyond the bare process, and the slowest period in ms."""
    audio, me = a_minute(), psutil.Process()
    before = me.memory_info().rss
    feed = ENGINES[name]()
    slowest, began = 0.0, time.process_time()
    for period in periods(audio):
        at = time.perf_counter()
        feed(period)
        slowest = max(slowest, time.perf_counter() - at)
    spent = time.process_time() - began
    memory = (me.memory_info().rss - before) / 2**20
    return {"rtf": spent / (len(audio) / RATE), "mib": memory, "slowest_ms": slowest * 1e3}


def periods(audio: Samples) -> Iterator[Samples]:
    """Yield periods as a microphone delivers them."""
    return (audio[at : at + PERIOD] for at in range(0, len(audio), PERIOD))


def wakes(phrase: str, threshold: float) -> dict[str, float]:
    """Return the number of clips in which the word was heard, and the false wakes an hour in all other speech."""
    own = clips_of(f"wake/{phrase}")
    others = [clip for word in ("alexa", "computer", "jarvis") if word != phrase for clip in clips_of(f"wake/{word}")]
    others += clips_of("speech")
    hits = sum(bool(_heard(phrase, threshold, clip)) for clip in own)
    false = sum(_heard(phrase, threshold, clip) for clip in others)
    hours = sum(len(clip) for clip in others) / RATE / 3600
    return {"clips": len(own), "hits": hits, "false": false, "hours": hours}


def _heard(phrase: str, threshold: float, clip: Samples) -> int:
    from units.engines import find_engine
    from units.kws.task import KwsTask

    data = {"kws": phrase, "response_format": "kws.bool", "threshold": threshold}
    task = KwsTask("kws.1", data, find_engine("kws", "auto")(""), lambda words: None)
    return len(task.hear("upload", clip)) + len(task.finish("upload"))


def errors() -> dict[str, float]:
    """Return the word errors of the bundled asr in the two LibriSpeech clips."""
    from units.asr.bundled import BundledEngine
    from units.asr.engine import read_options

    engine = BundledEngine({})
    wrong = words = 0
    for name, said in LIBRI.items():
        stream = engine.open(read_options({}, engine.usual_rules, has_vad=False))
        clip = read_wav(RECORDINGS / "speech" / f"{name}.wav")
        heard = [each.text for period in periods(clip) for each in stream.feed(period) if each.is_final]
        wrong += word_errors(said, " ".join([*heard, stream.finish()]))
        words += len(said.split())
    return {"wrong": wrong, "words": words}


def voice() -> dict[str, float]:
    """Return for the bundled voice: processor seconds per second of speech, ms to the first sound, MiB."""
    from units.engines import find_engine
    from units.tts.engine import Voice

    me = psutil.Process()
    before = me.memory_info().rss
    engine = find_engine("tts", "auto")({"path": "", "engine_options": {}})
    began, first, seconds = time.process_time(), 0.0, 0.0
    for _ in range(20):
        asked = time.perf_counter()
        for at, sound in enumerate(engine.speak("The kitchen light is on now.", Voice(), lambda: False)):
            first = first or (time.perf_counter() - asked) * 1e3 if at == 0 else first
            seconds += len(sound.samples) / sound.rate
    spent = time.process_time() - began
    return {"rtf": spent / seconds, "first_ms": first, "mib": (me.memory_info().rss - before) / 2**20}


def main() -> None:
    """Print the figures that the arguments name as JSON."""
    what, *arguments = sys.argv[1:]
    tables: dict[str, Callable[..., dict[str, float]]] = {
        "cost": cost,
        "wakes": lambda phrase, threshold: wakes(phrase, float(threshold)),
        "errors": errors,
        "voice": voice,
    }
    sys.stdout.write(json.dumps(tables[what](*arguments)) + "\n")


if __name__ == "__main__":
    main()
