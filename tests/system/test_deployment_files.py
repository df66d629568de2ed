"""The container files: well-formed, complete, and as the documentation says."""

import os
import re
import shlex
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from service.config import SETTINGS

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
LOCK = (ROOT / "requirements.lock").read_text()
DOCUMENTATION = (ROOT / "docs" / "deployment.md").read_text()
COMPOSE = (ROOT / "docker-compose.yml").read_text()

USE_THE_WHEEL = """
import sys
from importlib.metadata import version
import app, schemas, service
from service.cli import main
for module in (app, schemas, service):
    assert module.__file__.startswith(sys.path[1]), module.__file__
main(["migrate"], standalone_mode=False)
client = app.create_app().test_client()
for address in ("/readyz", "/openapi.json", "/docs", "/docs/start.js", "/docs/swagger-ui.css"):
    answer = client.get(address)
    assert answer.status_code == 200, (address, answer.data)
    answer.close()
"""


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    services: dict[str, Any] = YAML(typ="safe").load(COMPOSE)["services"]
    return services


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's wheel, built as the Dockerfile does it."""
    directory = tmp_path_factory.mktemp("wheel")
    _run(
        *(
            sys.executable,
            "-m",
            "pip",
            "--disable-pip-version-check",
            "--no-cache-dir",
            "wheel",
            "--quiet",
        ),
        *("--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(directory), str(ROOT)),
    )
    (built,) = directory.glob("*.whl")
    return built


def test_the_compose_file_fits_the_specification() -> None:
    checker = Path(sys.executable).with_name("check-jsonschema")
    _run(str(checker), "--builtin-schema", "vendor.compose-spec", str(ROOT / "docker-compose.yml"))


def test_the_service_starts_after_the_migration_and_that_after_the_database(
    services: dict[str, Any],
) -> None:
    assert services["migrate"]["depends_on"] == {"db": {"condition": "service_healthy"}}
    migrated = services["service"]["depends_on"]["migrate"]
    assert migrated == {"condition": "service_completed_successfully"}
    assert services["migrate"]["image"] == services["service"]["image"]


@pytest.mark.parametrize("name", ["migrate", "service", "proxy"])
def test_containers_run_without_rights(services: dict[str, Any], name: str) -> None:
    service = services[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]


def test_only_the_proxy_has_a_port_outside(services: dict[str, Any]) -> None:
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]


def test_a_missing_password_is_refused_wherever_it_is_used() -> None:
    uses = re.findall(r"\$\{SUSUN_DB_PASSWORD[^}]*\}", COMPOSE)
    assert len(uses) == 2
    assert all(use.startswith("${SUSUN_DB_PASSWORD:?") for use in uses)


def test_the_proxy_reads_the_configuration_that_is_mounted(services: dict[str, Any]) -> None:
    (volume,) = services["proxy"]["volumes"]
    source, target, mode = volume.split(":")
    assert (ROOT / source).is_file()
    assert mode == "ro"
    made = Path(services["proxy"]["environment"]["NGINX_ENVSUBST_OUTPUT_DIR"], Path(target).stem)
    assert str(made) in services["proxy"]["command"]


def test_the_proxy_lets_through_the_largest_body_that_the_service_takes() -> None:
    from app import MOST_BODY_BYTES  # noqa: PLC0415
    from schemas.tournaments import MOST_BYTES  # noqa: PLC0415
    from service.api import bodies  # noqa: PLC0415

    proxy = (ROOT / "deploy" / "nginx.conf.template").read_text()
    limits = {
        "client_max_body_size": [MOST_BODY_BYTES, MOST_BYTES, bodies.MOST_BYTES],
        "client_body_buffer_size": [MOST_BODY_BYTES],
    }
    for limit, sizes in limits.items():
        found = re.findall(rf"^\s*{limit} (\d+)k;$", proxy, re.MULTILINE)
        for kilobytes, size in zip(found, sizes, strict=True):
            assert size < int(kilobytes) * 1024 < 1.1 * size


def test_the_wheel_holds_every_file_of_the_application(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        held = {name for name in file.namelist() if ".dist-info/" not in name}
    assert held == {"app.py", *_files("schemas"), *_files("service")}


def test_the_application_works_from_the_wheel_alone(
    wheel: Path, tmp_path: Path, database_url: str
) -> None:
    with zipfile.ZipFile(wheel) as file:
        file.extractall(tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "DATABASE_URL": database_url}
    _run(sys.executable, "-c", USE_THE_WHEEL, cwd=tmp_path, env=environment)


def test_the_image_is_made_from_the_lock() -> None:
    assert (
        "pip --python /opt/susun/bin/python install --require-hashes -r requirements.lock" in DOCKERFILE
    )
    for line in re.findall(r"pip .* install (.*)", DOCKERFILE):
        assert "--require-hashes" in line or "--no-deps --no-build-isolation --no-index" in line


def test_the_image_runs_without_the_build_backend() -> None:
    (removed,) = re.findall(r"uninstall --yes --quiet\s+([a-z -]+?)\s+&&", DOCKERFILE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(project["optional-dependencies"]["build"]) <= set(removed.split())
    for name in removed.split():
        assert re.search(rf"^{name}==", LOCK, re.MULTILINE), f"{name} is not in the lock"


def test_the_image_runs_as_a_numbered_user_who_is_not_root() -> None:
    (user,) = re.findall(r"^USER (\d+):\d+$", DOCKERFILE, re.MULTILINE)
    assert int(user) > 0


def test_the_image_gets_everything_that_it_copies() -> None:
    let_through = re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE)
    copied = [
        shlex.split(line)[:-1] for line in re.findall(r"^COPY (?!--from)(.*)$", DOCKERFILE, re.MULTILINE)
    ]
    assert sorted(name for names in copied for name in names) == sorted(let_through)


def test_the_documentation_names_the_images_in_use(services: dict[str, Any]) -> None:
    used = {service["image"] for service in services.values()} - {"susun"}
    used |= set(re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE))
    named = set(re.findall(r"`((?:postgres|nginx|python):[^`]+)`", DOCUMENTATION))
    assert used == named


def test_the_documentation_names_every_setting() -> None:
    settings = set(re.findall(r"\$\{([A-Z_]+)", COMPOSE)) | set(re.findall(r"(HOST|PORT)=", DOCKERFILE))
    assert {name for name in settings if f"`{name}`" not in DOCUMENTATION} == set()


def test_compose_passes_on_every_setting_but_where_its_own_container_listens(
    services: dict[str, Any],
) -> None:
    passed = set(services["service"]["environment"])
    kept = {"HOST", "PORT", "SUSUN_HOME", "WORKER_CLASS"}
    assert passed == {setting.name for setting in SETTINGS} - kept


def test_the_documentation_names_the_libpq_that_is_in_the_lock() -> None:
    import psycopg2  # noqa: PLC0415

    (locked,) = re.findall(r"^psycopg2-binary==(\S+)", LOCK, re.MULTILINE)
    assert psycopg2.__version__.split()[0] == locked
    number = psycopg2.__libpq_version__
    libpq = f"{number // 10000}.{number % 10000}"
    assert f"Version {locked}, which is in the lock, brings libpq {libpq};" in DOCUMENTATION
    assert f"({number})" in DOCUMENTATION


def _files(package: str) -> set[str]:
    files = (path for path in (ROOT / package).rglob("*") if path.is_file())
    names = (path.relative_to(ROOT).as_posix() for path in files)
    return {name for name in names if "__pycache__" not in name}


def _run(*command: str, **options: Any) -> None:
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options
    )
    assert done.returncode == 0, done.stdout
