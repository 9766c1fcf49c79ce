import type { Express } from 'express'
import { loadConfig } from '../../src/config/config.ts'
import { allEndpoints, createApp } from '../../src/http/app.ts'
import { openApi } from '../../src/http/description/openapi.ts'
import { createMetrics, createRequestTimer } from '../../src/http/request-telemetry.ts'
import type { Services } from '../../src/http/services.ts'
import { VERSION } from '../../src/lib/version.ts'
import { createLog } from '../../src/log/log.ts'

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
const all = allEndpoints(parts)

/** The routes of Galley, to be looked at. */
export const routes = (): Express => createApp(parts, createRequestTimer(createMetrics()))

/** The calls of its API, to be looked at. */
export const endpoints = () => all

/** Its description, as `/openapi.json` answers it, with nothing running. */
export const description = openApi(all, { publicUrl: PUBLIC_URL, version: VERSION })
