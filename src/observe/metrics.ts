import { Counter, Histogram, type Metric, Registry } from 'prom-client'
import { timeOfUuid } from '../lib/uuid.ts'

// Metrics of this process. No label is an address, an id or anything else whose number outsiders control.

const processMetrics = new Registry()

const DURATION_BUCKETS = [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3_600]

const webhookToPost = new Histogram({
  name: 'galley_webhook_to_post_seconds',
  help: 'Time from the arrival of a webhook to its post, by whether the first attempt brought it there.',
  labelNames: ['way'],
  buckets: DURATION_BUCKETS,
  registers: [processMetrics],
})

const attempts = new Counter({
  name: 'galley_delivery_attempts_total',
  help: 'Attempts of deliveries that have ended, by how.',
  labelNames: ['outcome'],
  registers: [processMetrics],
})

const losses = new Counter({
  name: 'galley_deliveries_with_loss_total',
  help: 'Versions of documents that were delivered, or held, with something of them missing.',
  labelNames: ['outcome'],
  registers: [processMetrics],
})

const failures = new Counter({
  name: 'galley_delivery_failures_total',
  help: 'Failures of attempts, by code.',
  labelNames: ['code'],
  registers: [processMetrics],
})

const unusableWebhooks = new Counter({
  name: 'galley_webhooks_unusable_total',
  help: 'Webhooks of known sources that were not used, by reason.',
  labelNames: ['reason'],
  registers: [processMetrics],
})

const siteRequests = new Histogram({
  name: 'galley_site_request_duration_seconds',
  help: 'Time from a request to a site to its answer, whatever that says; failed where there was none.',
  labelNames: ['kind', 'outcome'],
  buckets: [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 180],
  registers: [processMetrics],
})

const batchSize = new Histogram({
  name: 'galley_batch_size',
  help: 'Requests about posts and terms that went to a site as one.',
  buckets: [1, 2, 3, 5, 8, 12, 18, 25],
  registers: [processMetrics],
})

const providerCalls = new Histogram({
  name: 'galley_provider_call_duration_seconds',
  help: 'Time of calls to the providers of the generation service, by provider and outcome.',
  labelNames: ['provider', 'outcome'],
  buckets: [0.25, 0.5, 1, 2, 5, 10, 20, 40, 80, 160, 320],
  registers: [processMetrics],
})

export function registerProcessMetrics(registry: Registry): void {
  for (const metric of processMetrics.getMetricsAsArray())
    registry.registerMetric(metric as unknown as Metric)
}

/** @param code of Galley's own catalogues, also for what a site answered */
export const countFailure = (code: string): void => failures.inc({ code })

export const countUnusableWebhook = (reason: string): void => unusableWebhooks.inc({ reason })

/** @param outcome `queued` where the attempt is repeated */
export const countAttempt = (outcome: string): void => attempts.inc({ outcome })

/** Counts a delivery that came to rest with a loss. */
export const countLoss = (outcome: 'delivered' | 'held'): void => losses.inc({ outcome })

/** Measures the time from a webhook to its post. @param eventId a UUIDv7, of the arrival @param firstAttempt none failed */
export function countDelivered(eventId: string, firstAttempt: boolean): void {
  const arrived = timeOfUuid(eventId)
  // Another machine's clock may be ahead of this one's.
  if (arrived !== undefined)
    webhookToPost.observe(
      { way: firstAttempt ? 'first_attempt' : 'later' },
      Math.max(Date.now() - arrived, 0) / 1_000,
    )
}

export type SiteRequestKind = 'read' | 'write' | 'upload' | 'batch'

/** Measures a request to a site until the end of its answer. */
export const timeSiteRequest = <Result>(
  kind: SiteRequestKind,
  work: () => Promise<Result>,
): Promise<Result> => timed(work, (outcome, took) => siteRequests.observe({ kind, outcome }, took))

export const countBatch = (members: number): void => batchSize.observe(members)

/** Measures a call to a provider. The label is its name in the settings. */
export const timeProviderCall = <Result>(provider: string, work: () => Promise<Result>): Promise<Result> =>
  timed(work, (outcome, took) => providerCalls.observe({ provider, outcome }, took))

async function timed<Result>(
  work: () => Promise<Result>,
  observe: (outcome: 'answered' | 'failed', seconds: number) => void,
): Promise<Result> {
  const began = performance.now()
  let outcome: 'answered' | 'failed' = 'failed'
  try {
    const result = await work()
    outcome = 'answered'
    return result
  } finally {
    observe(outcome, (performance.now() - began) / 1_000)
  }
}
