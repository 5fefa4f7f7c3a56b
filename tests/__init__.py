"""Tests, in the order of the tree. They use real parts; what stands in for a fault is a small class that behaves."""
