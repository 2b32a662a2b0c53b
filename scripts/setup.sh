# Sourced by the other scripts: installs missing packages, fetches MuJoCo, configures. Messages go to
# stderr, so that the output of a program run afterwards stays clean.

set -euo pipefail
root=$(CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
source scripts/environment.sh
clean_environment

# heading TEXT...: with the minutes and seconds since the script began.
heading() { printf '\n== %s (%d:%02d)\n' "$*" $((SECONDS / 60)) $((SECONDS % 60)) >&2; }

fail() {
  printf 'civita: %s\n' "$*" >&2
  exit 1
}

# quietly COMMAND...: shows the output only if the command fails.
quietly() {
  local log
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    fail "failed: $*"
  fi
  rm -f "$log"
}

# packages_of GROUP...: the packages of these groups in scripts/packages.txt.
packages_of() {
  local group
  for group in "$@"; do
    sed -n "s/^$group //p" scripts/packages.txt
  done
}

# install_packages GROUP...: installs missing packages; no effect and no password if there are none.
install_packages() {
  local wanted missing
  wanted=$(packages_of "$@")
  if [[ -z $(command -v dpkg-query) ]]; then
    echo "No dpkg here: install what these Debian packages hold, if it is missing:" $wanted >&2
    return
  fi
  missing=$(comm -23 <(sort -u <<<"$wanted") \
    <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
      sed -n 's/^installed //p' | sort -u))
  [[ -z $missing ]] && return
  local as_root=()
  if [[ $EUID -ne 0 ]]; then
    [[ -n $(command -v sudo) ]] || fail "as root, please: apt-get install" $missing
    as_root=(sudo)
  fi
  heading "Installing Debian packages${as_root:+ with sudo}:" $missing
  quietly update_packages "${as_root[@]}"
  quietly "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends $missing
}

# update_packages [sudo]: apt-get update, which does not wait itself for a lock that another one holds.
update_packages() {
  local tries log
  log=$(mktemp)
  for tries in {1..60}; do
    if "$@" apt-get update 2>"$log"; then break; fi
    cat "$log" >&2
    if ! grep -q 'Could not get lock' "$log" || ((tries == 60)); then
      rm -f "$log"
      return 1
    fi
    sleep 5
  done
  rm -f "$log"
}
