"""The files of examples/deploy, read by the programs that will read them.

Their commands run too: the pool of FPM, the commands of systemd and cron, and a pod's
commands on its volumes, all against a sandbox. Users and folders are stand-ins.
"""

from __future__ import annotations

import contextlib
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from dockerfile_parse import DockerfileParser

ROOT = Path(__file__).resolve().parents[3]
DEPLOY = ROOT / "examples/deploy"
DOCKERFILES = sorted((DEPLOY / "docker").glob("*.Dockerfile"))
FPM = sorted(glob.glob("/usr/sbin/php-fpm*"))[-1]
# Places and users that this host lacks.
PLACES = [
    "/etc/shop",
    "/var/lib/shop",
    "/srv/shop",
    "/run/php",
    "/usr/bin/payments",
]
WEB = 33  # www-data, of Debian.
KEY = "owner"  # The password of the shop's owner.
ORDER: dict[str, dict[str, Any]] = {
    "items": {"mug": 1, "shirt": 0},
    "payer": {"name": "Maria Souza", "email": "maria@example.com", "document": "853.513.468-93"},
}
# Users of the file pin versions themselves. The command line has the contexts.
HADOLINT = ["--ignore=DL3008", "--ignore=DL3016", "--ignore=DL3022"]


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

    def pool(self) -> str:
        """Return php-fpm.conf with a user of this host."""
        text = self.here((DEPLOY / "php-fpm.conf").read_text())
        return re.sub("(?m)^(user|group) = shop$", r"\1 = www-data", text)

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

    def control(self, path: str, body: Any = None) -> Any:
        """Use the control API of the sandbox."""
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(f"{self.url}/sandbox/{path}", data) as response:
            return json.load(response)


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


def documents() -> list[dict[str, Any]]:
    """Return the objects of kubernetes.yaml."""
    return list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()))


def test_systemd_takes_the_units_and_their_times(tmp_path: Path) -> None:
    units = tmp_path / "etc/systemd/system"
    shutil.copytree(DEPLOY / "systemd", units)
    (tmp_path / "usr/bin").mkdir(parents=True)
    for name in ["payments", "php"]:
        shutil.copy("/bin/true", tmp_path / "usr/bin" / name)
    # FPM's own unit, with what is added to it.
    (units / "php-fpm.service").write_text("[Service]\nExecStart=/usr/bin/payments\n")
    (units / "php-fpm.service.d").mkdir()
    shutil.copy(DEPLOY / "php-fpm.service.conf", units / "php-fpm.service.d/shop.conf")
    names = sorted(unit.name for unit in units.iterdir() if unit.is_file())
    options = ["--man=no", "--recursive-errors=no", f"--root={tmp_path}"]
    succeed("systemd-analyze", "verify", *options, *names)
    timers = "".join(timer.read_text() for timer in units.glob("*.timer"))
    times = re.findall(r"^OnCalendar=(.*)", timers, re.M)
    assert len(times) == 2
    for service in units.glob("*.service"):
        text = service.read_text()
        if "Restart=always" in text:  # However often it fails, and however long a deployment takes.
            assert "\nStartLimitIntervalSec=0\n" in text.partition("[Service]")[0]
            assert "\nRestartSec=5\n" in text
    for when in times:
        succeed("systemd-analyze", "calendar", when)


def test_cron_takes_the_crontab() -> None:
    done = run("crontab", "-n", DEPLOY / "crontab")
    assert done.returncode == 0, done


