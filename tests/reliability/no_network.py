"""Programs that parse files have no network library behind them (docs/decisions/0024-hdf5-without-a-network.md).

Usage: no_network.py static|shared PROGRAM...   (how HDF5 is linked)
"""
import re
import subprocess
import sys

NETWORK = re.compile(r"\blib(curl|ldap|lber|krb5|gssapi|ssh2?|rtmp|nghttp2|ssl)\b[\w.+-]*")


def main():
    if sys.argv[1] != "static":
        print("skipped: HDF5 is linked shared here, and what is behind it is the distribution's choice")
        return 77
    wrong = 0
    for program in sys.argv[2:]:
        lines = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
        assert "libc.so" in lines, lines
        found = sorted({match.group(0) for match in NETWORK.finditer(lines)})
        if found:
            print(f"{program} brings {', '.join(found)}")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
