import type { Command } from 'commander'
import type { Source, SourceWithSecrets } from '../../client/api.ts'
import { formatTime, helpExamples, listPages, moreHint, parseCount, parseHours } from '../options.ts'
import type { Column } from '../output.ts'
import { type Session, withSession } from '../session.ts'
import type { CliWorld } from '../world.ts'

const EXAMPLE = '018f2c5e-7b1a-7c3d-9e4f-5a6b7c8d9e0f'

/** `galley sources …`: who sends documents. */
export function sources(command: Command, world: CliWorld): void {
  command
    .command('list')
    .description('List the sources.')
    .option('--limit <count>', 'at most so many', parseCount, 100)
    .addHelpText('after', helpExamples('galley sources list'))
    .action(
      withSession<[], { limit: number }>(world, async (session, { limit }) => {
        const page = await listPages(limit, (query) => session.call('listSources', { query }))
        await session.show({ success: true, ...page }, () => session.table(page.data, columns))
        if (moreHint(page)) session.note(moreHint(page))
      }),
    )
  command
    .command('create')
    .description('Create an address for whoever sends documents. It is a secret, and shown only once.')
    .argument('<name>', 'what to call it')
    .option('--signed', 'create a signing secret too: unsigned webhooks are refused')
    .addHelpText('after', helpExamples('galley sources create generator --signed'))
    .action(
      withSession<[string], { signed?: boolean }>(world, async (session, { signed }, name) => {
        const body = { name, signing_secret: signed ? (true as const) : undefined }
        const answer = await session.call('createSource', { body })
        await session.show(answer, () => secrets(session, answer.data))
      }),
    )
  command
    .command('rotate')
    .description('Give a source a new address.')
    .argument('<source>', 'its id')
    .option('--overlap <hours>', 'how long the old address works too, 0 for not at all', parseHours)
    .addHelpText('after', helpExamples(`galley sources rotate ${EXAMPLE} --overlap 24`))
    .action(
      withSession<[string], { overlap?: number }>(world, async (session, { overlap }, uuid) => {
        const answer = await session.call('rotateSource', {
          path: { uuid },
          body: { overlap_hours: overlap },
        })
        await session.show(answer, () => secrets(session, answer.data))
      }),
    )
  for (const [name, disabled, done] of [
    ['disable', true, 'no longer accepts documents'],
    ['enable', false, 'accepts documents again'],
  ] as const)
    command
      .command(name)
      .description(
        disabled ? 'Stop accepting documents from a source.' : 'Accept documents from a source again.',
      )
      .argument('<source>', 'its id')
      .addHelpText('after', helpExamples(`galley sources ${name} ${EXAMPLE}`))
      .action(
        withSession<[string]>(world, async (session, _options, uuid) => {
          const answer = await session.call('updateSource', { path: { uuid }, body: { disabled } })
          await session.show(answer, () => `${answer.data.name} ${done}.\n`)
        }),
      )
  command
    .command('remove')
    .description('Remove a source, with its address and the webhooks that came through it.')
    .argument('<source>', 'its id')
    .addHelpText('after', helpExamples(`galley sources remove ${EXAMPLE}`))
    .action(
      withSession<[string]>(world, async (session, _options, uuid) => {
        const answer = await session.call('removeSource', { path: { uuid } })
        await session.show(answer, () => `${uuid} is removed.\n`)
      }),
    )
}

const columns: Column<Source>[] = [
  { head: 'ID', value: ({ id }) => id, whole: true },
  { head: 'NAME', value: ({ name }) => name },
  { head: 'SIGNED', value: ({ signed }) => (signed ? 'yes' : 'no') },
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
