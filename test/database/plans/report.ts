import { writeFile } from 'node:fs/promises'
import type { ClientBase, QueryConfig, QueryResult } from 'pg'
import { median } from '../../../bench/support/rounds.ts'
import type { TestGalley } from '../../support/galley.ts'
import type { Recorded } from './record.ts'

/** What a statement took by itself. */
interface Analysed {
  text: string
  from: string | undefined
  ms: number
  /** Of 8 KB, wherever they were found. */
  pages: number
}

/** Milliseconds of a call, with everything that it asks and HTTP. */
export interface Taken {
  path: string
  ms: number
}

/** Asks each of these often, and takes the middle. */
export async function timeCalls(
  { call }: Pick<TestGalley, 'call'>,
  paths: readonly string[],
): Promise<Taken[]> {
  const taken: Taken[] = []
  for (const path of paths) {
    const times: number[] = []
    for (let n = 0; n < 7; n += 1) {
      const began = performance.now()
      await call('GET', `/v1/${path}`)
      times.push(performance.now() - began)
    }
    taken.push({ path, ms: median(times) })
  }
  return taken
}

/** `EXPLAIN (ANALYZE, BUFFERS)` of each, the second time that it is asked; what it changes is undone. */
export async function analyse(client: ClientBase, statements: Iterable<Recorded>): Promise<Analysed[]> {
  const found: Analysed[] = []
  for (const { text, values, from } of statements) {
    const explain = { text: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values }
    await client.query('BEGIN')
    // What was made once cannot be made again: of that there is nothing to be said.
    const asked = await twice(client, explain).catch(() => undefined)
    await client.query('ROLLBACK')
    if (asked === undefined) continue
    const { rows } = asked
    const [{ Plan: plan, 'Execution Time': ms }] = rows[0]['QUERY PLAN']
    found.push({ text, from, ms, pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] })
  }
  return found
}

async function twice(client: ClientBase, query: QueryConfig): Promise<QueryResult> {
  await client.query(query)
  return client.query(query)
}

/** Writes both, the slowest first. */
export async function writeReport(file: string, taken: Taken[], analysed: Analysed[]): Promise<void> {
  const calls = taken
    .toSorted((one, other) => other.ms - one.ms)
    .map(({ path, ms }) => `| \`GET /v1/${path}\` | ${ms.toFixed(1)} |`)
  const statements = analysed
    .toSorted((one, other) => other.ms - one.ms)
    .map(({ text, from, ms, pages }) => {
      const begins = text.replace(/\s+/g, ' ').trim().slice(0, 300)
      return `| ${ms.toFixed(1)} | ${pages} | ${from ?? ''} | \`${begins.replaceAll('|', '\\|')}\` |`
    })
  const head = [
    '| call | ms |',
    '|---|---|',
    ...calls,
    '',
    '| ms | pages | file | statement |',
    '|---|---|---|---|',
  ]
  await writeFile(file, `${[...head, ...statements].join('\n')}\n`)
}
