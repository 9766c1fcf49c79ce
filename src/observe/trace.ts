import { AsyncLocalStorage } from 'node:async_hooks'

// Tracing without a dependency: spans are no-ops until `startTracing` (otlp.ts) loads the packages of OpenTelemetry.

/** Ids, codes, counts, methods, routes. Never a body, an address with a query, or a secret. */
type SpanAttributes = Record<string, string | number | boolean>

export interface Span {
  /** W3C `traceparent`, to continue the trace in another process. */
  readonly traceparent: string
  tell(facts: SpanAttributes): void
  /** Links a span of any trace. */
  link(other: Span): void
  /** @param code of the failure, if it failed */
  end(code?: string): void
}

export type SpanKind = 'server' | 'client' | 'internal'

interface Tracer {
  start(
    name: string,
    options: { kind: SpanKind; facts: SpanAttributes; parent: Span | string | undefined },
  ): Span
}

let tracer: Tracer | undefined
const current = new AsyncLocalStorage<Span>()

/** Turns tracing on; `undefined` turns it off. */
export function setTracer(made: Tracer | undefined): void {
  tracer = made
}

interface SpanOptions {
  kind?: SpanKind
  facts?: SpanAttributes
  /** `traceparent` of another process; default: the current span. */
  parent?: string | null | undefined
  /** Spans that share this work: it is a child of none, and linked with each. */
  of?: readonly (Span | undefined)[]
}

/** Runs `work` in a child of the current span, which records the code of an error. */
export function withSpan<Result>(
  name: string,
  { kind = 'internal', facts = {}, parent, of }: SpanOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  if (tracer === undefined) return work()
  const above = of === undefined ? current.getStore() : undefined
  const span = tracer.start(name, { kind, facts, parent: isTraceparent(parent) ? parent : above })
  for (const one of of ?? []) {
    one?.link(span)
    if (one !== undefined) span.link(one)
  }
  return current.run(span, async () => {
    try {
      const result = await work()
      span.end()
      return result
    } catch (error) {
      span.end(errorCode(error))
      throw error
    }
  })
}

export const currentSpan = (): Span | undefined => current.getStore()

export const addSpanAttributes = (facts: SpanAttributes): void => current.getStore()?.tell(facts)

/** Stored with a row, so that later work on it continues the trace; null without a span. */
export const currentTraceparent = (): string | null => current.getStore()?.traceparent ?? null

const isTraceparent = (text: unknown): text is string =>
  typeof text === 'string' && /^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/.test(text)

/** A message may quote a document or a site, so only the code is recorded. */
const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'error'
