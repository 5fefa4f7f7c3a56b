"""The program that forks the readers of pictures; `units.confined.start_program` starts it."""

from units import confined
from units.llm.vision.picture_reader import fork_on_demand

if __name__ == "__main__":
    confined.run(fork_on_demand)
