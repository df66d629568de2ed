# Susun in a container. It keeps nothing of its own, runs as a user without rights, and works with a
# read-only root file system (with a tmpfs on /tmp). See docs/deployment.md.

FROM python:3.11-slim-bookworm AS build

ENV PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_ROOT_USER_ACTION=ignore

# Without a pip of its own: nothing is installed where it runs.
RUN python -m venv --without-pip /opt/susun

WORKDIR /source
COPY requirements.lock ./
RUN python -m pip --python /opt/susun/bin/python install --require-hashes -r requirements.lock

COPY pyproject.toml README.md app.py ./
COPY schemas schemas
COPY service service
# The lock also holds the build backend, which only this stage needs.
RUN python -m pip --python /opt/susun/bin/python install --no-deps --no-build-isolation --no-index . \
 && python -m pip --python /opt/susun/bin/python uninstall --yes --quiet \
        editables hatchling pathspec pluggy trove-classifiers \
 && /opt/susun/bin/python -c "from app import create_app"


FROM python:3.11-slim-bookworm

RUN groupadd --gid 10001 susun \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin susun

COPY --from=build /opt/susun /opt/susun

ENV PATH=/opt/susun/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HOST=0.0.0.0 \
    PORT=8000

WORKDIR /opt/susun
USER 10001:10001
EXPOSE 8000

HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-m", "service.healthcheck", "/livez"]

CMD ["gunicorn", "--config", "python:service.gunicorn_conf", "app:create_app()"]
