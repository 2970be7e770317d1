# A bare Debian that every try begins anew, for try-in-chroot and containers/try. Sourced by bash; root is needed.
#
#   bare_system SUITE FOLDER   sets `root`. FOLDER keeps the system as debootstrap made it and the packages that tries
#                              fetched; what a try writes lies over it and is removed by the next one.
#   inside SECONDS COMMAND…    runs a command there, as root; one that takes longer is ended, and the try with it.
bare_fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# A program of the try may need a moment to end (Xvfb); what is still busy after five seconds is only taken out of sight.
bare_unmount() {
  local tries=50
  grep -q " $1 " /proc/mounts || return 0
  until umount "$1" 2>/dev/null; do
    if [ "$((tries -= 1))" = 0 ]; then
      umount --lazy "$1" || true
      return
    fi
    sleep 0.1
  done
}

bare_leave() {
  local place
  for place in /var/cache/apt/archives /wheels /dev /proc ''; do
    bare_unmount "$root$place"
  done
}

bare_system() {
  local suite=$1 base lower mirror=${MOG_MIRROR:-http://deb.debian.org/debian}
  base=$(realpath -m "$2")
  [ "$(id -u)" = 0 ] || bare_fail "debootstrap and chroot need root"
  command -v debootstrap >/dev/null || bare_fail "apt install debootstrap"
  lower=$base/$suite
  mkdir -p "$base/packages/$suite/partial" "$base/wheels"
  exec 7>"$base/$suite.lock"
  flock -n 7 || bare_fail "another try in $suite is going on; wait for it, or name another --folder"
  if [ ! -e "$lower.made" ] || [ ! -d "$lower/usr" ]; then
    rm -rf "$lower"
    mkdir -p "$lower"
    debootstrap --variant=minbase --include=ca-certificates --cache-dir="$base/packages/$suite" "$suite" "$lower" "$mirror" >"$lower.log" 2>&1 ||
      bare_fail "debootstrap failed, see $lower.log: $(tail -n 1 "$lower.log")"
    # Authorities that this machine trusts, too (a network with a proxy of its own).
    cp /etc/ssl/certs/ca-certificates.crt "$lower/etc/ssl/certs/ca-certificates.crt"
    chroot "$lower" useradd -m user
    touch "$lower.made"
  fi
  root=$lower.try
  bare_leave
  # Where /dev is still there, so is this machine's own.
  ! grep -q " $root[/ ]" /proc/mounts || bare_fail "$root is still mounted: umount what /proc/mounts names below it, then try again"
  rm -rf --one-file-system "${root:?}" "$root.written" "$root.work"
  mkdir -p "$root" "$root.written" "$root.work"
  if ! mount -t overlay overlay -o "lowerdir=$lower,upperdir=$root.written,workdir=$root.work" "$root" 2>/dev/null; then
    cp -a "$lower/." "$root/"
  fi
  trap bare_leave EXIT
  mount -t proc proc "$root/proc"
  mount --bind /dev "$root/dev"
  mount --bind "$base/packages/$suite" "$root/var/cache/apt/archives"
  mkdir -p "$root/wheels"
  mount --bind "$base/wheels" "$root/wheels"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  started=$(date +%s%N)
}

inside() {
  local limit=$1 said=0
  shift
  timeout --kill-after=10 "$limit" chroot "$root" "$@" 7>&- || said=$?
  [ "$said" != 124 ] || bare_fail "not done after $limit s: $*"
  return "$said"
}

# Debian packages, quietly; their error where they fail.
bare_install() {
  inside 1800 env DEBIAN_FRONTEND=noninteractive sh -c '(apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@") >/tmp/apt.log 2>&1' - "$@" ||
    bare_fail "apt-get install $*: $(tail -n 3 "$root/tmp/apt.log")"
}

# Seconds since the system stood there, and what was reached.
step() {
  local tenths=$((($(date +%s%N) - started) / 100000000))
  printf '%5d.%d s  %s\n' "$((tenths / 10))" "$((tenths % 10))" "$1"
}
