import { onTestFinished } from 'vitest'
import type { WordPressClient } from '../../src/wordpress/index.ts'
import { type Fault, type FaultProxy, type Match, startFaultProxy } from '../support/proxy/index.ts'
import { clientAs, type Role, wordpress } from './site.ts'

interface Proxied {
  client: WordPressClient
  proxy: FaultProxy
}

/** A client that reaches the WordPress under test through a proxy with this fault, for the length of a test. */
export async function through(
  fault: Fault,
  {
    role = 'author',
    match = {},
    rewriteUrls = false,
  }: { role?: Role; match?: Match; rewriteUrls?: boolean } = {},
): Promise<Proxied> {
  const proxy = await startFaultProxy(wordpress().url, { rewriteUrls })
  onTestFinished(() => proxy.close())
  proxy.rule(match, fault)
  const client = clientAs(role, {
    restRoot: `${proxy.url}/wp-json/`,
    timeoutsMs: { read: 2_000, write: 2_000, upload: 5_000 },
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
