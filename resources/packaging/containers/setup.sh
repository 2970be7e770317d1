#!/bin/sh
# What the recipes beside this do in a bare Debian: setup.sh WHEEL [EXTRAS]. EXTRAS: models (default) or nothing ('').
set -eu
wheel=$1
extras=${2-models}
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends ca-certificates fontconfig-config fonts-dejavu-core python3-venv xauth xvfb >/dev/null
python3 -m venv /opt/mog-workbench
/opt/mog-workbench/bin/pip install -q --no-cache-dir --disable-pip-version-check "$wheel${extras:+[$extras]}"
ln -sf /opt/mog-workbench/bin/mog /opt/mog-workbench/bin/mog-workbench /usr/local/bin/
rm -rf /var/lib/apt/lists/*
mog --version
