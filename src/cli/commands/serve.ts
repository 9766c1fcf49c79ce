import type { Command } from 'commander'
import { exitCodes } from '../exit-codes.ts'
import { CommandFailure } from '../failure.ts'
import { examples } from '../help.ts'

/**
 * `galley serve`: what `npm start` does. By itself the word never comes here, since the process starts without the other
 * commands (options.ts); what comes is its help, and options that the service does not take.
 */
export function serve(command: Command): void {
  command.addHelpText('after', examples('galley serve')).action(() => {
    throw new CommandFailure(
      exitCodes.usage,
      'unknown_option',
      'galley serve takes no options: settings are environment variables, or lines of a file .env (.env.example describes each).',
    )
  })
}
