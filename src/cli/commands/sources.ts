import type { Source, SourceWithSecrets } from '../../client/generated/api.ts'
import { type CliCommand, commandById, formatTime, parseCount, parseHours } from '../options.ts'
import type { Column } from '../output.ts'
import { callById, listByFilter, type Session, withSession } from '../session.ts'
import type { CliWorld } from '../world.ts'

export function sources(command: CliCommand, world: CliWorld): void {
  command
    .command('list')
    .description('List the sources.')
    .option('--limit <count>', 'at most so many', parseCount, 100)
    .examples('galley sources list')
    .action(listByFilter(world, 'listSources', columns))
  command
    .command('create')
    .description('Create an address for whoever sends documents. It is a secret, and shown only once.')
    .argument('<name>', 'what to call it')
    .option('--signed', 'create a signing secret too: unsigned webhooks are refused')
    .examples('galley sources create generator --signed')
    .action(
      withSession<[string], { signed?: boolean }>(world, async (session, { signed }, name) => {
        const body = { name, signing_secret: signed ? (true as const) : undefined }
        await session.print('createSource', { body }, ({ data }) => secrets(session, data))
      }),
    )
  commandById(command, 'rotate', 'source', ' --overlap 24')
    .description('Give a source a new address.')
    .option('--overlap <hours>', 'how long the old address works too, 0 for not at all', parseHours)
    .action(
      withSession<[string], { overlap?: number }>(world, (session, { overlap }, uuid) =>
        session.print('rotateSource', { path: { uuid }, body: { overlap_hours: overlap } }, ({ data }) =>
          secrets(session, data),
        ),
      ),
    )
  for (const [name, disabled, done] of [
    ['disable', true, 'no longer accepts documents'],
    ['enable', false, 'accepts documents again'],
  ] as const)
    commandById(command, name, 'source')
      .description(
        disabled ? 'Stop accepting documents from a source.' : 'Accept documents from a source again.',
      )
      .action(
        withSession<[string]>(world, (session, _options, uuid) =>
          session.print(
            'updateSource',
            { path: { uuid }, body: { disabled } },
            ({ data }) => `${data.name} ${done}.\n`,
          ),
        ),
      )
  commandById(command, 'remove', 'source')
    .description('Remove a source, with its address and the webhooks that came through it.')
    .action(callById(world, 'removeSource', (_session, _answer, uuid) => `${uuid} is removed.\n`))
}

const columns: Column<Source>[] = [
  { head: 'ID', value: ({ id }) => id, whole: true },
  { head: 'NAME', value: ({ name }) => name },
  { head: 'SIGNED', value: ({ signed }) => (signed ? 'yes' : 'no') },
  { head: 'UNUSABLE', value: ({ unusable }) => unusable.reduce((sum, { count }) => sum + count, 0) },
  { head: 'DISABLED', value: ({ disabled }) => (disabled ? 'yes' : 'no') },
  { head: 'CREATED', value: ({ created_at }) => formatTime(created_at), whole: true },
]

const secrets = (session: Session, source: SourceWithSecrets): string =>
  session.facts([
    ['id', source.id],
    ['name', source.name],
    ['address', source.url],
    ['signing secret', source.signing_secret],
    ['old address until', source.previous_address_until && formatTime(source.previous_address_until)],
  ])
