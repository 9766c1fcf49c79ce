import type { Command } from 'commander'
import type { BulkItem, BulkJob } from '../../client/api.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { readJson } from '../input.ts'
import {
  addDeliveryFilterOptions,
  collectValues,
  type DeliveryFilter,
  formatTime,
  helpExamples,
  listPages,
  moreHint,
  parseCount,
  type SiteFilter,
  toDeliveryFilter,
  toSiteFilter,
} from '../options.ts'
import type { Column } from '../output.ts'
import { pollUntil, type Session, withSession } from '../session.ts'
import type { CliWorld } from '../world.ts'

const EXAMPLE_ID = '018f2c5e-7b1a-7c3d-9e4f-5a6b7c8d9e0f'

/** `galley bulk …`: one thing done to everything that matches a filter. */
export function bulk(command: Command, world: CliWorld): void {
  bulkStart(command, world)
  command
    .command('list')
    .description('List the bulk jobs, the newest first.')
    .option('--limit <count>', 'at most so many', parseCount, 20)
    .addHelpText('after', helpExamples('galley bulk list'))
    .action(withSession<[], { limit: number }>(world, listBulk))
  command
    .command('show')
    .description('Show the progress and the report of a bulk job.')
    .argument('<job>', 'its id')
    .option('--watch', 'wait for the end')
    .addHelpText('after', helpExamples(`galley bulk show ${EXAMPLE_ID}`))
    .action(
      withSession<[string], { watch?: boolean }>(world, async (session, { watch }, uuid) => {
        if (watch) return watchBulk(session, uuid)
        const answer = await session.call('getBulk', { path: { uuid } })
        await session.show(answer, () => bulkReport(session, answer.data))
      }),
    )
  command
    .command('items')
    .description('List what became of each delivery or site of a bulk job.')
    .argument('<job>', 'its id')
    .option('--outcome <outcome>', 'only those that are waiting, done, skipped or failed')
    .option('--limit <count>', 'at most so many', parseCount, 100)
    .addHelpText('after', helpExamples(`galley bulk items ${EXAMPLE_ID} --outcome failed`))
    .action(withSession<[string], BulkItemOptions>(world, listBulkItems))
  command
    .command('cancel')
    .description('Cancel a bulk job. What was done stays done.')
    .argument('<job>', 'its id')
    .addHelpText('after', helpExamples(`galley bulk cancel ${EXAMPLE_ID}`))
    .action(
      withSession<[string]>(world, async (session, _options, uuid) => {
        const answer = await session.call('cancelBulk', { path: { uuid } })
        await session.show(answer, () => bulkReport(session, answer.data))
      }),
    )
}

const bulkColumns: Column<BulkJob>[] = [
  { head: 'ID', value: ({ id }) => id, whole: true },
  { head: 'ACTION', value: (job) => `${job.action}${job.dry_run ? ', dry run' : ''}`, whole: true },
  { head: 'STATUS', value: ({ status }) => status, whole: true },
  { head: 'MATCHED', value: ({ matched }) => matched, whole: true },
  { head: 'DONE', value: ({ done }) => done, whole: true },
  { head: 'FAILED', value: ({ failed }) => failed, whole: true },
  { head: 'FILTER', value: ({ filter }) => JSON.stringify(filter) },
  { head: 'CREATED', value: ({ created_at }) => formatTime(created_at), whole: true },
]

async function listBulk(session: Session, { limit }: { limit: number }): Promise<void> {
  const page = await listPages(limit, (query) => session.call('listBulk', { query }))
  await session.show({ success: true, ...page }, () => session.table(page.data, bulkColumns))
  if (moreHint(page)) session.note(moreHint(page))
}

interface BulkItemOptions {
  outcome?: BulkItem['outcome']
  limit: number
}

async function listBulkItems(
  session: Session,
  { outcome, limit }: BulkItemOptions,
  uuid: string,
): Promise<void> {
  const page = await listPages(limit, (asked) =>
    session.call('listBulkItems', { path: { uuid }, query: { ...asked, outcome } }),
  )
  await session.show({ success: true, ...page }, () =>
    session.table(page.data, [
      { head: 'ID', value: ({ id }) => id, whole: true },
      { head: 'OUTCOME', value: (item) => item.outcome, whole: true },
      { head: 'WHY', value: ({ message }) => message },
    ]),
  )
  if (moreHint(page)) session.note(moreHint(page))
}

interface BulkStartOptions extends DeliveryFilter, SiteFilter {
  status?: string[]
  label?: string
  site?: string[]
  all?: boolean
  to?: string
  add?: string[]
  remove?: string[]
  reason?: string
  settings?: string
  dryRun?: boolean
  watch?: boolean
  idempotencyKey?: string
}

