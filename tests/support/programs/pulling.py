"""A program that speaks the protocol of `unitd.fetch` and says what a test writes into a file.

`python pulling.py DIR` notes its order in DIR/orders, then prints each line of DIR/lines as soon as it
is there. A line `stderr TEXT` is printed to stderr, `exit N` ends it.
"""

import sys
import time
from collections.abc import Iterator
from pathlib import Path

TICK_SECONDS = 0.005


def main(folder: Path) -> int:
    """Read the order and print the lines; return the exit status."""
    with (folder / "orders").open("a") as orders:
        orders.write(sys.stdin.read() + "\n")
    for line in lines_in(folder / "lines"):
        word, _, rest = line.partition(" ")
        if word == "exit":
            return int(rest)
        stream = sys.stderr if word == "stderr" else sys.stdout
        stream.write(f"{rest if word == 'stderr' else line}\n")
        stream.flush()
    return 0


def lines_in(file: Path) -> Iterator[str]:
    """Yield each line as soon as it is written, without end."""
    file.touch()
    with file.open() as text:
        while True:
            if line := text.readline():
                yield line.rstrip("\n")
            else:
                time.sleep(TICK_SECONDS)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
