import { createHook } from 'node:async_hooks'

/**
 * Counts the TCP connections that begin while something runs, whoever opens them: Node makes one
 * `TCPCONNECTWRAP` for every connect it hands to the operating system, before it is known whether it succeeds.
 */
export async function countConnections(run: () => Promise<unknown>): Promise<number> {
  let count = 0
  const hook = createHook({
    init(_id, type) {
      if (type === 'TCPCONNECTWRAP') count++
    },
  })
  hook.enable()
  try {
    await run()
  } finally {
    hook.disable()
  }
  return count
}
