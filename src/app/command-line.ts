import { parseArgs } from 'node:util'
import { commands as programCommands } from '../cli/commands.ts'
import { operatorError } from '../errors.ts'
import { VERSION } from '../lib/version.ts'

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

export const usage = `Galley ${VERSION}: a finished document becomes exactly one clean post on a WordPress site.

  npm start                   start Galley; so does galley serve
  npm start -- --new-key      make another API key and print it; a Galley that runs goes on meanwhile
  npm start -- --credits N    give the first account N credits more, and let it have no job that they do not pay;
                              --credits unlimited takes that limit away, as it is at first
  npm start -- --version      print the version
  npm start -- --help         print this

Where Galley is installed as a package, without npm start, it is galley --new-key and so on.

Commands, each with --help (docs/cli.md): galley, or npx galley where it is installed, and one of

${Object.entries(programCommands)
  .map(([name, { summary }]) => `  ${name.padEnd(26)}  ${summary}`)
  .join('\n')}

Settings are environment variables, or lines of a file .env in the folder where it starts. .env.example describes
each of them, README.md where the rest stands.`

/**
 * Without a command it is about the service itself; the commands have a program of their own, which is not loaded for a start.
 * @throws GalleyError `unknown_option`: what is not known is never passed over
 */
export function parseCommandLine(args: string[]): ProcessCommand {
  if (args.length === 1 && args[0] === 'serve') return 'start'
  if (args.some(isCommand)) return 'program'
  const { credits, ...values } = readOptions(args)
  const command = commands.find((name) => values[name])
  return command ?? (credits === undefined ? 'start' : { credits: parseCredits(credits) })
}

const isCommand = (word: string): boolean => word === 'help' || Object.hasOwn(programCommands, word)

function readOptions(args: string[]) {
  try {
    return parseArgs({ args, options }).values
  } catch (cause) {
    const [why] = (cause as Error).message.split('. ')
    throw operatorError(
      'unknown_option',
      `${why}. Settings are environment variables, or lines of a file .env. What there is: galley --help, or npm start -- --help.`,
      cause,
    )
  }
}

/** As many as fit beside those that are there: a balance is a 32-bit integer. */
const MOST_CREDITS = 1_000_000_000

function parseCredits(text: string): CreditsRequested {
  if (text === 'unlimited') return text
  const credits = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : MOST_CREDITS + 1
  if (credits <= MOST_CREDITS) return credits
  throw operatorError(
    'unknown_option',
    `--credits wants a whole number from 1 to ${MOST_CREDITS}, or unlimited.`,
  )
}
