import { Argument } from 'commander'
import { ApiError } from '../../client/calls.ts'
import type { Operations } from '../../client/generated/api.ts'
import { CommandFailure, exitCodes, notAsAsked, usageError } from '../failure.ts'
import { readInput, readRequest } from '../input.ts'
import { type CliCommand, commandById } from '../options.ts'
import { callById, pollUntil, type Session, withSession } from '../session.ts'
import type { CliWorld } from '../world.ts'

const kinds = ['document', 'audio', 'image'] as const
type Kind = (typeof kinds)[number]

const creations = { document: 'createDocument', audio: 'createAudio', image: 'createImage' } as const
const statuses = { document: 'getDocumentStatus', audio: 'getAudioStatus', image: 'getImageStatus' } as const

type Status = Operations[(typeof statuses)[Kind]]['answer']

export function jobs(command: CliCommand, world: CliWorld): void {
  command
    .command('create')
    .description('Create a document, audio or an image. With --watch, wait until it is done.')
    .addArgument(new Argument('<kind>').choices(kinds))
    .argument('[text]', 'the prompt; for audio, the text to be spoken; - reads standard input')
    .option('--request <file>', 'JSON file with the whole request, as docs/contract.md has it')
    .option('--site <id>', 'deliver the document to this site')
    .option('--idempotency-key <name>', 'sent again under the same name, it creates and charges nothing')
    .option('--watch', 'wait for the end')
    .examples(
      'galley jobs create document "Why the tide comes twice a day"',
      'galley jobs create image "A harbour at low water" --idempotency-key harbour-1',
      'galley jobs create document --request request.json',
    )
    .action(withSession<[Kind, string | undefined], Creation>(world, create))
  commandById(command, 'show', 'job')
    .description('Show the progress and the result of a job.')
    .option('--watch', 'wait for the end')
    .action(
      withSession<[string], { watch?: boolean }>(world, async (session, { watch }, uuid) => {
        const kind = await kindOf(session, uuid)
        await (watch
          ? watchJob(session, kind, uuid)
          : printStatus(session, kind, await statusOf(session, kind, uuid)))
      }),
    )
  for (const [name, operation, description] of [
    ['cancel', 'cancelJob', 'Cancel a job. What was not begun is refunded.'],
    ['resume', 'resumeJob', 'Make again what was left out of a document.'],
  ] as const)
    commandById(command, name, 'job')
      .description(description)
      .action(
        callById(world, operation, (session, { data: { id, kind, status, price, refunded } }) =>
          session.facts(Object.entries({ id, kind, status, price, refunded })),
        ),
      )
}

interface Creation {
  request?: string
  site?: string
  idempotencyKey?: string
  watch?: boolean
}

async function create(session: Session, options: Creation, kind: Kind, text: string | undefined) {
  const body = await requestOf(session.world, options, kind, text)
  const headers = { 'idempotency-key': options.idempotencyKey }
  const answer = await session.call(creations[kind], { body: body as never, headers })
  if (options.watch) return watchJob(session, kind, answer.id)
  await session.show(answer, () => session.facts(Object.entries({ id: answer.id, kind })))
}

async function requestOf(world: CliWorld, { request, site }: Creation, kind: Kind, text: string | undefined) {
  if (request === undefined && text === undefined)
    throw usageError('bad_request', 'Say what to create, or name a file: --request FILE.')
  const input = text === '-' ? await readInput(world, text) : text
  return {
    ...(request !== undefined && (await readRequest(world, request))),
    ...(input !== undefined && { [kind === 'audio' ? 'text' : 'prompt']: input }),
    ...(site !== undefined && { site_id: site }),
  }
}

const statusOf = (session: Session, kind: Kind, uuid: string): Promise<Status> =>
  session.call(statuses[kind], { path: { uuid } })

/** A job's id does not say its kind, and another kind's address does not know it. */
async function kindOf(session: Session, uuid: string): Promise<Kind> {
  for (const kind of kinds) {
    const found = await statusOf(session, kind, uuid).catch((error) => {
      if (error instanceof ApiError && error.status === 404) return undefined
      throw error
    })
    if (found !== undefined) return kind
  }
  throw new CommandFailure(exitCodes.notFound, 'not_found', `This account has no job ${uuid}.`)
}

async function watchJob(session: Session, kind: Kind, uuid: string): Promise<void> {
  const status = await pollUntil(session, async () => {
    const now = await statusOf(session, kind, uuid)
    const why = waitOf(now)
    return {
      progress: why ? `${now.status}: ${why}` : now.status,
      end: endStatuses.has(now.status) ? now : undefined,
    }
  })
  await printStatus(session, kind, status)
  if (status.status !== 'completed') throw notAsAsked(`job_${status.status}`, `The job is ${status.status}.`)
}

const endStatuses = new Set<Status['status']>(['completed', 'failed', 'cancelled'])

const waitOf = (status: Status): string | undefined =>
  'waiting' in status && status.waiting
    ? `since ${status.waiting.since}. ${status.waiting.message}`
    : undefined

const printStatus = (session: Session, kind: Kind, status: Status): Promise<void> =>
  session.show(status, () =>
    session.facts([
      ['id', status.id],
      ['kind', kind],
      ['status', status.status],
      ['waits', waitOf(status)],
      ...Object.entries(('data' in status ? status.data : undefined) ?? {}).map(
        ([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)] as const,
      ),
      ['why', 'error' in status && status.error ? JSON.stringify(status.error) : undefined],
    ]),
  )
