"""terminal - programs that are shown a terminal, and all that they show on it.

A terminal whose other end has been closed may lose what has not been read: more than a few
kilobytes are handed on piece by piece, and a reader that comes between two pieces is told that
there is no more. So we keep the other end open, and write there ourselves when the program has
ended.
SPDX-License-Identifier: MIT
"""

import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading

END = b"\0END\0"  # follows on all that a program has shown
ROWS = 50


def start(command, *streams, columns=80, **options):
    """Starts a program some of whose streams ("stdout", "stderr") are a terminal. Gives the process
    and the end to read from, which the caller closes."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    # pylint: disable=consider-using-with
    process = subprocess.Popen(command, **dict.fromkeys(streams, theirs), **options)
    threading.Thread(target=_finish, args=(process, theirs), daemon=True).start()
    return process, ours


def _finish(process, theirs):
    process.wait()
    try:
        os.write(theirs, END)
    except OSError:  # nobody reads any more
        pass
    finally:
        os.close(theirs)


def show(command, *streams, **options):
    """What a program shows, from its start to its end, and its exit code."""
    process, ours = start(command, *streams, **options)
    data = b""
    try:
        while not data.endswith(END):
            data += os.read(ours, 65536)
    finally:
        os.close(ours)
    return data.removesuffix(END), process.wait()
