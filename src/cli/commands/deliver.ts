import { createHash } from 'node:crypto'
import { type Command, Option } from 'commander'
import type { Delivery } from '../../client/api.ts'
import { ApiFailure } from '../../client/failure.ts'
import { type DocumentFile, readDocument } from '../document.ts'
import { exitCodes } from '../exit-codes.ts'
import { CommandFailure } from '../failure.ts'
import { examples } from '../help.ts'
import { several } from '../lists.ts'
import { inSession, type Session } from '../session.ts'
import { until } from '../wait.ts'
import type { World } from '../world.ts'

interface Options {
  site?: string[]
  label?: string[]
  id?: string
  status?: 'draft' | 'publish' | 'pending'
  idempotencyKey?: string
  watch?: boolean
}

/** `galley deliver FILE`: a document from a file to one or several sites, without a webhook. */
export function deliver(command: Command, world: World): void {
  command
    .argument('<file>', 'JSON file with a webhook, or with its data; - reads standard input')
    .option('--site <id>', 'to this site; may be given several times', several)
    .option('--label <label>', 'to each site with this label; may be given several times', several)
    .option(
      '--id <uuid>',
      'of the document, where the file names none: sent again under it, it changes its post',
    )
    .addOption(
      new Option('--status <status>', 'of the post; else as the file says, or draft').choices([
        'draft',
        'publish',
        'pending',
      ]),
    )
    .option('--idempotency-key <name>', 'sent again under the same name, it is the same request')
    .option('--watch', 'wait for the end. Ends with 7 where one is held or fails')
    .addHelpText(
      'after',
      examples(
        'galley deliver article.json --site 5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11 --watch',
        'galley deliver article.json --label news --status draft',
      ),
    )
    .action(inSession<[string], Options>(world, run))
}

async function run(session: Session, options: Options, file: string): Promise<void> {
  const { site, label, status, idempotencyKey, watch } = options
  if (site === undefined && label === undefined)
    throw new CommandFailure(exitCodes.usage, 'no_site', 'Name a site with --site, or sites with --label.')
  const document = await readDocument(session.world, file)
  const id = options.id ?? document.id ?? named(session, document)
  const answer = await session
    .call('createDeliveries', {
      headers: { 'idempotency-key': idempotencyKey },
      body: {
        id,
        data: document.data,
        delivery: deliveryOf(document, status),
        site_ids: site,
        labels: label,
      } as never,
    })
    .catch(noSuchSite)
  for (const { path, message } of answer.warnings ?? []) session.note(`Warning: ${path}: ${message}`)
  const deliveries: Shown[] = watch
    ? await ended(
        session,
        answer.data.map((delivery) => delivery.id),
      )
    : answer.data
  await session.show({ ...answer, data: deliveries }, () =>
    session.table(deliveries, [
      { head: 'ID', value: (delivery) => delivery.id, whole: true },
      { head: 'SITE', value: (delivery) => delivery.site_id, whole: true },
      { head: 'STATUS', value: (delivery) => delivery.status, whole: true },
      { head: 'POST', value: (delivery) => delivery.post?.url },
      { head: 'WHY', value: (delivery) => delivery.error?.message },
    ]),
  )
  const others = deliveries.filter((delivery) => delivery.status !== 'delivered').length
  if (watch && others > 0)
    throw new CommandFailure(
      exitCodes.notAsAsked,
      'not_delivered',
      `Not delivered: ${others} of ${deliveries.length}.`,
    )
}

/** Where nothing is wrong but that a site is not there, it ends as any command does that names one. */
function noSuchSite(error: unknown): never {
  if (!(error instanceof ApiFailure) || error.status !== 422) throw error
  const details = error.details as { path: string }[]
  if (details.every(({ path }) => /^body\.(?:site_ids|labels)\b/.test(path))) throw new ApiFailure(404, error)
  throw error
}

/** As it was asked for; with the post, or why there is none, once it was waited for. */
type Shown = Pick<Delivery, 'id' | 'site_id' | 'status'> & Partial<Pick<Delivery, 'post' | 'error'>>

/** What the file's own `delivery` says, but for the site, which the command line names. */
function deliveryOf({ delivery }: DocumentFile, status: Options['status']) {
  const { id: _site, ...requested } = delivery ?? {}
  return { ...requested, ...(status !== undefined && { post_status: status }) }
}

/** From what is in it: the same file sent twice is one document, and never two posts. */
function named({ note }: Session, { data }: DocumentFile): string {
  const digits = createHash('sha256').update(JSON.stringify(data)).digest('hex')
  const id = `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`
  note(`The file names no document. By what is in it, it is ${id}; give --id to change it later.`)
  return id
}

/** All of them, once each has come to an end. */
async function ended(session: Session, ids: string[]) {
  return until(session, async () => {
    const all = await Promise.all(
      ids.map(async (uuid) => (await session.call('getDelivery', { path: { uuid } })).data),
    )
    const waiting = all.filter(({ status }) => status === 'queued' || status === 'delivering').length
    return { said: `Under way: ${waiting} of ${all.length}`, end: waiting === 0 ? all : undefined }
  })
}