@pytest.mark.parametrize("file", DOCKERFILES, ids=lambda file: file.stem)
def test_a_dockerfile_is_sound(file: Path) -> None:
    succeed("hadolint", "--no-color", *HADOLINT, file)
    commands = re.findall(r"docker run (?:.*\\\n)*.*", file.read_text())
    calling = [command for command in commands if "/etc/shop" in command]
    serving = [command for command in calling if "/srv/shop" not in command]
    if file.stem != "rust":  # What serves the shop has the owner's password.
        assert serving
        assert all("--env-file /etc/shop/environment" in command for command in serving)
    stops = [int(seconds) for it in calling for seconds in re.findall(r"--stop-timeout (\d+)", it)]
    assert len(stops) == len(calling) > 0
    assert min(stops) > configuration()["timeout_ms"] / 1000
    with file.open("rb") as opened:
        steps = DockerfileParser(fileobj=opened).structure
    steps = [(it["instruction"], it["value"]) for it in steps]
    last = max(index for index, (name, _) in enumerate(steps) if name == "FROM")
    final = dict(steps[last:])  # The last instruction of a kind counts.
    pod = documents()[0]["spec"]["template"]["spec"]["securityContext"]
    assert final["USER"] == f"{pod['runAsUser']}:{pod['runAsGroup']}"
    assert final["WORKDIR"] == "/var/lib/shop"
    assert json.loads(final["CMD"])
    if file.stem != "rust":  # Its command takes --config.
        assert "PAYMENTS_CONFIG=/etc/shop/payments.json" in final["ENV"].split()
    contexts = {
        "": ROOT if file.stem == "rust" else ROOT / "examples/shop",
        "--from=deploy": DEPLOY,
    }
    for words in (value.split() for name, value in steps if name == "COPY"):
        option = words.pop(0) if words[0].startswith("--from") else ""
        for source in words[:-1]:
            assert option not in contexts or (contexts[option] / source).exists(), words


def test_the_pod_agrees_with_the_configuration_and_the_images() -> None:
    for document in documents():
        version = kubernetes_validate.latest_version()
        kubernetes_validate.validate(document, version, strict=True)
    pod = documents()[0]["spec"]["template"]["spec"]
    seconds = configuration()["timeout_ms"] / 1000
    assert pod["terminationGracePeriodSeconds"] > seconds
    head = (DEPLOY / "kubernetes.yaml").read_text()
    (made,) = re.findall(r"generic (\S+) --from-env-file=/etc/shop/environment", head)
    assert pod["containers"][0]["envFrom"] == [{"secretRef": {"name": made}}]
    pool = (DEPLOY / "php-fpm.conf").read_text()
    unit = (DEPLOY / "php-fpm.service.conf").read_text()
    assert int(re.findall(r"^TimeoutStopSec=(\d+)$", unit, re.M)[0]) > seconds
    for name in ["request_terminate_timeout", "process_control_timeout"]:
        assert int(re.findall(rf"^{name} = (\d+)s$", pool, re.M)[0]) > seconds
    mounted = ["/etc/shop", "/var/lib/shop"]
    for container in pod["containers"]:
        assert [mount["mountPath"] for mount in container["volumeMounts"]] == mounted
    claims = documents()[0]["spec"]["volumeClaimTemplates"]
    names = [volume["name"] for volume in pod["volumes"]] + [
        it["metadata"]["name"] for it in claims
    ]
    assert {it["name"] for it in pod["containers"][0]["volumeMounts"]} == set(names)
    for name in ["journal", "token_store"]:
        assert configuration()[name].startswith("file:/var/lib/shop/")


def ask(host: Host, method: str, path: str, content: Any) -> tuple[str, Any]:
    """Send a request to the pool, as a web server would."""
    body = json.dumps(content).encode()
    environment = {
        "PATH": os.environ["PATH"],
        "SCRIPT_FILENAME": str(host.at("/srv/shop/shop.php")),
        "REQUEST_METHOD": method,
        "REQUEST_URI": path,
        "CONTENT_LENGTH": str(len(body)),
    }
    words = ["cgi-fcgi", "-bind", "-connect", str(host.at("/run/php/shop.sock"))]
    done = subprocess.run(words, input=body, capture_output=True, timeout=120, env=environment)
    head, _, answer = done.stdout.decode().partition("\r\n\r\n")
    status = re.findall(r"^Status: (\d+)", head, re.M) or ["200" if head else "none"]
    return status[0], json.loads(answer) if "json" in head else answer


