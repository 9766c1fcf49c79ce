import { type Express, Router } from 'express'
import { loadConfig } from '../../src/config.ts'
import { createApp } from '../../src/http/app.ts'
import { openApi } from '../../src/http/description/openapi.ts'
import { allEndpoints } from '../../src/http/endpoints.ts'
import { createMetrics, createRequestTimes } from '../../src/http/metrics.ts'
import { mounting } from '../../src/http/mount.ts'
import { connectRouter } from '../../src/http/routers/connect.ts'
import type { Services } from '../../src/http/services.ts'
import { createLog } from '../../src/log.ts'
import { VERSION } from '../../src/version.ts'

/** Where nobody's Galley is. */
const PUBLIC_URL = 'https://galley.example.net'

/** What routes look at when they are put together. Nobody asks them anything, so that they need no more. */
function services(): Services {
  const config = { ...loadConfig({ PUBLIC_URL }), publicUrl: PUBLIC_URL }
  const log = createLog({ logLevel: 'silent' })
  const parts = { config, log, metrics: createMetrics(), budget: {}, database: {} }
  return parts as unknown as Services
}

const parts = services()
const all = await allEndpoints(parts)

/** The routes of Galley, to be looked at: those that are made when they are first asked for too. */
export function routes(): Express {
  const app = createApp(parts, createRequestTimes(createMetrics()))
  return app.use(connectRouter(parts), mounting(parts)(Router(), all))
}

/** The calls of its API, to be looked at. */
export const endpoints = () => all

/** Its description, as `/openapi.json` answers it, with nothing running. */
export const description = () => openApi(all, { publicUrl: PUBLIC_URL, version: VERSION })
