"""Benchmarks: each measures unitd beside a peer in the same run, because ratios can be compared between machines."""
