import { parseArgs } from 'node:util'
import { commands as programCommands } from '../cli/commands.ts'
import { closestName } from '../contract/issues.ts'
import { GalleyError } from '../errors.ts'
import { VERSION } from '../lib/version.ts'

/** What a command line asks for. */
type ProcessCommand = 'start' | 'new-key' | 'version' | 'help' | 'program' | { credits: CreditsRequested }

/** So many credits more, from which jobs are paid from then on; or no limit, and no payment. */
export type CreditsRequested = number | 'unlimited'

const options = {
  'new-key': { type: 'boolean' },
  credits: { type: 'string' },
  version: { type: 'boolean', short: 'v' },
  help: { type: 'boolean', short: 'h' },
} as const

/** In the order in which they win where several are given. */
const commands = ['help', 'version', 'new-key'] as const

/** All that there is, for whoever misspells one. */
const names = [...commands, 'credits']

export const usage = `Galley ${VERSION}: a finished document becomes exactly one clean post on a WordPress site.

  npm start                   start Galley; so does galley serve
  npm start -- --new-key      make another API key and print it; a Galley that runs goes on meanwhile
  npm start -- --credits N    give the first account N credits more, and let it have no job that they do not pay;
                              --credits unlimited takes that limit away, as it is at first
  npm start -- --version      print the version
  npm start -- --help         print this

Where Galley is installed as a package, without npm start, it is galley --new-key and so on.

Commands, each with --help (docs/cli.md): galley, or npx galley where it is installed, and one of

${formatRows(programCommands)}

Settings are environment variables, or lines of a file .env in the folder where it starts. .env.example describes
each of them, README.md where the rest stands.`

/** One line each: its name, and what it is for. */
function formatRows(rows: Record<string, { summary: string }>): string {
  return Object.entries(rows)
    .map(([name, { summary }]) => `  ${name.padEnd(26)}  ${summary}`)
    .join('\n')
}

/**
 * Reads a command line. Without a command it is about the service itself; the commands have a program of their own,
 * which is not loaded for a start.
 *
 * @throws GalleyError `unknown_option`: what is not known is never passed over
 */
export function parseCommandLine(args: string[]): ProcessCommand {
  if (args.length === 1 && args[0] === 'serve') return 'start'
  const { tokens } = parseArgs({ args, options, strict: false, tokens: true })
  const given = new Set<string>()
  let credits: CreditsRequested | undefined
  if (tokens.some((token) => token.kind === 'positional' && isCommand(token.value))) return 'program'
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue
    if (token.kind === 'positional') throw unknownArgument(token.value)
    if (!Object.hasOwn(options, token.name)) throw unknownArgument(token.rawName)
    if (token.name === 'credits') credits = parseCredits(token.value)
    else if (token.value !== undefined) throw unknownArgument(`${token.rawName}=${token.value}`)
    given.add(token.name)
  }
  const command = commands.find((name) => given.has(name))
  return command ?? (credits === undefined ? 'start' : { credits })
}

const isCommand = (word: string): boolean => word === 'help' || Object.hasOwn(programCommands, word)

/** As many as fit beside those that are there: a balance is a 32-bit integer. */
const MOST_CREDITS = 1_000_000_000

function parseCredits(text: string | undefined): CreditsRequested {
  if (text === 'unlimited') return text
  const credits = /^[1-9]\d{0,9}$/.test(text ?? '') ? Number(text) : MOST_CREDITS + 1
  if (credits <= MOST_CREDITS) return credits
  throw new GalleyError({
    code: 'unknown_option',
    action: 'owner',
    message: `--credits wants a whole number from 1 to ${MOST_CREDITS}, or unlimited.`,
  })
}

function unknownArgument(argument: string): GalleyError {
  const meant = argument.startsWith('-')
    ? closestName(argument, names)?.replace(/^/, '--')
    : closestName(argument, [...Object.keys(programCommands), 'help'])
  return new GalleyError({
    code: 'unknown_option',
    action: 'owner',
    message: `Galley has no ${argument.startsWith('-') ? 'option' : 'command'} ${argument}${meant === undefined ? '.' : `; did you mean ${meant}?`} Settings are environment variables, or lines of a file .env. What there is: galley --help, or npm start -- --help.`,
  })
}
