# docker build -t portcullis .
# docker run -p 8545:8545 -v portcullis:/data -v "$PWD/portcullis.yaml:/etc/portcullis/portcullis.yaml:ro" portcullis
ARG NODE=node:20-bookworm-slim

# Compiles TypeScript, and the engine's core to WebAssembly.
FROM ${NODE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.base.json ./
COPY scripts scripts
COPY packages packages
COPY src src
RUN node_modules/.bin/tsc -b src/cli scripts
RUN node build/scripts/core/build.js && node build/scripts/bundle.js

# What runs, without what builds: packages with prebuilt binaries, no install scripts, no compiler.
FROM ${NODE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --no-audit --no-fund

FROM ${NODE} AS runtime
ENV NODE_ENV=production PORTCULLIS_HOST=0.0.0.0 PORTCULLIS_DATA_DIR=/data
WORKDIR /app
COPY package.json LICENSE ./
COPY chains chains
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/build/program build/program
# Nothing is installed here, and nothing below /app is written.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn* \
  && mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8545
# A first SIGTERM drains, a second one ends it: give it longer than limits.drainDelay and limits.drainTimeout together.
STOPSIGNAL SIGTERM
# Where the configuration says, with TLS or without. Orchestrators have probes of their own.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "build/program/cli/main.js", "health", "--config", "/etc/portcullis/portcullis.yaml"]
ENTRYPOINT ["node", "build/program/cli/main.js"]
CMD ["serve", "--config", "/etc/portcullis/portcullis.yaml"]
