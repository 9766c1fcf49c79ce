import type { Command } from 'commander'
import type { Site, SiteCheck, SiteReport } from '../../client/api.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { readInput } from '../input.ts'
import {
  addSiteFilterOptions,
  collectValues,
  formatTime,
  helpExamples,
  listPages,
  moreHint,
  parseCount,
  type SiteFilter,
  toSiteFilter,
} from '../options.ts'
import type { Column } from '../output.ts'
import { pollUntil, type Session, withSession } from '../session.ts'
import type { CliWorld } from '../world.ts'

/** `galley sites …`: the connected sites. */
export function sites(command: Command, world: CliWorld): void {
  addSiteFilterOptions(command.command('list'))
    .description('List the sites.')
    .option('--limit <count>', 'at most so many', parseCount, 100)
    .addHelpText('after', helpExamples('galley sites list', 'galley sites list --level problem'))
    .action(withSession<[], SiteFilter & { limit: number }>(world, listSites))
  command
    .command('show')
    .description('Show a site, and what its last check found.')
    .argument('<site>', 'its id')
    .addHelpText('after', helpExamples('galley sites show 5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11'))
    .action(withSession<[string]>(world, showSite))
  command
    .command('add')
    .description('Connect a site. Its credentials are verified before anything is stored.')
    .argument('<address>', 'of the site, or of any page of it')
    .requiredOption('--username <name>', 'of a WordPress user who may publish and upload')
    .option(
      '--password-file <file>',
      'file with the application password; else GALLEY_SITE_PASSWORD; - reads standard input',
    )
    .option('--id <uuid>', 'by which documents will name the site; else Galley picks one')
    .option('--name <name>', 'what to call it')
    .option('--label <label>', 'its labels', collectValues)
    .addHelpText(
      'after',
      helpExamples('galley sites add https://example.com --username editor --password-file password.txt'),
    )
    .action(withSession<[string], Addition>(world, addSite))
  command
    .command('label')
    .description('Give a site these labels instead of those it has; with none, all are removed.')
    .argument('<site>', 'its id')
    .argument('[labels...]', 'its labels')
    .addHelpText(
      'after',
      helpExamples('galley sites label 5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11 news english'),
    )
    .action(withSession<[string, string[]]>(world, labelSite))
  command
    .command('pause')
    .description('Send nothing to a site until it is resumed. What comes for it waits.')
    .argument('<site>', 'its id')
    .option('--reason <text>', 'for whoever looks at the site')
    .addHelpText(
      'after',
      helpExamples('galley sites pause 5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11 --reason "moving to a new host"'),
    )
    .action(
      withSession<[string], { reason?: string }>(world, async (session, { reason }, uuid) => {
        const answer = await session.call('pauseSite', { path: { uuid }, body: { reason } })
        await session.show(answer, () => `${answer.data.name} is paused.\n`)
      }),
    )
  command
    .command('resume')
    .description('Resume a site that was paused.')
    .argument('<site>', 'its id')
    .addHelpText('after', helpExamples('galley sites resume 5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11'))
    .action(
      withSession<[string]>(world, async (session, _options, uuid) => {
        const answer = await session.call('resumeSite', { path: { uuid } })
        await session.show(answer, () => `${answer.data.name} is resumed.\n`)
      }),
    )
  siteChecks(command, world)
}

const siteColumns: Column<Site>[] = [
  { head: 'ID', value: ({ id }) => id, whole: true },
  { head: 'NAME', value: ({ name }) => name },
  { head: 'ADDRESS', value: ({ url }) => url },
  { head: 'STATUS', value: ({ status }) => status, whole: true },
  { head: 'CHECK', value: ({ report }) => report?.level },
  { head: 'LABELS', value: ({ labels }) => labels.join(', ') },
]

async function listSites(
  session: Session,
  { limit, ...options }: SiteFilter & { limit: number },
): Promise<void> {
  const filter = toSiteFilter(options)
  const page = await listPages(limit, (asked) =>
    session.call('listSites', { query: { ...asked, ...filter } }),
  )
  await session.show({ success: true, ...page }, () => session.table(page.data, siteColumns))
  if (moreHint(page)) session.note(moreHint(page))
}

