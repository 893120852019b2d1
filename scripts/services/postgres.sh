#!/usr/bin/env bash
# Runs a private PostgreSQL 15 cluster from Debian's postgresql-15, for tests.
# Pass the URL it prints to the tests as SUFFICE_TEST_POSTGRES.
# usage: postgres.sh install | up | down | kill | status | wipe
#   up: install if missing, initdb, start, create the database, print its URL
#   down: stop cleanly; kill: SIGKILL (crash test); wipe: down and delete the data
#
# POSTGRES_DIR  data, logs                 $TMPDIR/suffice-services/postgres
# POSTGRES_PORT 55432   POSTGRES_USER test   POSTGRES_PASSWORD test-password   POSTGRES_DB test
# POSTGRES_OS_USER  user to run as when started by root (postgres), since the server refuses root
set -euo pipefail

dir=${POSTGRES_DIR:-${TMPDIR:-/tmp}/suffice-services/postgres}
port=${POSTGRES_PORT:-55432}
user=${POSTGRES_USER:-test}
password=${POSTGRES_PASSWORD:-test-password}
db=${POSTGRES_DB:-test}
os_user=${POSTGRES_OS_USER:-postgres}
bin=/usr/lib/postgresql/15/bin
url=postgres://$user:$password@127.0.0.1:$port/$db?sslmode=disable

# Runs a command as the user that owns the cluster.
as() {
  if [ "$(id -u)" = 0 ]; then (cd / && setpriv --reuid "$os_user" --regid "$(id -g "$os_user")" --init-groups env "$@"); else env "$@"; fi
}

install() {
  [ ! -x "$bin/postgres" ] || return 0
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || { echo "postgres: $bin/postgres is missing: install PostgreSQL 15 (as root: apt-get install postgresql-15)" >&2; return 1; }
  export DEBIAN_FRONTEND=noninteractive
  # No cluster of the system's own.
  mkdir -p /etc/postgresql-common/createcluster.d
  echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/no-main.conf
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends postgresql-15 >/dev/null
}

postmaster() { as head -n 1 "$dir/data/postmaster.pid" 2>/dev/null; }

# A zombie has an empty command line; pg_ctl status would call it running.
running() {
  local pid
  pid=$(postmaster) && tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -qF "$dir/data"
}

up() {
  install
  if running; then status; return; fi
  mkdir -p "$dir/run"
  [ "$(id -u)" != 0 ] || chown "$os_user" "$dir" "$dir/run"
  if [ ! -e "$dir/data/PG_VERSION" ]; then
    local pw
    pw=$(mktemp)
    [ "$(id -u)" != 0 ] || chown "$os_user" "$pw"
    printf '%s\n' "$password" >"$pw"
    # C.UTF-8: no locale to generate, byte order for text; --no-sync and fsync = off: quicker,
    # and safe while the machine itself does not fail.
    as "$bin/initdb" -D "$dir/data" -U "$user" --pwfile="$pw" --auth=scram-sha-256 \
      --encoding=UTF8 --locale=C.UTF-8 --no-sync >/dev/null
    rm -f "$pw"
    as tee -a "$dir/data/postgresql.conf" >/dev/null <<CONF
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 100
shared_buffers = 64MB
fsync = off
timezone = 'UTC'
CONF
  fi
  as "$bin/pg_ctl" -D "$dir/data" -l "$dir/postgres.log" -w -t 60 -o "-p $port" start >>"$dir/pg_ctl.log" 2>&1 ||
    { tail -n 20 "$dir/postgres.log" >&2; return 1; }
  # The first database of the cluster; PGPASSWORD stays out of the argument list.
  PGPASSWORD=$password psql -h 127.0.0.1 -p "$port" -U "$user" -d postgres -Atqc \
    "SELECT 1 FROM pg_database WHERE datname = '$db'" | grep -q 1 ||
    PGPASSWORD=$password createdb -h 127.0.0.1 -p "$port" -U "$user" "$db"
  status
}

down() { # down MODE
  if running; then as "$bin/pg_ctl" -D "$dir/data" -m "$1" -w -t 60 stop >/dev/null; fi
}

# SIGKILL to the postmaster. The next start refuses while its process id is in use, so wait until
# the zombie is reaped.
crash() {
  running || return 0
  local pid deadline=$((SECONDS + 10))
  pid=$(postmaster)
  kill -s KILL "$pid"
  while kill -0 "$pid" 2>/dev/null && ((SECONDS < deadline)); do sleep 0.1; done
}

status() {
  if running; then echo "$url"; else echo "postgres: not running"; return 3; fi
}

case ${1:-} in
  install) install ;;
  up) up ;;
  down) down fast ;;
  kill) crash ;;
  status) status ;;
  wipe) down immediate; rm -rf "$dir" ;;
  *) sed -n '4,6s/^# //p' "$0" >&2; exit 2 ;;
esac
