import { AsyncLocalStorage } from 'node:async_hooks'

// Spans of what is done, for whoever looks at one document's way. Nothing here costs anything until `startTracing` has been
// called: the packages of OpenTelemetry are loaded by that alone (otlp.ts).

/** What is said of a span: ids, codes, counts, methods, routes. Never a body, an address with a query, or a secret. */
type SpanAttributes = Record<string, string | number | boolean>

/** Something that takes time. */
export interface Span {
  /** As W3C's `traceparent`, for whoever goes on with it elsewhere. */
  readonly traceparent: string
  tell(facts: SpanAttributes): void
  /** Names another, of whatever trace, that this one goes together with. */
  link(other: Span): void
  /** @param code of the failure, where it failed */
  end(code?: string): void
}

export type SpanKind = 'server' | 'client' | 'internal'

/** Makes spans. */
interface Tracer {
  start(
    name: string,
    options: { kind: SpanKind; facts: SpanAttributes; parent: Span | string | undefined },
  ): Span
}

let tracer: Tracer | undefined
const current = new AsyncLocalStorage<Span>()

/** From now on spans are made; without a tracer no more. */
export function setTracer(made: Tracer | undefined): void {
  tracer = made
}

interface SpanOptions {
  kind?: SpanKind
  facts?: SpanAttributes
  /** Where it is not the span that is under way: the `traceparent` of another process. */
  parent?: string | null | undefined
  /** Those that it is done for together: it is below none of them, and each names the other. */
  of?: readonly (Span | undefined)[]
}

/** Does `work` as a span, below the one that is under way, and tells it how it ended. */
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

/** The span that is under way, if there is one: for who goes on with it in the name of several. */
export const currentSpan = (): Span | undefined => current.getStore()

/** Adds to the span that is under way, if there is one. */
export const addSpanAttributes = (facts: SpanAttributes): void => current.getStore()?.tell(facts)

/** What is stored with a row, so that whoever goes on with it is below the span that is under way; null without one. */
export const currentTraceparent = (): string | null => current.getStore()?.traceparent ?? null

/** What comes from outside is one or is nothing. */
const isTraceparent = (text: unknown): text is string =>
  typeof text === 'string' && /^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/.test(text)

/** Of a failure only its code: what a message says may be of a document, or of a site. */
const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'error'
