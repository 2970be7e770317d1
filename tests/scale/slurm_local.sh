#!/usr/bin/env bash
# A real Slurm (controller, one node, array jobs, srun) on one Debian 12 machine, without systemd, for tests.
#   slurm_local.sh start DIR   installs slurm-wlm and munge if missing, starts them; prints the line to export SLURM_CONF
#   slurm_local.sh stop DIR    ends the three daemons that `start` began
# Tried on Debian 12 (Slurm 22.05): `sbatch --array=1-4`, `srun -n 2`. Needs root.
set -euo pipefail
dir=$(mkdir -p "$2" && cd "$2" && pwd)
case $1 in
start)
  command -v slurmctld >/dev/null || { apt-get update -qq; DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends slurm-wlm munge >/dev/null; }
  host=$(hostname -s); cpus=$(nproc)
  mkdir -p "$dir"/{state,spool,log} /run/munge /var/log/munge /var/lib/munge
  cat >"$dir/slurm.conf" <<CONF
ClusterName=local
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MaxArraySize=2001
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cpus RealMemory=4000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:8
CONF
  chown -R munge: /run/munge /var/log/munge /var/lib/munge /etc/munge
  su -s /bin/sh munge -c "/usr/sbin/munged --pid-file=/run/munge/munged.pid"
  SLURM_CONF=$dir/slurm.conf slurmctld -f "$dir/slurm.conf"; SLURM_CONF=$dir/slurm.conf slurmd -f "$dir/slurm.conf"
  echo "export SLURM_CONF=$dir/slurm.conf" ;;
stop)
  for p in "$dir/slurmd.pid" "$dir/slurmctld.pid" /run/munge/munged.pid; do [ -s "$p" ] && kill "$(cat "$p")" || true; done ;;
*) echo "slurm_local.sh start|stop DIR" >&2; exit 2 ;;
esac
