import { Pool } from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { documentMaker } from '../../bench/size/documents.ts'
import { type Day, simulateDays, type Watched } from '../../bench/size/year.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'

// Months of deliveries in a minute (bench/size has a year of more): what is emptied at night does not grow with the days.

const DAYS = 52
const RETENTION = 13
const PER_DAY = 40

let database: FreshDatabase
let pool: Pool
beforeEach(async () => {
  database = await freshDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 1 })
})
afterEach(async () => {
  await pool.end()
  await database.drop()
})

async function live(): Promise<Day[]> {
  const document = documentMaker()({ siteId: '00000000-0000-4000-8000-000000000001' })
  const plan = { days: DAYS, perDay: PER_DAY, retentionDays: RETENTION, document, updates: 4 }
  const days: Day[] = []
  for await (const day of simulateDays(pool, plan)) days.push(day)
  return days
}

const tableOf = ({ tables }: Day, name: string): Watched =>
  tables.find(({ table }) => table === name) as Watched

test('bodies and timelines keep their size from the end of their days on, and dead rows stay few', async () => {
  const days = await live()
  const [settled, last] = [days[2 * RETENTION] as Day, days.at(-1) as Day]
  for (const table of ['event (TOAST)', 'delivery_step']) {
    expect(tableOf(last, table).bytes, table).toBeLessThan(1.5 * tableOf(settled, table).bytes)
    expect(tableOf(last, table).live, table).toBeLessThan(1.5 * tableOf(settled, table).live)
  }
  for (const table of ['delivery', 'event', 'event (TOAST)', 'delivery_step', 'notification']) {
    const shares = days
      .slice(2 * RETENTION)
      .map((day) => tableOf(day, table))
      .map(({ live, dead }) => dead / (live + dead))
    expect(Math.max(...shares), table).toBeLessThan(0.3)
  }
  // Every row that keeps one post one is there.
  expect(tableOf(last, 'delivery').live).toBe(DAYS * PER_DAY)
  const { rows } = await pool.query('SELECT count(*)::int AS bodies FROM event WHERE body IS NOT NULL')
  expect(rows).toEqual([{ bodies: RETENTION * PER_DAY }])
})
