# Builds Galley and runs it as the user node: docs/operations.md says how, and what was tried.

FROM node:24-bookworm-slim AS build
WORKDIR /galley
COPY package.json package-lock.json .npmrc ./
# The packages alone first: they change less often than the code.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json prisma.config.ts ./
COPY scripts scripts
COPY prisma prisma
COPY src src
COPY dashboard dashboard
RUN npm run build

FROM node:24-bookworm-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    GALLEY_DATA_DIR=/var/lib/galley
WORKDIR /galley
COPY package.json package-lock.json .npmrc README.md LICENSE .env.example ./
COPY scripts/prepare.mjs scripts/start.mjs scripts/
COPY prisma/migrations prisma/migrations
COPY docs docs
COPY --from=build /galley/dist dist
RUN npm ci --omit=dev --no-audit --no-fund \
    && npm cache clean --force \
    && install -d -o node -g node -m 700 /var/lib/galley
USER node
VOLUME /var/lib/galley
EXPOSE 8080
# Alive, and not ready: a Galley whose keys are missing or whose database is away stays up and says so.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8080}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "scripts/start.mjs"]
