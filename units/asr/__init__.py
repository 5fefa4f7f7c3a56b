"""The asr unit: speech to text. `unit` knows the daemon and no engine; engines know no daemon."""
