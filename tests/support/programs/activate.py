"""Start a program as systemd's socket activation does: python activate.py NAMES FD… -- PROGRAM ARGUMENT…

The descriptors are moved to 3, 4, … and LISTEN_PID names the process that becomes the program.
"""

import fcntl
import os
import sys

FIRST = 3
ASIDE = 100


def main() -> None:
    """Replace this process by the program."""
    end = sys.argv.index("--")
    names, descriptors, command = sys.argv[1], map(int, sys.argv[2:end]), sys.argv[end + 1 :]
    aside = [fcntl.fcntl(each, fcntl.F_DUPFD, ASIDE) for each in descriptors]
    for place, each in enumerate(aside, FIRST):
        os.dup2(each, place, inheritable=True)
        os.close(each)
    own = {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": str(len(aside)), "LISTEN_FDNAMES": names}
    os.execve(command[0], command, os.environ | own)


if __name__ == "__main__":
    main()
