"""Which microphone and loudspeaker there are: `python -m units.audio.look CAPTURE PLAYBACK` prints JSON.

CAPTURE and PLAYBACK are the settings of `[audio]`. Devices are looked for, not opened: another program may have them.

    {"capture": {"name": "USB Audio"}, "playback": {"missing": "this machine has no loudspeaker"}}

A program of its own, because PortAudio can end the process where it finds nothing.
"""

import argparse
import json
import sys

from units.audio.devices import DeviceMissing
from units.audio.portaudio import Kind, PortAudio


def main() -> None:
    """Print what was found."""
    parser = argparse.ArgumentParser(prog="units.audio.look", description=__doc__)
    parser.add_argument("capture")
    parser.add_argument("playback")
    given = parser.parse_args()
    library = PortAudio()
    found = {
        "capture": _found(library, given.capture, "input"),
        "playback": _found(library, given.playback, "output"),
    }
    sys.stdout.write(json.dumps(found) + "\n")


def _found(library: PortAudio, setting: str, kind: Kind) -> dict[str, str]:
    try:
        return {"name": library.look_for(setting, kind)}
    except DeviceMissing as error:
        return {"missing": str(error)}


if __name__ == "__main__":
    main()
