import type { Attributes, Span as OtelSpan } from '@opentelemetry/api'
import { withoutTrailingSlash } from '../lib/text.ts'
import { VERSION } from '../lib/version.ts'
import type { Logger } from '../log/log.ts'
import { type Span, type SpanKind, setTracer } from './trace.ts'

/** Milliseconds that a process which ends gives what is not yet sent. */
const SHUTDOWN_FLUSH_MS = 2_000

/** Milliseconds between two lines of the log about a collector that does not take what it is sent. */
const LOG_INTERVAL_MS = 60_000

/**
 * Makes spans and sends them to the collector that the operator has named, as OTLP over HTTP. The address is the
 * operator's own, as the database's is: it passes no guard, and nothing from outside can change it. What the collector does
 * not take is dropped; at most 2,048 spans wait.
 *
 * @param endpoint as `OTEL_EXPORTER_OTLP_ENDPOINT` says: `/v1/traces` is added
 */
export async function startTracing(
  { endpoint, role }: { endpoint: string; role: string },
  log: Logger,
): Promise<{ stop(): Promise<void> }> {
  const [api, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const { ROOT_CONTEXT, SpanStatusCode, trace } = api
  const kinds = {
    server: api.SpanKind.SERVER,
    client: api.SpanKind.CLIENT,
    internal: api.SpanKind.INTERNAL,
  } satisfies Record<SpanKind, number>
  const exporter = new OTLPTraceExporter({ url: `${withoutTrailingSlash(endpoint)}/v1/traces` })
  const provider = new sdk.BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': process.env.OTEL_SERVICE_NAME ?? 'galley',
      'service.version': VERSION,
      'galley.role': role,
    }),
    spanProcessors: [new sdk.BatchSpanProcessor(logExportFailures(exporter, log))],
  })
  const tracer = provider.getTracer('galley', VERSION)
  const spans = new WeakMap<Span, OtelSpan>()
  const contextOf = (parent: Span | string | undefined) => {
    if (parent === undefined) return ROOT_CONTEXT
    if (typeof parent !== 'string') {
      const above = spans.get(parent)
      return above === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, above)
    }
    const [, traceId = '', spanId = '', flags = ''] = parent.split('-')
    const traceFlags = Number.parseInt(flags, 16)
    return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
  }
  setTracer({
    start(name, { kind, facts, parent }) {
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes: facts }, contextOf(parent))
      const { traceId, spanId, traceFlags } = span.spanContext()
      const made: Span = {
        traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
        tell: (more) => void span.setAttributes(more as Attributes),
        link(other) {
          const context = spans.get(other)?.spanContext()
          if (context !== undefined) span.addLink({ context })
        },
        end(code) {
          if (code !== undefined) {
            span.setAttribute('error.type', code)
            span.setStatus({ code: SpanStatusCode.ERROR })
          }
          span.end()
        },
      }
      spans.set(made, span)
      return made
    },
  })
  return {
    async stop() {
      setTracer(undefined)
      const late = new Promise<void>((resolve) => setTimeout(resolve, SHUTDOWN_FLUSH_MS).unref())
      await Promise.race([provider.shutdown().catch(() => undefined), late])
    },
  }
}

type Exporter = import('@opentelemetry/sdk-trace-base').SpanExporter

/** The exporter, whose failures are a line of the log, now and then. */
function logExportFailures(exporter: Exporter, log: Logger): Exporter {
  let saidAt = Number.NEGATIVE_INFINITY
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.error !== undefined || result.code !== 0
        if (failed && performance.now() - saidAt > LOG_INTERVAL_MS) {
          saidAt = performance.now()
          log.warn(
            { reason: result.error?.message, spans: spans.length },
            'traces could not be sent to OTEL_EXPORTER_OTLP_ENDPOINT, and are dropped',
          )
        }
        // Said above, and nothing that anybody could do about it here.
        done({ code: 0 })
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  }
}
