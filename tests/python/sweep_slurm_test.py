"""A sweep on SLURM: Debian's slurm-wlm with one node on the loopback."""

import contextlib
import importlib.util
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time

import pytest

pandas = pytest.importorskip("pandas")
# Not imported: it takes Ctrl-C from the other tests of this process.
if importlib.util.find_spec("dask_jobqueue") is None:
    pytest.skip("no dask_jobqueue", allow_module_level=True)

PROGRAMS = ("slurmctld", "slurmd", "munged", "mungekey", "sinfo", "sbatch")
CONFIGURATION = """\
ClusterName=loopback
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_port():
    with socket.socket() as each:
        each.bind(("127.0.0.1", 0))
        return each.getsockname()[1]


@pytest.fixture
def slurm(tmp_path):
    """The environment of a running SLURM with one node, this machine."""
    missing = [
        name for name in PROGRAMS if shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin") is None
    ]
    if missing:
        pytest.skip(f"no {', '.join(missing)}: apt-get install slurm-wlm munge")
    if os.geteuid() != 0:
        pytest.skip("slurmd runs as root alone")
    host, cores = socket.gethostname().partition(".")[0], os.cpu_count()
    for name in ("state", "spool"):
        (tmp_path / name).mkdir()
    text = CONFIGURATION.format(folder=tmp_path, host=host, cores=cores, ports=[free_port(), free_port()])
    (tmp_path / "slurm.conf").write_text(text)
    environment = {**os.environ, "SLURM_CONF": str(tmp_path / "slurm.conf")}
    environment["PATH"] += ":/usr/sbin"
    subprocess.run(["mungekey", "--create", f"--keyfile={tmp_path}/munge.key"], check=True, env=environment)
    munge = ["munged", "--foreground", "--force", f"--socket={tmp_path}/munge.socket"]
    munge += [f"--key-file={tmp_path}/munge.key", f"--pid-file={tmp_path}/munge.pid"]
    munge += [f"--log-file={tmp_path}/munge.log", f"--seed-file={tmp_path}/munge.seed"]
    with contextlib.ExitStack() as stack:
        for command in (munge, ["slurmctld", "-D", "-i"], ["slurmd", "-D", "-N", host]):
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            process = subprocess.Popen(command, env=environment, **quiet)
            stack.callback(process.wait)
            stack.callback(process.terminate)
            time.sleep(0.5)
        state = ["sinfo", "--noheader", "--format=%t"]
        for _ in range(100):
            found = subprocess.run(state, env=environment, capture_output=True, text=True).stdout.strip()
            if found == "idle":
                break
            time.sleep(0.2)
        else:
            log = (tmp_path / "slurmd.log", tmp_path / "slurmctld.log")
            pytest.fail(f"the node is {found!r}: " + "".join(x.read_text()[-800:] for x in log if x.exists()))
        yield environment


@pytest.mark.slow
def test_a_sweep_by_jobs_of_slurm(slurm, tmp_path):
    study = {"scene": "point_mass", "duration_s": 0.2, "vary": {"gains.Lambda": [1, 2, 3, 4]}, "seeds": 3}
    cluster = {
        "class": "dask_jobqueue.SLURMCluster",
        "arguments": {
            "queue": "all",
            "cores": 1,
            "memory": "500MB",
            "interface": "lo",
            "walltime": "00:05:00",
            "log_directory": str(tmp_path / "logs"),
            "job_extra_directives": ["--export=ALL"],
            "worker_extra_args": ["--no-dashboard"],
        },
    }
    (tmp_path / "study.yaml").write_text(json.dumps(study))
    (tmp_path / "slurm.yaml").write_text(json.dumps(cluster))
    words = ["sweep", "study.yaml", "--cluster", "slurm.yaml", "--out", "out", "--workers", "2"]
    done = subprocess.run(
        [sys.executable, "-m", "civita", *words],
        env=slurm, cwd=tmp_path, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    logs = "".join(path.read_text()[-2000:] for path in pathlib.Path(tmp_path / "logs").glob("*"))
    assert done.returncode == 0, done.stderr + logs
    assert "12 runs: 12 done" in done.stdout
    assert "Worker" in logs or "worker" in logs
    assert list(pandas.read_parquet(tmp_path / "out" / "runs")["status"]) == ["done"] * 12