def install_shop(host: Host) -> Path:
    """Install the shop as php-fpm.conf says, and return the pool."""
    shop = host.at("/srv/shop")
    shutil.copytree(ROOT / "examples/shop", shop, dirs_exist_ok=True)
    shutil.copytree(ROOT / "bindings-php", shop / "vendor/package")
    library = shop / "vendor/package/lib" / f"{os.uname().machine}-gnu/libpayments.so.0"
    library.parent.mkdir(parents=True)
    shutil.copy(os.environ["LIBPAYMENTS_LIBRARY"], library)
    (shop / "vendor/autoload.php").write_text("<?php require __DIR__ . '/package/autoload.php';\n")
    orders = host.at("/var/lib/shop/orders")
    orders.mkdir()
    (shop / "orders").symlink_to(orders)
    for place in ["/var/lib/shop", "/var/lib/shop/orders", "/etc/shop"]:
        give(host.at(place), WEB, 0o700)
    for name, contents in host.secrets().items():
        file = host.at("/etc/shop") / name
        file.write_bytes(contents)
        give(file, WEB, 0o600)
    pool = host.folder / "pool.conf"
    pool.write_text(host.pool())
    assert "test is successful" in run(FPM, "-t", "-y", pool).stderr
    return pool


@contextlib.contextmanager
def running(host: Host) -> Iterator[subprocess.Popen[bytes]]:
    """Run the pool as its unit does. Nothing else names the configuration."""
    words = [FPM, "--nodaemonize", "-y", str(install_shop(host))]
    unit = host.here((DEPLOY / "php-fpm.service.conf").read_text())
    (file,) = re.findall(r"^EnvironmentFile=-(.*)", unit, re.M)
    Path(file).write_text(f"SHOP_KEY={KEY}\n")
    name, _, value = Path(file).read_text().strip().partition("=")
    environment = {"PATH": os.environ["PATH"], name: value}
    with subprocess.Popen(words, env=environment, start_new_session=True) as fpm:
        try:
            deadline = time.monotonic() + 60
            while not host.at("/run/php/shop.sock").exists():
                assert fpm.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.05)
            yield fpm
        finally:
            fpm.terminate()


def started(unit: str) -> str:
    """Return the command of a service."""
    text = (DEPLOY / f"systemd/{unit}.service").read_text()
    (command,) = re.findall(r"^ExecStart=(.*)", text, re.M)
    return str(command)


def test_the_pool_sells_a_mug_and_the_timers_see_it_paid(host: Host) -> None:
    follow = started("payments-follow")
    deliver = f"PAYMENTS_CONFIG=/etc/shop/payments.json timeout 10 {started('shop-follow')}"
    crontab = (DEPLOY / "crontab").read_text()
    recover, follow_once = re.findall(r"^(?:\* ){5}(.*)", crontab, re.M)
    with running(host):
        host.works_as(WEB, "/usr/bin/payments journal create /var/lib/shop/journal/payments.db")
        check = "/usr/bin/payments --config /etc/shop/payments.json check --online --json"
        report = json.loads(host.works_as(WEB, check))
        assert (report["errors"], report["warnings"]) == (0, 0), report
        status, order = ask(host, "PUT", "/orders/abc123", ORDER)
        assert status == "200", host.at("/var/lib/shop/php.log").read_text()
        assert order["code"]
        assert list(host.at("/var/lib/shop/tokens").glob("*.json")), "the workers share no token"
        host.control("payments/order-abc123/confirm", {})
        assert '"confirmed"' in host.works_as(WEB, follow)
        host.works_as(WEB, recover)
        host.works_as(WEB, follow_once)
        # Another program that follows takes no end from the shop.
        assert "deliver order-abc123" in host.as_user(WEB, deliver).stderr
        status, _ = ask(host, "POST", "/orders/abc123/refund", {"key": "guessed"})
        assert status == "403"
        _, order = ask(host, "POST", "/orders/abc123/refund", {"key": KEY})
        assert order["state"] == "refunding"


