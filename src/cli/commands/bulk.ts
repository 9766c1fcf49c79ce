import type { BulkItem, BulkJob } from '../../client/generated/api.ts'
import { notAsAsked, usageError } from '../failure.ts'
import { readRequest } from '../input.ts'
import {
  addDeliveryFilterOptions,
  type CliCommand,
  collectLabels,
  commandById,
  type FilterOptions,
  formatTime,
  outcomeInWords,
  parseCount,
  toFilter,
} from '../options.ts'
import type { Column } from '../output.ts'
import { callById, listByFilter, pollUntil, type Session, withSession } from '../session.ts'
import type { CliWorld } from '../world.ts'

export function bulk(command: CliCommand, world: CliWorld): void {
  addDeliveryFilterOptions(command.command('start'))
    .description('Do one thing to all deliveries, or all sites, that match.')
    .argument(
      '<action>',
      'of deliveries: retry, release, move, overwrite, withdraw, cancel; of sites: label, settings, undo, check, mail_owner, pause, resume',
    )
    .option('--level <level>', 'of sites: only those whose last check ended with ok, warning or problem')
    .option('--finding <check>', 'of sites: only those where this check is a warning or a problem')
    .option('--all', 'everything, where no filter is given')
    .option('--to <place>', 'for move: the site that they go to; for withdraw: draft or trash')
    .option('--add <label>', 'for label: labels that sites get', collectLabels)
    .option('--remove <label>', 'for label: labels that are taken from them', collectLabels)
    .option('--reason <text>', 'for pause: for whoever looks at the site')
    .option('--on-loss <choice>', 'for retry and release: what becomes of those where something is missing')
    .option('--bulk <job>', 'for undo: the job of label or settings that is undone')
    .option('--settings <file>', 'for settings: JSON file with what is to change')
    .option('--dry-run', 'show what would be done, and do nothing')
    .option('--idempotency-key <name>', 'sent again under the same name, it is the same job')
    .option('--watch', 'wait for the end. Ends with 7 where something failed')
    .examples(
      'galley bulk start release --label news --dry-run --watch',
      'galley bulk start retry --status failed --code request_refused',
      'galley bulk start retry --status held --code content_lost --on-loss draft',
      'galley bulk start withdraw --label news --to draft --dry-run',
      'galley bulk start label --search example.com --add english',
      'galley bulk start check --all',
    )
    .action(withSession<[string], BulkStartOptions>(world, startBulk))
  command
    .command('list')
    .description('List the bulk jobs, the newest first.')
    .option('--limit <count>', 'at most so many', parseCount, 20)
    .examples('galley bulk list')
    .action(listByFilter(world, 'listBulk', bulkColumns))
  commandById(command, 'show', 'job')
    .description('Show the progress and the report of a bulk job.')
    .option('--watch', 'wait for the end')
    .action(
      withSession<[string], { watch?: boolean }>(world, async (session, { watch }, uuid) => {
        if (watch) return watchBulk(session, uuid)
        await session.print('getBulk', { path: { uuid } }, ({ data }) => bulkReport(session, data))
      }),
    )
  commandById(command, 'items', 'job', ' --outcome failed')
    .description('List what became of each delivery or site of a bulk job.')
    .option('--outcome <outcome>', 'only those that are waiting, done, skipped or failed')
    .option('--limit <count>', 'at most so many', parseCount, 100)
    .action(withSession<[string], BulkItemOptions>(world, listBulkItems))
  commandById(command, 'cancel', 'job')
    .description('Cancel a bulk job. What was done stays done.')
    .action(callById(world, 'cancelBulk', (session, { data }) => bulkReport(session, data)))
}

const bulkColumns: Column<BulkJob>[] = [
  { head: 'ID', value: ({ id }) => id, whole: true },
  { head: 'ACTION', value: (job) => `${job.action}${job.dry_run ? ', dry run' : ''}`, whole: true },
  { head: 'STATUS', value: ({ status }) => status, whole: true },
  { head: 'MATCHED', value: ({ matched }) => matched, whole: true },
  { head: 'DONE', value: ({ done, dry_run }) => (dry_run ? `would: ${done}` : done), whole: true },
  { head: 'FAILED', value: ({ failed, dry_run }) => (dry_run ? `would: ${failed}` : failed), whole: true },
  { head: 'FILTER', value: ({ filter }) => JSON.stringify(filter) },
  { head: 'CREATED', value: ({ created_at }) => formatTime(created_at), whole: true },
]

