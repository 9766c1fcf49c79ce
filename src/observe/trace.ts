import { AsyncLocalStorage } from 'node:async_hooks'
import type { Span, SpanStatusCode } from '@opentelemetry/api'

// Spans are no-ops until `startTracing` (otlp.ts) loads the packages of OpenTelemetry.

export type { Span }

/** Ids, codes, counts, methods, routes. Never a body, an address with a query, or a secret. */
type SpanAttributes = Record<string, string | number | boolean>

export type SpanKind = 'server' | 'client' | 'internal'

interface Tracer {
  /** @param parent a span of this process, or the `traceparent` of another */
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
  /** `traceparent` of another process; the current span where it is none. */
  parent?: unknown
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
  for (const one of (of ?? []).filter((one) => one !== undefined)) {
    one.addLink({ context: span.spanContext() })
    span.addLink({ context: one.spanContext() })
  }
  return current.run(span, async () => {
    try {
      return await work()
    } catch (error) {
      span.setAttribute('error.type', errorCode(error)).setStatus({ code: STATUS_ERROR })
      throw error
    } finally {
      span.end()
    }
  })
}

/** By its number: the package is not loaded for a process that makes no traces. */
const STATUS_ERROR: SpanStatusCode.ERROR = 2

export const currentSpan = (): Span | undefined => current.getStore()

export const addSpanAttributes = (facts: SpanAttributes): void =>
  void current.getStore()?.setAttributes(facts)

/** W3C `traceparent`, stored with a row so that later work on it continues the trace; null without a span. */
export function currentTraceparent(): string | null {
  const context = current.getStore()?.spanContext()
  if (context === undefined) return null
  return `00-${context.traceId}-${context.spanId}-${context.traceFlags.toString(16).padStart(2, '0')}`
}

const isTraceparent = (text: unknown): text is string =>
  typeof text === 'string' && /^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/.test(text)

/** A message may quote a document or a site, so only the code is recorded. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'error'