def test_a_request_in_flight_ends_before_the_pool_does(host: Host) -> None:
    with running(host) as fpm:
        host.works_as(WEB, "/usr/bin/payments journal create /var/lib/shop/journal/payments.db")
        slow = {"operation": "create_payment", "then": [{"fault": "slow", "delay_ms": 3000}]}
        host.control("faults", slow)
        got: list[tuple[str, Any]] = []
        asking = threading.Thread(
            target=lambda: got.append(ask(host, "PUT", "/orders/abc123", ORDER))
        )
        asking.start()
        while not host.control("payments")["payments"]:
            time.sleep(0.05)
        # systemd signals all processes, Docker the first one by the same signal.
        unit = (DEPLOY / "php-fpm.service.conf").read_text()
        (name,) = re.findall(r"^KillSignal=(\w+)", unit, re.M)
        os.killpg(fpm.pid, signal.Signals[name])
        asking.join()
        assert [status for status, _ in got] == ["200"], got


def test_the_image_of_php_takes_the_pool_as_its_user(host: Host) -> None:
    text = (DEPLOY / "docker/php.Dockerfile").read_text().replace("\\\n", "")
    (command,) = re.findall(r"^RUN (printf .*)", text, re.M)
    folder = host.folder / "php-fpm.d"
    folder.mkdir()
    succeed("sh", "-c", command.replace("/usr/local/etc/php-fpm.d", str(folder)))
    (folder / "shop.conf").write_text(host.pool())
    (host.folder / "fpm.conf").write_text(f"include={folder}/*.conf\n")
    # Its log is standard error, which a container's user owns.
    end, output = os.pipe()
    os.fchown(output, 10001, 10001)
    ids = ["--reuid=10001", "--regid=10001", "--clear-groups"]
    words = ["setpriv", *ids, FPM, "-tt", "-y", str(host.folder / "fpm.conf")]
    subprocess.run(words, stderr=output, timeout=120)
    os.close(output)
    with os.fdopen(end) as opened:
        read = opened.read()
    assert "test is successful" in read, read
    assert "listen = 9000" in read
    assert "daemonize = no" in read


def test_a_pod_reads_its_secrets_and_keeps_its_journal(host: Host) -> None:
    pod = documents()[0]["spec"]["template"]["spec"]
    user, group = pod["securityContext"]["runAsUser"], pod["securityContext"]["fsGroup"]
    # As the kubelet mounts a secret: links to files of root, which the group can read.
    etc = host.at("/etc/shop")
    data = etc / "..2026_01_31_12_00_00.123456789"
    data.mkdir(mode=0o755)
    (etc / "..data").symlink_to(data.name)
    mode = pod["volumes"][0]["secret"]["defaultMode"] | 0o440
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
    payment = {"country": "br", "currency_code": "BRL", "amount_total": "10.50"}
    payment |= ORDER["payer"] | {"payment_type_code": "pix"}
    (host.folder / "payment.json").write_text(json.dumps({"payment": payment}))
    paying = (
        "/usr/bin/payments --config /etc/shop/payments.json create-payment "
        f"{host.folder}/payment.json --merchant-payment-code "
    )
    host.works_as(user, f"{paying} order-1")

    # The second container recovers at once, and ends when the pod does.
    loop = pod["containers"][1]["command"]
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
    assert pod["securityContext"]["fsGroupChangePolicy"] == "OnRootMismatch"
    (volume / "journal").chmod(0o2770)
    refused = host.as_user(user, f"{paying} order-2")
    assert refused.returncode != 0
    assert "accessible to others" in refused.stderr
