import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { OperationId } from '../client/api.ts'
import { ApiError, type CallParts, type Client, createClient, UnreachableError } from '../client/client.ts'
import { CommandFailure, exitCodeOfStatus, exitCodes } from './failure.ts'
import { readInput } from './input.ts'
import { type Column, createControlEscaper, escapeControls, factList, jsonText, table } from './output.ts'
import type { CliWorld } from './world.ts'

/** A command that speaks to a Galley. */
export interface Session {
  world: CliWorld
  call: Client['call']
  /** A long answer, written out as it comes: exactly so into a file, harmless in a terminal. */
  take<Id extends OperationId>(id: Id, parts: CallParts<Id>): Promise<void>
  /** The result: as the API answered it where JSON is asked for, else as it is put for people. */
  show(answer: unknown, forPeople: () => string): Promise<void>
  table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string
  facts: typeof factList
  /** Text from outside in several lines: exactly as it is in a file, harmless in a terminal. */
  text(text: string): string
  /** A line beside the result. */
  note(line: string): void
}

const DEFAULT_URL = 'http://127.0.0.1:8080'

type SessionAction<Args extends unknown[], Options> = (
  session: Session,
  options: Options,
  ...args: Args
) => Promise<void>

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

interface SessionOptions {
  url?: string
  key?: string
  keyFile?: string
  json?: boolean
}

async function openSession(
  world: CliWorld,
  { url, key, keyFile, json = false }: SessionOptions,
): Promise<Session> {
  const client = createClient({
    url: parseUrl(url ?? world.env.GALLEY_URL ?? DEFAULT_URL),
    key: await readApiKey(world, key, keyFile),
  })
  return {
    world,
    call: (id, parts) => client.call(id, parts, world.stop),
    async take(id, parts) {
      const harmless = world.columns === undefined ? (piece: string) => piece : createControlEscaper()
      for await (const text of client.take(id, parts, world.stop)) await world.write(harmless(text))
      await world.write(harmless('', true))
    },
    show: (answer, forPeople) => world.write(json ? `${jsonText(answer, 2)}\n` : forPeople()),
    table: (rows, columns) => table(rows, columns, world.columns),
    facts: factList,
    text: (text) => (world.columns === undefined ? text : escapeControls(text)),
    note: (line) => world.note(escapeControls(line)),
  }
}

function parseUrl(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  throw new CommandFailure(
    exitCodes.usage,
    'bad_address',
    `${url} is not the address of a Galley, such as ${DEFAULT_URL}.`,
  )
}

async function readApiKey(world: CliWorld, key?: string, file?: string): Promise<string | undefined> {
  const text = key ?? (file === undefined ? world.env.GALLEY_KEY : await readInput(world, file))
  const trimmed = text?.trim()
  if (trimmed === undefined || trimmed === '')
    throw new CommandFailure(
      exitCodes.notAllowed,
      'no_key',
      'No API key is given. Set GALLEY_KEY, or name a file with it: --key-file FILE.',
    )
  return trimmed
}

function toCommandFailure(error: unknown, world: CliWorld, command: Command): unknown {
  if (world.stop.aborted) return new CommandFailure(exitCodes.stopped, 'stopped', 'Stopped.', error)
  if (error instanceof UnreachableError)
    return new CommandFailure(
      exitCodes.unreachable,
      'unreachable',
      `${error.message}${where(world, command)}`,
      error,
    )
  if (!(error instanceof ApiError)) return error
  const { status, code, message, details } = error
  // Of an address, which nobody has typed either.
  const said = code === 'NOT_FOUND' ? NO_ID : inOptionNames(message, details, command)
  return new CommandFailure(exitCodeOfStatus(status), code, said, error, details)
}

/** Said to whoever has not said where Galley is. */
const where = (world: CliWorld, command: Command): string =>
  (command.optsWithGlobals<SessionOptions>().url ?? world.env.GALLEY_URL) === undefined
    ? ' If Galley is elsewhere, say where with GALLEY_URL or --url.'
    : ''

const NO_ID = 'What was named is not an id that Galley issues: those are UUIDs, and the lists show them.'

/** What the API says, with options in the place of members of a request, which nobody has typed. */
function inOptionNames(message: string, details: unknown, { options }: Command): string {
  if (!Array.isArray(details)) return message
  return (details as { path?: string }[]).reduce((said, { path = '' }) => {
    const [part, name = ''] = path.split('.')
    if (part !== 'query' && part !== 'body') return said
    const names = [name, name.replace(/(?:_id)?s?$/, '')].map((one) => `--${one.replaceAll('_', '-')}`)
    const option = options.find(({ long }) => long !== undefined && names.includes(long))
    return said.replace(`${path}: `, () => `${option?.long ?? name}: `)
  }, message)
}

/** Milliseconds between two looks: short at first, as most is over soon. */
const POLL_DELAYS_MS = [250, 500, 1_000, 2_000]

/**
 * Looks until there is an end. What is said meanwhile is one line that is written over where somebody watches, and else a
 * line for each change.
 *
 * @param look how far it is, in words, and the end once it has come
 */
export async function pollUntil<End>(
  { world, note }: Session,
  look: () => Promise<{ said: string; end: End | undefined }>,
): Promise<End> {
  let last = ''
  for (let n = 0; ; n += 1) {
    const { said, end } = await look()
    if (said !== last) note(said)
    last = said
    if (end !== undefined) return end
    await sleep(POLL_DELAYS_MS[Math.min(n, POLL_DELAYS_MS.length - 1)], undefined, { signal: world.stop })
  }
}
