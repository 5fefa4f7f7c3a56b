"""The Python client of the chunked server's document, word for word."""

# ruff: noqa: I001, T201
# mypy: ignore-errors
# fmt: off

import asyncio
import json
import websockets

async def voice_agent():
    uri = "ws://localhost:8002/ws"
    stream_id = "voice-001"

    messages = [
        {"role": "system", "content": "You are a helpful assistant. Keep responses concise."},
        {"role": "user", "content": "Tell me a joke."}
    ]

    async with websockets.connect(uri) as ws:
        # Start with max_tokens for fast first audio
        await ws.send(json.dumps({
            "action": "start_stream",
            "stream_id": stream_id,
            "messages": messages,
            "pause": {"max_tokens": 10},
            "stream_tokens": True
        }))

        full_text = ""
        while True:
            msg = json.loads(await ws.recv())

            if msg["type"] == "token":
                # Stream token to TTS
                print(msg["content"], end="", flush=True)
                full_text += msg["content"]

            elif msg["type"] == "paused":
                print(f"\n[Paused: {msg['reason']}, {msg['tokens']} tokens]")

                # Let TTS catch up, then continue
                await asyncio.sleep(0.5)

                await ws.send(json.dumps({
                    "action": "continue_stream",
                    "stream_id": stream_id,
                    "pause": {"sentence_boundary": True}
                }))

            elif msg["type"] == "done":
                print(f"\n[Done: {msg['reason']}, {msg['tokens']} tokens]")
                break

        # Cleanup
        await ws.send(json.dumps({
            "action": "end_stream",
            "stream_id": stream_id
        }))
        await ws.recv()  # Wait for end confirmation

        print(f"\nFull response: {full_text}")

asyncio.run(voice_agent())
