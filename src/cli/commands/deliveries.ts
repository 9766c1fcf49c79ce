import type { Command } from 'commander'
import type { Delivery, DetailedDelivery } from '../../client/api.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import {
  addDeliveryFilterOptions,
  type DeliveryFilter,
  formatTime,
  helpExamples,
  listPages,
  moreHint,
  parseCount,
  toDeliveryFilter,
} from '../options.ts'
import type { Column } from '../output.ts'
import { pollUntil, type Session, withSession } from '../session.ts'
import type { CliWorld } from '../world.ts'

/** `galley deliveries …`: what became of each document. */
export function deliveries(command: Command, world: CliWorld): void {
  addDeliveryFilterOptions(command.command('list'))
    .description('List the deliveries, the newest first.')
    .option('--limit <count>', 'at most so many', parseCount, 20)
    .addHelpText(
      'after',
      helpExamples('galley deliveries list', 'galley deliveries list --status held --limit 100'),
    )
    .action(withSession<[], DeliveryFilter & { limit: number }>(world, listDeliveries))
  causes(command, world)
  command
    .command('show')
    .description('Show a delivery, step by step.')
    .argument('<delivery>', 'its id')
    .addHelpText('after', helpExamples('galley deliveries show 018f2c5e-7b1a-7c3d-9e4f-5a6b7c8d9e0f'))
    .action(
      withSession<[string]>(world, async (session, _options, uuid) => {
        const answer = await session.call('getDelivery', { path: { uuid } })
        await session.show(answer, () => detailed(session, answer.data))
      }),
    )
  command
    .command('retry')
    .description('Deliver again, now.')
    .argument('<delivery>', 'its id')
    .option('--site <id>', 'to this site instead, if nothing was created on the first one')
    .option('--overwrite', 'overwrite what a person changed in the post')
    .option('--watch', 'wait for the end')
    .addHelpText(
      'after',
      helpExamples('galley deliveries retry 018f2c5e-7b1a-7c3d-9e4f-5a6b7c8d9e0f --watch'),
    )
    .action(withSession<[string], RetryOptions>(world, retryDelivery))
  command
    .command('release')
    .description('Release a held delivery, once what it waited for is done.')
    .argument('<delivery>', 'its id')
    .option('--watch', 'wait for the end')
    .addHelpText('after', helpExamples('galley deliveries release 018f2c5e-7b1a-7c3d-9e4f-5a6b7c8d9e0f'))
    .action(withSession<[string], RetryOptions>(world, releaseDelivery))
  command
    .command('cancel')
    .description('Stop delivering it. What is on the site stays as it is.')
    .argument('<delivery>', 'its id')
    .addHelpText('after', helpExamples('galley deliveries cancel 018f2c5e-7b1a-7c3d-9e4f-5a6b7c8d9e0f'))
    .action(
      withSession<[string]>(world, async (session, _options, uuid) => {
        const answer = await session.call('cancelDelivery', { path: { uuid } })
        await session.show(answer, () => detailed(session, answer.data))
      }),
    )
  command
    .command('watch')
    .description('Wait for the end of a delivery. Ends with 7 where it is held, failed or cancelled.')
    .argument('<delivery>', 'its id')
    .addHelpText('after', helpExamples('galley deliveries watch 018f2c5e-7b1a-7c3d-9e4f-5a6b7c8d9e0f'))
    .action(withSession<[string]>(world, (session, _options, uuid) => watchDelivery(session, uuid)))
}

const columns: Column<Delivery>[] = [
  { head: 'ID', value: ({ id }) => id, whole: true },
  { head: 'STATUS', value: ({ status }) => status, whole: true },
  { head: 'TITLE', value: (delivery) => titleOf(delivery) },
  { head: 'POST', value: ({ post }) => post?.url },
  { head: 'WHY', value: ({ error }) => error?.message },
  { head: 'CREATED', value: ({ created_at }) => formatTime(created_at), whole: true },
]

const titleOf = (delivery: Delivery): string | undefined =>
  'title' in delivery && typeof delivery.title === 'string' ? delivery.title : undefined

