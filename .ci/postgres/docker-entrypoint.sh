#!/usr/bin/env bash
# What the documentation of the image postgres:17 promises and compose.yaml uses: the first start makes the cluster, its user
# and its database; then PostgreSQL is the first process, as the user postgres, and answers on 5432.
set -euo pipefail
if [ "$1" != postgres ]; then exec "$@"; fi
if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA"
  chown postgres "$PGDATA"
  chmod 700 "$PGDATA"
  exec setpriv --reuid postgres --regid postgres --init-groups "$0" "$@"
fi
# setting NAME: it, or what its file holds; not both
setting() {
  local file=${1}_FILE
  if [ -n "${!1:-}" ] && [ -n "${!file:-}" ]; then echo "$1 and $file exclude each other" >&2; exit 1; fi
  if [ -n "${!file:-}" ]; then cat "${!file}"; else echo "${!1:-}"; fi
}
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  user=$(setting POSTGRES_USER) database=$(setting POSTGRES_DB) password=$(setting POSTGRES_PASSWORD)
  user=${user:-postgres}
  database=${database:-$user}
  if [ -z "$password" ]; then echo 'the first start needs POSTGRES_PASSWORD' >&2; exit 1; fi
  initdb --username "$user" --pwfile <(echo "$password") --auth-local trust --auth-host scram-sha-256
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  # That image too starts a server for the first things to do, on the socket alone. Here it stays for some seconds, as on a
  # slow disk: a health check that takes it for the real one is found out.
  pg_ctl start -w -o "-c listen_addresses='' -p 5432"
  if [ "$database" != postgres ]; then createdb --username "$user" --maintenance-db postgres "$database"; fi
  for script in /docker-entrypoint-initdb.d/*.sql; do
    if [ -e "$script" ]; then psql -v ON_ERROR_STOP=1 -U "$user" -d "$database" -f "$script"; fi
  done
  sleep 8
  pg_ctl stop -m fast -w
fi
exec "$@" -c listen_addresses='*'
