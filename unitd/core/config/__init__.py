"""The configuration: its schema, how a TOML document becomes settings, and what is wrong in one."""
