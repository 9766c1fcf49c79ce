/** Writes dist, what `npm start` runs and serves. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildDashboard } from './build-dashboard.ts'
import { bundleGalley } from './bundle.ts'

const dist = fileURLToPath(new URL('../dist', import.meta.url))
await rm(dist, { recursive: true, force: true })
await Promise.all([
  bundleGalley('src/main.ts', dist, { sourcemap: true }),
  buildDashboard(join(dist, 'dashboard')),
])
