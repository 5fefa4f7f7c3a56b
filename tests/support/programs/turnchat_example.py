"""The Python example of the turn-based chat's document, word for word but for the address, and for how it reads a file.

python turnchat_example.py ws://127.0.0.1:8000/ws/chat [REF.WAV]
"""

# ruff: noqa: T201
# mypy: ignore-errors

import asyncio, json, base64  # noqa: E401, I001
import sys
import wave
import numpy as np
import websockets


def load_ref_audio(path: str) -> str:
    """Load a WAV file and return base64-encoded PCM float32 at 16kHz."""
    with wave.open(path) as file:
        audio = np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float32) / 32768
    return base64.b64encode(audio.tobytes()).decode()


async def chat_streaming(
    server_url="wss://localhost:8006/ws/chat",
    ref_audio_path: str | None = "ref.wav",
):
    async with websockets.connect(server_url) as ws:
        # Load reference audio for voice cloning
        ref_b64 = load_ref_audio(ref_audio_path) if ref_audio_path else None

        # System message uses content-list format: [text, audio, text].
        # The audio item embeds the reference voice into the LLM context.
        system_content = "You are a helpful assistant."
        if ref_b64:
            system_content = [
                {"type": "text", "text": "Mimic the voice from the audio sample."},
                {"type": "audio", "data": ref_b64},  # reference voice
                {"type": "text", "text": "You are a helpful assistant. Reply naturally."},
            ]

        # TTS config — ref_audio_data initializes the TTS vocoder separately
        tts_config = {"enabled": True, "mode": "audio_assistant"}
        if ref_b64:
            tts_config["ref_audio_data"] = ref_b64

        await ws.send(
            json.dumps(
                {
                    "messages": [
                        {"role": "system", "content": system_content},
                        {"role": "user", "content": "Hello!"},
                    ],
                    "streaming": True,
                    "generation": {"max_new_tokens": 256, "temperature": 0.7},
                    "tts": tts_config,
                }
            )
        )

        full_text = ""
        audio_chunks = []

        async for raw in ws:
            msg = json.loads(raw)
            if msg["type"] == "prefill_done":
                print(f"Prefill done, {msg['input_tokens']} input tokens")
            elif msg["type"] == "chunk":
                # Incremental text token
                if msg.get("text_delta"):
                    full_text += msg["text_delta"]
                    print(f"Streaming: {full_text}")
                # Incremental audio segment (PCM float32, 24kHz)
                if msg.get("audio_data"):
                    audio_chunks.append(base64.b64decode(msg["audio_data"]))
            elif msg["type"] == "done":
                print(f"Final: {msg['text']}")
                print(f"Tokens: {msg['input_tokens']} in, {msg['generated_tokens']} out")
                break
            elif msg["type"] == "error":
                print(f"Error: {msg['error']}")
                break

        if audio_chunks:
            pcm = np.frombuffer(b"".join(audio_chunks), dtype=np.float32)
            print(f"Received {len(pcm) / 24000:.1f}s of audio")


asyncio.run(chat_streaming(sys.argv[1], sys.argv[2] if sys.argv[2:] else None))
