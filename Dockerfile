# The image of veille: `docker build -t veille .`, or `docker compose up`.
# Further parts, as pip names them: `docker build --build-arg EXTRAS=vectors,pictures .`
ARG PYTHON=3.11-slim-bookworm

FROM python:${PYTHON} AS build
# The compiler of this release of Debian, in whichever version; nothing of it gets into the image.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY . .
ARG EXTRAS=""
# Git, which knows the version, is not part of what is sent: `--build-arg BUILD_VERSION=$(git describe --tags --always)`.
ARG BUILD_VERSION=""
# The lock file says which versions; what is installed is written down beside it (CycloneDX).
RUN python -m venv /opt/veille \
    && /opt/veille/bin/pip install --no-cache-dir --constraint deploy/requirements.lock ".${EXTRAS:+[$EXTRAS]}" \
    && python -m venv /opt/sbom \
    && /opt/sbom/bin/pip install --no-cache-dir "cyclonedx-bom>=7,<8" \
    && /opt/sbom/bin/cyclonedx-py environment /opt/veille --output-file /opt/veille/sbom.cdx.json

FROM python:${PYTHON}
# A fixed number, so that a volume keeps its owner. /bodies is for `bodies.place`, where several machines share one.
RUN useradd --uid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin veille \
    && install --directory --owner veille --group veille --mode 0700 /data /bodies
COPY --from=build /opt/veille /opt/veille
ENV PATH=/opt/veille/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    VEILLE_DATA=/data \
    VEILLE_SERVE__HOST=0.0.0.0
USER 10001:10001
VOLUME /data
EXPOSE 8420
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8420/health', timeout=4)"]
ENTRYPOINT ["veille"]
CMD ["serve"]