async function showSite(session: Session, _options: object, uuid: string): Promise<void> {
  const answer = await session.call('getSite', { path: { uuid } })
  const { data: site } = answer
  await session.show(
    answer,
    () =>
      session.facts([
        ['id', site.id],
        ['name', site.name],
        ['address', site.url],
        ['user', site.username],
        ['status', site.status],
        ['trouble', site.trouble?.message],
        ['labels', site.labels.join(', ')],
        ['checked', site.report && `${formatTime(site.report.checked_at)}, ${site.report.level}`],
        ['connected', formatTime(site.created_at)],
      ]) + formatFindings(session, site),
  )
}

const formatFindings = (session: Session, { report }: Site): string => {
  const wrong = (report?.findings ?? []).filter(({ level }) => level !== 'ok')
  if (wrong.length === 0) return ''
  return `\n${session.facts(wrong.map(({ level, seen, todo }) => [level, [seen, todo].filter(Boolean).join(' ')] as const))}`
}

interface Addition {
  username: string
  passwordFile?: string
  id?: string
  name?: string
  label?: string[]
}

async function addSite(
  session: Session,
  { username, passwordFile, id, name, label }: Addition,
  url: string,
): Promise<void> {
  const { world } = session
  const password =
    passwordFile === undefined ? world.env.GALLEY_SITE_PASSWORD : await readInput(world, passwordFile)
  const answer = await session.call('connectSite', {
    body: { url, username, application_password: (password ?? '').trim(), id, name, labels: label },
  })
  const { data: site } = answer
  await session.show(
    answer,
    () =>
      `${session.facts([
        ['id', site.id],
        ['name', site.name],
        ['address', site.url],
        ['status', site.status],
      ])}${formatFindings(session, site)}`,
  )
}

async function labelSite(session: Session, _options: object, uuid: string, labels: string[]): Promise<void> {
  const answer = await session.call('updateSite', {
    path: { uuid },
    body: { labels: labels.flatMap((text) => collectValues(text)) },
  })
  const now = answer.data.labels.join(', ')
  await session.show(
    answer,
    () => `${answer.data.name} has ${now === '' ? 'no labels' : `the labels ${now}`}.\n`,
  )
}

/** `galley sites check`, `galley sites import`. */
export function siteChecks(command: Command, world: CliWorld): void {
  command
    .command('check')
    .description(
      'Check a site, or many: what was seen, what it means, what to do. Ends with 7 where something is in the way.',
    )
    .argument('[site]', 'its id; left out, all sites')
    .option('--label <label>', 'all sites with this label')
    .addHelpText(
      'after',
      helpExamples(
        'galley sites check 5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
        'galley sites check --label news',
      ),
    )
    .action(
      withSession<[string | undefined], { label?: string }>(world, (session, { label }, uuid) =>
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
      helpExamples('galley sites import sites.csv --dry-run', 'galley sites import sites.csv'),
    )
    .action(withSession<[string], { dryRun?: boolean }>(world, importFile))
}

async function checkOne(session: Session, uuid: string): Promise<void> {
  session.note('Checking: this takes some seconds.')
  const answer = await session.call('checkSite', { path: { uuid } })
  await session.show(answer, () => formatReport(session, answer.data))
  if (answer.data.level === 'problem') throw problemsFound('the site')
}

const formatReport = (session: Session, { level, findings }: SiteReport): string =>
  `${session.table(findings, [
    { head: 'LEVEL', value: (finding) => finding.level, whole: true },
    { head: 'CHECK', value: (finding) => finding.check, whole: true },
    { head: 'SEEN', value: (finding) => finding.seen },
    { head: 'TO DO', value: (finding) => finding.todo },
  ])}\n${session.facts([['in all', level]])}`

async function checkMany(session: Session, label: string | undefined): Promise<void> {
  const { data: started } = await session.call('checkSites', { body: { label } })
  await pollUntil(session, async () => {
    const { data } = await session.call('getSitesCheck', { path: { uuid: started.id }, query: { limit: 1 } })
    return { said: formatCounts(data), end: data.status === 'done' ? data : undefined }
  })
  let check = started
  const page = await listPages(100_000, async (asked) => {
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
  if (check.counts.problem > 0) throw problemsFound(`${check.counts.problem} of the sites`)
}

const formatCounts = ({ counts: { waiting, ok, warning, problem } }: SiteCheck): string =>
  `Checking: waiting ${waiting}, ok ${ok}, with warnings ${warning}, with problems ${problem}`

const problemsFound = (what: string) =>
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
