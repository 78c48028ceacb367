"""What operators install: the image, the compose file, the unit of systemd and the proxies, parsed or run."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import tomllib
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import veille
from postgres_server import shared
from service import Client, Here, Service
from veille.settings import Settings

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"


def _ran(*command: str | Path, **more: Any) -> str:
    done: subprocess.CompletedProcess[str] = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=120, **more
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def _instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile, with their continued lines joined."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    lines = (line.split(maxsplit=1) for line in text.splitlines() if line.strip())
    return [(word, " ".join(rest.split())) for word, rest in lines]


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def test_the_unit_of_systemd_is_understood(tmp_path: Path) -> None:
    unit = (DEPLOY / "veille.service").read_text()
    program = next(line for line in unit.splitlines() if line.startswith("ExecStart=")).split()[0].partition("=")[2]
    # This machine has neither the program at that place nor the user.
    here = unit.replace(program, shutil.which("true") or "").replace("User=veille", "User=daemon")
    (tmp_path / "veille.service").write_text(here)
    assert not _ran("systemd-analyze", "verify", "--man=no", tmp_path / "veille.service").strip()
    assert "RestartPreventExitStatus=78" in unit


def test_the_options_in_the_unit_are_options() -> None:
    unit = (DEPLOY / "veille.service").read_text()
    options = re.findall(r"--[a-z-]+", next(line for line in unit.splitlines() if line.startswith("ExecStart=")))
    known = _ran(sys.executable, "-m", "veille", "serve", "--help")
    assert {one for one in options if one not in known} == set()


@pytest.mark.parametrize("name", ["Caddyfile", "Caddyfile.several"])
def test_caddy_takes_its_file(name: str) -> None:
    assert "Valid configuration" in _ran("caddy", "validate", "--config", DEPLOY / name, "--adapter", "caddyfile")


def test_veille_is_reached_through_nginx(tmp_path: Path) -> None:
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    subject = ("-subj", "/CN=veille.example.org", "-addext", "subjectAltName=DNS:veille.example.org")
    made = "openssl req -x509 -newkey rsa:2048 -nodes -days 2".split()
    _ran(*made, *subject, "-keyout", key, "-out", certificate)
    port = _free_port()
    with Service(
        tmp_path, "--public-url", "https://veille.example.org", "--trusted-proxies", "127.0.0.1/32"
    ) as service:
        server = (DEPLOY / "nginx.conf").read_text()
        for there, here in {
            "listen 443": f"listen 127.0.0.1:{port}",
            "/etc/ssl/certs/veille.example.org.pem": str(certificate),
            "/etc/ssl/private/veille.example.org.key": str(key),
            "http://127.0.0.1:8420": service.url,
        }.items():
            assert there in server
            server = server.replace(there, here)
        config = tmp_path / "nginx.conf"
        config.write_text(
            f"{'user root;' if os.geteuid() == 0 else ''}\nworker_processes 1;\ndaemon off;\npid {tmp_path}/pid;\n"
            f"error_log {tmp_path}/errors;\nevents {{}}\nhttp {{ access_log off; {server} }}\n"
        )
        _ran("nginx", "-t", "-c", config, "-p", tmp_path)
        with subprocess.Popen(["nginx", "-c", config, "-p", tmp_path]) as nginx:
            try:
                answer = _asked(port, certificate)
            finally:
                nginx.terminate()
    assert answer.startswith(b"HTTP/1.1 303"), answer
    # The name and the scheme that the browser used, not those behind the proxy.
    assert b"/login" in answer
    assert b"strict-transport-security" in answer.lower()


def _asked(port: int, certificate: Path) -> bytes:
    """The head of the answer to a browser that asks for the first page."""
    context = ssl.create_default_context(cafile=str(certificate))
    with _connected(port) as plain, context.wrap_socket(plain, server_hostname="veille.example.org") as connection:
        connection.sendall(
            b"GET / HTTP/1.1\r\nHost: veille.example.org\r\nAccept: text/html\r\nConnection: close\r\n\r\n"
        )
        return b"".join(iter(lambda: connection.recv(65536), b""))


def _connected(port: int) -> socket.socket:
    """A connection to a proxy, as soon as it listens."""
    for _ in range(300):
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=20)
        except ConnectionRefusedError:
            threading.Event().wait(0.1)
    raise AssertionError("the proxy does not listen")


def test_hadolint_finds_nothing_in_the_dockerfile() -> None:
    hadolint = Path(sys.executable).with_name("hadolint")
    if not hadolint.exists() and not os.environ.get("CI"):
        pytest.skip("`pip install -e .[dev]` brings hadolint")
    assert not _ran(hadolint, "--no-color", ROOT / "Dockerfile").strip()


def test_the_image_runs_as_nobody_in_particular() -> None:
    last = [index for index, (word, _) in enumerate(_instructions()) if word == "FROM"][-1]
    final = _instructions()[last:]
    assert [rest for word, rest in final if word == "USER"] == ["10001:10001"]
    assert [rest for word, rest in final if word == "VOLUME"] == ["/data"]
    assert [rest for word, rest in final if word == "EXPOSE"] == [str(Settings().serve.port)]
    variables = dict(re.findall(r"(VEILLE_\w+)=(\S+)", " ".join(rest for word, rest in final if word == "ENV")))
    assert Settings.model_fields.keys() >= {name.lower().removeprefix("veille_").split("__")[0] for name in variables}


def test_the_health_check_of_the_image(tmp_path: Path) -> None:
    check = next(rest for word, rest in _instructions() if word == "HEALTHCHECK")
    _, code, script = json.loads(check.partition("CMD ")[2])
    with Service(tmp_path) as service:
        _ran(sys.executable, code, script.replace("http://127.0.0.1:8420", service.url))
        port = _free_port()
        with pytest.raises(AssertionError, match="refused"):
            _ran(sys.executable, code, script.replace(":8420", f":{port}"))


def test_the_compose_file_fits_the_image() -> None:
    composed = yaml.safe_load((ROOT / "compose.yaml").read_text())
    veille = composed["services"]["veille"]
    asked = {rest.partition("=")[0] for word, rest in _instructions() if word == "ARG"}
    assert veille["build"]["args"].keys() == {"BUILD_VERSION", "EXTRAS"} <= asked
    assert veille["read_only"] is True
    assert veille["cap_drop"] == ["ALL"]
    assert [mount.partition(":")[0] for mount in veille["volumes"]] == list(composed["volumes"])
    assert [mount.partition(":")[2] for mount in veille["volumes"]] == ["/data"]
    assert [port.rpartition(":")[2] for port in veille["ports"]] == [str(Settings().serve.port)]
    grace = int(veille["stop_grace_period"].removesuffix("s"))
    assert grace > Settings().serve.grace_s


def test_the_compose_file_of_several_machines_fits_the_image_and_the_balancer() -> None:
    composed = yaml.safe_load((ROOT / "compose.several.yaml").read_text())
    services = composed["services"]
    # A new volume gets the owner of the folder in the image; any other one would be root's.
    made = next(rest for word, rest in _instructions() if "install --directory" in rest).split()
    webs = [name for name, one in services.items() if one.get("command", [""])[0] == "serve"]
    workers = [name for name, one in services.items() if one.get("command") == ["work"]]
    assert (len(webs), len(workers)) == (2, 2)
    for name in webs + workers:
        one = services[name]
        assert one["read_only"] is True
        assert one["cap_drop"] == ["ALL"]
        assert one["build"]["args"]["EXTRAS"] == "postgres,warc"
        known = {variable.lower().removeprefix("veille_").split("__")[0] for variable in one["environment"]}
        assert Settings.model_fields.keys() >= known
        # None has data of its own that another would miss: what is not in the database is where all have it.
        assert one["volumes"] == ["bodies:" + one["environment"]["VEILLE_BODIES__PLACE"]]
        assert one["environment"]["VEILLE_BODIES__PLACE"] in made
        assert int(one["stop_grace_period"].removesuffix("s")) > Settings().serve.grace_s
        # The same key and database for all.
        for variable in ("VEILLE_STORE", "VEILLE_VAULT__KEY"):
            assert one["environment"][variable] == services[webs[0]]["environment"][variable]
    (network,) = (each["subnet"] for each in composed["networks"]["inside"]["ipam"]["config"])
    for name in webs:
        assert json.loads(services[name]["environment"]["VEILLE_SERVE__TRUSTED_PROXIES"]) == [network]
    balanced = (DEPLOY / "Caddyfile.several").read_text()
    assert re.findall(r"reverse_proxy (.*) \{", balanced) == [" ".join(f"{name}:8420" for name in webs)]
    mounted = {mount.partition(":")[0] for one in services.values() for mount in one.get("volumes", ())}
    assert mounted == {*composed["volumes"], "./deploy/Caddyfile.several"}


def test_a_balancer_before_two_machines_goes_on_when_one_ends(tmp_path: Path) -> None:
    server = shared()
    name = server.database(server.ready)
    given: dict[str, Any] = {"store": server.url(name), "vault": {"key": base64.b64encode(b"k" * 32).decode()}}
    port = _free_port()
    with ExitStack() as opened:
        opened.callback(server.drop, name)
        one, two = (Here(tmp_path / folder, **given) for folder in ("one", "two"))
        both = [opened.enter_context(each) for each in (one, two)]
        config = (DEPLOY / "Caddyfile.several").read_text().replace("5s", "200ms")
        config = config.replace("web-1:8420 web-2:8420", " ".join(each.url.removeprefix("http://") for each in both))
        config = "{\n\tadmin off\n}\n" + config
        (tmp_path / "Caddyfile").write_text(config)
        variables = {"VEILLE_SITE": f"http://127.0.0.1:{port}", "HOME": str(tmp_path), "PATH": os.environ["PATH"]}
        command = ["caddy", "run", "--config", str(tmp_path / "Caddyfile"), "--adapter", "caddyfile"]
        caddy = subprocess.Popen(command, env=variables, stderr=subprocess.DEVNULL)
        opened.callback(caddy.wait)
        opened.callback(caddy.terminate)
        with veille.open_app(one.settings) as app:
            accounts, local = app.accounts, app.accounts.local()
            entry = accounts.redeem(accounts.setup_link(local))
        me = Client(f"http://127.0.0.1:{port}", {"Cookie": f"sid={entry.cookie}"})
        _connected(port).close()
        made = me.post("/api/dossiers", {"name": "news"}, 201)
        assert [me.get("/api/dossiers")[0]["id"] for _ in range(20)] == [made["id"]] * 20
        assert all(_answered(each) for each in both), "each had its share"
        one.server.__exit__()
        before = _answered(two)
        assert [me.get("/api/dossiers")[0]["id"] for _ in range(10)] == [made["id"]] * 10
        assert _answered(two) == before + 10


def _answered(machine: Here) -> float:
    """How many requests for the list of dossiers this machine has answered."""
    samples = (one for metric in machine.server._api.state.metrics.requests.collect() for one in metric.samples)
    return sum(
        float(one.value) for one in samples if one.name.endswith("_total") and one.labels["route"] == "/api/dossiers"
    )


def test_the_lock_file_has_every_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [Requirement(line) for line in project["dependencies"]]
    for extra in Requirement(project["optional-dependencies"]["all"][0]).extras:
        asked += [Requirement(line) for line in project["optional-dependencies"][extra]]
    locked: dict[str, list[str]] = {}
    for line in (DEPLOY / "requirements.lock").read_text().splitlines():
        if not line.startswith("#"):
            one = Requirement(line)
            locked.setdefault(canonicalize_name(one.name), []).append(next(iter(one.specifier)).version)
    wrong = [
        str(one)
        for one in asked
        if one.name != "veille" and not any(map(one.specifier.contains, locked.get(canonicalize_name(one.name), ())))
    ]
    assert not wrong, "run `make lock`"


@pytest.mark.skipif(os.geteuid() != 0 and not os.environ.get("CI"), reason="only root may mount")
def test_it_runs_where_only_the_data_folder_can_be_written(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    # As a container does it: no capability, and everything read-only but the volume and /tmp.
    script = (
        'set -e; mount --bind "$1" "$1"; mount -t tmpfs none /tmp; mount -o remount,bind,ro /; '
        'exec setpriv --no-new-privs --inh-caps=-all --bounding-set=-all "${@:2}"'
    )
    command = [sys.executable, "-m", "veille", "demo", "--no-serve", "--data", str(data)]
    environment = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1", "HOME": str(data)}
    said = _ran("unshare", "--mount", "bash", "-c", script, "bash", str(data), *command, env=environment)
    assert "Traceback" not in said
    assert (data / "catalog.db").exists()
