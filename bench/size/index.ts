import { Pool } from 'pg'
import type { Benchmark, Figure, Result, Scale } from '../benchmark.ts'
import type { Postgres } from '../support/postgres.ts'
import { documentMaker } from './documents.ts'
import { measureDeliveries, type PerDelivery } from './per-delivery.ts'
import { type Day, simulateDays, type Watched } from './year.ts'

const SCALES = {
  full: { sites: 300, documents: 1_500, days: 365, perDay: 100, retentionDays: 90 },
  quick: { sites: 4, documents: 8, days: 4, perDay: 5, retentionDays: 2 },
} satisfies Record<Scale, object>

export const size: Benchmark = {
  title: 'Size',
  baseline: 'none; of the year, the first half of it',
  run,
}

async function run(scale: Scale, postgres: Postgres): Promise<Result> {
  const { sites, documents, days, perDay, retentionDays } = SCALES[scale]
  const each = await measureDeliveries(scale, postgres, { sites, documents })
  const year = await simulate(scale, postgres, each)
  return {
    figures: [...ofDelivery(each), ...ofYear(year)],
    conditions: [
      `${documents.toLocaleString('en')} articles of ${(each.webhook / 1e3).toFixed(1)} KB, of words drawn by lot, for ${sites} simulated sites; bytes of tables with their indexes, after a VACUUM, divided by the articles. A picture each is put in by SQL: the simulated sites take no files.`,
      `The year: ${days} days of ${perDay} deliveries with GALLEY_RETENTION_DAYS=${retentionDays}, put in by SQL, each row of a delivery written ${Math.round(each.updates)} times more as a real one is. Each simulated night Galley's own retention runs, and what autovacuum would vacuum by its own arithmetic is vacuumed: once a day, where the real one looks once a minute.`,
      'Dead rows are counted before the vacuum of each night, after the first days that retention empties; of notifications, one for each delivery.',
    ],
  }
}

async function simulate(scale: Scale, postgres: Postgres, each: PerDelivery): Promise<Day[]> {
  const { days, perDay, retentionDays } = SCALES[scale]
  const document = documentMaker()({ siteId: '00000000-0000-4000-8000-000000000001' })
  const pool = new Pool({ connectionString: await postgres.database(), max: 1 })
  try {
    const lived: Day[] = []
    const plan = { days, perDay, retentionDays, document, updates: Math.round(each.updates) }
    for await (const day of simulateDays(pool, plan)) lived.push(day)
    return lived
  } finally {
    await pool.end()
  }
}

const figure = (
  what: string,
  unit: Figure['unit'],
  measured: number,
  baseline: number | null = null,
): Figure => ({
  ...{ figure: what, unit, measured, baseline },
  ratio: baseline === null ? null : measured / baseline,
  target: null,
})

function ofDelivery({ bytes, rows, wal, connections, memory, updates }: PerDelivery): Figure[] {
  const tables = Object.entries(bytes).filter(([, count]) => count > 0)
  const all = tables.reduce((sum, [, count]) => sum + count, 0)
  return [
    figure('a delivery, all tables', 'kilobytes', all / 1e3),
    ...tables.map(([table, count]) => figure(`a delivery, ${table}`, 'kilobytes', count / 1e3)),
    figure('a delivery, rows of all tables', 'count', rows),
    figure('a delivery, write-ahead log', 'kilobytes', wal / 1e3),
    figure('a delivery, updates of its row', 'count', updates),
    figure('connections of a process, most', 'count', connections),
    figure('memory of a process, most', 'megabytes', memory),
  ]
}

const REPORTED_TABLES = [
  'delivery',
  'delivery (TOAST)',
  'event',
  'event (TOAST)',
  'delivery_step',
  'notification',
]

function ofYear(year: readonly Day[]): Figure[] {
  const half = Math.floor(year.length / 2) - 1
  const later = year.slice(half)
  const of = (day: Day | undefined, table: string) =>
    day?.tables.find((one) => one.table === table) as Watched
  const most = (table: string) =>
    Math.max(...later.map((day) => of(day, table)).map(({ live, dead }) => (100 * dead) / (live + dead)))
  return [
    ...REPORTED_TABLES.map((table) =>
      figure(
        `${table}, after the year`,
        'megabytes',
        of(year.at(-1), table).bytes / 1e6,
        of(year[half], table).bytes / 1e6,
      ),
    ),
    // Of what is written once there is nothing that could be dead.
    ...REPORTED_TABLES.filter((table) => table !== 'delivery (TOAST)').map((table) =>
      figure(`${table}, most dead rows in a hundred`, 'count', most(table)),
    ),
    figure(
      'the retention of a night, longest',
      'milliseconds',
      Math.max(...later.map(({ tickMs }) => tickMs)),
    ),
  ]
}
