import type { ImportLine, SiteImport } from '../../client/generated/api.ts'
import { formatLabels } from '../../lib/label-list.ts'
import { notAsAsked } from '../failure.ts'
import { readInput } from '../input.ts'
import { type CliCommand, commandById, listPages, outcomeInWords } from '../options.ts'
import { pollUntil, type Session, withSession } from '../session.ts'
import type { CliWorld } from '../world.ts'

interface Creation {
  dryRun?: boolean
  watch?: boolean
  idempotencyKey?: string
}

export function imports(command: CliCommand, world: CliWorld): void {
  command
    .command('create')
    .description(
      'Connect the sites of a CSV file in a job: url, username, application_password and, if wanted, id, name, labels.',
    )
    .argument('<file>', 'CSV file; - reads standard input')
    .option('--dry-run', 'try every line on its site, and store nothing')
    .option('--idempotency-key <name>', 'sent again under the same name, it is the same import')
    .option('--watch', 'wait for the end. Ends with 7 where lines were refused')
    .examples('galley imports create sites.csv', 'galley imports create sites.csv --dry-run --watch')
    .action(withSession<[string], Creation>(world, createImport))
  commandById(command, 'show', 'import')
    .description('Show an import, line by line.')
    .option('--watch', 'wait for the end')
    .action(
      withSession<[string], { watch?: boolean }>(world, (session, { watch }, uuid) =>
        watch ? watchImport(session, uuid) : printImport(session, uuid),
      ),
    )
}

async function createImport(session: Session, { dryRun, watch, idempotencyKey }: Creation, file: string) {
  const { id } = await session.call('createImport', {
    headers: { 'idempotency-key': idempotencyKey },
    query: { dry_run: dryRun ? 'true' : 'false' },
    body: await readInput(session.world, file),
  })
  await (watch ? watchImport(session, id) : printImport(session, id))
}

/** Shows an import when it has ended. @throws CommandFailure where lines were refused */
async function watchImport(session: Session, uuid: string): Promise<void> {
  const { refused, dry_run } = await pollUntil(session, async () => {
    const { data } = await session.call('getImport', { path: { uuid }, query: { limit: 1 } })
    const counts = importCounts(data).map(([name, count]) => `${name} ${count}`)
    return { progress: `Trying: ${counts.join(', ')}`, end: data.status === 'done' ? data : undefined }
  })
  await printImport(session, uuid)
  if (dry_run) session.note('Dry run: no site was connected, and nothing was stored.')
  if (refused === 0) return
  const message = dry_run
    ? `Lines that would be refused: ${refused}. Correct them before you import the file.`
    : `Lines that were refused: ${refused}. Correct them and import the file again; sites that are connected are skipped.`
  throw notAsAsked('lines_refused', message)
}

async function printImport(session: Session, uuid: string): Promise<void> {
  let first: SiteImport | undefined
  const { data: results } = await listPages(100_000, async ({ limit, cursor }) => {
    const query = { limit, ...(cursor !== undefined && { cursor: Number(cursor) }) }
    const answer = await session.call('getImport', { path: { uuid }, query })
    first ??= answer.data
    return { data: answer.data.results, next_cursor: answer.next_cursor }
  })
  await session.show({ success: true, data: { ...first, results } }, () => {
    const { id, status, dry_run, ...counts } = first as SiteImport
    const facts = session.facts([
      ['id', id],
      ['status', dry_run ? `${status}, dry run: nothing is stored` : status],
      ...importCounts({ dry_run, ...counts }),
    ])
    return `${facts}\n${importedLines(session, results, dry_run)}`
  })
}

type ImportCounts = Pick<
  SiteImport,
  'dry_run' | 'waiting' | 'connected' | 'would_connect' | 'skipped' | 'refused'
>

const importCounts = (counts: ImportCounts): [string, number][] =>
  (['waiting', counts.dry_run ? 'would_connect' : 'connected', 'skipped', 'refused'] as const).map(
    (status) => [outcomeInWords(status, counts.dry_run), counts[status]],
  )

const importedLines = (session: Session, lines: readonly ImportLine[], dryRun: boolean): string =>
  session.table(lines, [
    { head: 'LINE', value: ({ line }) => line, whole: true },
    { head: 'OUTCOME', value: ({ status }) => outcomeInWords(status, dryRun), whole: true },
    { head: 'LABELS', value: ({ labels }) => formatLabels(labels ?? []) },
    { head: 'ID', value: ({ id }) => id, whole: true },
    { head: 'WHY', value: ({ error }) => error?.message },
  ])
