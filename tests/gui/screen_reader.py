"""What a screen reader is told from outside, through AT-SPI: every control has a name, and the join that is
selected in a graph is read as its sentence. Run by screen_reader.sh."""

import subprocess
import sys
import time

import pyatspi
from gi.repository import GLib

# Containers; what they hold is named.
NO_NAME_NEEDED = {"filler", "panel", "scroll bar", "table cell", "split pane", "layered pane", "separator"}


def application(seconds=60):
    desktop = pyatspi.Registry.getDesktop(0)
    for _ in range(seconds * 2):
        for child in desktop:
            if child is not None and "mog" in (child.name or "").lower():
                return child
        time.sleep(0.5)
    sys.exit("mog-workbench is not on the accessibility bus")


def everything(root):
    yield root
    for index in range(root.childCount):
        child = root.getChildAtIndex(index)
        if child is not None:
            yield from everything(child)


def found(root, role, name, seconds=30):
    for _ in range(seconds * 2):
        for one in everything(root):
            if one.getRoleName() == role and name in (one.name or ""):
                return one
        time.sleep(0.5)
    sys.exit(f"there is no {role} called {name}")


def wait(seconds):
    end = time.time() + seconds
    while time.time() < end:
        GLib.MainContext.default().iteration(False)
        time.sleep(0.01)


def press(*keys):
    subprocess.run(["xdotool", *keys], check=True)
    wait(1)


root = application()
picture = found(root, "image", "Multi-order graph")
wait(2)
objects = list(everything(root))
nameless = []
for one in objects:
    state = one.getState()
    if (state.contains(pyatspi.STATE_SHOWING) and state.contains(pyatspi.STATE_FOCUSABLE)
            and one.getRoleName() not in NO_NAME_NEEDED and not (one.name or one.description or "").strip()):
        nameless.append(one.getRoleName())
print(f"{len(objects)} objects, {len(nameless)} controls without a name {nameless or ''}")

area = picture.queryComponent().getExtents(pyatspi.DESKTOP_COORDS)
press("mousemove", str(area.x + area.width // 2), str(area.y + area.height // 2), "click", "1")
said = []
for key in ("Up", "Down", "Up"):
    press("key", key)
    said.append(picture.description)
    print(f"{key}: {picture.description}")
walked = all("takes in" in text for text in said) and said[0] != said[1]
if not walked:
    print("the joins are not read as the keys walk them")
sys.exit(1 if nameless or not walked else 0)
