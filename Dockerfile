# syntax=docker/dockerfile:1
# The service of one machine as a container: docs/container.md. `docker build .` leaves out the browser of website analyses; with it:
#   docker build --build-arg PACKAGES=packages --build-arg BASE=debian:bookworm-slim .
ARG PACKAGES=without-browser
# glibc, the C++ library and certificates, and no shell.
ARG BASE=gcr.io/distroless/cc-debian12:nonroot

FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY service ./service
# Everything is from npm, also the Node that runs the service; for amd64 and arm64.
RUN npm ci --omit=dev --no-audit --no-fund
COPY tsconfig.json ./
COPY cli ./cli
COPY core ./core
COPY dashboard ./dashboard
COPY docs/api/numbers.md ./docs/api/
COPY duckdb ./duckdb
COPY lambdas ./lambdas
COPY local ./local
COPY providers ./providers
COPY replay ./replay
COPY scanner ./scanner
COPY schemas ./schemas
COPY tracker ./tracker
RUN npm run build:cli
# Node's package has its program twice; types and source maps are for those who write code.
RUN rm -rf node_modules/node/node_modules && find node_modules -type f \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' -o -name '*.md' \) -delete
RUN mkdir /empty

FROM packages AS without-browser
RUN rm -rf node_modules/@sparticuz

FROM ${PACKAGES} AS chosen

FROM ${BASE}
WORKDIR /app
COPY --from=chosen /app /app
# New volumes take their owner from here.
COPY --from=chosen --chown=65532:65532 /empty /data
COPY --from=chosen --chown=65532:65532 /empty /backups
ENV DATA_DIR=/data HOST=0.0.0.0 SEED_DEMO=false HOME=/tmp NODE_COMPILE_CACHE=/tmp/compiled
USER 65532:65532
VOLUME /data
EXPOSE 8787
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["/app/node_modules/.bin/node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT ?? 8787}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The service itself handles SIGTERM, and ends within ten seconds. `docker run --init` and compose.yaml reap what a browser leaves.
ENTRYPOINT ["/app/node_modules/.bin/node"]
CMD ["--disable-warning=ExperimentalWarning", "--max-semi-space-size=16", "--heap-growing-percent=200", "--import", "./local/modules.mjs", "local/main.ts"]
