import type { Key } from '../../client/generated/api.ts'
import {
  type CliCommand,
  collectLabels,
  collectValues,
  commandById,
  EXAMPLE_ID,
  formatTime,
  parseCount,
  parseHours,
} from '../options.ts'
import type { Column } from '../output.ts'
import { callById, listByFilter, withSession } from '../session.ts'
import type { CliWorld } from '../world.ts'

export function keys(command: CliCommand, world: CliWorld): void {
  command
    .command('list')
    .description('List the API keys.')
    .option('--limit <count>', 'at most so many', parseCount, 100)
    .examples('galley keys list')
    .action(listByFilter(world, 'listKeys', columns))
  command
    .command('create')
    .description('Create an API key. It is shown only once.')
    .argument('<name>', 'what to call it')
    .option(
      '--role <role>',
      'operator, owner, manager, editor or source: what it may do; owner where left out',
    )
    .option('--site <id>', 'it sees this site alone; may be given several times', collectValues)
    .option(
      '--label <label>',
      'it sees the sites with this label alone; may be given several times',
      collectLabels,
    )
    .option('--expires <moment>', 'when it stops working, such as 2027-01-31T00:00:00Z')
    .examples(
      'galley keys create dashboard --role editor',
      'galley keys create news --role source --label news',
    )
    .action(
      withSession<[string], Limits>(world, async (session, { role, site, label, expires }, name) => {
        const limits = { role: role as never, site_ids: site, labels: label, expires_at: expires }
        await session.print('createKey', { body: { name, ...limits } }, ({ data: { id, key } }) =>
          session.facts(Object.entries({ id, name, key })),
        )
      }),
    )
  command
    .command('rotate')
    .description('Create an API key that takes the place of another. It is shown only once.')
    .argument('<key>', 'id of the old one, as "galley keys list" has it')
    .option('--overlap <hours>', 'how long the old key works too, 0 for not at all', parseHours)
    .examples(`galley keys rotate ${EXAMPLE_ID} --overlap 24`)
    .action(
      withSession<[string], { overlap?: number }>(world, async (session, { overlap }, uuid) => {
        const parts = { path: { uuid }, body: { overlap_hours: overlap } }
        await session.print('rotateKey', parts, ({ data: { id, name, key, previous_key_until: until } }) =>
          session.facts(Object.entries({ id, name, key, 'old key until': until && formatTime(until) })),
        )
      }),
    )
  commandById(command, 'revoke', 'key')
    .description('End an API key at once. "galley keys list" has its id.')
    .action(callById(world, 'revokeKey', (_session, _answer, uuid) => `${uuid} no longer works.\n`))
}

interface Limits {
  role?: string
  site?: string[]
  label?: string[]
  expires?: string
}

const columns: Column<Key>[] = [
  { head: 'ID', value: ({ id }) => id, whole: true },
  { head: 'NAME', value: ({ name }) => name },
  { head: 'ROLE', value: ({ role }) => role, whole: true },
  { head: 'ENDS WITH', value: ({ last_four }) => last_four, whole: true },
  { head: 'LAST USED', value: ({ last_used_at }) => formatTime(last_used_at), whole: true },
  { head: 'REVOKED', value: ({ revoked_at }) => formatTime(revoked_at) },
]
