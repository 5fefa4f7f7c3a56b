"""`/v1/audio/transcriptions` through the asr unit, `/v1/audio/speech` through the tts unit."""

import base64
import struct
from dataclasses import dataclass
from typing import Any

import orjson
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request

from unitd.doors.http.bodies import Body
from unitd.doors.http.context import HttpContext
from unitd.doors.http.errors import bad_value
from unitd.doors.http.responses import Served, Stream
from unitd.doors.http.speech import ASR_MODEL, RATE, TTS_MODEL, Transcriber

TRANSCRIPT_FORMS = ("json", "text", "verbose_json")

# Names of OpenAI's own models, which many clients send without listing the models: they mean the unit's usual model.
_USUAL_MODELS = frozenset(
    {"default", "whisper-1", "gpt-4o-transcribe", "gpt-4o-mini-transcribe", "tts-1", "tts-1-hd", "gpt-4o-mini-tts"}
)
_SPEECH_FORMS = {
    "mp3": "audio/mpeg",
    "opus": "audio/ogg",
    "flac": "audio/flac",
    "wav": "audio/wav",
    "pcm": "audio/pcm",
}
"""Each with its content type; the first is what OpenAI documents as the default."""

# Names of OpenAI's own voices, which clients send because a voice is required: they mean the unit's usual voice. As a
# set literal they would take fourteen lines.
_USUAL_VOICES = frozenset(
    "alloy ash ballad cedar coral echo fable marin nova onyx sage shimmer verse default".split()  # noqa: SIM905
)


@dataclass(frozen=True)
class AskedTranscript:
    """A recording to transcribe."""

    model: str
    wav: bytes
    form: str
    language: str


async def read_transcript(form: FormData) -> AskedTranscript:
    """Return a request of `/v1/audio/transcriptions`.

    Raises:
        ApiError: a value cannot be used.
    """
    file = form.get("file")
    if not isinstance(file, UploadFile):
        raise bad_value("file is missing: send a WAV file as multipart/form-data.", "file")
    wav = await file.read()
    if wav[:4] != b"RIFF" or wav[8:12] != b"WAVE":
        raise bad_value("file is no WAV file; WAV (16-bit PCM) is what is understood here.", "file")
    shape = _field(form, "response_format", "json")
    if shape not in TRANSCRIPT_FORMS:
        raise bad_value(
            f"response_format is '{shape}'; {', '.join(TRANSCRIPT_FORMS)} are made here.", "response_format"
        )
    if _field(form, "stream", "false").lower() not in ("false", "0"):
        raise bad_value("stream is not supported for transcriptions.", "stream")
    return AskedTranscript(_field(form, "model", "default"), wav, shape, _field(form, "language", ""))


def _field(form: FormData, key: str, default: str) -> str:
    value = form.get(key)
    if isinstance(value, UploadFile):
        raise bad_value(f"{key} must be a text.", key)
    return value or default


@dataclass(frozen=True)
class AskedSpeech:
    """A text to speak."""

    model: str
    text: str
    form: str
    """One of _SPEECH_FORMS."""

    options: dict[str, Any]
    """For the tts unit."""


def read_speech(body: Body) -> AskedSpeech:
    """Return a request of `/v1/audio/speech`.

    Raises:
        ApiError: a value cannot be used.
    """
    text, voice = body.text("input", ""), body.get("voice") or "default"
    if not text.strip():
        raise bad_value("input must be a text to speak.", "input")
    form = body.text("response_format", "") or next(iter(_SPEECH_FORMS))
    if form not in _SPEECH_FORMS:
        known = ", ".join(_SPEECH_FORMS)
        raise bad_value(f"response_format is '{form}'; sound is made as {known} here.", "response_format")
    if body.text("stream_format", "") not in ("", "audio"):
        raise bad_value("stream_format must be audio; events are not sent here.", "stream_format")
    voice = voice.get("id") if isinstance(voice, dict) else voice
    if not isinstance(voice, str):
        raise bad_value("voice must be a name.", "voice")
    options = {} if voice in _USUAL_VOICES else {"speaker": voice}
    if (speed := body.get("speed")) is not None:
        options["speed"] = speed
    return AskedSpeech(body.text("model", "") or "default", text, form, options)


class Transcript(Served):
    """The response with the text of a recording."""

    unit = "asr"

    def __init__(self, context: HttpContext, request: Request, asked: AskedTranscript) -> None:
        super().__init__(context, request, ASR_MODEL if asked.model in _USUAL_MODELS else asked.model)
        self._asked = asked

    async def serve(self, stream: Stream) -> None:
        """Send the text after the whole recording has been transcribed."""
        language = {"language": self._asked.language} if self._asked.language else {}
        transcriber = await Transcriber.open(self._local_client, self._model, **language)
        text = await transcriber.hear(self._asked.wav)
        if self._asked.form == "text":
            await stream.whole(f"{text}\n".encode(), "text/plain")
        else:
            await stream.whole(orjson.dumps(self._body(text)))

    def _body(self, text: str) -> dict[str, Any]:
        if self._asked.form == "json":
            return {"text": text}
        seconds = round(wav_seconds(self._asked.wav), 3)
        # The units do not report the times of words: there is one segment for the whole recording.
        segments = [{"id": 0, "start": 0.0, "end": seconds, "text": text}] if text else []
        language = self._asked.language or "english"
        return {"task": "transcribe", "language": language, "duration": seconds, "text": text, "segments": segments}


class Speech(Served):
    """The response with a spoken text: a file in one piece, or PCM sentence by sentence."""

    unit = "tts"

    def __init__(self, context: HttpContext, request: Request, asked: AskedSpeech) -> None:
        super().__init__(context, request, TTS_MODEL if asked.model in _USUAL_MODELS else asked.model)
        self._asked = asked

    async def serve(self, stream: Stream) -> None:
        """Send the sound, at OpenAI's sample rate."""
        form = self._asked.form
        shape = "tts.base64.stream" if form == "pcm" else f"tts.base64.{form}"
        setup = {"model": self._model, "response_format": shape, "input": "tts.utf-8", "enoutput": True}
        work_id, _ = await self._local_client.set_up("tts", setup | {"sample_rate": RATE} | self._asked.options)
        frames = self._local_client.infer(work_id, self._asked.text, object_="tts.utf-8")
        if form != "pcm":
            await stream.whole(base64.b64decode((await anext(frames)).data), _SPEECH_FORMS[form])
            return
        headers = {"content-type": _SPEECH_FORMS[form]}
        async for frame in frames:
            if sound := base64.b64decode(frame.data["delta"]):
                await stream.say(sound, headers)
            if frame.data["finish"]:
                await stream.end(headers=headers)
                return


def wav_seconds(wav: bytes) -> float:
    """Return the duration of a WAV file by its header; 0 when the header does not tell it."""
    at, bytes_a_second = 12, 0
    while at + 8 <= len(wav):
        name, size = struct.unpack_from("<4sI", wav, at)
        at += 8
        if name == b"data":
            return min(size, len(wav) - at) / bytes_a_second if bytes_a_second else 0.0
        if name == b"fmt " and at + 12 <= len(wav):
            (bytes_a_second,) = struct.unpack_from("<I", wav, at + 8)
        at += size + size % 2
    return 0.0
