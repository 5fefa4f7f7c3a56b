"""A unit for unitd: questions are answered with passages of your own texts."""
