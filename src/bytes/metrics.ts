import { Gauge, type Registry } from 'prom-client'
import type { ByteBudget } from './budget.ts'

/** Registers gauges of the budget: bytes held, limits and waiting requests, by use. */
export function registerByteMetrics(registry: Registry, budget: ByteBudget): void {
  const gauge = (name: string, help: string, value: (lane: ByteBudget[keyof ByteBudget]) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['use'],
      registers: [registry],
      collect() {
        for (const [use, lane] of Object.entries(budget)) this.set({ use }, value(lane))
      },
    })
  gauge('galley_bytes_in_flight', 'Bytes of bodies, documents and files held now.', ({ held }) => held)
  gauge('galley_bytes_in_flight_limit', 'Bytes that may be held at most.', ({ size }) => size)
  gauge('galley_bytes_in_flight_waiting', 'How many wait for bytes to become free.', ({ waiting }) => waiting)
}
