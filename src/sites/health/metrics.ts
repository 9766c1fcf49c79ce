import type { Pool } from 'pg'
import { Gauge, type Registry } from 'prom-client'
import { type SiteState, siteStateSql, siteStates } from './state.ts'

/** Registers how many sites of the installation have which state. Without the database no value is shown. */
export function registerSiteMetrics(registry: Registry, pool: Pool): void {
  const gauge = new Gauge({
    name: 'galley_sites',
    help: 'Sites, by state.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      this.reset()
      const counts = await countByState(pool).catch(() => null)
      if (counts !== null) for (const state of siteStates) gauge.set({ state }, counts.get(state) ?? 0)
    },
  })
}

async function countByState(pool: Pool): Promise<Map<SiteState, number>> {
  const { rows } = await pool.query<{ state: SiteState; count: number }>({
    name: 'site-states',
    text: `SELECT ${siteStateSql('site')} AS state, count(*)::int AS count FROM site GROUP BY 1`,
  })
  return new Map(rows.map(({ state, count }) => [state, count]))
}
