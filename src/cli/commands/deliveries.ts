import type { Delivery, DetailedDelivery, Operations } from '../../client/generated/api.ts'
import { CommandFailure, exitCodes, notAsAsked } from '../failure.ts'
import {
  addDeliveryFilterOptions,
  type CliCommand,
  commandById,
  type FilterOptions,
  formatTime,
  lossCount,
  onLossOption,
  parseCount,
  toFilter,
} from '../options.ts'
import type { Column } from '../output.ts'
import { callById, listByFilter, pollUntil, type Session, withSession } from '../session.ts'
import type { CliWorld } from '../world.ts'

export function deliveries(command: CliCommand, world: CliWorld): void {
  addDeliveryFilterOptions(command.command('list'))
    .description('List the deliveries, the newest first.')
    .option('--limit <count>', 'at most so many', parseCount, 20)
    .examples(
      'galley deliveries list',
      'galley deliveries list --status held --limit 100',
      'galley deliveries list --severity loss',
    )
    .action(listByFilter(world, 'listDeliveries', columns))
  addDeliveryFilterOptions(command.command('causes'))
    .description('Group what is held or has failed by what must be done.')
    .examples('galley deliveries causes', 'galley deliveries causes --label news')
    .action(
      withSession<[], FilterOptions>(world, async (session, options) => {
        const { more } = await session.print('listCauses', { query: toFilter(options) }, ({ data }) =>
          session.table(data, [
            { head: 'COUNT', value: ({ count }) => count, whole: true },
            { head: 'CODE', value: ({ code }) => code, whole: true },
            { head: 'WHAT', value: ({ sentence }) => sentence },
            { head: 'TO DO', value: ({ todo }) => todo },
          ]),
        )
        if (more) session.note('There are more deliveries than were looked at: there are at least this many.')
      }),
    )
  commandById(command, 'show', 'delivery')
    .description('Show a delivery, step by step.')
    .action(callById(world, 'getDelivery', (session, { data }) => detailed(session, data)))
  commandById(command, 'retry', 'delivery', ' --watch')
    .description('Deliver again, now.')
    .option('--site <id>', 'to this site instead, if nothing was created on the first one')
    .option('--overwrite', 'overwrite what a person changed in the post')
    .addOption(onLossOption())
    .option('--watch', 'wait for the end')
    .action(withSession<[string], RetryOptions>(world, retryDelivery))
  commandById(command, 'release', 'delivery')
    .description('Release a held delivery, once what it waited for is done.')
    .option('--watch', 'wait for the end')
    .action(withSession<[string], Wait>(world, releaseDelivery))
  commandById(command, 'withdraw', 'delivery', ' --to draft')
    .description('Take its post off the site. "galley deliveries retry" sends it again, to the same post.')
    .requiredOption('--to <place>', 'draft: it becomes a draft again. trash: it is moved to the trash')
    .option('--force', 'also where a person changed the post; their change stays in it')
    .option('--watch', 'wait for the end')
    .action(
      withSession<[string], Withdrawal & Wait>(world, async (session, { to, force, watch }, uuid) => {
        const answer = await session.call('withdrawDelivery', { path: { uuid }, body: { to, force } })
        await showOrWatch(session, answer, watch, 'withdrawn')
      }),
    )
  commandById(command, 'undo', 'delivery', ' --watch')
    .description('Put back the edited text that "retry --overwrite" or a merge replaced, within a day.')
    .option('--watch', 'wait for the end')
    .action(
      withSession<[string], Wait>(world, async (session, { watch }, uuid) => {
        await showOrWatch(session, await session.call('undoDelivery', { path: { uuid } }), watch, 'kept')
      }),
    )
  commandById(command, 'cancel', 'delivery')
    .description('Stop delivering it. What is on the site stays as it is.')
    .action(callById(world, 'cancelDelivery', (session, { data }) => detailed(session, data)))
  commandById(command, 'watch', 'delivery')
    .description('Wait for the end of a delivery. Ends with 7 where it is held, failed or cancelled.')
    .action(withSession<[string]>(world, (session, _options, uuid) => watchDelivery(session, uuid)))
}

const columns: Column<Delivery>[] = [
  { head: 'ID', value: ({ id }) => id, whole: true },
  { head: 'STATUS', value: ({ status }) => status, whole: true },
  { head: 'TITLE', value: ({ title }) => title },
  { head: 'POST', value: ({ post }) => post?.url },
  { head: 'LOST', value: lossCount, whole: true },
  { head: 'WHY', value: reasonOf },
  { head: 'CREATED', value: ({ created_at }) => formatTime(created_at), whole: true },
]

