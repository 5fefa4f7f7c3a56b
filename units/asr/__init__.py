"""The asr unit: speech to text. Its face knows the daemon and no engine, its engines know no daemon."""
