import { createHash } from 'node:crypto'
import { Option } from 'commander'
import { normaliseDocument } from '../../blocks/read.ts'
import { ApiError } from '../../client/calls.ts'
import type { Delivery, Operations, Preview } from '../../client/generated/api.ts'
import { LimitError } from '../../contract/limits.ts'
import { emptyDocumentError, inOurFormat, isEmptyDocument } from '../../contract/webhook.ts'
import { GalleyError } from '../../errors.ts'
import { renderSettingsSchema } from '../../render/options.ts'
import { renderDocument } from '../../render/render.ts'
import { withSeverity } from '../../warnings.ts'
import { CommandFailure, exitCodes, notAsAsked, usageError } from '../failure.ts'
import { type DocumentFile, noDocument, parseDocument, readDocument } from '../input.ts'
import {
  type CliCommand,
  collectLabels,
  collectValues,
  EXAMPLE_SITE,
  listPages,
  lossCount,
  onLossOption,
} from '../options.ts'
import { escapeControls, jsonText } from '../output.ts'
import { pollUntil, type Session, withSession } from '../session.ts'
import type { CliWorld } from '../world.ts'

const FILE =
  'file with Markdown (.md), HTML (.html) or a Word document (.docx), or JSON with a webhook or its data; - reads JSON from standard input'

interface DeliverOptions {
  site?: string[]
  label?: string[]
  id?: string
  status?: 'draft' | 'publish' | 'pending'
  onLoss?: 'publish' | 'draft' | 'hold'
  idempotencyKey?: string
  watch?: boolean
}

/** `galley deliver FILE`: a document from a file to one or several sites, without a webhook. */
export function deliver(command: CliCommand, world: CliWorld): void {
  command
    .argument('<file>', FILE)
    .option('--site <id>', 'to this site; may be given several times', collectValues)
    .option('--label <label>', 'to each site with this label; may be given several times', collectLabels)
    .option(
      '--id <id>',
      'of the document, a UUID or a name of your own; else as the file says. Sent again under it, it changes its post',
    )
    .addOption(
      new Option('--status <status>', 'of the post; else as the file says, or draft').choices([
        'draft',
        'publish',
        'pending',
      ]),
    )
    .addOption(onLossOption())
    .option('--idempotency-key <name>', 'sent again under the same name, it is the same request')
    .option('--watch', 'wait for the end. Ends with 7 where one is held or fails')
    .examples(
      `galley deliver post.md --site ${EXAMPLE_SITE} --watch`,
      'galley deliver article.json --label news --status draft',
    )
    .action(withSession<[string], DeliverOptions>(world, deliverFile))
}

async function deliverFile(session: Session, options: DeliverOptions, file: string): Promise<void> {
  const { site, label, idempotencyKey, watch } = options
  if (site === undefined && label === undefined)
    throw usageError('no_site', 'Name a site with --site, or sites with --label.')
  const document = await readDocument(session.world, file)
  const id = options.id ?? document.id ?? idFromContent(session, document)
  const answer = await session
    .call('createDeliveries', {
      headers: { 'idempotency-key': idempotencyKey },
      body: {
        id,
        data: document.data,
        delivery: deliveryRequest(document, options),
        site_ids: site,
        labels: label,
      } as never,
    })
    .catch(noSuchSite)
  for (const { path, message } of answer.warnings ?? []) session.note(`Warning: ${path}: ${message}`)
  const deliveries: ShownDelivery[] = watch ? await waitForEnd(session, answer) : answer.data
  await session.show({ ...answer, data: deliveries }, () =>
    session.table(deliveries, [
      { head: 'ID', value: (delivery) => delivery.id, whole: true },
      { head: 'SITE', value: (delivery) => delivery.site_id, whole: true },
      { head: 'STATUS', value: (delivery) => delivery.status, whole: true },
      { head: 'POST', value: (delivery) => delivery.post?.url },
      { head: 'LOST', value: ({ warnings = [] }) => lossCount({ warnings }), whole: true },
      { head: 'WHY', value: (delivery) => delivery.error?.message },
    ]),
  )
  const others = deliveries.filter((delivery) => delivery.status !== 'delivered').length
  if (watch && others > 0)
    throw notAsAsked('not_delivered', `Not delivered: ${others} of ${deliveries.length}.`)
}

