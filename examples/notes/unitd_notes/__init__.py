"""A unit for unitd that answers questions with passages of your own texts."""
