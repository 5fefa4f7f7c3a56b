"""Limits of videos in a conversation. A program of its own decodes them (`units.video`); the daemon passes them on."""

MAX_FRAMES = 16
"""The pictures that are taken from one video, or pairs of them with `stack_frames`; never more than one a second.

At 64 tokens a picture, as small models need, they take a quarter of a context of 4096.
"""

MAX_STACKED = 16
"""The pictures a second that `stack_frames` may ask for."""

MAX_SOUND_SECONDS = 300
"""So much of a sound track is listened to."""

SOUND_RATE = 16000
"""The samples a second of a sound track that was read: 16 bits each, mono."""

MAX_PIXELS = 9_000_000
"""The pixels of one picture: 4096 x 2160 is the largest."""

DECODE_SECONDS = 30.0
"""Of the processor, for one video."""

DECODE_BYTES = 512 * 1024 * 1024
"""Of memory. H.264 may refer to 16 pictures, of which the largest take 13 MB each."""
