import { randomUUID } from 'node:crypto'
import { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { named } from '../../src/database/statement.ts'
import {
  claimedBy,
  LEASE_END,
  type LeasedTable,
  reclaimAbandoned,
  releaseLeases,
  renewLeases,
  selectHeld,
} from '../../src/jobs/leased-work.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'

const work: LeasedTable = {
  table: 'work',
  isHeld: 'w.busy',
  lockOrder: 'w.place',
  expires: 'due_at',
  free: 'busy = false, due_at = now()',
  takeOver: { sets: 'busy = false, due_at = now(), deaths = w.deaths + a.died::int' },
}
const timing = { leaseS: 60, deadAfterS: 15 }
const { deadAfterS } = timing

let database: FreshDatabase
let pool: Pool
beforeAll(async () => {
  database = await freshDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 4 })
  await pool.query(
    `CREATE TABLE work (id uuid PRIMARY KEY, place serial, fence int NOT NULL DEFAULT 0, busy bool NOT NULL DEFAULT false, leased_by text,
       due_at timestamptz, deaths int NOT NULL DEFAULT 0)`,
  )
})
beforeEach(async () => {
  await pool.query('TRUNCATE work, worker_process')
  await pool.query(`INSERT INTO worker_process (id, beat_at, stopping_at) VALUES ('alive', now(), NULL),
    ('dead', now() - interval '1 minute', NULL), ('stopped', now() - interval '1 minute', now())`)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

async function claim(
  worker: string | null,
  id: string = randomUUID(),
): Promise<{ id: string; fence: number }> {
  await pool.query('INSERT INTO work (id) VALUES ($1) ON CONFLICT DO NOTHING', [id])
  const { rows } = await pool.query(
    named(
      `UPDATE work w SET ${claimedBy('w')}, busy = true, due_at = ${LEASE_END} WHERE id = :id RETURNING id, fence`,
      {
        worker,
        id,
        leaseS: timing.leaseS,
      },
    ),
  )
  return rows[0]
}

const look = async ({ id }: { id: string }) =>
  (
    await pool.query(
      'SELECT leased_by, busy, fence, deaths, due_at <= now() AS due FROM work WHERE id = $1',
      [id],
    )
  ).rows[0]

const expire = ({ id }: { id: string }) =>
  pool.query(`UPDATE work SET due_at = now() - interval '1 second' WHERE id = $1`, [id])

test('each claim raises the fence, and an earlier one renews nothing', async () => {
  const first = await claim('alive')
  const second = await claim('alive', first.id)
  expect(second.fence).toBe(first.fence + 1)
  await expire(second)
  expect(await renewLeases(pool, work, [first], timing)).toEqual(new Set())
  expect(await look(second)).toMatchObject({ due: true })
  expect(await renewLeases(pool, work, [second], timing)).toEqual(new Set([second.id]))
  expect(await look(second)).toMatchObject({ due: false })
})

test('of many writes, those whose claim counts lock their rows, in one order', async () => {
  const [a, b, lost] = [await claim('alive'), await claim('alive'), await claim('alive')]
  await claim('alive', lost.id)
  const asked = [lost, b, a]
  const { rows } = await pool.query(
    named(selectHeld(work, 'unnest(:ids::uuid[], :fences::int[]) AS asked (id, fence)'), {
      ids: asked.map(({ id }) => id),
      fences: asked.map(({ fence }) => fence),
    }),
  )
  expect(rows).toEqual([{ id: a.id }, { id: b.id }])
})

test('what a process gives back others may take at once; what another holds by now stays', async () => {
  const [own, taken] = [await claim('alive'), await claim('alive')]
  await claim('another', taken.id)
  await releaseLeases(pool, work, 'alive', [own.id, taken.id])
  expect(await look(own)).toMatchObject({ leased_by: null, due: true, fence: own.fence })
  expect(await look(taken)).toMatchObject({ leased_by: 'another', due: false })
})

test.each([
  ['alive', false, { leased_by: 'alive', deaths: 0 }],
  ['alive', true, { leased_by: null, deaths: 0 }],
  ['dead', false, { leased_by: null, deaths: 1 }],
  ['stopped', false, { leased_by: null, deaths: 0 }],
  ['unknown', false, { leased_by: null, deaths: 1 }],
  [null, false, { leased_by: null, busy: false, deaths: 0 }],
])('what a process that is %s holds, with its lease over: %s', async (worker, over, expected) => {
  const held = await claim(worker)
  if (over) await expire(held)
  await reclaimAbandoned(pool, work, { deadAfterS })
  expect(await look(held)).toMatchObject(expected)
})

test('a table may say itself who is alive', async () => {
  const [one, two] = [await claim('alive'), await claim('another')]
  // Another statement of the same name needs a connection of its own.
  const fresh = new Pool({ connectionString: database.connectionString, max: 1 })
  await reclaimAbandoned(fresh, { ...work, isAlive: `w.leased_by = 'another'` })
  await fresh.end()
  expect(await look(one)).toMatchObject({ leased_by: null, deaths: 1 })
  expect(await look(two)).toMatchObject({ leased_by: 'another', deaths: 0 })
})

test('a row that somebody else locks is passed over until the next time', async () => {
  const held = await claim('dead')
  const other = await pool.connect()
  await other.query('BEGIN')
  await other.query('SELECT FROM work FOR UPDATE')
  await reclaimAbandoned(pool, work, { deadAfterS })
  expect(await look(held)).toMatchObject({ leased_by: 'dead' })
  await other.query('ROLLBACK')
  other.release()
  await reclaimAbandoned(pool, work, { deadAfterS })
  expect(await look(held)).toMatchObject({ leased_by: null })
})
