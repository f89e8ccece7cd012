# What the scripts share: where things lie, how they speak, how long steps show that they live. Sourced, not run.
# shellcheck shell=bash
set -euo pipefail

# shellcheck disable=SC2034
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${FENCEPOST_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/fencepost}
mkdir -p "$cache" 2>/dev/null || { echo "${0##*/}: cannot write to $cache; set FENCEPOST_CACHE to a folder that you may write to" >&2; exit 1; }

say() { printf '==> %s\n' "$*" >&2; }
note() { printf '    %s\n' "$*" >&2; }
# The last words of a script that fails: one line, with the cure.
die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

# as_root COMMAND ...: runs it as it is for root, with sudo for others.
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; return; fi
  command -v sudo >/dev/null || die "'$*' needs root: run this as root, or install sudo"
  sudo "$@"
}

# step LOG TEXT COMMAND ...: runs a long command with its output in LOG. Meanwhile it shows how long it has run and the last line of
# the log: on a terminal every second, elsewhere every 20 seconds. Gives the command's exit code; on failure shows the log's end.
step() {
  local log=$1 text=$2 start=$SECONDS status=0 pid every=20 shown=0
  shift 2
  say "$text"
  mkdir -p "$(dirname "$log")"
  if [ -t 2 ]; then every=1; fi
  # In a process group of its own: a step that is ended with Ctrl-C or by a signal takes the whole command with it.
  set -m
  "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  set +m
  trap 'kill -- "-$pid" 2>/dev/null; exit 130' INT TERM
  while kill -0 "$pid" 2>/dev/null; do
    sleep 0.2
    if [ $((SECONDS - start)) -ge $((shown + every)) ]; then
      shown=$((SECONDS - start))
      if [ -t 2 ]; then printf '\r\033[K    %d s  %s' "$shown" "$(last_line "$log")" >&2; else note "$shown s  $(last_line "$log")"; fi
    fi
  done
  wait "$pid" || status=$?
  trap - INT TERM
  if [ -t 2 ]; then printf '\r\033[K' >&2; fi
  if [ "$status" != 0 ]; then tail -n "${STEP_TAIL:-30}" "$log" >&2; else note "done in $((SECONDS - start)) s"; fi
  return "$status"
}
last_line() { tail -c 400 "$1" 2>/dev/null | tr '\r' '\n' | sed '/^[[:space:]]*$/d' | tail -n 1 | cut -c 1-110; }

# How many compilers may run: one a core, and one for each 1.5 GB of memory.
compilers() {
  local memory
  memory=$(awk '/^MemAvailable/ { print int($2 / 1500000) }' /proc/meminfo)
  if [ "$memory" -lt 1 ]; then memory=1; fi
  if [ "$memory" -lt "$(nproc)" ]; then echo "$memory"; else nproc; fi
}

# port_free PORT: nobody listens there on loopback.
port_free() { ! (: <>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
# A free port below the range that the kernel gives to outgoing connections.
free_port() {
  local port
  for _ in $(seq 1 200); do
    port=$((20000 + (RANDOM * 32768 + RANDOM) % 12000))
    if port_free "$port"; then echo "$port"; return; fi
  done
  die "no free port between 20000 and 32000 on 127.0.0.1; stop what listens there"
}

# A process is known by its pid and its start time, so that a pid which the kernel gave to somebody else is never signalled.
started_at() { sed 's/^.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20; }
# record_process FILE PID
record_process() { printf '%s %s\n' "$2" "$(started_at "$2")" >"$1"; }
# process_of FILE: the pid in it, if that process still lives.
process_of() {
  local pid start state
  [ -e "$1" ] || return 1
  read -r pid start <"$1" || return 1
  [ -n "${start:-}" ] && [ "$(started_at "$pid")" = "$start" ] || return 1
  state=$(sed 's/^.*) //' "/proc/$pid/stat" 2>/dev/null | cut -d ' ' -f 1)
  [ -n "$state" ] && [ "$state" != Z ] && echo "$pid"
}
# end_process FILE SECONDS: SIGTERM, then SIGKILL after so many seconds; quiet when it is gone already.
end_process() {
  local pid end=$((SECONDS + $2))
  pid=$(process_of "$1") || { rm -f "$1"; return 0; }
  kill "$pid" 2>/dev/null || true
  while process_of "$1" >/dev/null; do
    if [ "$SECONDS" -ge "$end" ]; then kill -9 "$pid" 2>/dev/null || true; end=$((SECONDS + 10)); fi
    sleep 0.1
  done
  rm -f "$1"
}
