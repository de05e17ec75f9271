# Not built where this project is developed: no container engine there. Read it as a recipe.
FROM node:22-bookworm-slim AS build
WORKDIR /app
# What better-sqlite3 needs where no prebuilt binary fits.
RUN apt-get update && apt-get install -y --no-install-recommends g++ make python3 && rm -rf /var/lib/apt/lists/*
COPY . .
RUN npm ci && npm run build && npm prune --omit=dev

FROM node:22-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production
COPY --from=build --chown=node:node /app /app
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 4010
HEALTHCHECK --interval=10s --start-period=5s CMD ["node", "-e", "fetch('http://127.0.0.1:4010/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The first start writes the one access token: docker exec CONTAINER cat /data/token
ENV MKT_SERVE_DB=/data/mkt.db
CMD ["node", "packages/server/dist/bin.js", "--host", "0.0.0.0", "--json", "--token-file", "/data/token"]
