import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { reclaimDeliveries } from '../../src/delivery/ledger/claim.ts'
import { SharedExclusiveLock } from '../../src/jobs/shared-exclusive-lock.ts'
import { settled } from '../support/galley.ts'
import type { Fault } from '../support/proxy/index.ts'
import { type SimulatedStage, startSimulated } from './stage/simulated.ts'
import { quickTiming } from './stage/timing.ts'

let stage: SimulatedStage

beforeAll(async () => {
  stage = await startSimulated({ sites: 3, concurrency: 4 })
})
afterAll(() => stage.close())

const crashedOf = async (documentId: string): Promise<number[]> => {
  const { rows } = await stage.pool.query('SELECT crashed FROM delivery WHERE document_id = $1', [documentId])
  return rows[0].crashed
}

test('what two processes ended over is delivered with nothing beside it, and is then cleared', async () => {
  const [one, two] = stage.sites
  if (one === undefined || two === undefined) throw new Error('there are three')
  await stage.pool.query(
    `UPDATE site SET paused_until = now() + interval '1 hour', trouble = '{"code": "x"}'`,
  )
  const suspects = await Promise.all([one, two, one].map(({ id }) => stage.send(id)))
  const others = await Promise.all([one, two, one, two, one, two].map(({ id }) => stage.send(id)))
  await stage.pool.query(`UPDATE delivery SET crashed = '{1, 2}', fence = 2 WHERE document_id = ANY ($1)`, [
    suspects,
  ])

  /** Documents whose delivery is under way, as the database says at each request of a suspect. */
  const beside: string[][] = []
  const look: Fault = {
    name: 'look who else is under way',
    async apply({ forward, reply }) {
      const { rows } = await stage.pool.query(`SELECT document_id FROM delivery WHERE status = 'delivering'`)
      const ids = rows.map(({ document_id }) => document_id)
      if (ids.some((id) => suspects.includes(id))) beside.push(ids)
      reply(await forward())
    },
  }
  for (const { proxy } of stage.sites) proxy.rule({}, look)
  await stage.pool.query('UPDATE site SET paused_until = NULL, trouble = NULL')
  for (const id of [...suspects, ...others])
    expect(await settled(stage.galley, id)).toMatchObject({ status: 'delivered' })
  for (const { proxy } of stage.sites) proxy.clear()
  expect(beside.length).toBeGreaterThanOrEqual(suspects.length)
  expect(beside.every((ids) => ids.length === 1)).toBe(true)
  for (const id of suspects) expect(await crashedOf(id)).toEqual([])
})

test('what is held after three crashes, and may have a post that nobody heard of, is looked for', async () => {
  const [{ id: siteId } = { id: '' }] = stage.sites
  await stage.pool.query(
    `UPDATE site SET paused_until = now() + interval '1 hour', trouble = '{"code": "x"}'`,
  )
  const unanswered = await stage.send(siteId)
  const answered = await stage.send(siteId)
  await stage.pool.query(
    `UPDATE delivery SET status = 'delivering', leased_by = 'gone', crashed = '{1, 2}', fence = 3,
       ambiguous_at = CASE WHEN document_id = $1 THEN now() END
     WHERE document_id IN ($1, $2)`,
    [unanswered, answered],
  )
  await reclaimDeliveries(stage.pool, quickTiming)
  const { rows } = await stage.pool.query(
    `SELECT d.document_id, d.status, EXISTS (
       SELECT FROM graphile_worker.jobs WHERE key = 'reconcile_orphans:' || d.id) AS looked_for
     FROM delivery d WHERE document_id IN ($1, $2)`,
    [unanswered, answered],
  )
  expect(rows).toHaveLength(2)
  expect(rows).toContainEqual({ document_id: unanswered, status: 'held', looked_for: true })
  expect(rows).toContainEqual({ document_id: answered, status: 'held', looked_for: false })
})

describe('those who deliver', () => {
  const gates = () => {
    const lock = new SharedExclusiveLock()
    const inside: string[] = []
    const seen: string[] = []
    const enter = (name: string, until: Promise<unknown>) => async () => {
      inside.push(name)
      seen.push([...inside].sort().join(' '))
      await until
      inside.splice(inside.indexOf(name), 1)
    }
    return { lock, enter, seen }
  }
  const never = new AbortController().signal
  const opened = () => {
    let open = () => {}
    const opens = new Promise<void>((resolve) => {
      open = resolve
    })
    return { open, opens }
  }

  test('enter in the order they come, the one that is to be alone without any beside it', async () => {
    const { lock, enter, seen } = gates()
    const [first, lone] = [opened(), opened()]
    const all = [
      lock.shared(enter('a', first.opens)),
      lock.shared(enter('b', first.opens)),
      lock.exclusive(enter('C', lone.opens), never),
      lock.shared(enter('d', Promise.resolve())),
    ]
    await new Promise(setImmediate)
    expect(seen).toEqual(['a', 'a b'])
    first.open()
    await new Promise(setImmediate)
    expect(seen).toEqual(['a', 'a b', 'C'])
    lone.open()
    await Promise.all(all)
    expect(seen).toEqual(['a', 'a b', 'C', 'd'])
  })

  test('go on where the one that is to be alone has waited for too long', async () => {
    const { lock, enter, seen } = gates()
    const first = opened()
    const busy = lock.shared(enter('a', first.opens))
    const lone = lock.exclusive(enter('B', Promise.resolve()), AbortSignal.timeout(20))
    const next = lock.shared(enter('c', Promise.resolve()))
    expect(await lone).toBe(false)
    await next
    expect(seen).toEqual(['a', 'a c'])
    first.open()
    await busy
  })

  test('go on where one of them fails', async () => {
    const { lock, enter, seen } = gates()
    const fail = () => Promise.reject(new Error('failed'))
    await expect(lock.shared(fail)).rejects.toThrow('failed')
    await expect(lock.exclusive(fail, never)).rejects.toThrow('failed')
    await lock.exclusive(enter('A', Promise.resolve()), never)
    expect(seen).toEqual(['A'])
  })
})
