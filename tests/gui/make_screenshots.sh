#!/bin/bash
# Makes the pictures of docs/desktop.md from the bundled model and corpus; needs no display.
#   tests/gui/make_screenshots.sh BIN_DIR     (the folder with mog and mog-workbench)
set -euo pipefail
bin=${1:?the folder that holds mog and mog-workbench, e.g. build/bin}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export QT_QPA_PLATFORM=offscreen MOG_RESOURCES=${MOG_RESOURCES:-$root/resources}
export XDG_RUNTIME_DIR=$work
sentence='The committee that met yesterday quickly approved the new budget for the old library .'

shoot() {  # FILE SCALE ARGUMENTS…
  local file=$1 scale=$2
  shift 2
  QT_SCALE_FACTOR=$scale "$bin/mog-workbench" "$@" --screenshot "$work/$file" 2> >(grep -v propagateSizeHints >&2 || true)
  # 256 colours are enough for a window and a quarter of the size.
  if command -v convert > /dev/null; then
    convert "$work/$file" -strip -colors 256 "PNG8:$root/docs/images/$file"
  else
    cp "$work/$file" "$root/docs/images/$file"
  fi
}

mkdir -p "$root/docs/images"
model=$MOG_RESOURCES/models/tagger-en-distilled
"$bin/mog" record --model "$model" --input "$MOG_RESOURCES/corpora/demo.en.txt" --output "$work/demo.rec" \
  --capture summary,attention,gates,shares --quiet
shoot desktop-light.png 1 "$model" --type "$sentence" --token 7 --graphs by-order --theme light --size 1280x800
shoot desktop-dark.png 1 "$work/demo.rec" --sentence 12 --token 5 --dock weights --theme dark --size 1280x800
ls -l "$root"/docs/images/desktop-*.png
