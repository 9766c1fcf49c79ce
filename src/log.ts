import { type DestinationStream, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino'
import type { Config } from './config.ts'
import { logOutput } from './log-output.ts'
import { withoutSecretMembers, withoutSecrets } from './redact.ts'

export type { Logger } from 'pino'

/**
 * The log of this process: JSON lines, secrets replaced by `[redacted]`. What is called a secret is replaced whole; then
 * every line is searched once more, as it is written, for what looks like one: in messages, in what libraries put into
 * their errors, in addresses and headers.
 *
 * @param destination where the lines go; standard output where left out.
 */
export function createLog(
  { logLevel }: Pick<Config, 'logLevel'>,
  destination: DestinationStream = logOutput(),
): Logger {
  const options = {
    level: logLevel,
    base: { pid: process.pid },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { log: withoutSecretMembers, bindings: withoutSecretMembers },
    serializers: { err: (error: Error) => withoutSecretMembers(stdSerializers.err(error)) },
    hooks: { streamWrite: withoutSecrets },
  }
  return pino(options, destination)
}
