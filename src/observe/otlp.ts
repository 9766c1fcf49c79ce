import type { Span } from '@opentelemetry/api'
import { withoutTrailingSlash } from '../lib/text.ts'
import { VERSION } from '../lib/version.ts'
import type { Logger } from '../log/log.ts'
import { type SpanKind, setTracer } from './trace.ts'

/** Milliseconds for sending the remaining spans at shutdown. */
const SHUTDOWN_FLUSH_MS = 2_000

const LOG_INTERVAL_MS = 60_000

/**
 * Records spans and exports them as OTLP over HTTP. The collector's address is the operator's own, as the database's is,
 * so it passes no guard. Spans that the collector refuses are dropped; at most 2,048 spans are queued.
 * @param endpoint of `OTEL_EXPORTER_OTLP_ENDPOINT`, without `/v1/traces`
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
  const { ROOT_CONTEXT, trace } = api
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
  const contextOf = (parent: Span | string | undefined) => {
    if (parent === undefined) return ROOT_CONTEXT
    if (typeof parent !== 'string') return trace.setSpan(ROOT_CONTEXT, parent)
    const [, traceId = '', spanId = '', flags = ''] = parent.split('-')
    const traceFlags = Number.parseInt(flags, 16)
    return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
  }
  setTracer({
    start: (name, { kind, facts, parent }) =>
      tracer.startSpan(name, { kind: kinds[kind], attributes: facts }, contextOf(parent)),
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

/** Logs failures of an exporter, at most one per {@link LOG_INTERVAL_MS}. */
function logExportFailures(exporter: Exporter, log: Logger): Exporter {
  let loggedAt = Number.NEGATIVE_INFINITY
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.error !== undefined || result.code !== 0
        if (failed && performance.now() - loggedAt > LOG_INTERVAL_MS) {
          loggedAt = performance.now()
          log.warn(
            { reason: result.error?.message, spans: spans.length },
            'traces could not be sent to OTEL_EXPORTER_OTLP_ENDPOINT, and are dropped',
          )
        }
        // The SDK would log the failure again.
        done({ code: 0 })
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  }
}
