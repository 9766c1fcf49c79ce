import { EventEmitter, once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { soloTimeoutMs } from '../../src/delivery/site-worker/tasks.ts'
import { standardTiming } from '../../src/jobs/heartbeat.ts'
import { settled } from '../support/galley.ts'
import type { Fault } from '../support/proxy/index.ts'
import { type SimulatedStage, startSimulated } from './stage/simulated.ts'

const aloneWithinMs = 300
let stage: SimulatedStage

beforeAll(async () => {
  stage = await startSimulated({ sites: 3, timing: { aloneWithinMs, exchangeMs: { write: 240_000 } } })
})
afterAll(() => stage.close())

/** The try of what is to be alone that comes after so many which were given up, as the queue has it; times in milliseconds. */
async function tryAfter(tries: number): Promise<{ planned: number; due: number }> {
  const planned = async () => {
    const { rows } = await stage.pool.query<{ planned: number; due: number }>(
      `SELECT (extract(epoch FROM created_at) * 1000)::float8 AS planned, (extract(epoch FROM run_at) * 1000)::float8 AS due
       FROM graphile_worker._private_jobs WHERE key LIKE 'alone:%' AND (payload ->> 'tries')::int = $1`,
      [tries],
    )
    return rows
  }
  await expect.poll(planned).toHaveLength(1)
  return (await planned())[0] as { planned: number; due: number }
}

test('one that is to be alone comes back later and with more patience each time that others took too long', async () => {
  const [one, slow, other] = stage.sites
  if (one === undefined || slow === undefined || other === undefined) throw new Error('there are three')
  const news = new EventEmitter()
  const asked = once(news, 'asked')
  const goOn = once(news, 'go on')
  const hangs: Fault = {
    name: 'hangs',
    async apply({ forward, reply }) {
      news.emit('asked')
      await goOn
      reply(await forward())
    },
  }
  slow.proxy.rule({ nth: 1 }, hangs)
  const long = await stage.send(slow.id)
  await asked
  await stage.pool.query(
    `UPDATE site SET paused_until = now() + interval '1 hour', trouble = '{"code": "x"}' WHERE id = $1`,
    [one.id],
  )
  const suspect = await stage.send(one.id)
  await stage.pool.query(`UPDATE delivery SET crashed = '{1, 2}', fence = 2 WHERE document_id = $1`, [
    suspect,
  ])
  await stage.pool.query('UPDATE site SET paused_until = NULL, trouble = NULL WHERE id = $1', [one.id])

  const second = await tryAfter(1)
  expect(second.due - second.planned).toBeCloseTo(2 * aloneWithinMs, -1)
  const third = await tryAfter(2)
  // It has waited for twice as long.
  expect(third.planned - second.due).toBeGreaterThanOrEqual(2 * aloneWithinMs - 10)
  expect(third.due - third.planned).toBeCloseTo(4 * aloneWithinMs, -1)
  // The others go on meanwhile.
  expect(await settled(stage.galley, await stage.send(other.id))).toMatchObject({ status: 'delivered' })

  news.emit('go on')
  for (const id of [long, suspect])
    expect(await settled(stage.galley, id)).toMatchObject({ status: 'delivered' })
})

test('the patience has a bound', () => {
  const minutes = [0, 1, 2, 3, 4, 5, 1_000].map((tries) => soloTimeoutMs(tries, standardTiming) / 60_000)
  expect(minutes).toEqual([1, 2, 4, 8, 16, 16, 16])
})
