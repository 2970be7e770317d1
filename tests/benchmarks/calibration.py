"""How fast this machine is beside the reference machine, so that limits in milliseconds can be compared."""
import time

# Seconds of the loop below on the reference machine (Intel Sapphire Rapids, one core, Debian's Python 3.11).
REFERENCE_S = 0.115


def loop():
    begin = time.perf_counter()
    x = 1
    for _ in range(2_000_000):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
    return time.perf_counter() - begin


def factor():
    """Above 1 on a slower machine: multiply limits by it."""
    return min(loop() for _ in range(5)) / REFERENCE_S
