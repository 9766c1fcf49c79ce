import { Connection } from './connection.ts'
import type { Load } from './load.ts'

/** Where webhooks go, and how many keep-alive connections bring them. */
export interface Sending {
  webhook: URL
  connections: number
  /** The next body; each must be new to Galley. */
  next: () => Buffer
}

/**
 * Opens the connections, one a lane, and closes them after `load`: a server ends those that lie idle. A lane
 * rejects for any answer but 202.
 */
export async function withSenders(
  { webhook, connections, next }: Sending,
  load: (lanes: (() => Promise<void>)[]) => Promise<Load>,
): Promise<Load> {
  const opened = await Promise.all(Array.from({ length: connections }, () => Connection.open(webhook)))
  const lanes = opened.map((connection) => async () => {
    const status = await connection.post(next())
    if (status !== 202) throw new Error(`Galley answered ${status} to a new webhook instead of 202`)
  })
  try {
    return await load(lanes)
  } finally {
    for (const connection of opened) connection.close()
  }
}