/** `galley bulk start`. */
export function bulkStart(command: Command, world: CliWorld): void {
  addDeliveryFilterOptions(command.command('start'))
    .description('Do one thing to all deliveries, or all sites, that match.')
    .argument(
      '<action>',
      'of deliveries: retry, release, move, overwrite, cancel; of sites: label, settings, check, pause, resume',
    )
    .option('--level <level>', 'of sites: only those whose last check ended with ok, warning or problem')
    .option('--finding <check>', 'of sites: only those where this check is a warning or a problem')
    .option('--search <text>', 'of sites: only those whose name or address has this in it')
    .option('--all', 'everything, where no filter is given')
    .option('--to <site>', 'for move: the site that they go to')
    .option('--add <label>', 'for label: labels that sites get', collectValues)
    .option('--remove <label>', 'for label: labels that are taken from them', collectValues)
    .option('--reason <text>', 'for pause: for whoever looks at the site')
    .option('--settings <file>', 'for settings: JSON file with what is to change')
    .option('--dry-run', 'show what would be done, and do nothing')
    .option('--idempotency-key <name>', 'sent again under the same name, it is the same job')
    .option('--watch', 'wait for the end. Ends with 7 where something failed')
    .addHelpText(
      'after',
      helpExamples(
        'galley bulk start release --label news --dry-run --watch',
        'galley bulk start retry --status failed --code timeout',
        'galley bulk start label --search example.com --add english',
        'galley bulk start check --all',
      ),
    )
    .action(withSession<[string], BulkStartOptions>(world, startBulk))
}

const SITE_ACTIONS = new Set(['label', 'settings', 'check', 'pause', 'resume'])

async function startBulk(session: Session, options: BulkStartOptions, action: string): Promise<void> {
  const { all, dryRun, watch, idempotencyKey } = options
  const [filter, others] = SITE_ACTIONS.has(action)
    ? [toSiteFilter(options), toDeliveryFilter(options)]
    : [toDeliveryFilter(options), toSiteFilter(options)]
  // What means nothing to this action is for Galley to refuse by name, rather than left out unsaid.
  const asked = { ...others, ...filter }
  if (Object.keys(asked).length === 0 && !all)
    throw new CommandFailure(
      exitCodes.usage,
      'no_filter',
      'Say what to act on (--status, --label, --site, --code, …), or --all for everything.',
    )
  const answer = await session.call('createBulk', {
    headers: { 'idempotency-key': idempotencyKey },
    body: {
      ...{ action, filter: asked, dry_run: dryRun ?? false },
      parameters: await actionParameters(session, options),
    } as never,
  })
  if (watch) return watchBulk(session, answer.id)
  await session.show(answer, () => bulkReport(session, answer.data))
}

async function actionParameters({ world }: Session, { to, add, remove, reason, settings }: BulkStartOptions) {
  return {
    ...(settings !== undefined && ((await readJson(world, settings)) as object)),
    ...(to !== undefined && { site_id: to }),
    ...(add !== undefined && { add }),
    ...(remove !== undefined && { remove }),
    ...(reason !== undefined && { reason }),
  }
}

/** A job with its report. */
export const bulkReport = (session: Session, job: BulkJob): string =>
  session.facts([
    ['id', job.id],
    ['action', `${job.action}${job.dry_run ? ', dry run' : ''}`],
    ['filter', JSON.stringify(job.filter)],
    ['status', job.status],
    ['matched', job.matched],
    ['done', job.done],
    ['skipped', job.skipped],
    ['failed', job.failed],
  ]) +
  (job.reasons.length === 0
    ? ''
    : `\n${session.table(job.reasons, [
        { head: 'COUNT', value: ({ count }) => count, whole: true },
        { head: 'OUTCOME', value: ({ outcome }) => outcome, whole: true },
        { head: 'WHY', value: ({ message }) => message },
      ])}`)

/** Until a job has ended. @throws CommandFailure where not everything was done */
export async function watchBulk(session: Session, uuid: string): Promise<void> {
  const answer = await pollUntil(session, async () => {
    const looked = await session.call('getBulk', { path: { uuid } })
    const { matched, done, skipped, failed, ended_at, status } = looked.data
    const said = `${status}: ${done} of ${matched}, skipped ${skipped}, failed ${failed}`
    return { said, end: ended_at === null ? undefined : looked }
  })
  await session.show(answer, () => bulkReport(session, answer.data))
  const { status, failed } = answer.data
  if (status === 'done' && failed === 0) return
  const message =
    status === 'done'
      ? `Failed: ${failed}. "galley bulk items ${uuid} --outcome failed" names them.`
      : `The job is ${status}.`
  throw new CommandFailure(exitCodes.notAsAsked, 'bulk_incomplete', message)
}
