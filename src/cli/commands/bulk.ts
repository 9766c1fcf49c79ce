import type { Command } from 'commander'
import type { BulkItem, BulkJob } from '../../client/api.ts'
import { examples } from '../help.ts'
import { countOf, listed, moment, more } from '../lists.ts'
import type { Column } from '../output/table.ts'
import { inSession, type Session } from '../session.ts'
import type { World } from '../world.ts'
import { reported, watchBulk } from './bulk-report.ts'
import { startsBulk } from './bulk-start.ts'

const ID = '018f2c5e-7b1a-7c3d-9e4f-5a6b7c8d9e0f'

/** `galley bulk …`: one thing done to everything that matches a filter. */
export function bulk(command: Command, world: World): void {
  startsBulk(command, world)
  command
    .command('list')
    .description('List the bulk jobs, the newest first.')
    .option('--limit <count>', 'at most so many', countOf, 20)
    .addHelpText('after', examples('galley bulk list'))
    .action(inSession<[], { limit: number }>(world, list))
  command
    .command('show')
    .description('Show the progress and the report of a bulk job.')
    .argument('<job>', 'its id')
    .option('--watch', 'wait for the end')
    .addHelpText('after', examples(`galley bulk show ${ID}`))
    .action(
      inSession<[string], { watch?: boolean }>(world, async (session, { watch }, uuid) => {
        if (watch) return watchBulk(session, uuid)
        const answer = await session.call('getBulk', { path: { uuid } })
        await session.show(answer, () => reported(session, answer.data))
      }),
    )
  command
    .command('items')
    .description('List what became of each delivery or site of a bulk job.')
    .argument('<job>', 'its id')
    .option('--outcome <outcome>', 'only those that are waiting, done, skipped or failed')
    .option('--limit <count>', 'at most so many', countOf, 100)
    .addHelpText('after', examples(`galley bulk items ${ID} --outcome failed`))
    .action(inSession<[string], Items>(world, items))
  command
    .command('cancel')
    .description('Cancel a bulk job. What was done stays done.')
    .argument('<job>', 'its id')
    .addHelpText('after', examples(`galley bulk cancel ${ID}`))
    .action(
      inSession<[string]>(world, async (session, _options, uuid) => {
        const answer = await session.call('cancelBulk', { path: { uuid } })
        await session.show(answer, () => reported(session, answer.data))
      }),
    )
}

const columns: Column<BulkJob>[] = [
  { head: 'ID', value: ({ id }) => id, whole: true },
  { head: 'ACTION', value: (job) => `${job.action}${job.dry_run ? ', dry run' : ''}`, whole: true },
  { head: 'STATUS', value: ({ status }) => status, whole: true },
  { head: 'MATCHED', value: ({ matched }) => matched, whole: true },
  { head: 'DONE', value: ({ done }) => done, whole: true },
  { head: 'FAILED', value: ({ failed }) => failed, whole: true },
  { head: 'FILTER', value: ({ filter }) => JSON.stringify(filter) },
  { head: 'CREATED', value: ({ created_at }) => moment(created_at), whole: true },
]

async function list(session: Session, { limit }: { limit: number }): Promise<void> {
  const page = await listed(limit, (query) => session.call('listBulk', { query }))
  await session.show({ success: true, ...page }, () => session.table(page.data, columns))
  if (more(page)) session.note(more(page))
}

interface Items {
  outcome?: BulkItem['outcome']
  limit: number
}

async function items(session: Session, { outcome, limit }: Items, uuid: string): Promise<void> {
  const page = await listed(limit, (asked) =>
    session.call('listBulkItems', { path: { uuid }, query: { ...asked, outcome } }),
  )
  await session.show({ success: true, ...page }, () =>
    session.table(page.data, [
      { head: 'ID', value: ({ id }) => id, whole: true },
      { head: 'OUTCOME', value: (item) => item.outcome, whole: true },
      { head: 'WHY', value: ({ message }) => message },
    ]),
  )
  if (more(page)) session.note(more(page))
}
