"""Programs that tests start as processes of their own."""

from pathlib import Path

PROGRAMS = Path(__file__).parent
