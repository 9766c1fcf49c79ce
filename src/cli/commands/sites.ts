import type { ListedSite, Site, SiteReport, SiteStates } from '../../client/generated/api.ts'
import { notAsAsked, usageError } from '../failure.ts'
import { readInput } from '../input.ts'
import {
  addSiteFilterOptions,
  type CliCommand,
  collectLabels,
  commandById,
  EXAMPLE_SITE,
  type FilterOptions,
  formatTime,
  listPages,
  parseCount,
  toFilter,
} from '../options.ts'
import type { Column } from '../output.ts'
import { callById, listByFilter, type Session, withSession } from '../session.ts'
import type { CliWorld } from '../world.ts'
import { pollBulk } from './bulk.ts'

export function sites(command: CliCommand, world: CliWorld): void {
  addSiteFilterOptions(command.command('list', { isDefault: true }))
    .description('List the sites.')
    .option('--limit <count>', 'at most so many', parseCount, 100)
    .examples('galley sites list', 'galley sites --state down')
    .action(listByFilter(world, 'listSites', siteColumns))
  addSiteFilterOptions(command.command('states'))
    .description('Count the sites by state, and those that do not work by cause.')
    .action(withSession<[], FilterOptions>(world, showStates))
  commandById(command, 'show', 'site')
    .description('Show a site, and what its last check found.')
    .action(callById(world, 'getSite', (session, { data }) => siteInDetail(session, data)))
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
    .option('--label <label>', 'its labels', collectLabels)
    .examples('galley sites add https://example.com --username editor --password-file password.txt')
    .action(withSession<[string], Addition>(world, addSite))
  commandById(command, 'label', 'site', ' news english')
    .description('Give a site these labels instead of those it has; with none, all are removed.')
    .argument('[labels...]', 'its labels', collectLabels)
    .action(withSession<[string, string[]]>(world, labelSite))
  commandById(command, 'pause', 'site', ' --reason "moving to a new host"')
    .description('Send nothing to a site until it is resumed. What comes for it waits.')
    .option('--reason <text>', 'for whoever looks at the site')
    .action(
      withSession<[string], { reason?: string }>(world, (session, { reason }, uuid) =>
        session.print(
          'pauseSite',
          { path: { uuid }, body: { reason } },
          ({ data }) => `${data.name} is paused.\n`,
        ),
      ),
    )
  commandById(command, 'resume', 'site')
    .description('Resume a site that was paused.')
    .action(callById(world, 'resumeSite', (_session, { data }) => `${data.name} is resumed.\n`))
  command
    .command('check')
    .description(
      'Check a site, or many: what was seen, what it means, what to do. Ends with 7 where something is in the way.',
    )
    .argument('[site]', 'its id; left out, all sites')
    .option('--label <label>', 'all sites with this label')
    .examples(`galley sites check ${EXAMPLE_SITE}`, 'galley sites check --label news')
    .action(
      withSession<[string | undefined], { label?: string }>(world, (session, { label }, uuid) => {
        if (uuid === undefined) return checkMany(session, label)
        if (label === undefined) return checkOne(session, uuid)
        throw usageError('site_and_label', 'Name a site, or a label with --label: not both.')
      }),
    )
}

const siteColumns: Column<ListedSite>[] = [
  { head: 'ID', value: ({ id }) => id, whole: true },
  { head: 'NAME', value: ({ name }) => name },
  { head: 'ADDRESS', value: ({ url }) => url },
  { head: 'STATE', value: ({ state }) => state, whole: true },
  { head: 'SINCE', value: ({ since }) => formatTime(since) },
  { head: 'CHECK', value: ({ checked }) => checked?.level },
  { head: 'LABELS', value: ({ labels }) => labels.join(', ') },
]

const showStates = (session: Session, options: FilterOptions) =>
  session.print('countSiteStates', { query: toFilter(options) }, ({ data: { by_state, causes } }) => {
    const counts = session.facts(Object.entries(by_state))
    return causes.length === 0 ? counts : `${counts}\n${session.table(causes, causeColumns)}`
  })

