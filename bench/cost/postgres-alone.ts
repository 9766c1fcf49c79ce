import { pino } from 'pino'
import { startEmbedded } from '../../src/database/embedded/start.ts'

/** Milliseconds until the embedded PostgreSQL of a data folder takes connections, its cluster made where there is none. */
export async function timePostgres(dataDir: string): Promise<number> {
  const began = performance.now()
  const server = await startEmbedded({ dataDir, log: pino({ level: 'silent' }) })
  const tookMs = performance.now() - began
  await server.stop()
  return tookMs
}
