#!/bin/bash
# Makes the pictures of docs/desktop.md from the bundled model and corpus; needs no display.
#   tests/gui/make_screenshots.sh BIN_DIR     (the folder with mog and mog-workbench; PYTHON: one with Pillow)
# The decomposition is one of all-MiniLM-L6-v2: made only where MOG_MINILM_DIR names its folder (docs/testing.md).
set -euo pipefail
bin=${1:?the folder that holds mog and mog-workbench, e.g. build/bin}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export QT_QPA_PLATFORM=offscreen MOG_RESOURCES=${MOG_RESOURCES:-$root/resources}
export XDG_RUNTIME_DIR=$work
sentence='The committee that met yesterday quickly approved the new budget for the old library .'

shoot() {  # FILE ARGUMENTS…
  local file=$1
  shift
  QT_SCALE_FACTOR=1 "$bin/mog-workbench" "$@" --screenshot "$work/$file" \
    2> >(grep -v propagateSizeHints >&2 || true)
  # 96 colours are enough for a window and a third of the size; pages of text keep their upper part.
  "${PYTHON:-python3}" - "$work/$file" "$root/docs/images/$file" "${HEIGHT:-2000}" << 'END'
import sys
from PIL import Image
picture = Image.open(sys.argv[1]).convert("RGB")
picture = picture.crop((0, 0, picture.width, min(picture.height, int(sys.argv[3]))))
picture.quantize(96, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(sys.argv[2], optimize=True)
END
}

row() {  # NUMBER WORD HEAD RELATION
  printf '%s\t%s\t_\t_\t_\t_\t%s\t%s\t_\t_\n' "$@"
}

gold() {  # the tree of $sentence
  row 1 The 2 det; row 2 committee 7 nsubj; row 3 that 4 nsubj; row 4 met 2 acl:relcl; row 5 yesterday 4 advmod
  row 6 quickly 7 advmod; row 7 approved 0 root; row 8 the 10 det; row 9 new 10 amod; row 10 budget 7 obj
  row 11 for 14 case; row 12 the 14 det; row 13 old 14 amod; row 14 library 10 nmod; row 15 . 7 punct; echo
}

mkdir -p "$root/docs/images"
model=$MOG_RESOURCES/models/tagger-en-distilled
echo "$sentence" > "$work/one.txt"
gold > "$work/one.conllu"
record() { "$bin/mog" record --quiet --model "$@"; }
record "$model" --input "$MOG_RESOURCES/corpora/demo.en.txt" --output "$work/demo.rec" \
  --capture summary,attention,gates,shares
record "$model" --input "$work/one.txt" --output "$work/one.rec" --capture summary,attention,gates,shares
telescope='The old astronomer who discovered the comet watched it through her telescope until the morning sun rose .'
shoot desktop-light.png "$model" --type "$telescope" --token 21 --workspace graphs --theme light --size 1440x880
shoot desktop-attention.png "$model" --type "$telescope" --token 21 --key 22 --layer 3 --head 3 --part middle2 \
  --workspace attention --theme light --size 1440x960
shoot desktop-dark.png "$work/demo.rec" --sentence 12 --workspace corpus --theme dark --size 1440x800
shoot desktop-gold.png "$work/one.rec" --gold "$work/one.conllu" --part high --layer 2 --view attention --alone \
  --attention arcs --theme light --size 1600x1000
shoot desktop-flow.png "$work/one.rec" --view flow --alone --theme light --size 1500x900
shoot desktop-parse.png "$MOG_RESOURCES/models/parser-en" --workspace parse --theme light --size 1440x620 \
  --type 'She gave the old man with the telescope a book about trees .'
HEIGHT=240 shoot desktop-guide.png "$work/one.rec" --show guide --view gates --theme light
if [ -n "${MOG_MINILM_DIR:-}" ]; then
  record "$MOG_MINILM_DIR" --input "$work/one.txt" --output "$work/mini.rec" --capture attention \
    --quantity encoder.3.full.logit_terms
  shoot desktop-decomposition.png "$work/mini.rec" --layer 3 --head 5 --token 8 --key 4 \
    --view decomposition --alone --theme light --size 1400x1000
fi
ls -l "$root"/docs/images/desktop-*.png