/** Where nothing is wrong but that a site is not there, it ends as any command does that names one. */
function noSuchSite(error: unknown): never {
  if (!(error instanceof ApiError) || error.status !== 422) throw error
  const details = error.details as { path: string }[]
  if (details.every(({ path }) => /^body\.(?:site_ids|labels)\b/.test(path))) throw new ApiError(404, error)
  throw error
}

/** As it was asked for; with the post, or why there is none, once it was waited for. */
type ShownDelivery = Pick<Delivery, 'id' | 'site_id' | 'status'> &
  Partial<Pick<Delivery, 'post' | 'warnings' | 'error'>>

/** What the file's own `delivery` says, but for the site, which the command line names. */
function deliveryRequest(
  { delivery }: DocumentFile,
  { status, onLoss }: Pick<DeliverOptions, 'status' | 'onLoss'>,
) {
  const { id: _site, ...requested } = delivery ?? {}
  return {
    ...requested,
    ...(status !== undefined && { post_status: status }),
    ...(onLoss !== undefined && { on_loss: onLoss }),
  }
}

/** From its name, which may be the title, and what is in it: the same file sent twice is one document, and never two posts. */
function idFromContent({ note }: Session, { data }: DocumentFile): string {
  const digits = createHash('sha256').update(JSON.stringify(data)).digest('hex')
  const id = `sha256-${digits}`
  note(
    `The file names no document. By its name and what is in it, it is ${id}; give --id to change it later.`,
  )
  return id
}

/** Looks at pages of the list: a call for each of them would soon be more than an account may make in a minute. */
const waitForEnd = (session: Session, { document_id, data }: Operations['createDeliveries']['answer']) =>
  pollUntil(session, async () => {
    const { data: found } = await listPages(Number.POSITIVE_INFINITY, (page) =>
      session.call('listDeliveries', { query: { ...page, document_id } }),
    )
    const all = data.flatMap(({ id }) => found.find((delivery) => delivery.id === id) ?? [])
    const waiting = all.filter(({ status }) => ['queued', 'waiting', 'delivering'].includes(status)).length
    return { progress: `Under way: ${waiting} of ${all.length}`, end: waiting === 0 ? all : undefined }
  })

interface PreviewOptions {
  site?: string
  label?: string
}

interface Previewed {
  site_id: string
  site: string
  preview: Preview
}

/** `galley preview FILE`: what a document would become on a site, or on all sites with a label. Nothing is written. */
export function preview(command: CliCommand, world: CliWorld): void {
  command
    .argument('<file>', FILE)
    .option('--site <id>', 'on this site')
    .option('--label <label>', 'on each site with this label')
    .examples(
      `galley preview article.json --site ${EXAMPLE_SITE}`,
      'galley preview article.json --label news',
    )
    .action(withSession<[string], PreviewOptions>(world, previewFile))
}

async function previewFile(session: Session, { site, label }: PreviewOptions, file: string): Promise<void> {
  const { data, delivery } = await readDocument(session.world, file)
  const body = { data, delivery } as never
  const found: Previewed[] = []
  for (const { id, name } of await selectSites(session, site, label)) {
    if (label !== undefined) session.note(`Asking ${name}`)
    const answer = await session.call('previewDocument', { path: { uuid: id }, body })
    found.push({ site_id: id, site: name, preview: answer.data })
  }
  await session.show({ success: true, data: found }, () =>
    site === undefined
      ? comparePreviews(session, found)
      : found.map(({ preview }) => formatPreview(session, preview)).join('\n'),
  )
  if (found.some(({ preview: { outcome } }) => outcome === 'held'))
    throw notAsAsked('would_be_held', 'A delivery would wait for a person.')
}

async function selectSites(session: Session, site?: string, label?: string) {
  if ((site === undefined) === (label === undefined))
    throw usageError('no_site', 'Name a site with --site, or sites with --label.')
  if (site !== undefined) return [{ id: site, name: site }]
  const { data } = await listPages(10_000, (page) => session.call('listSites', { query: { ...page, label } }))
  if (data.length > 0) return data
  throw new CommandFailure(exitCodes.notFound, 'no_such_label', `No site has the label ${label}.`)
}