interface BulkItemOptions {
  outcome?: BulkItem['outcome']
  limit: number
}

async function listBulkItems(session: Session, { outcome, limit }: BulkItemOptions, uuid: string) {
  const { data: job } = await session.call('getBulk', { path: { uuid } })
  await session.printList<BulkItem>(
    limit,
    (page) => session.call('listBulkItems', { path: { uuid }, query: { ...page, outcome } }),
    [
      { head: 'ID', value: ({ id }) => id, whole: true },
      { head: 'OUTCOME', value: (item) => outcomeInWords(item.outcome, job.dry_run), whole: true },
      { head: 'WHY', value: ({ message }) => message },
    ],
  )
}

interface BulkStartOptions extends FilterOptions {
  all?: boolean
  to?: string
  add?: string[]
  remove?: string[]
  reason?: string
  onLoss?: string
  bulk?: string
  settings?: string
  dryRun?: boolean
  watch?: boolean
  idempotencyKey?: string
}

async function startBulk(session: Session, options: BulkStartOptions, action: string): Promise<void> {
  const { all, dryRun, watch, idempotencyKey } = options
  // What means nothing to this action is for Galley to refuse by name, rather than left out unsaid.
  const filter = toFilter(options)
  if (Object.keys(filter).length === 0 && !all)
    throw usageError(
      'no_filter',
      'Say what to act on (--status, --label, --site, --code, …), or --all for everything.',
    )
  const answer = await session.call('createBulk', {
    headers: { 'idempotency-key': idempotencyKey },
    body: {
      ...{ action, filter, dry_run: dryRun ?? false },
      parameters: await actionParameters(session, action, options),
    } as never,
  })
  if (watch) return watchBulk(session, answer.id)
  await session.show(answer, () => bulkReport(session, answer.data))
}

async function actionParameters(
  { world }: Session,
  action: string,
  { to, add, remove, reason, onLoss, bulk, settings }: BulkStartOptions,
) {
  return {
    ...{ add, remove, reason, bulk_id: bulk, on_loss: onLoss },
    ...(to !== undefined && { [action === 'withdraw' ? 'to' : 'site_id']: to }),
    ...(settings !== undefined && (await readRequest(world, settings))),
  }
}

const bulkReport = (session: Session, job: BulkJob): string =>
  session.facts([
    ['id', job.id],
    ['action', `${job.action}${job.dry_run ? ', dry run' : ''}`],
    ['filter', JSON.stringify(job.filter)],
    ['status', job.status],
    ['matched', job.matched],
    ...bulkCounts(job),
  ]) +
  (job.reasons.length === 0
    ? ''
    : `\n${session.table(job.reasons, [
        { head: 'COUNT', value: ({ count }) => count, whole: true },
        { head: 'OUTCOME', value: ({ outcome }) => outcomeInWords(outcome, job.dry_run), whole: true },
        { head: 'WHY', value: ({ message }) => message },
      ])}`)

const bulkCounts = ({ dry_run, ...counts }: BulkJob): [string, number][] =>
  (['done', 'skipped', 'failed'] as const).map((outcome) => [
    outcomeInWords(outcome, dry_run),
    counts[outcome],
  ])

/** Waits until a job has ended. @returns the ended job */
export const pollBulk = (session: Session, uuid: string): Promise<BulkJob> =>
  pollUntil(session, async () => {
    const { data } = await session.call('getBulk', { path: { uuid } })
    const counts = bulkCounts(data).map(([name, count]) => `${name} ${count}`)
    const progress = `${data.status}: of ${data.matched}, ${counts.join(', ')}`
    return { progress, end: data.ended_at === null ? undefined : data }
  })

/** Shows a job when it has ended. @throws CommandFailure where not everything was done */
async function watchBulk(session: Session, uuid: string): Promise<void> {
  const data = await pollBulk(session, uuid)
  await session.show({ success: true, data }, () => bulkReport(session, data))
  const { status, failed, dry_run } = data
  if (dry_run) session.note('Dry run: nothing was changed.')
  if (status === 'done' && failed === 0) return
  const message =
    status === 'done'
      ? `${dry_run ? 'Would fail' : 'Failed'}: ${failed}. "galley bulk items ${uuid} --outcome failed" names them.`
      : `The job is ${status}.`
  throw notAsAsked('bulk_incomplete', message)
}