async function listDeliveries(
  session: Session,
  { limit, ...options }: DeliveryFilter & { limit: number },
): Promise<void> {
  const filter = toDeliveryFilter(options)
  const page = await listPages(limit, (asked) =>
    session.call('listDeliveries', { query: { ...asked, ...filter } }),
  )
  await session.show({ success: true, ...page }, () => session.table(page.data, columns))
  if (moreHint(page)) session.note(moreHint(page))
}

/** A delivery with its timeline. */
const detailed = (session: Session, delivery: DetailedDelivery): string =>
  `${session.facts([
    ['id', delivery.id],
    ['title', titleOf(delivery)],
    ['document', delivery.document_id],
    ['site', delivery.site_id],
    ['status', delivery.status],
    ['why', delivery.error?.message],
    ['post', delivery.post?.url],
    ['edit', delivery.post?.edit_url],
    ['attempts', delivery.attempts],
    ['next', delivery.next_attempt_at && formatTime(delivery.next_attempt_at)],
    ...delivery.warnings.map(({ message }) => ['warning', message] as const),
  ])}\n${session.table(delivery.timeline, [
    { head: 'AT', value: ({ at }) => at, whole: true },
    { head: 'STEP', value: ({ step }) => step, whole: true },
    { head: 'OUTCOME', value: ({ outcome }) => outcome, whole: true },
    { head: 'DETAIL', value: ({ detail }) => detail },
  ])}`

interface RetryOptions {
  site?: string
  overwrite?: boolean
  watch?: boolean
}

async function retryDelivery(
  session: Session,
  { site, overwrite, watch: wait }: RetryOptions,
  uuid: string,
): Promise<void> {
  const answer = await session.call('retryDelivery', { path: { uuid }, body: { site_id: site, overwrite } })
  if (wait) return watchDelivery(session, uuid)
  await session.show(answer, () => detailed(session, answer.data))
}

async function releaseDelivery(session: Session, options: RetryOptions, uuid: string): Promise<void> {
  const { data } = await session.call('getDelivery', { path: { uuid } })
  if (data.status === 'held') return retryDelivery(session, { watch: options.watch ?? false }, uuid)
  throw new CommandFailure(
    exitCodes.conflict,
    'not_held',
    `This delivery is ${data.status} and waits for nobody; "galley deliveries retry" delivers it again.`,
  )
}

const END_STATUSES = new Set<Delivery['status']>(['delivered', 'held', 'failed', 'cancelled'])

/** Until a delivery has ended; what happens meanwhile is told line by line. */
async function watchDelivery(session: Session, uuid: string): Promise<void> {
  const answer = await pollUntil(session, async () => {
    const looked = await session.call('getDelivery', { path: { uuid } })
    const { status, timeline } = looked.data
    const last = timeline.at(-1)
    const said = [status, last && `${last.step} ${last.outcome}`].filter(Boolean).join(': ')
    return { said, end: END_STATUSES.has(status) ? looked : undefined }
  })
  await session.show(answer, () => detailed(session, answer.data))
  const { status, error } = answer.data
  if (status !== 'delivered')
    throw new CommandFailure(
      exitCodes.notAsAsked,
      `delivery_${status}`,
      error?.message ?? `The delivery is ${status}.`,
    )
}

/** `galley deliveries causes`: what must be done. */
export function causes(command: Command, world: CliWorld): void {
  addDeliveryFilterOptions(command.command('causes'))
    .description('Group what is held or has failed by what must be done.')
    .addHelpText('after', helpExamples('galley deliveries causes', 'galley deliveries causes --label news'))
    .action(
      withSession<[], DeliveryFilter>(world, async (session, options) => {
        const answer = await session.call('listCauses', { query: toDeliveryFilter(options) })
        await session.show(answer, () =>
          session.table(answer.data, [
            { head: 'COUNT', value: ({ count }) => count, whole: true },
            { head: 'CODE', value: ({ code }) => code, whole: true },
            { head: 'WHAT', value: ({ sentence }) => sentence },
            { head: 'TO DO', value: ({ todo }) => todo },
          ]),
        )
        if (answer.more)
          session.note('There are more deliveries than were looked at: there are at least this many.')
      }),
    )
}
