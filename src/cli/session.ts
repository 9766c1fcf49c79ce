import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { ApiError, type CallParts, UnreachableError } from '../client/calls.ts'
import { type Client, createClient } from '../client/client.ts'
import type { OperationId, Operations } from '../client/generated/api.ts'
import { CommandFailure, exitCodeOfStatus, exitCodes, stopped, usageError } from './failure.ts'
import { readInput } from './input.ts'
import { type ApiPage, type AskForPage, type FilterOptions, listPages, toFilter } from './options.ts'
import { type Column, escapeControls, escapePiece, factList, jsonText, table } from './output.ts'
import type { CliWorld } from './world.ts'

export interface Session {
  world: CliWorld
  call: Client['call']
  /** A long answer, written out as it comes: exactly so into a file, harmless in a terminal. */
  take<Id extends OperationId>(id: Id, parts: CallParts<Id>): Promise<void>
  /** The result: as the API answered it where JSON is asked for, else as it is put for people. */
  show(answer: unknown, forPeople: () => string): Promise<void>
  print<Id extends OperationId>(
    id: Id,
    parts: CallParts<Id>,
    forPeople: (answer: Operations[Id]['answer']) => string,
  ): Promise<Operations[Id]['answer']>
  printList<Item>(limit: number, ask: AskForPage<Item>, columns: readonly Column<Item>[]): Promise<void>
  table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string
  facts: typeof factList
  /** Text from outside in several lines: exactly as it is in a file, harmless in a terminal. */
  text(text: string): string
  note(line: string): void
}

const DEFAULT_URL = 'http://127.0.0.1:8080'

type SessionAction<Args extends unknown[], Options> = (
  session: Session,
  options: Options,
  ...args: Args
) => Promise<unknown>

/** The action of a command: its work with a session, and what goes wrong there as a failure of the command. */
export const withSession =
  <Args extends unknown[], Options = object>(world: CliWorld, work: SessionAction<Args, Options>) =>
  async (...given: unknown[]): Promise<void> => {
    const command = given.at(-1) as Command
    const args = given.slice(0, -2) as Args
    const options = command.optsWithGlobals() as Options & SessionOptions
    try {
      await work(await openSession(world, options), options, ...args)
    } catch (error) {
      throw toCommandFailure(error, world, command)
    }
  }

/** The action of a command that makes one call about the thing which its id names. */
export const callById = <Id extends OperationId>(
  world: CliWorld,
  id: Id,
  forPeople: (session: Session, answer: Operations[Id]['answer'], uuid: string) => string,
) =>
  withSession<[string]>(world, (session, _options, uuid) =>
    session.print(id, { path: { uuid } } as CallParts<Id>, (answer) => forPeople(session, answer, uuid)),
  )

type ListId = {
  [Id in OperationId]: Operations[Id]['answer'] extends ApiPage<unknown> ? Id : never
}[OperationId]

/** The action of a command that lists what its filter options choose, up to `--limit`. */
export const listByFilter = <Id extends ListId>(
  world: CliWorld,
  id: Id,
  columns: readonly Column<Operations[Id]['answer']['data'][number]>[],
) =>
  withSession<[], FilterOptions & { limit: number }>(world, (session, { limit, ...options }) =>
    session.printList(
      limit,
      (page) => session.call(id, { query: { ...page, ...toFilter(options) } } as CallParts<Id>),
      columns,
    ),
  )

interface SessionOptions {
  url?: string
  key?: string
  keyFile?: string
  json?: boolean
}

