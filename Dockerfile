# docker build -t portcullis --build-arg REVISION="$(git rev-parse HEAD)" .
# docker run --read-only -p 8545:8545 -v portcullis:/data -v "$PWD/portcullis.yaml:/etc/portcullis/portcullis.yaml:ro" portcullis
ARG BUILD_BASE=node:24-trixie-slim
# glibc, the C++ library, certificates and node: no shell, no package manager, no npm. Same Debian as above.
ARG RUNTIME_BASE=gcr.io/distroless/nodejs24-debian13

# Compiles TypeScript, and the engine's core to WebAssembly.
FROM ${BUILD_BASE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.base.json ./
COPY scripts scripts
COPY packages packages
COPY src src
RUN node_modules/.bin/tsc -b src/cli src/embedding scripts
RUN node build/scripts/core/build.js && node build/scripts/bundle.js
# Source maps are half of the program, and node reads them only with --enable-source-maps.
RUN find build/program -name '*.map' -delete
# The mode of a named volume is that of the folder in the image.
RUN mkdir -m 0700 data

# What runs, without what builds: packages with prebuilt binaries, no install scripts, no compiler.
FROM ${BUILD_BASE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --no-audit --no-fund
# Nothing loads sources, types, source maps and tests of packages, or binaries for other systems. lmdb's binary for Node-API serves every node.
RUN rm -rf node_modules/bintrees/test node_modules/lmdb/dependencies node_modules/secp256k1/src \
    node_modules/secp256k1/prebuilds/darwin-* node_modules/secp256k1/prebuilds/win32-* \
    node_modules/@lmdb/*/node.abi* node_modules/@lmdb/*/*.musl.node
RUN find node_modules -type f \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.map' -o -name '*.md' ! -iname 'licen*' \) -delete

FROM ${RUNTIME_BASE} AS runtime
ARG VERSION=0.2.0
ARG REVISION=unknown
ARG RUNTIME_BASE
LABEL org.opencontainers.image.title="Portcullis" \
  org.opencontainers.image.description="A self-hosted JSON-RPC gateway to Ethereum chains, in front of nodes or with its own execution engine" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.base.name="${RUNTIME_BASE}"
# The first folder is where the distroless image has node: `docker exec rpc node ...` finds it.
ENV PATH=/nodejs/bin:/usr/local/bin:/usr/bin:/bin NODE_ENV=production PORTCULLIS_HOST=0.0.0.0 PORTCULLIS_DATA_DIR=/data
WORKDIR /app
COPY package.json LICENSE NOTICE ./
COPY chains chains
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/build/program build/program
COPY --from=build --chown=1000:1000 /app/data /data
# A number, by which Kubernetes sees that it is not root. Nothing below /app is written.
USER 1000:1000
VOLUME /data
EXPOSE 8545
# A first SIGTERM drains, a second one ends it: give it longer than limits.drainDelay and limits.drainTimeout together.
STOPSIGNAL SIGTERM
# Where the configuration says, with TLS or without. Orchestrators have probes of their own.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "build/program/cli/main.js", "health", "--config", "/etc/portcullis/portcullis.yaml"]
ENTRYPOINT ["node", "build/program/cli/main.js"]
CMD ["serve", "--config", "/etc/portcullis/portcullis.yaml"]
