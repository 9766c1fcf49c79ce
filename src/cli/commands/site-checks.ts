import type { Command } from 'commander'
import type { SiteCheck, SiteReport } from '../../client/api.ts'
import { exitCodes } from '../exit-codes.ts'
import { CommandFailure } from '../failure.ts'
import { examples } from '../help.ts'
import { readInput } from '../input.ts'
import { listed } from '../lists.ts'
import { inSession, type Session } from '../session.ts'
import { until } from '../wait.ts'
import type { World } from '../world.ts'

/** `galley sites check`, `galley sites import`. */
export function siteChecks(command: Command, world: World): void {
  command
    .command('check')
    .description(
      'Check a site, or many: what was seen, what it means, what to do. Ends with 7 where something is in the way.',
    )
    .argument('[site]', 'its id; left out, all sites')
    .option('--label <label>', 'all sites with this label')
    .addHelpText(
      'after',
      examples('galley sites check 5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11', 'galley sites check --label news'),
    )
    .action(
      inSession<[string | undefined], { label?: string }>(world, (session, { label }, uuid) =>
        uuid === undefined ? checkMany(session, label) : checkOne(session, uuid),
      ),
    )
  command
    .command('import')
    .description(
      'Connect the sites of a CSV file: url, username, application_password and, if wanted, id, name, labels.',
    )
    .argument('<file>', 'CSV file; - reads standard input')
    .option('--dry-run', 'try every line on its site, and store nothing')
    .addHelpText(
      'after',
      examples('galley sites import sites.csv --dry-run', 'galley sites import sites.csv'),
    )
    .action(inSession<[string], { dryRun?: boolean }>(world, importFile))
}

async function checkOne(session: Session, uuid: string): Promise<void> {
  session.note('Checking: this takes some seconds.')
  const answer = await session.call('checkSite', { path: { uuid } })
  await session.show(answer, () => reportOf(session, answer.data))
  if (answer.data.level === 'problem') throw inTheWay('the site')
}

const reportOf = (session: Session, { level, findings }: SiteReport): string =>
  `${session.table(findings, [
    { head: 'LEVEL', value: (finding) => finding.level, whole: true },
    { head: 'CHECK', value: (finding) => finding.check, whole: true },
    { head: 'SEEN', value: (finding) => finding.seen },
    { head: 'TO DO', value: (finding) => finding.todo },
  ])}\n${session.facts([['in all', level]])}`

async function checkMany(session: Session, label: string | undefined): Promise<void> {
  const { data: started } = await session.call('checkSites', { body: { label } })
  await until(session, async () => {
    const { data } = await session.call('getSitesCheck', { path: { uuid: started.id }, query: { limit: 1 } })
    return { said: saidOf(data), end: data.status === 'done' ? data : undefined }
  })
  let check = started
  const page = await listed(100_000, async (asked) => {
    const answer = await session.call('getSitesCheck', { path: { uuid: started.id }, query: asked })
    check = answer.data
    return { data: answer.data.results, next_cursor: answer.next_cursor }
  })
  await session.show({ success: true, data: { ...check, results: page.data } }, () =>
    session.table(page.data, [
      { head: 'ID', value: ({ site_id }) => site_id, whole: true },
      { head: 'NAME', value: ({ name }) => name },
      { head: 'CHECK', value: ({ status }) => status, whole: true },
    ]),
  )
  if (check.counts.problem > 0) throw inTheWay(`${check.counts.problem} of the sites`)
}

const saidOf = ({ counts: { waiting, ok, warning, problem } }: SiteCheck): string =>
  `Checking: waiting ${waiting}, ok ${ok}, with warnings ${warning}, with problems ${problem}`

const inTheWay = (what: string) =>
  new CommandFailure(
    exitCodes.notAsAsked,
    'site_problem',
    `Something is in the way of deliveries to ${what}.`,
  )

async function importFile(session: Session, { dryRun }: { dryRun?: boolean }, file: string): Promise<void> {
  const body = await readInput(session.world, file)
  session.note('Trying every line: an unreachable site takes the longest.')
  const answer = await session.call('importSites', { query: { dry_run: dryRun ? 'true' : 'false' }, body })
  await session.show(answer, () =>
    session.table(answer.data, [
      { head: 'LINE', value: ({ line }) => line, whole: true },
      { head: 'OUTCOME', value: ({ status }) => status, whole: true },
      { head: 'ID', value: ({ id }) => id, whole: true },
      { head: 'WHY', value: ({ error }) => error?.message },
    ]),
  )
  const refused = answer.data.filter(({ status }) => status === 'refused').length
  if (refused > 0)
    throw new CommandFailure(
      exitCodes.notAsAsked,
      'lines_refused',
      `Lines that were refused: ${refused}. Correct them and import the file again; the others are skipped.`,
    )
}