/** How a post stands: `publish, changed 2026-11-28T10:00:00Z by Ben Editor`. */
const postState = ({ status, modified_at, modified_by }: NonNullable<Delivery['post']>): string =>
  [status, modified_at && `changed ${formatTime(modified_at)}${modified_by ? ` by ${modified_by}` : ''}`]
    .filter(Boolean)
    .join(', ')

function reasonOf({ status, stands: { waits_for, since }, next_attempt_at, error }: Delivery) {
  if (status !== 'waiting') return error?.message
  if (waits_for === 'resume') return `The site has been paused since ${formatTime(since)}.`
  return `The site has been down since ${formatTime(since)}; next try ${formatTime(next_attempt_at)}.`
}

const detailed = (session: Session, delivery: DetailedDelivery): string =>
  `${session.facts([
    ['id', delivery.id],
    ['title', delivery.title],
    ['document', delivery.document_id],
    ['reference', delivery.reference],
    ['site', delivery.site_id],
    ['status', delivery.status],
    ['withdraw to', delivery.withdraw_to],
    ['why', reasonOf(delivery)],
    ['post', delivery.post?.url],
    ['edit', delivery.post?.edit_url],
    ['in WordPress', delivery.post && postState(delivery.post)],
    ['attempts', delivery.attempts],
    ['next', formatTime(delivery.next_attempt_at)],
    ...delivery.warnings.map(({ severity, message }) => [severity, message] as const),
  ])}\n${session.table(delivery.timeline, [
    { head: 'AT', value: ({ at }) => at, whole: true },
    { head: 'STEP', value: ({ step }) => step, whole: true },
    { head: 'OUTCOME', value: ({ outcome }) => outcome, whole: true },
    { head: 'DETAIL', value: ({ detail }) => detail },
  ])}`

interface Wait {
  watch?: boolean
}

type Withdrawal = Operations['withdrawDelivery']['body']

interface RetryOptions extends Wait {
  site?: string
  overwrite?: boolean
  onLoss?: 'publish' | 'draft' | 'hold'
}

async function retryDelivery(
  session: Session,
  { site, overwrite, onLoss, watch }: RetryOptions,
  uuid: string,
): Promise<void> {
  const answer = await session.call('retryDelivery', {
    path: { uuid },
    body: { site_id: site, overwrite, on_loss: onLoss },
  })
  await showOrWatch(session, answer, watch, 'delivered')
}

/** @param wanted how the delivery ends where what was asked for is done */
async function showOrWatch(
  session: Session,
  answer: { data: DetailedDelivery },
  watch: boolean | undefined,
  wanted: Delivery['status'],
) {
  if (watch) return watchDelivery(session, answer.data.id, [wanted])
  await session.show(answer, () => detailed(session, answer.data))
}

async function releaseDelivery(session: Session, options: Wait, uuid: string): Promise<void> {
  const { data } = await session.call('getDelivery', { path: { uuid } })
  if (data.status === 'held') return retryDelivery(session, options, uuid)
  throw new CommandFailure(
    exitCodes.conflict,
    'not_held',
    `This delivery is ${data.status} and waits for nobody; "galley deliveries retry" delivers it again.`,
  )
}

const END_STATUSES = new Set<Delivery['status']>([
  'delivered',
  'withdrawn',
  'held',
  'failed',
  'cancelled',
  'kept',
])

/** Until a delivery has ended; what happens meanwhile is told line by line. @throws CommandFailure where the end is not wanted */
async function watchDelivery(
  session: Session,
  uuid: string,
  wanted: readonly Delivery['status'][] = ['delivered', 'withdrawn', 'kept'],
): Promise<void> {
  const answer = await pollUntil(session, async () => {
    const looked = await session.call('getDelivery', { path: { uuid } })
    const { status, timeline } = looked.data
    const last = timeline.at(-1)
    const progress = [status, last && `${last.step} ${last.outcome}`].filter(Boolean).join(': ')
    return { progress, end: END_STATUSES.has(status) ? looked : undefined }
  })
  await session.show(answer, () => detailed(session, answer.data))
  const { status, error } = answer.data
  if (!wanted.includes(status))
    throw notAsAsked(`delivery_${status}`, error?.message ?? `The delivery is ${status}.`)
}
