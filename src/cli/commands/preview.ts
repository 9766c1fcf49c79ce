import type { Command } from 'commander'
import type { Preview } from '../../client/api.ts'
import { readDocument } from '../document.ts'
import { exitCodes } from '../exit-codes.ts'
import { CommandFailure } from '../failure.ts'
import { examples } from '../help.ts'
import { listed } from '../lists.ts'
import { inSession, type Session } from '../session.ts'
import type { World } from '../world.ts'

interface Options {
  site?: string
  label?: string
}

/** One document on one site. */
interface Previewed {
  site_id: string
  site: string
  preview: Preview
}

/** `galley preview FILE`: what a document would become on a site, or on all sites with a label. Nothing is written. */
export function preview(command: Command, world: World): void {
  command
    .argument('<file>', 'JSON file with a webhook, or with its data; - reads standard input')
    .option('--site <id>', 'on this site')
    .option('--label <label>', 'on each site with this label')
    .addHelpText(
      'after',
      examples(
        'galley preview article.json --site 5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
        'galley preview article.json --label news',
      ),
    )
    .action(inSession<[string], Options>(world, run))
}

async function run(session: Session, { site, label }: Options, file: string): Promise<void> {
  const { data, delivery } = await readDocument(session.world, file)
  const body = { data, delivery } as never
  const found: Previewed[] = []
  for (const { id, name } of await sitesOf(session, site, label)) {
    if (label !== undefined) session.note(`Asking ${name}`)
    const answer = await session.call('previewDocument', { path: { uuid: id }, body })
    found.push({ site_id: id, site: name, preview: answer.data })
  }
  await session.show({ success: true, data: found }, () =>
    site === undefined
      ? compared(session, found)
      : found.map(({ preview }) => inFull(session, preview)).join('\n'),
  )
  if (found.some(({ preview: { outcome } }) => outcome === 'held'))
    throw new CommandFailure(exitCodes.notAsAsked, 'would_be_held', 'A delivery would wait for a person.')
}

async function sitesOf(
  session: Session,
  site?: string,
  label?: string,
): Promise<{ id: string; name: string }[]> {
  if ((site === undefined) === (label === undefined))
    throw new CommandFailure(exitCodes.usage, 'no_site', 'Name a site with --site, or sites with --label.')
  if (site !== undefined) return [{ id: site, name: site }]
  const { data } = await listed(10_000, (page) => session.call('listSites', { query: { ...page, label } }))
  if (data.length > 0) return data
  throw new CommandFailure(exitCodes.notFound, 'no_such_label', `No site has the label ${label}.`)
}

const compared = (session: Session, found: Previewed[]): string =>
  session.table(found, [
    { head: 'SITE', value: ({ site }) => site },
    { head: 'OUTCOME', value: ({ preview }) => preview.outcome, whole: true },
    { head: 'STATUS', value: ({ preview }) => preview.post.status.result },
    { head: 'UPLOADS', value: ({ preview }) => preview.uploads.length, whole: true },
    { head: 'NEW TERMS', value: ({ preview }) => namesOf(preview, 'create') },
    { head: 'LEFT OUT', value: ({ preview }) => namesOf(preview, 'left_out') },
    { head: 'WARNINGS', value: ({ preview }) => preview.warnings.length, whole: true },
    { head: 'WHY', value: ({ preview }) => preview.error?.message },
  ])

const namesOf = ({ terms }: Preview, outcome: string): string =>
  terms
    .filter((term) => term.outcome === outcome)
    .map(({ name }) => name)
    .join(', ')

const inFull = (session: Session, { outcome, error, post, uploads, terms, warnings }: Preview): string =>
  `${session.facts([
    ['outcome', outcome],
    ['why', error?.message],
    ['title', post.title],
    ['slug', post.slug],
    ['excerpt', post.excerpt],
    ['status', post.status.result],
    ...terms.map(({ taxonomy, name, outcome: what }) => [taxonomy, `${name} (${what})`] as const),
    ...uploads.map(({ url, file_name }) => ['upload', `${file_name} from ${url}`] as const),
    ...warnings.map(({ message }) => ['warning', message] as const),
  ])}\n${session.text(post.content)}\n`
