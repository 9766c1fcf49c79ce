import type { Command } from 'commander'
import type { SiteImport } from '../../client/api.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { readInput } from '../input.ts'
import { helpExamples, listPages } from '../options.ts'
import { pollUntil, type Session, withSession } from '../session.ts'
import type { CliWorld } from '../world.ts'

interface Creation {
  dryRun?: boolean
  watch?: boolean
  idempotencyKey?: string
}

/** `galley imports …`: files of sites, connected by a job. */
export function imports(command: Command, world: CliWorld): void {
  command
    .command('create')
    .description(
      'Connect the sites of a CSV file in a job: url, username, application_password and, if wanted, id, name, labels.',
    )
    .argument('<file>', 'CSV file; - reads standard input')
    .option('--dry-run', 'try every line on its site, and store nothing')
    .option('--idempotency-key <name>', 'sent again under the same name, it is the same import')
    .option('--watch', 'wait for the end. Ends with 7 where lines were refused')
    .addHelpText(
      'after',
      helpExamples('galley imports create sites.csv', 'galley imports create sites.csv --dry-run --watch'),
    )
    .action(withSession<[string], Creation>(world, createImport))
  command
    .command('show')
    .description('Show an import, line by line.')
    .argument('<import>', 'its id')
    .option('--watch', 'wait for the end')
    .addHelpText('after', helpExamples('galley imports show 018f2c5e-7b1a-7c3d-9e4f-5a6b7c8d9e0f'))
    .action(
      withSession<[string], { watch?: boolean }>(world, (session, { watch }, uuid) =>
        watch ? watchImport(session, uuid) : printImport(session, uuid),
      ),
    )
}

async function createImport(
  session: Session,
  { dryRun, watch, idempotencyKey }: Creation,
  file: string,
): Promise<void> {
  const { id } = await session.call('createImport', {
    headers: { 'idempotency-key': idempotencyKey },
    query: { dry_run: dryRun ? 'true' : 'false' },
    body: await readInput(session.world, file),
  })
  await (watch ? watchImport(session, id) : printImport(session, id))
}

async function watchImport(session: Session, uuid: string): Promise<void> {
  const { refused } = await pollUntil(session, async () => {
    const { data } = await session.call('getImport', { path: { uuid }, query: { limit: 1 } })
    const { waiting, connected, refused, skipped, status } = data
    const said = `Trying: waiting ${waiting}, connected ${connected}, skipped ${skipped}, refused ${refused}`
    return { said, end: status === 'done' ? data : undefined }
  })
  await printImport(session, uuid)
  if (refused > 0)
    throw new CommandFailure(
      exitCodes.notAsAsked,
      'lines_refused',
      `Lines that were refused: ${refused}. Correct them and import the file again; the others are skipped.`,
    )
}

/** With all of its lines. */
async function printImport(session: Session, uuid: string): Promise<void> {
  let first: SiteImport | undefined
  const { data: results } = await listPages(100_000, async ({ limit, cursor }) => {
    const query = { limit, ...(cursor !== undefined && { cursor: Number(cursor) }) }
    const answer = await session.call('getImport', { path: { uuid }, query })
    first ??= answer.data
    return { data: answer.data.results, next_cursor: answer.next_cursor }
  })
  await session.show({ success: true, data: { ...first, results } }, () => {
    const { id, status, waiting, connected, skipped, refused } = first as SiteImport
    return `${session.facts([
      ...([
        ['id', id],
        ['status', status],
      ] as const),
      ...([
        ['waiting', waiting],
        ['connected', connected],
        ['skipped', skipped],
        ['refused', refused],
      ] as const),
    ])}\n${session.table(results, [
      { head: 'LINE', value: ({ line }) => line, whole: true },
      { head: 'OUTCOME', value: (line) => line.status, whole: true },
      { head: 'ID', value: (line) => line.id, whole: true },
      { head: 'WHY', value: ({ error }) => error?.message },
    ])}`
  })
}