async function openSession(world: CliWorld, { url, key, keyFile, json = false }: SessionOptions) {
  const address = parseUrl(url ?? (world.env.GALLEY_URL || DEFAULT_URL))
  const client = createClient(address, await readApiKey(world, key, keyFile))
  const session: Session = {
    world,
    async call(id, parts) {
      requireId(parts?.path)
      return client.call(id, parts, world.stop)
    },
    async take(id, parts) {
      const isTerminal = world.columns !== undefined
      for await (const text of client.take(id, parts, world.stop))
        await world.write(isTerminal ? escapePiece(text) : text)
    },
    show: (answer, forPeople) => world.write(json ? `${jsonText(answer, 2)}\n` : forPeople()),
    async print(id, parts, forPeople) {
      const answer = await session.call(id, parts)
      await session.show(answer, () => forPeople(answer))
      return answer
    },
    async printList(limit, ask, columns) {
      const page = await listPages(limit, ask)
      await session.show({ success: true, ...page }, () => session.table(page.data, columns))
      if (page.next_cursor !== null) session.note('There are more: --limit shows them.')
    },
    table: (rows, columns) => table(rows, columns, world.columns),
    facts: factList,
    text: (text) => (world.columns === undefined ? text : escapeControls(text)),
    note: (line) => world.note(escapeControls(line)),
  }
  return session
}

function parseUrl(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  throw usageError('bad_address', `${url} is not the address of a Galley, such as ${DEFAULT_URL}.`)
}

async function readApiKey(world: CliWorld, key?: string, file?: string): Promise<string> {
  const text = key ?? (file === undefined ? world.env.GALLEY_KEY : await readInput(world, file))
  const trimmed = text?.trim()
  if (trimmed) return trimmed
  throw new CommandFailure(
    exitCodes.notAllowed,
    'no_key',
    'No API key is given. Set GALLEY_KEY, or name a file with it: --key-file FILE.',
  )
}

function toCommandFailure(error: unknown, world: CliWorld, command: Command): unknown {
  if (world.stop.aborted) return stopped(error)
  if (error instanceof UnreachableError) {
    const isNamed = command.optsWithGlobals<SessionOptions>().url ?? world.env.GALLEY_URL
    const where = isNamed ? '' : ' If Galley is elsewhere, say where with GALLEY_URL or --url.'
    return new CommandFailure(exitCodes.unreachable, 'unreachable', `${error.message}${where}`, error)
  }
  if (!(error instanceof ApiError)) return error
  const { status, code, message, details } = error
  const sentence = inOptionNames(message, details, command)
  return new CommandFailure(exitCodeOfStatus(status), code, sentence, error, details)
}

/** An empty id would make the address of a list out of that of one thing. @throws CommandFailure */
function requireId(path: object | undefined): void {
  const uuid = path && 'uuid' in path ? String(path.uuid) : undefined
  if (uuid === undefined || /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(uuid)) return
  throw new CommandFailure(
    exitCodes.notFound,
    'not_found',
    'What was named is not an id that Galley issues: those are UUIDs, and the lists show them.',
  )
}

/** What the API says, with options in the place of members of a request, which nobody has typed. */
function inOptionNames(message: string, details: unknown, { options }: Command): string {
  if (!Array.isArray(details)) return message
  return (details as { path?: string }[]).reduce((sentence, { path = '' }) => {
    const [part, name = ''] = path.split('.')
    if (part !== 'query' && part !== 'body') return sentence
    const names = [name, name.replace(/(?:_id)?s?$/, '')].map((one) => `--${one.replaceAll('_', '-')}`)
    const option = options.find(({ long }) => long !== undefined && names.includes(long))
    return sentence.replace(`${path}: `, () => `${option?.long ?? name}: `)
  }, message)
}

/** Milliseconds between two looks: short at first, as most is over soon. */
const POLL_DELAYS_MS = [250, 500, 1_000, 2_000]

/** Looks until there is an end, with a line for each change. @param look progress in words, and the end */
export async function pollUntil<End>(
  { world, note }: Session,
  look: () => Promise<{ progress: string; end: End | undefined }>,
): Promise<End> {
  let last = ''
  for (let n = 0; ; n += 1) {
    const { progress, end } = await look()
    if (progress !== last) note(progress)
    last = progress
    if (end !== undefined) return end
    await sleep(POLL_DELAYS_MS[Math.min(n, POLL_DELAYS_MS.length - 1)], undefined, { signal: world.stop })
  }
}
