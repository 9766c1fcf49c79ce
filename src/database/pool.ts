import { Pool, type PoolConfig } from 'pg'

/**
 * Connections to PostgreSQL that may break: one that is idle is replaced, and whoever borrowed it hears of it in their query.
 * Without a listener, either event would end the process, also after the pool was ended: its connections are then still on
 * their way out, and a server that stops in that moment says so on them.
 *
 * @param onBroken hears of each connection that breaks, in the words of the database
 */
export function openPool(config: PoolConfig, onBroken: (message: string) => void = () => undefined): Pool {
  const pool = new Pool(config)
  // The pool repeats of an idle one what its client has said.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', ({ message }) => onBroken(message)))
  return pool
}