const causeColumns: Column<SiteStates['causes'][number]>[] = [
  { head: 'SITES', value: ({ site_count }) => site_count },
  { head: 'STATE', value: ({ state }) => state, whole: true },
  { head: 'SINCE', value: ({ since }) => formatTime(since) },
  { head: 'NEXT TRY', value: ({ next_try }) => formatTime(next_try) },
  { head: 'WAITING', value: ({ waiting, waiting_more: more }) => `${waiting}${more ? '+' : ''}` },
  { head: 'CAUSE', value: ({ sentence, todo }) => [sentence, todo].filter(Boolean).join(' ') },
]

const siteInDetail = (session: Session, site: Site): string =>
  session.facts([
    ['id', site.id],
    ['name', site.name],
    ['address', site.url],
    ['user', site.username],
    ['state', site.state],
    ['since', formatTime(site.since)],
    ['next try', formatTime(site.next_try)],
    ['trouble', site.trouble?.message],
    ['labels', site.labels.join(', ')],
    ['checked', site.report && `${formatTime(site.report.checked_at)}, ${site.report.level}`],
    ['connected', formatTime(site.created_at)],
  ]) + formatFindings(session, site)

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

async function addSite(session: Session, { username, passwordFile, id, name, label }: Addition, url: string) {
  const { world } = session
  const password =
    passwordFile === undefined ? world.env.GALLEY_SITE_PASSWORD : await readInput(world, passwordFile)
  if (!password?.trim())
    throw usageError(
      'no_password',
      'No application password is given. Name a file with it, --password-file FILE, or set GALLEY_SITE_PASSWORD.',
    )
  const body = { url, username, application_password: password.trim(), id, name, labels: label }
  await session.print('connectSite', { body }, ({ data }) => {
    const { id, name, url: address, state } = data
    return session.facts(Object.entries({ id, name, address, state })) + formatFindings(session, data)
  })
}

const labelSite = (session: Session, _options: object, uuid: string, labels: string[]) =>
  session.print('updateSite', { path: { uuid }, body: { labels } }, ({ data: { name, labels: now } }) =>
    now.length === 0 ? `${name} has no labels.\n` : `${name} has the labels ${now.join(', ')}.\n`,
  )

async function checkOne(session: Session, uuid: string): Promise<void> {
  session.note('Checking: this takes some seconds.')
  const report = ({ data }: { data: SiteReport }) => formatReport(session, data)
  const { data } = await session.print('checkSite', { path: { uuid } }, report)
  if (data.level === 'problem') throw problemsFound('the site')
}

const formatReport = (session: Session, { level, findings }: SiteReport): string =>
  `${session.table(findings, [
    { head: 'LEVEL', value: (finding) => finding.level, whole: true },
    { head: 'CHECK', value: (finding) => finding.check, whole: true },
    { head: 'SEEN', value: (finding) => finding.seen },
    { head: 'TO DO', value: (finding) => finding.todo },
  ])}\n${session.facts([['in all', level]])}`

/** Sites of a label, or all. */
const MAX_LISTED = 100_000

async function checkMany(session: Session, label: string | undefined): Promise<void> {
  const filter = label === undefined ? {} : { label }
  const { id } = await session.call('createBulk', { body: { action: 'check', filter } })
  const { status } = await pollBulk(session, id)
  const page = await listPages(MAX_LISTED, (query) =>
    session.call('listSites', { query: { ...query, ...filter } }),
  )
  const unchecked = await listPages(MAX_LISTED, (query) =>
    session.call('listBulkItems', { path: { uuid: id }, query: { ...query, outcome: 'failed' } }),
  )
  await session.show({ success: true, ...page }, () =>
    session.table(page.data, [
      { head: 'ID', value: ({ id }) => id, whole: true },
      { head: 'NAME', value: ({ name }) => name },
      { head: 'CHECK', value: ({ checked }) => checked?.level, whole: true },
    ]),
  )
  if (status === 'cancelled') throw notAsAsked('check_cancelled', 'The check was cancelled before its end.')
  if (status === 'failed')
    throw notAsAsked(
      'check_failed',
      'Galley failed before it had checked every site. Its log has the reason.',
    )
  const problems = page.data.filter(({ checked }) => checked?.level === 'problem')
  const { size } = new Set([...problems, ...unchecked.data].map(({ id }) => id))
  if (size > 0) throw problemsFound(`${size} of the sites`)
}

const problemsFound = (what: string) =>
  notAsAsked('site_problem', `Something is in the way of deliveries to ${what}.`)
