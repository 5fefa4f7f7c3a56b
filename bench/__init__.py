"""Speed, each figure beside a peer's in the same run: figures hold for one machine, ratios travel."""
