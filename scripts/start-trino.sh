#!/usr/bin/env bash
# Starts Trino 476, the engine behind Athena, with a catalog named `lake`:
#   scripts/start-trino.sh folder LAKE_DIR [PORT]   reads the Parquet files of a local folder as local:///; keeps its
#                                                   tables in the subfolder .metastore
#   scripts/start-trino.sh glue ENDPOINT [PORT]     reads the Glue tables and the S3 objects of an AWS emulator
#   scripts/start-trino.sh install                  only downloads the server
# Runs until it is killed. Prints `ready URL` once it runs statements; all other output goes to a log file.
# Needs Maven, curl, unzip and a JDK of version 24 or newer (JAVA_HOME, or one under /usr/lib/jvm). The first run downloads
# 450 MB from Maven Central to TRINO_WORK (default: trino-476 in the folder for temporary files).
set -euo pipefail

version=476
mode=$1
lake=${2:-}
port=${3:-18080}
work=${TRINO_WORK:-${TMPDIR:-/tmp}/trino-$version}
home=$work/trino-server-core-$version
run=$work/run-$port

fail() {
  echo "start-trino: $1" >&2
  exit 1
}

find_jdk() {
  local candidate major
  for candidate in "${JAVA_HOME:-}" /usr/lib/jvm/*; do
    [ -x "$candidate/bin/java" ] || continue
    major=$("$candidate/bin/java" -version 2>&1 | sed -n '1s/.*version "\([0-9]*\).*/\1/p')
    if [ "${major:-0}" -ge 24 ]; then
      echo "$candidate"
      return
    fi
  done
  fail 'No JDK of version 24 or newer was found. Set JAVA_HOME.'
}

fetch() {
  [ -s "$work/$1-$version.$2" ] && return
  mvn --quiet --batch-mode dependency:copy "-Dartifact=io.trino:$1:$version:$2" \
    "-DoutputDirectory=$work" -Dmdep.useBaseVersion=true >&2
}

# Maven Central has the server and the Hive connector as separate files. The connector's folder is created last, so an
# interrupted install is repeated.
install_server() {
  [ -d "$home/plugin/hive" ] && return
  mkdir -p "$work"
  fetch trino-server-core tar.gz
  fetch trino-hive zip
  tar -xzf "$work/trino-server-core-$version.tar.gz" -C "$work"
  rm -rf "$work/unpacked"
  unzip -q "$work/trino-hive-$version.zip" -d "$work/unpacked"
  mv "$work/unpacked/trino-hive-$version" "$home/plugin/hive"
}

configure() {
  rm -rf "$run"
  mkdir -p "$run/etc/catalog" "$run/data"
  printf '%s\n' node.environment=check "node.id=check-$port" "node.data-dir=$run/data" >"$run/etc/node.properties"
  printf '%s\n' coordinator=true node-scheduler.include-coordinator=true "http-server.http.port=$port" \
    "discovery.uri=http://127.0.0.1:$port" web-ui.enabled=false query.max-memory=1GB query.max-memory-per-node=1GB \
    >"$run/etc/config.properties"
  printf '%s\n' -server -Xmx2G -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError -XX:TieredStopAtLevel=1 \
    -Djdk.attach.allowAttachSelf=true -XX:+EnableDynamicAgentLoading >"$run/etc/jvm.config"
  # ignore-absent-partitions: partition projection also names folders that do not exist.
  # domain-compaction-threshold: an older engine takes a list of over 100 file names for a range of names. Then it opens
  # more files, and the rows must still be right.
  # recursive-directories: Athena reads all data below a location (its user guide, "Specify a table location in Amazon
  # S3"). Trino reads only what is directly there, and traits have a folder for each project.
  {
    printf '%s\n' connector.name=hive hive.parquet.use-column-names=true hive.security=allow-all \
      hive.partition-projection-enabled=true hive.ignore-absent-partitions=true hive.domain-compaction-threshold=100 \
      hive.recursive-directories=true
    "${mode}_catalog"
  } >"$run/etc/catalog/lake.properties"
}

folder_catalog() {
  local folder
  folder=$(realpath "$lake")
  mkdir -p "$folder/.metastore"
  printf '%s\n' hive.metastore=file hive.metastore.catalog.dir=local:///.metastore fs.native-local.enabled=true \
    "local.location=$folder"
}

glue_catalog() {
  printf '%s\n' hive.metastore=glue hive.metastore.glue.region=us-east-1 "hive.metastore.glue.endpoint-url=$lake" \
    hive.metastore.glue.aws-access-key=test hive.metastore.glue.aws-secret-key=test \
    fs.native-s3.enabled=true s3.region=us-east-1 "s3.endpoint=$lake" s3.path-style-access=true \
    s3.aws-access-key=test s3.aws-secret-key=test
}

# Returns whether Trino runs a statement. It accepts HTTP requests some seconds before that.
is_ready() {
  local next state
  next=$(curl -fsS -H 'X-Trino-User: check' -d 'SELECT count(*) FROM lake.information_schema.schemata' \
    "http://127.0.0.1:$port/v1/statement" 2>/dev/null | sed -n 's/.*"nextUri":"\([^"]*\)".*/\1/p') || return 1
  while [ -n "$next" ]; do
    state=$(curl -fsS "$next" 2>/dev/null) || return 1
    case $state in *'"error":{'*) return 1 ;; *'"data":'*) return 0 ;; esac
    next=$(sed -n 's/.*"nextUri":"\([^"]*\)".*/\1/p' <<<"$state")
  done
  return 1
}

[[ $mode =~ ^(folder|glue|install)$ ]] || fail "The first argument must be folder, glue or install, not $mode."
JAVA_HOME=$(find_jdk)
export JAVA_HOME PATH=$JAVA_HOME/bin:$PATH
if [ "$mode" = install ]; then
  install_server
  exit
fi
is_ready && fail "Another Trino already runs on port $port. Stop it, or choose another port."
install_server
configure
"$home/bin/launcher" --etc-dir "$run/etc" --config "$run/etc/config.properties" \
  --jvm-config "$run/etc/jvm.config" --node-config "$run/etc/node.properties" \
  --pid-file "$run/pid" run >"$run/log" 2>&1 </dev/null &
server=$!
stop_server() {
  trap '' INT TERM
  kill "$server" 2>/dev/null
  wait "$server"
  # The files of the run are kept only when the server did not start.
  [ -z "$ready" ] || rm -rf "$run"
}
ready=
trap stop_server EXIT
trap 'exit 0' INT TERM

for _ in $(seq 300); do
  kill -0 "$server" 2>/dev/null || fail "The server has ended. See $run/log."
  if is_ready; then
    ready=yes
    echo "ready http://127.0.0.1:$port"
    wait "$server"
    exit
  fi
  sleep 1
done
fail "The server was not ready within 5 minutes. See $run/log."
