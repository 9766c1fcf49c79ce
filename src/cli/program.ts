import { type Command, CommanderError, type OutputConfiguration } from 'commander'
import { apiCode, GalleyError, hasErrnoCode } from '../errors.ts'
import { VERSION } from '../lib/version.ts'
import { loadCommands, registerLoader } from './commands/completion.ts'
import { commands } from './commands.ts'
import { CommandFailure, type ExitCode, exitCodeOfError, exitCodes, stopped } from './failure.ts'
import { CliCommand } from './options.ts'
import { escapeControls, jsonText } from './output.ts'
import type { CliWorld } from './world.ts'

/** Runs one command. @param args what follows `galley` @returns what the process ends with */
export async function runProgram(args: readonly string[], world: CliWorld): Promise<ExitCode> {
  const written: Promise<void>[] = []
  const program = createProgram(world, {
    writeOut: (text) => written.push(world.write(text)),
    writeErr: (text) => world.note(text.replace(/\n$/, '')),
    getOutHelpWidth: () => world.columns ?? 100,
    getErrHelpWidth: () => world.columns ?? 100,
  })
  try {
    await program.parseAsync(moveHelpLast(args), { from: 'user' })
    return exitCodes.done
  } catch (error) {
    return reportFailure(error, world, args.includes('--json'))
  } finally {
    await Promise.allSettled(written)
  }
}

/** The program with the names of all commands; each gets the rest of itself when it is asked for. */
function createProgram(world: CliWorld, output: OutputConfiguration): Command {
  const program = new CliCommand('galley')
    .description('A finished document becomes exactly one clean post on a WordPress site.')
    .version(VERSION, '-v, --version', 'print the version')
    .option('--url <address>', 'address of Galley; else GALLEY_URL, else http://127.0.0.1:8080')
    .option(
      '--key <key>',
      'API key, which others on this machine can see here: rather GALLEY_KEY or --key-file',
    )
    .option('--key-file <file>', 'file with the API key')
    .option('--json', 'answer as JSON, for programs')
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput(output)
    .exitOverride()
    .showSuggestionAfterError()
  for (const [name, { summary, load }] of Object.entries(commands)) {
    const command = program
      .command(name)
      .summary(summary)
      .description(`${capitalize(summary)}.`)
    registerLoader(command, async () => (await load())(command, world))
  }
  return program.hook('preSubcommand', (_program, command) => loadCommands(command))
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** `galley help sites add` asks for what `galley sites add --help` does. */
const moveHelpLast = (args: readonly string[]): string[] =>
  args[0] === 'help' ? [...args.slice(1), '--help'] : [...args]

function reportFailure(error: unknown, world: CliWorld, asJson: boolean): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
  // Who reads, `head` perhaps, has enough.
  if (hasErrnoCode(error, 'EPIPE')) return exitCodes.done
  if (!(error instanceof GalleyError)) {
    if (world.stop.aborted) return reportFailure(stopped(error), world, asJson)
    world.note(escapeControls(error instanceof Error ? (error.stack ?? error.message) : String(error)))
    return exitCodes.failed
  }
  const { code, message, details } = error
  if (asJson) world.note(jsonText({ success: false, error: { code: apiCode(code), message, details } }))
  else world.note(escapeControls(message))
  return error instanceof CommandFailure ? error.exitCode : exitCodeOfError(code)
}
