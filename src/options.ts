import { parseArgs } from 'node:util'
import { closest } from './contract/closest.ts'
import { GalleyError } from './errors.ts'
import { VERSION } from './version.ts'

/** What a command line asks for. */
export type Command = 'start' | 'new-key' | 'version' | 'help'

const options = {
  'new-key': { type: 'boolean' },
  version: { type: 'boolean', short: 'v' },
  help: { type: 'boolean', short: 'h' },
} as const

/** In the order in which they win where several are given. */
const commands = ['help', 'version', 'new-key'] as const

export const usage = `Galley ${VERSION}: a finished document becomes exactly one clean post on a WordPress site.

  npm start                   start Galley
  npm start -- --new-key      make another API key and print it; a Galley that runs goes on meanwhile
  npm start -- --version      print the version
  npm start -- --help         print this

Settings are environment variables, or lines of a file .env in the folder where it starts. .env.example describes
each of them, README.md where the rest stands.`

/**
 * Reads a command line.
 *
 * @throws GalleyError `unknown_option`: what is not known is never passed over
 */
export function readCommand(args: string[]): Command {
  const { tokens } = parseArgs({ args, options, strict: false, tokens: true })
  const given = new Set<string>()
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue
    if (token.kind === 'positional') throw unknown(token.value)
    if (!Object.hasOwn(options, token.name)) throw unknown(token.rawName)
    if (token.value !== undefined) throw unknown(`${token.rawName}=${token.value}`)
    given.add(token.name)
  }
  return commands.find((command) => given.has(command)) ?? 'start'
}

function unknown(argument: string): GalleyError {
  const meant = closest(argument, commands)
  return new GalleyError({
    code: 'unknown_option',
    action: 'owner',
    message: `Galley does not know ${argument}${meant === undefined ? '.' : `; did you mean --${meant}?`} Settings are environment variables. Known are:\n\n${usage}`,
  })
}
