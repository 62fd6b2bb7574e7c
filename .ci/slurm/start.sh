#!/bin/bash
# start.sh DIR: starts munged, one slurmctld and two slurmd in DIR. Run as root. Afterwards:
# export SLURM_CONF=DIR/slurm.conf
set -euo pipefail
[ $# = 1 ] || { echo "usage: start.sh DIR" >&2; exit 64; }
[ "$(id -u)" = 0 ] || { echo "start.sh: run as root" >&2; exit 1; }
for p in munged slurmctld slurmd sinfo; do
  PATH=$PATH:/usr/sbin command -v $p >/dev/null || { echo "start.sh: no $p; apt-get install munge slurmctld slurmd slurm-client" >&2; exit 1; }
done
PATH=$PATH:/usr/sbin
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"; dir=$(cd "$1" && pwd)         # slurmd requires an absolute path for -f
if [ -f "$dir/pids" ]; then echo "start.sh: $dir/pids exists; run stop.sh $1 first" >&2; exit 1; fi
port=${PORT:-16817}; host=$(hostname -s)
mkdir -p "$dir"/{state,log,spool-n1,spool-n2}; mkdir -p -m 0755 "$dir/munge"
sed -e "s|@DIR@|$dir|g" -e "s|@HOST@|$host|g" -e "s|@PORT@|$port|g" -e "s|@PORT1@|$((port + 1))|g" -e "s|@PORT2@|$((port + 2))|g" "$here/slurm.conf.in" >"$dir/slurm.conf"
cp "$here/cgroup.conf" "$dir/cgroup.conf"    # Slurm looks for it beside slurm.conf

# Starts a separate munge with its own key and socket. munge refuses keys and folders that other
# users may write.
[ -f "$dir/munge/key" ] || { dd if=/dev/urandom of="$dir/munge/key" bs=1024 count=1 status=none; chmod 0400 "$dir/munge/key"; }
munged --key-file="$dir/munge/key" --socket="$dir/munge/socket" --pid-file="$dir/munge/pid" \
  --log-file="$dir/log/munged.log" --seed-file="$dir/munge/seed" --num-threads=2
wait_for() { for _ in $(seq 100); do [ -s "$1" ] && return 0; sleep 0.1; done; echo "start.sh: $2 did not start; see $dir/log" >&2; cat "$dir"/log/*.log >&2 || true; exit 1; }
wait_for "$dir/munge/pid" munged; cat "$dir/munge/pid" >"$dir/pids"
slurmctld -i -f "$dir/slurm.conf"
wait_for "$dir/slurmctld.pid" slurmctld; cat "$dir/slurmctld.pid" >>"$dir/pids"
for n in n1 n2; do
  slurmd -N $n -f "$dir/slurm.conf"
  wait_for "$dir/slurmd-$n.pid" "slurmd $n"; cat "$dir/slurmd-$n.pid" >>"$dir/pids"
done
export SLURM_CONF=$dir/slurm.conf
for _ in $(seq 100); do [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 2 ] && break; sleep 0.1; done
sinfo
[ "$(sinfo -h -t idle -o %D)" = 2 ] || { echo "start.sh: the nodes are not idle; see $dir/log" >&2; exit 1; }
echo "export SLURM_CONF=$dir/slurm.conf"
