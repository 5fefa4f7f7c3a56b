"""Take the pictures of the page for docs/: light, dark, and with the width of a phone.

    python -m bench.screenshots      writes docs/page-light.png, page-dark.png and page-phone.png

They show a real daemon with a broker, the tools of examples/home and a voice chain whose loudspeaker is a file, a real
conversation in Debian's Chromium, and a minute of use, so that the plots have data. Nothing in the pictures is
invented.
"""

import asyncio
import json
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, ViewportSize, async_playwright

from bench.broker import broker

DOCS = Path(__file__).parent.parent / "docs"
TOOLS = Path(__file__).parent.parent / "examples" / "home" / "tools.toml"
FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync")
# Spoken answers come as one line of base64.
LINE_BYTES = 32 * 1024 * 1024
DESKTOP, PHONE = ViewportSize(width=1280, height=800), ViewportSize(width=375, height=812)

QUESTIONS = ("turn on the kitchen light", "what is 12 times 7?", "tell me a story about a brave robot")
# An answer that is still running when the picture is taken.
ENDLESS = {"max_token_len": 3500, "end_bias": -100.0}
# Pause between two questions, so that the plots show separate peaks.
PAUSE_SECONDS = 12


class Client:
    """A client that sets up a chain over TCP."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def send(self, **fields: Any) -> None:
        """Send one request."""
        self._writer.write(json.dumps({"request_id": fields["action"]} | fields).encode())

    async def ask(self, **fields: Any) -> dict[str, Any]:
        """Send one request and return its reply."""
        self.send(**fields)
        while (reply := json.loads(await self._reader.readline()))["request_id"] != fields["action"]:
            pass
        answer: dict[str, Any] = reply
        return answer

    async def set_up(self, unit: str, **data: Any) -> str:
        """Set up a task; return its work_id."""
        data = {"model": f"unitd-{unit}", "enoutput": True} | data
        return str((await self.ask(work_id=unit, action="setup", data=data))["work_id"])


@asynccontextmanager
async def running_daemon(folder: Path, broker_port: int) -> AsyncIterator[dict[str, Any]]:
    """Yield the endpoints of a daemon with the tools of a home and one sound device, a loudspeaker that is a file."""
    config = folder / "unitd.toml"
    config.write_text(
        f'[state]\ndir = "{folder}"\n[unix]\nenabled = false\n[tcp]\nport = 0\n[http]\nport = 0\n'
        f'[audio]\ncapture = ""\nplayback = "file:{folder}/heard.wav"\n'
        f'[mqtt]\nhost = "127.0.0.1"\nport = {broker_port}\n[home]\ntools = "{TOOLS}"\n'
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", "unitd", "serve", "--config", str(config))
    endpoints = folder / "endpoints.json"
    while not endpoints.exists():
        if process.returncode is not None:
            raise SystemExit("the daemon did not start")
        await asyncio.sleep(0.05)
    try:
        yield json.loads(endpoints.read_text())
    finally:
        process.send_signal(signal.SIGTERM)
        await process.wait()


async def set_up_chain(client: Client) -> str:
    """Set up wake word, recogniser, language model and voice, all linked; return the language model's work_id."""
    kws = await client.set_up("kws", response_format="kws.bool", kws="hey jarvis", input="sys.pcm")
    asr = await client.set_up("asr", response_format="asr.utf-8.stream", input=["sys.pcm", kws])
    inputs = ["llm.utf-8", asr, kws]
    llm = await client.set_up("llm", model="default", response_format="llm.utf-8.stream", prompt="", input=inputs)
    await client.set_up("tts", response_format="sys.pcm", input=[llm, kws])
    return llm


async def ask(page: Page, question: str) -> None:
    """Ask a question in the chat and wait for the whole answer."""
    answers = await page.locator(".turn.unit").count()
    await page.get_by_label("Message").fill(question)
    await page.keyboard.press("Enter")
    await page.locator(".turn.unit.done").nth(answers).wait_for()


async def converse(page: Page) -> None:
    """Use the page for a minute."""
    for question in QUESTIONS:
        await ask(page, question)
        await asyncio.sleep(PAUSE_SECONDS)


async def take(page: Page, name: str) -> None:
    """Take one picture."""
    await page.evaluate("document.activeElement.blur()")
    await asyncio.sleep(1)
    await page.screenshot(path=DOCS / f"page-{name}.png")


async def photograph(browser: Browser, address: str, client: Client) -> None:
    """Take all pictures of one session."""
    llm = await set_up_chain(client)
    client.send(work_id=llm, action="inference", object="llm.utf-8", data="hello")  # wakes the loudspeaker up
    page = await browser.new_page(viewport=DESKTOP, color_scheme="light")
    await page.goto(address)
    await page.locator(".light.open").wait_for()
    await converse(page)
    for options in (ENDLESS, {}, {}):
        client.send(work_id=llm, action="inference", object="llm.utf-8", data=QUESTIONS[-1], options=options)
    await page.locator(".node.running").filter(has_text="2 waiting").wait_for()
    await take(page, "light")

    await client.ask(work_id=llm, action="pause")
    await page.emulate_media(color_scheme="dark")
    await page.locator(".node").filter(has_text=llm).get_by_role("button").first.click()
    await take(page, "dark")

    phone = await browser.new_page(viewport=PHONE, device_scale_factor=1.5, color_scheme="light")
    await phone.goto(address)
    await phone.locator(".light.open").wait_for()
    for question in QUESTIONS:
        await ask(phone, question)
    await take(phone, "phone")


async def main() -> None:
    """Take the pictures in a folder that is removed afterwards."""
    program = shutil.which("chromium")
    if program is None:
        raise SystemExit("chromium is missing: sudo apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder:
        async with (
            broker(Path(folder)) as port,
            running_daemon(Path(folder), port) as endpoints,
            async_playwright() as playwright,
        ):
            browser = await playwright.chromium.launch(executable_path=program, args=FLAGS)
            client = Client(*await asyncio.open_connection(*endpoints["tcp"], limit=LINE_BYTES))
            host, port = endpoints["http"]
            await photograph(browser, f"http://{host}:{port}/", client)
            await browser.close()


if __name__ == "__main__":
    asyncio.run(main())
