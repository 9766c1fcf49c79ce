import { Writable } from 'node:stream'
import { expect } from 'vitest'
import { createLog, type Logger } from '../../src/log/log.ts'
import { type Receiver, startReceiver } from '../notifications/stage.ts'

/** A span as a collector is told of it. */
export interface ToldSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  status: { code?: number }
  links?: { traceId: string; spanId: string }[]
  attributes: { key: string; value: Record<string, unknown> }[]
}

/** A collector that takes OTLP over HTTP and keeps what it was told. */
export interface Collector {
  url: string
  spans(): ToldSpan[]
  /** All that came, as it was written. */
  written(): string
  close(): Promise<void>
}

export async function startCollector(): Promise<Collector> {
  const receiver: Receiver = await startReceiver((response) => {
    response.setHeader('content-type', 'application/json').end('{}')
  })
  const bodies = () => receiver.told.map(({ body }) => body.toString())
  return {
    url: receiver.url,
    spans: () =>
      bodies().flatMap((body) =>
        JSON.parse(body).resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: ToldSpan[] }[] }) =>
          scopeSpans.flatMap(({ spans }) => spans),
        ),
      ),
    written() {
      expect(receiver.told.every(({ path }) => path === '/v1/traces')).toBe(true)
      return bodies().join('\n')
    },
    close: () => receiver.close(),
  }
}

/** Everything that is logged, as lines, at the level that says most. */
export function logInMemory(): { log: Logger; logged: string[] } {
  const logged: string[] = []
  const lines = new Writable({
    write(chunk, _encoding, done) {
      logged.push(String(chunk))
      done()
    },
  })
  return { log: createLog({ logLevel: 'trace' }, lines), logged }
}
