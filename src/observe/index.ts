import type { Pool } from 'pg'
import { Gauge, type Registry } from 'prom-client'
import { VERSION } from '../version.ts'
import { showBacklog } from './backlog-figures.ts'
import { showFigures } from './figures.ts'

/** Lets a registry show what this process does, what waits in the installation, and what runs here. */
export function observe(registry: Registry, { pool, role }: { pool: Pool; role: string }): void {
  showFigures(registry)
  showBacklog(registry, pool)
  const labels = { version: VERSION, node: process.version, role }
  const info = new Gauge({
    name: 'galley_build_info',
    help: 'What runs here: always 1.',
    labelNames: Object.keys(labels),
    registers: [registry],
  })
  info.set(labels, 1)
}
