import { onTestFinished } from 'vitest'
import type { WordPressClient } from '../../src/wordpress/client/client.ts'
import { type Fault, type FaultProxy, type Match, startFaultProxy } from '../support/proxy/index.ts'
import { clientAs, type Role, wordpress } from './site.ts'

interface Proxied {
  client: WordPressClient
  proxy: FaultProxy
}

interface Way {
  role?: Role
  match?: Match
  rewriteUrls?: boolean
  /** Until the client gives a stalled answer up; else as patient as in earnest. */
  timeoutMs?: number
}

/** A client that reaches the WordPress under test through a proxy with this fault, for the length of a test. */
export async function through(
  fault: Fault,
  { role = 'author', match = {}, rewriteUrls = false, timeoutMs }: Way = {},
): Promise<Proxied> {
  const proxy = await startFaultProxy(wordpress().url, { rewriteUrls })
  onTestFinished(() => proxy.close())
  proxy.rule(match, fault)
  const client = clientAs(role, {
    restRoot: `${proxy.url}/wp-json/`,
    ...(timeoutMs === undefined ? {} : { timeoutsMs: { read: timeoutMs, write: timeoutMs } }),
  })
  return { client, proxy }
}

/** The error that a promise ends with. */
export async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`should have failed, and answered ${JSON.stringify(value)}`)
    },
    (error: unknown) => error,
  )
}
