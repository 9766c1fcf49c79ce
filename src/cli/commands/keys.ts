import type { Command } from 'commander'
import type { Key } from '../../client/api.ts'
import { examples } from '../help.ts'
import { countOf, hoursOf, listed, moment, more, several } from '../lists.ts'
import type { Column } from '../output/table.ts'
import { inSession } from '../session.ts'
import type { World } from '../world.ts'

/** `galley keys …`: API keys of this account. */
export function keys(command: Command, world: World): void {
  command
    .command('list')
    .description('List the API keys.')
    .option('--limit <count>', 'at most so many', countOf, 100)
    .addHelpText('after', examples('galley keys list'))
    .action(
      inSession<[], { limit: number }>(world, async (session, { limit }) => {
        const page = await listed(limit, (query) => session.call('listKeys', { query }))
        await session.show({ success: true, ...page }, () => session.table(page.data, columns))
        if (more(page)) session.note(more(page))
      }),
    )
  command
    .command('create')
    .description('Create an API key. It is shown only once.')
    .argument('<name>', 'what to call it')
    .option('--role <role>', 'owner, manager, editor or source: what it may do')
    .option('--site <id>', 'it sees this site alone; may be given several times', several)
    .option('--label <label>', 'it sees the sites with this label alone; may be given several times', several)
    .option('--expires <moment>', 'when it stops working, such as 2027-01-31T00:00:00Z')
    .addHelpText(
      'after',
      examples(
        'galley keys create dashboard --role editor',
        'galley keys create news --role source --label news',
      ),
    )
    .action(
      inSession<[string], Limits>(world, async (session, { role, site, label, expires }, name) => {
        const answer = await session.call('createKey', {
          body: { name, role: role as never, site_ids: site, labels: label, expires_at: expires },
        })
        const { id, key } = answer.data
        await session.show(answer, () =>
          session.facts([
            ['id', id],
            ['name', name],
            ['key', key],
          ]),
        )
      }),
    )
  command
    .command('rotate')
    .description('Create an API key that takes the place of another. It is shown only once.')
    .argument('<key>', 'id of the old one, as "galley keys list" has it')
    .option('--overlap <hours>', 'how long the old key works too, 0 for not at all', hoursOf)
    .addHelpText('after', examples('galley keys rotate 018f2c5e-7b1a-7c3d-9e4f-5a6b7c8d9e0f --overlap 24'))
    .action(
      inSession<[string], { overlap?: number }>(world, async (session, { overlap }, uuid) => {
        const answer = await session.call('rotateKey', { path: { uuid }, body: { overlap_hours: overlap } })
        const { id, name, key, previous_key_until: until } = answer.data
        await session.show(answer, () =>
          session.facts([
            ['id', id],
            ['name', name],
            ['key', key],
            ['old key until', until && moment(until)],
          ]),
        )
      }),
    )
  command
    .command('revoke')
    .description('End an API key at once.')
    .argument('<key>', 'its id, as "galley keys list" has it')
    .addHelpText('after', examples('galley keys revoke 018f2c5e-7b1a-7c3d-9e4f-5a6b7c8d9e0f'))
    .action(
      inSession<[string]>(world, async (session, _options, uuid) => {
        const answer = await session.call('revokeKey', { path: { uuid } })
        await session.show(answer, () => `${uuid} no longer works.\n`)
      }),
    )
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
  { head: 'LAST USED', value: ({ last_used_at }) => moment(last_used_at), whole: true },
  { head: 'REVOKED', value: ({ revoked_at }) => moment(revoked_at) },
]
