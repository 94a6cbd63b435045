"""The files of examples/deploy, read by the programs that will read them.

The commands of the units and of the pod run too, on stand-ins for their users and
folders, against a sandbox.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[3]
DEPLOY = ROOT / "examples/deploy"
# Places that this host lacks.
PLACES = ["/etc/shop", "/var/lib/shop", "/usr/bin/payments"]
CHECK = "/usr/bin/payments --config /etc/shop/payments.json check --online --json"
PAYMENT = {
    "country": "br",
    "currency_code": "BRL",
    "amount_total": "10.50",
    "payment_type_code": "pix",
    "name": "Maria Souza",
    "email": "maria@example.com",
    "document": "853.513.468-93",
}


def run(*words: str | Path, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run a program, and return what it printed."""
    words_ = [str(word) for word in words]
    return subprocess.run(words_, capture_output=True, text=True, timeout=120, **more)


def succeed(*words: str | Path, **more: Any) -> str:
    """Run a program that must succeed and print nothing on standard error."""
    done = run(*words, **more)
    assert (done.returncode, done.stderr) == (0, ""), f"{words}: {done}"
    return done.stdout


class Host:
    """The places that the files name, below a folder, and a sandbox."""

    def __init__(self, folder: Path) -> None:
        """Make the places, and start the sandbox."""
        self.folder = folder
        for place in PLACES:
            self.at(place).parent.mkdir(parents=True, exist_ok=True)
            if not place.startswith("/usr"):
                self.at(place).mkdir()
        shutil.copy(os.environ["PAYMENTS_COMMAND"], self.at("/usr/bin/payments"))
        words = ["sandbox", "--stdin-lifetime", "--json", "--config-out", str(folder / "merchant")]
        self.sandbox = subprocess.Popen(
            [self.at("/usr/bin/payments"), *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self.sandbox.stdout is not None
        self.url = json.loads(self.sandbox.stdout.readline())["base_url"]

    def at(self, place: str) -> Path:
        """Return the path of a place on this host."""
        return Path(f"{self.folder}{place}")

    def here(self, text: str) -> str:
        """Return a text of examples/deploy with the places of this host."""
        return re.sub("|".join(PLACES), lambda found: str(self.at(found[0])), text)

    def secrets(self) -> dict[str, bytes]:
        """Return the files of /etc/shop, filled in as the sandbox's merchant would."""
        merchant = self.folder / "merchant"
        given = json.loads((merchant / "payments.json").read_text())
        sample = json.loads(self.here((DEPLOY / "payments.json").read_text()))
        named = {name: Path(value).name for name, value in sample.items() if name.endswith("_file")}
        values = {name: value for name, value in given.items() if name not in named}
        files = {name: (merchant / name).read_bytes() for name in named.values()}
        configuration = sample | values | {"journal": sample["journal"]}
        return files | {"payments.json": json.dumps(configuration).encode()}

    def as_user(self, user: int, command: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the files as a user that has only its own group."""
        ids = ["--reuid", str(user), "--regid", str(user), "--clear-groups"]
        path = {"PATH": os.environ["PATH"]}
        return run(
            "setpriv", *ids, "sh", "-c", self.here(command), env=path, cwd=self.at("/var/lib/shop")
        )

    def works_as(self, user: int, command: str) -> str:
        """Run a command of the files, which must succeed, and return what it printed."""
        done = self.as_user(user, command)
        assert (done.returncode, done.stderr) == (0, ""), f"{command}: {done}"
        return done.stdout

    def pay(self, user: int, reference: str) -> subprocess.CompletedProcess[str]:
        """Create a payment by the command, as a user."""
        file = self.folder / "payment.json"
        file.write_text(json.dumps({"payment": PAYMENT}))
        command = "/usr/bin/payments --config /etc/shop/payments.json create-payment"
        return self.as_user(user, f"{command} {file} --merchant-payment-code {reference}")


@pytest.fixture
def host() -> Iterator[Host]:
    """Make a host with a sandbox, whose folder other users can enter."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        host = Host(Path(folder))
        try:
            yield host
        finally:
            host.sandbox.communicate()


def give(path: Path, user: int, mode: int) -> None:
    """Give a file or folder to a user."""
    os.chown(path, user, user)
    path.chmod(mode)


def configuration() -> dict[str, Any]:
    """Return the members of payments.json."""
    members: dict[str, Any] = json.loads((DEPLOY / "payments.json").read_text())
    return members


def pod() -> dict[str, Any]:
    """Return the pod of kubernetes.yaml."""
    (stateful_set, _) = yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text())
    pod: dict[str, Any] = stateful_set["spec"]["template"]["spec"]
    return pod


def test_systemd_takes_the_units(tmp_path: Path) -> None:
    units = tmp_path / "etc/systemd/system"
    shutil.copytree(DEPLOY / "systemd", units)
    (tmp_path / "usr/bin").mkdir(parents=True)
    shutil.copy("/bin/true", tmp_path / "usr/bin/payments")
    names = sorted(unit.name for unit in units.iterdir())
    assert len(names) == 4
    options = ["--man=no", "--recursive-errors=no", f"--root={tmp_path}"]
    succeed("systemd-analyze", "verify", *options, *names)


def test_the_services_run_what_their_units_say(host: Host) -> None:
    user = 10001
    for place in ["/etc/shop", "/var/lib/shop"]:
        give(host.at(place), user, 0o700)
    for name, contents in host.secrets().items():
        (host.at("/etc/shop") / name).write_bytes(contents)
        give(host.at("/etc/shop") / name, user, 0o600)
    host.works_as(user, "/usr/bin/payments journal create /var/lib/shop/journal/payments.db")
    report = json.loads(host.works_as(user, CHECK))
    assert (report["errors"], report["warnings"]) == (0, 0), report
    assert host.pay(user, "order-1").returncode == 0
    confirm = f"{host.url}/sandbox/payments/order-1/confirm"
    urllib.request.urlopen(confirm, b"{}").close()
    said = {}
    for name in ["recover", "follow"]:
        unit = (DEPLOY / f"systemd/payments-{name}.service").read_text()
        # However often it fails, and however long a deployment takes.
        assert "\nStartLimitIntervalSec=0\n" in unit.partition("[Service]")[0]
        assert "\nRestart=on-failure\nRestartSec=5\n" in unit
        # Where reports and the state are.
        assert "\nStateDirectory=shop\n" in unit
        (command,) = re.findall(r"^ExecStart=(.*)", unit, re.M)
        said[name] = json.loads(host.works_as(user, command))
    assert said["recover"]["open"] == []
    assert said["follow"]["reference"] == "order-1"
    assert "confirmed" in said["follow"].values()


def test_the_dockerfile_is_sound() -> None:
    file = DEPLOY / "Dockerfile"
    text = file.read_text()
    succeed("hadolint", "--no-color", file)
    commands = re.findall(r"docker run (?:.*\\\n)*.*", text)
    (serving,) = [command for command in commands if "/etc/shop" in command]
    assert "--env-file /etc/shop/environment" in serving
    (stop,) = re.findall(r"--stop-timeout (\d+)", serving)
    (graceful,) = re.findall(r'"--timeout-graceful-shutdown", "(\d+)"', text)
    seconds = configuration()["timeout_ms"] / 1000
    assert int(stop) > int(graceful) > seconds
    final = text.rpartition("\nFROM ")[2]
    context = pod()["securityContext"]
    assert f"\nUSER {context['runAsUser']}:{context['runAsGroup']}\n" in final
    assert "\nWORKDIR /var/lib/shop\n" in final
    (sources,) = re.findall(r"^COPY (?!--)(.*) \S+$", final, re.M)
    assert all((ROOT / "examples/shop" / name).exists() for name in sources.split())


def test_the_pod_agrees_with_the_configuration() -> None:
    file = DEPLOY / "kubernetes.yaml"
    assert run("kubernetes-validate", "--strict", file).returncode == 0
    assert pod()["terminationGracePeriodSeconds"] > configuration()["timeout_ms"] / 1000
    (made,) = re.findall(r"generic (\S+) --from-env-file=/etc/shop/environment", file.read_text())
    assert pod()["containers"][0]["envFrom"] == [{"secretRef": {"name": made}}]
    for container in pod()["containers"]:
        mounted = [mount["mountPath"] for mount in container["volumeMounts"]]
        assert mounted == ["/etc/shop", "/var/lib/shop"]
    for name in ["journal", "token_store"]:
        assert configuration()[name].startswith("file:/var/lib/shop/")


def test_a_pod_reads_its_secrets_and_keeps_its_journal(host: Host) -> None:
    context = pod()["securityContext"]
    user, group = context["runAsUser"], context["fsGroup"]
    # As the kubelet mounts a secret: links to files of root, which the group can read.
    etc = host.at("/etc/shop")
    data = etc / "..2026_01_31_12_00_00.123456789"
    data.mkdir(mode=0o755)
    (etc / "..data").symlink_to(data.name)
    mode = pod()["volumes"][0]["secret"]["defaultMode"] | 0o440
    for name, contents in host.secrets().items():
        (data / name).write_bytes(contents)
        os.chown(data / name, 0, group)
        (data / name).chmod(mode)
        (etc / name).symlink_to(f"..data/{name}")
    # And a new volume, whose folder is root's.
    volume = host.at("/var/lib/shop")
    os.chown(volume, 0, group)
    volume.chmod(0o2775)

    head = "".join(re.findall(r"^#(.*\n)", (DEPLOY / "kubernetes.yaml").read_text(), re.M))
    create, check = re.findall(r"-c recover -- \\\n\s*(.*)", head)
    host.works_as(user, create)
    report = json.loads(host.works_as(user, f"{check} --json"))
    assert (report["errors"], report["warnings"]) == (0, 0), report
    said = [it["message"] for it in report["findings"] if it["about"] == "key_file"]
    assert said == [f"only root and its group can read {etc}/private_key.pem"]
    assert host.pay(user, "order-1").returncode == 0

    # The second container recovers at once, and ends when the pod does.
    loop = pod()["containers"][1]["command"]
    ids = ["--reuid", str(user), "--regid", str(user), "--clear-groups"]
    words = ["setpriv", *ids, *loop[:2], host.here(loop[2])]
    recovering = subprocess.Popen(
        words, stdout=subprocess.PIPE, text=True, cwd=volume, start_new_session=True
    )
    assert recovering.stdout is not None
    assert json.loads(recovering.stdout.readline())["open"] == []
    recovering.terminate()
    recovering.wait(timeout=30)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(recovering.pid, signal.SIGKILL)  # A sleep, which ends with a container.
    recovering.stdout.close()

    # Without OnRootMismatch, the kubelet would do this at each start.
    assert context["fsGroupChangePolicy"] == "OnRootMismatch"
    (volume / "journal").chmod(0o2770)
    refused = host.pay(user, "order-2")
    assert refused.returncode != 0
    assert "accessible to others" in refused.stderr
