import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import { z } from 'zod'
import { tiers } from '../../contract/generation/requests.ts'
import { queryRows } from '../../database/statement.ts'
import { addJob, createTask, defineJob, isQueuedOrRunning, type Task } from '../../jobs/job.ts'
import type { Logger } from '../../log/log.ts'
import { GenerationError, jobFailure } from '../failure.ts'
import type { CallContext, Provider, Providers, RawAnswer } from '../providers/types.ts'
import { acquireProbe, nameOf, pauseProvider, recordProviderSuccess, troubleRows } from './provider-gate.ts'

/*
 * A blocked provider is one that only the operator can set right: its key, credit, model or address. Jobs that need it fail
 * after some minutes, new ones are refused, and a light trial finds out when it works again.
 */

/** Seconds that a provider is blocked before its jobs fail: some refusals pass by themselves. */
const MAX_BLOCKED_S = 120

/** SQL of a row `p` of `generation_provider`. */
const IS_BLOCKED = `p.trouble ->> 'action' = 'owner'`

export const IS_BLOCKED_FOR_LONG = `(${IS_BLOCKED} AND (p.trouble ->> 'since')::timestamptz < now() - interval '${MAX_BLOCKED_S} seconds')`

interface BlockedProvider {
  message: string
  forLong: boolean
}

/** By `name`, or by `name/model` where only a model is. */
type BlockedProviders = ReadonlyMap<string, BlockedProvider>

export async function findBlockedProviders(pool: Pool): Promise<BlockedProviders> {
  const { rows } = await pool.query<BlockedProvider & { name: string }>({
    name: 'blocked-providers',
    text: `SELECT name, trouble ->> 'message' AS message, ${IS_BLOCKED_FOR_LONG} AS "forLong"
      FROM generation_provider p WHERE ${IS_BLOCKED} ORDER BY name`,
  })
  return new Map(rows.map((row) => [row.name, row]))
}

/** What blocks this model of a provider; undefined where nothing does. */
export const blockOf = (blocked: BlockedProviders, provider: Provider): BlockedProvider | undefined =>
  troubleRows(provider).flatMap((row) => blocked.get(row) ?? [])[0]

/** Ends the wait of a job. @throws GenerationError `PROVIDER_UNAVAILABLE` where all are blocked for long */
export function throwIfBlockedForLong(candidates: readonly Provider[], blocked: BlockedProviders): void {
  const all = candidates.map((one) => blockOf(blocked, one))
  if (!all.every((one) => one?.forLong)) return
  const messages = [...new Set(all.map((one) => one?.message))]
  const remedy = 'Try again after that.'
  throw jobFailure('PROVIDER_UNAVAILABLE', `${messages.join(' ')} ${remedy}`)
}

const providerTrial = defineJob({
  name: 'generation_trial',
  payload: z.object({ provider: z.string() }),
  key: ({ provider }) => `('generation_trial:' || ${provider})`,
  maxAttempts: 1,
})

/** Queues a trial of each blocked provider whose pause is over; at the start of a process of all, since settings may be new. */
export async function queueTrials(pool: Pool, { starting }: { starting: boolean }): Promise<void> {
  if (starting) await pool.query(`UPDATE generation_provider p SET paused_until = now() WHERE ${IS_BLOCKED}`)
  await pool.query({
    name: 'queue-provider-trials',
    text: `SELECT ${addJob(providerTrial, { provider: 'p.name' })} FROM generation_provider p
      WHERE ${IS_BLOCKED} AND p.paused_until <= now() AND NOT ${isQueuedOrRunning(providerTrial, { provider: 'p.name' })}`,
  })
}

interface TrialNeeds {
  pool: Pool
  log: Logger
  providers: Providers
  firstPauseMs: number
  stopping: AbortSignal
}

/** Asks a blocked provider the smallest question of its kind, so that one that was set right works again by itself. */
export const trialTask = ({ pool, log, providers, firstPauseMs, stopping: signal }: TrialNeeds): Task =>
  createTask(providerTrial, async ({ provider: row }) => {
    const [blocked] = await queryRows<{ model: string }>(
      pool,
      `SELECT trouble ->> 'model' AS model FROM generation_provider p WHERE name = :row AND ${IS_BLOCKED}`,
      { row },
    )
    if (blocked === undefined) return
    const asked = { name: nameOf(row), model: blocked.model }
    if ((await acquireProbe(pool, asked)) !== 'probe') return
    const found = allProviders(providers).find((one) => one.name === asked.name && one.model === asked.model)
    // One that the settings no longer name is in nobody's way.
    if (found !== undefined) {
      try {
        await askLittle(found, { idempotencyKey: uuid(), signal })
      } catch (error) {
        if (!(error instanceof GenerationError))
          return log.warn({ provider: asked.name, err: error }, 'a trial ended')
        if (error.of === 'provider') {
          await pauseProvider({ pool, log }, found, { failure: error, probing: true, firstMs: firstPauseMs })
          return
        }
        // It answered, if only to refuse this question.
      }
    }
    await recordProviderSuccess(pool, asked, true)
    log.info({ provider: row }, 'a provider works again, and jobs that need it are taken')
  })

type AnyProvider = ReturnType<Providers[keyof Providers]>[number]

const allProviders = (all: Providers): AnyProvider[] =>
  tiers.flatMap((tier) => [
    ...all.text(tier),
    ...all.research(tier),
    ...all.search(),
    ...all.pictures(tier),
    ...all.speech(tier),
  ])

/** A refused trial costs nothing, and an answered one ends the block. */
function askLittle(provider: AnyProvider, context: CallContext): Promise<RawAnswer> {
  if ('write' in provider)
    return provider.write(
      {
        system: 'Answer with JSON alone.',
        messages: [{ role: 'user', content: 'Answer {"ok": true}.' }],
        schema: {
          name: 'trial',
          json: {
            type: 'object',
            properties: { ok: { type: 'boolean' } },
            required: ['ok'],
            additionalProperties: false,
          },
        },
      },
      context,
    )
  if ('search' in provider) return provider.search({ query: 'weather', limit: 1, news: false }, context)
  if ('speak' in provider)
    return provider.speak({ text: 'Yes.', voice: 'Kore', language: 'en-US', style: null }, context)
  return provider.draw(
    {
      prompt: 'A grey dot.',
      subject: 'A grey dot.',
      size: 'square',
      quality: 'low',
      background: 'auto',
      format: 'png',
    },
    context,
  )
}