const comparePreviews = (session: Session, found: Previewed[]): string =>
  session.table(found, [
    { head: 'SITE', value: ({ site }) => site },
    { head: 'OUTCOME', value: ({ preview }) => preview.outcome, whole: true },
    { head: 'STATUS', value: ({ preview }) => preview.post.status.result },
    { head: 'UPLOADS', value: ({ preview }) => preview.uploads.length, whole: true },
    { head: 'NEW TERMS', value: ({ preview }) => termNames(preview, 'create') },
    { head: 'LEFT OUT', value: ({ preview }) => termNames(preview, 'left_out') },
    { head: 'WARNINGS', value: ({ preview }) => preview.warnings.length, whole: true },
    { head: 'WHY', value: ({ preview }) => preview.error?.message },
  ])

const termNames = ({ terms }: Preview, outcome: string): string =>
  terms
    .filter((term) => term.outcome === outcome)
    .map(({ name }) => name)
    .join(', ')

const formatPreview = (session: Session, { outcome, error, post, uploads, terms, warnings }: Preview) =>
  `${session.facts([
    ['outcome', outcome],
    ['why', error?.message],
    ['title', post.title],
    ['slug', post.slug],
    ['excerpt', post.excerpt],
    ['status', post.status.result],
    ...terms.map(({ taxonomy, name, outcome: what }) => [taxonomy, `${name} (${what})`] as const),
    ...uploads.map(({ url, file_name }) => ['upload', `${file_name} from ${url}`] as const),
    ...warnings.map(({ severity, message }) => [severity, message] as const),
  ])}\n${session.text(post.content)}\n`

interface RenderOptions {
  format: 'block' | 'classic'
  wordpress?: string
  json?: boolean
}

/** `galley render FILE`: the markup of a document, as a site that has chosen nothing would get it. Asks nobody. */
export function render(command: CliCommand, world: CliWorld): void {
  command
    .argument('<file>', FILE)
    .addOption(
      new Option('--format <format>', 'for the block editor, or the classic one')
        .choices(['block', 'classic'])
        .default('block'),
    )
    .option('--wordpress <version>', 'version of the site’s WordPress, such as 6.8; else the newest')
    .examples('galley render article.json', 'galley render article.json --format classic')
    .action(async (file: string, _options: object, { optsWithGlobals }: CliCommand) => {
      const { format, wordpress, json } = optsWithGlobals.call(command) as RenderOptions
      const { markup, warnings } = await renderFile(await readDocument(world, file), {
        file,
        format,
        wordpress,
      })
      if (json) return world.write(`${jsonText({ success: true, data: { markup, warnings } }, 2)}\n`)
      for (const { severity, message } of warnings)
        world.note(escapeControls(`Warning (${severity}): ${message}`))
      // A file gets exactly the bytes; a terminal, nothing that it would act on.
      await world.write(`${world.columns === undefined ? markup : escapeControls(markup)}\n`)
    })
}

async function renderFile(
  { data, delivery }: DocumentFile,
  { file, format, wordpress: wordpressVersion }: { file: string } & Omit<RenderOptions, 'json'>,
) {
  try {
    const translated = await inOurFormat({ event: 'document.completed', data, delivery })
    if (translated.unreadable !== undefined) throw noDocument(file, `it is ${translated.unreadable}`)
    const ours = (translated.json as { data: unknown }).data
    const { document, warnings: reading } = normaliseDocument(parseDocument(file, ours))
    const warnings = [...translated.warnings, ...reading]
    if (isEmptyDocument(document)) throw emptyDocumentError()
    const { markup, warnings: more } = renderDocument(document, {
      format,
      media: new Map(),
      settings: renderSettingsSchema.parse({}),
      ...(wordpressVersion !== undefined && { wordpressVersion }),
    })
    return { markup, warnings: withSeverity([...warnings, ...more]) }
  } catch (error) {
    if (!(error instanceof GalleyError) || error instanceof CommandFailure) throw error
    if (!(error instanceof LimitError) && error.httpStatus !== 422) throw error
    throw usageError(error.code, error.message, error)
  }
}
