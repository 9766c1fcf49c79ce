import type { Command } from 'commander'
import type { OperationId } from '../client/api.ts'
import { type Client, createClient, type Parts } from '../client/client.ts'
import { ApiFailure, Unreachable } from '../client/failure.ts'
import { exitCodeOfStatus, exitCodes } from './exit-codes.ts'
import { CommandFailure } from './failure.ts'
import { readInput } from './input.ts'
import { jsonText, neutral, neutralPieces } from './output/neutral.ts'
import { type Column, facts, table } from './output/table.ts'
import type { World } from './world.ts'

/** A command that speaks to a Galley. */
export interface Session {
  world: World
  call: Client['call']
  /** A long answer, written out as it comes: exactly so into a file, harmless in a terminal. */
  take<Id extends OperationId>(id: Id, parts: Parts<Id>): Promise<void>
  /** The result: as the API answered it where JSON is asked for, else as it is put for people. */
  show(answer: unknown, forPeople: () => string): Promise<void>
  table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string
  facts: typeof facts
  /** Text from outside in several lines: exactly as it is in a file, harmless in a terminal. */
  text(text: string): string
  /** A line beside the result. */
  note(line: string): void
}

const HERE = 'http://127.0.0.1:8080'

type Work<Args extends unknown[], Options> = (
  session: Session,
  options: Options,
  ...args: Args
) => Promise<void>

/** The action of a command: its work with a session, and what goes wrong there as a failure of the command. */
export const inSession =
  <Args extends unknown[], Options = object>(world: World, work: Work<Args, Options>) =>
  async (...given: unknown[]): Promise<void> => {
    const command = given.at(-1) as Command
    const args = given.slice(0, -2) as Args
    const options = command.optsWithGlobals() as Options & Address
    try {
      await work(await openSession(world, options), options, ...args)
    } catch (error) {
      throw asFailure(error, world, command)
    }
  }

interface Address {
  url?: string
  key?: string
  keyFile?: string
  json?: boolean
}

async function openSession(world: World, { url, key, keyFile, json = false }: Address): Promise<Session> {
  const client = createClient({
    url: addressOf(url ?? world.env.GALLEY_URL ?? HERE),
    key: await keyOf(world, key, keyFile),
  })
  return {
    world,
    call: (id, parts) => client.call(id, parts, world.stop),
    async take(id, parts) {
      const harmless = world.columns === undefined ? (piece: string) => piece : neutralPieces()
      for await (const text of client.take(id, parts, world.stop)) await world.write(harmless(text))
      await world.write(harmless('', true))
    },
    show: (answer, forPeople) => world.write(json ? `${jsonText(answer, 2)}\n` : forPeople()),
    table: (rows, columns) => table(rows, columns, world.columns),
    facts,
    text: (text) => (world.columns === undefined ? text : neutral(text)),
    note: (line) => world.note(neutral(line)),
  }
}

function addressOf(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  throw new CommandFailure(
    exitCodes.usage,
    'bad_address',
    `${url} is not the address of a Galley, such as ${HERE}.`,
  )
}

async function keyOf(world: World, key?: string, file?: string): Promise<string | undefined> {
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

function asFailure(error: unknown, world: World, command: Command): unknown {
  if (world.stop.aborted) return new CommandFailure(exitCodes.stopped, 'stopped', 'Stopped.', error)
  if (error instanceof Unreachable)
    return new CommandFailure(
      exitCodes.unreachable,
      'unreachable',
      `${error.message}${where(world, command)}`,
      error,
    )
  if (!(error instanceof ApiFailure)) return error
  const { status, code, message, details } = error
  // Of an address, which nobody has typed either.
  const said = code === 'NOT_FOUND' ? NO_ID : asTyped(message, details, command)
  return new CommandFailure(exitCodeOfStatus(status), code, said, error, details)
}

/** Said to whoever has not said where Galley is. */
const where = (world: World, command: Command): string =>
  (command.optsWithGlobals<Address>().url ?? world.env.GALLEY_URL) === undefined
    ? ' If Galley is elsewhere, say where with GALLEY_URL or --url.'
    : ''

const NO_ID = 'What was named is not an id that Galley issues: those are UUIDs, and the lists show them.'

/** What the API says, with options in the place of members of a request, which nobody has typed. */
function asTyped(message: string, details: unknown, { options }: Command): string {
  if (!Array.isArray(details)) return message
  return (details as { path?: string }[]).reduce((said, { path = '' }) => {
    const [part, name = ''] = path.split('.')
    if (part !== 'query' && part !== 'body') return said
    const names = [name, name.replace(/(?:_id)?s?$/, '')].map((one) => `--${one.replaceAll('_', '-')}`)
    const option = options.find(({ long }) => long !== undefined && names.includes(long))
    return said.replace(`${path}: `, () => `${option?.long ?? name}: `)
  }, message)
}
