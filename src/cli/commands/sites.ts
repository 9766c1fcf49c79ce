import type { Command } from 'commander'
import type { Site } from '../../client/api.ts'
import { choosesSites, type SiteFilter, siteFilter } from '../filters.ts'
import { examples } from '../help.ts'
import { readInput } from '../input.ts'
import { countOf, listed, moment, more, several } from '../lists.ts'
import type { Column } from '../output/table.ts'
import { inSession, type Session } from '../session.ts'
import type { World } from '../world.ts'
import { siteChecks } from './site-checks.ts'

/** `galley sites …`: the connected sites. */
export function sites(command: Command, world: World): void {
  choosesSites(command.command('list'))
    .description('List the sites.')
    .option('--limit <count>', 'at most so many', countOf, 100)
    .addHelpText('after', examples('galley sites list', 'galley sites list --level problem'))
    .action(inSession<[], SiteFilter & { limit: number }>(world, list))
  command
    .command('show')
    .description('Show a site, and what its last check found.')
    .argument('<site>', 'its id')
    .addHelpText('after', examples('galley sites show 5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11'))
    .action(inSession<[string]>(world, show))
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
    .option('--label <label>', 'its labels', several)
    .addHelpText(
      'after',
      examples('galley sites add https://example.com --username editor --password-file password.txt'),
    )
    .action(inSession<[string], Addition>(world, add))
  command
    .command('label')
    .description('Give a site these labels instead of those it has; with none, all are removed.')
    .argument('<site>', 'its id')
    .argument('[labels...]', 'its labels')
    .addHelpText('after', examples('galley sites label 5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11 news english'))
    .action(inSession<[string, string[]]>(world, label))
  command
    .command('pause')
    .description('Send nothing to a site until it is resumed. What comes for it waits.')
    .argument('<site>', 'its id')
    .option('--reason <text>', 'for whoever looks at the site')
    .addHelpText(
      'after',
      examples('galley sites pause 5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11 --reason "moving to a new host"'),
    )
    .action(
      inSession<[string], { reason?: string }>(world, async (session, { reason }, uuid) => {
        const answer = await session.call('pauseSite', { path: { uuid }, body: { reason } })
        await session.show(answer, () => `${answer.data.name} is paused.\n`)
      }),
    )
  command
    .command('resume')
    .description('Resume a site that was paused.')
    .argument('<site>', 'its id')
    .addHelpText('after', examples('galley sites resume 5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11'))
    .action(
      inSession<[string]>(world, async (session, _options, uuid) => {
        const answer = await session.call('resumeSite', { path: { uuid } })
        await session.show(answer, () => `${answer.data.name} is resumed.\n`)
      }),
    )
  siteChecks(command, world)
}

const columns: Column<Site>[] = [
  { head: 'ID', value: ({ id }) => id, whole: true },
  { head: 'NAME', value: ({ name }) => name },
  { head: 'ADDRESS', value: ({ url }) => url },
  { head: 'STATUS', value: ({ status }) => status, whole: true },
  { head: 'CHECK', value: ({ report }) => report?.level },
  { head: 'LABELS', value: ({ labels }) => labels.join(', ') },
]

async function list(session: Session, { limit, ...options }: SiteFilter & { limit: number }): Promise<void> {
  const filter = siteFilter(options)
  const page = await listed(limit, (asked) => session.call('listSites', { query: { ...asked, ...filter } }))
  await session.show({ success: true, ...page }, () => session.table(page.data, columns))
  if (more(page)) session.note(more(page))
}

async function show(session: Session, _options: object, uuid: string): Promise<void> {
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
        ['checked', site.report && `${moment(site.report.checked_at)}, ${site.report.level}`],
        ['connected', moment(site.created_at)],
      ]) + findings(session, site),
  )
}

const findings = (session: Session, { report }: Site): string => {
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

async function add(
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
      ])}${findings(session, site)}`,
  )
}

async function label(session: Session, _options: object, uuid: string, labels: string[]): Promise<void> {
  const answer = await session.call('updateSite', {
    path: { uuid },
    body: { labels: labels.flatMap((text) => several(text)) },
  })
  const now = answer.data.labels.join(', ')
  await session.show(
    answer,
    () => `${answer.data.name} has ${now === '' ? 'no labels' : `the labels ${now}`}.\n`,
  )
}
