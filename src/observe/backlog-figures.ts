import pTimeout from 'p-timeout'
import type { Pool } from 'pg'
import { Gauge, type Registry } from 'prom-client'
import { readBacklog, type Waiting } from './backlog.ts'

/** Milliseconds for which one look at the database serves, however many ask. */
const KEPT_MS = 5_000

/** How long the database may take; the other figures do not wait any longer for it. */
const WITHIN_MS = 2_000

/** Shows what waits in the installation. Every process on a database says the same of it: take the largest. */
export function showBacklog(registry: Registry, pool: Pool): void {
  let look: Promise<Waiting[]> | undefined
  let lookedAt = Number.NEGATIVE_INFINITY
  const backlog = (): Promise<Waiting[]> => {
    if (look === undefined || performance.now() - lookedAt > KEPT_MS) {
      lookedAt = performance.now()
      look = pTimeout(readBacklog(pool), { milliseconds: WITHIN_MS })
    }
    return look
  }
  const gauge = (name: string, help: string, what: string, value: (one: Waiting) => number) => {
    const byStatus = what === 'deliveries'
    return new Gauge({
      name,
      help,
      labelNames: byStatus ? ['status'] : [],
      registers: [registry],
      async collect() {
        // What is not known is not shown: a figure of before the database went would look like one of now.
        this.reset()
        if (!byStatus) this.remove()
        const all = await backlog().catch((): Waiting[] => [])
        for (const one of all.filter((one) => one.what === what))
          this.set(byStatus ? { status: one.status } : {}, value(one))
      },
    })
  }
  const count = ({ count }: Waiting) => count
  const age = ({ oldestSeconds }: Waiting) => oldestSeconds
  gauge('galley_deliveries', 'Deliveries that are not delivered, by status.', 'deliveries', count)
  gauge(
    'galley_deliveries_oldest_seconds',
    'How long the oldest of them has had this status.',
    'deliveries',
    age,
  )
  gauge('galley_jobs_ready', 'Jobs of the queue that wait for a process.', 'jobs', count)
  gauge('galley_jobs_ready_oldest_seconds', 'How long the longest of them has waited.', 'jobs', age)
  gauge('galley_notifications_due', 'Notifications whose attempt is due.', 'notifications', count)
  gauge('galley_notifications_due_oldest_seconds', 'How long the longest has been due.', 'notifications', age)
  gauge(
    'galley_generation_jobs_due',
    'Jobs of the generation service that are due.',
    'generation_jobs',
    count,
  )
  gauge(
    'galley_generation_jobs_due_oldest_seconds',
    'How long the longest has been due.',
    'generation_jobs',
    age,
  )
  gauge('galley_processes', 'Processes that work, by their heartbeats.', 'processes', count)
  new Gauge({
    name: 'galley_database_up',
    help: 'Whether the database answers.',
    registers: [registry],
    async collect() {
      this.set(
        await backlog().then(
          () => 1,
          () => 0,
        ),
      )
    },
  })
}
