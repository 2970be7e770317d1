#!/bin/bash
# Runs the window on an X server of its own and listens to it as a screen reader does.
#   tests/gui/screen_reader.sh BIN_DIR
# Needs xvfb, xdotool, dbus, at-spi2-core and python3-pyatspi of the system; with openbox it has a window manager.
set -euo pipefail
bin=$(cd "${1:?the folder that holds mog-workbench, e.g. build/bin}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work XDG_RUNTIME_DIR=$work QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1
export QT_QPA_PLATFORM=xcb MOG_RESOURCES=${MOG_RESOURCES:-$here/../../resources}
cat > "$work/inside" << END
set -eu
if command -v openbox > /dev/null; then openbox 2> /dev/null & fi
/usr/libexec/at-spi-bus-launcher --launch-immediately &
sleep 1
"$bin/mog-workbench" --workspace graphs --type "The old astronomer watched the comet through her telescope ." &
status=0
/usr/bin/python3 "$here/screen_reader.py" || status=\$?
kill \$!
exit \$status
END
xvfb-run --auto-servernum --server-args="-screen 0 1440x900x24" dbus-run-session -- bash "$work/inside"
