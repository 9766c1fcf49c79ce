import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'

/** The afternoon's service, in a process of its own as Galley is. */
export interface AfternoonService {
  webhook: URL
  stop(): Promise<void>
}

const program = fileURLToPath(new URL('./afternoon-service.ts', import.meta.url))

/** @param connections to PostgreSQL at most */
export async function startAfternoonService(
  connectionString: string,
  connections: number,
): Promise<AfternoonService> {
  const child = fork(program, {
    execArgv: ['--import', 'tsx'],
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      DATABASE_URL: connectionString,
      POOL_SIZE: String(connections),
    },
  })
  const ended = once(child, 'exit')
  const [address] = (await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => {
      throw new Error(`The afternoon's service ended with ${code} before it listened`)
    }),
  ])) as [AddressInfo]
  return {
    webhook: new URL(`http://127.0.0.1:${address.port}/webhooks`),
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
