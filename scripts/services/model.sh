# Sourced by embed.sh and llm.sh: a model's server that runs in the background, installed
# once, found again by its pid file. The caller sets
#   name home dir port wait_s   what it is called, its packages, log and pid file, port, seconds
#   mark                        what its command line holds and no other's
# and defines fetch (installs into the current folder, $home), line (sets the array of that name to
# the command line) and ready.
pidfile=$dir/$name.pid
log=$dir/$name.log

# Installs once; a second caller waits for the first.
install() {
  mkdir -p "$home"
  (
    flock 9
    [ ! -e "$home/.complete" ] || exit 0
    cd "$home"
    fetch >"$home/install.log" 2>&1 || { cat "$home/install.log" >&2; exit 1; }
    touch "$home/.complete"
  ) 9>"$home.lock"
}

# The command line of the process in the pid file; empty when it is gone or a zombie.
cmdline() { tr '\0' ' ' 2>/dev/null <"/proc/$(cat "$pidfile" 2>/dev/null || echo none)/cmdline"; }
running() { cmdline | grep -qF "$mark"; }

up() {
  if running; then status; return; fi
  if ready; then echo "$name: port $port is taken" >&2; return 1; fi
  install
  mkdir -p "$dir"
  line
  setsid "${line[@]}" >"$log" 2>&1 </dev/null &
  echo $! >"$pidfile"
  local deadline=$((SECONDS + wait_s))
  while ((SECONDS < deadline)); do
    # Between fork and exec there is no command line yet.
    kill -0 "$(cat "$pidfile")" 2>/dev/null || { echo "$name: exited while starting" >&2; tail -n 20 "$log" >&2; return 1; }
    if ready; then status; return; fi
    sleep 0.3
  done
  echo "$name: not ready within $wait_s s" >&2
  tail -n 20 "$log" >&2
  return 1
}

down() {
  if running; then
    local pid deadline=$((SECONDS + 20))
    pid=$(cat "$pidfile")
    kill -s TERM "$pid"
    while running; do
      ((SECONDS < deadline)) || kill -s KILL "$pid" 2>/dev/null || true
      sleep 0.1
    done
  fi
  rm -f "$pidfile"
}

status() {
  if running; then echo "http://127.0.0.1:$port/v1"; else echo "$name: not running"; return 3; fi
}

case ${1:-} in
  install | up | down | status) "$1" ;;
  *) sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2 ;;
esac
