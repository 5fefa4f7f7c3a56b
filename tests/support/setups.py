"""Setups of tasks that many tests use, and a question with a long answer."""

LLM_SETUP = {
    "model": "qwen2.5-0.5B-prefill-20e",
    "response_format": "llm.utf-8.stream",
    "input": "llm.utf-8",
    "enoutput": True,
    "max_token_len": 256,
    "prompt": "You are a knowledgeable assistant capable of answering various questions and providing information.",
    "temperature": 0.0,
    "frame_interval_ms": 0,  # each token is a frame of its own; tests/runtime/test_pacing.py has the spacing
}
KWS_SETUP = {
    "model": "sherpa-onnx-kws-zipformer-gigaspeech-3.3M-2024-01-01",
    "response_format": "kws.bool",
    "input": "sys.pcm",
    "enoutput": True,
    "kws": "HELLO",
}
ASR_SETUP = {"model": "unitd-asr", "response_format": "asr.utf-8", "input": "asr.base64", "enoutput": True}
TTS_SETUP = {"model": "unitd-tts", "response_format": "tts.base64", "input": "tts.utf-8", "enoutput": True}
# The bundled model has learnt to answer this at length.
LONG_QUESTION = "tell me a very long story"
