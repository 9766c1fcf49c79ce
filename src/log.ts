import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'
import type { Config } from './config.ts'
import { logOutput } from './log-output.ts'
import { withoutSecrets } from './redact.ts'

export type { Logger } from 'pino'

const secretNames = [
  'authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'application_password',
  'applicationPassword',
  'signing_secret',
  'signingSecret',
  'upstream_api_key',
  'upstreamApiKey',
  'previousSigningSecret',
  'secretKeys',
  'password',
  'token',
]

const secretsUnder = (...places: string[]) => ({
  paths: secretNames.flatMap((name) => places.map((place) => `${place}["${name}"]`)),
  censor: '[redacted]',
})

/** Wherever a secret may stand in what is logged: at the top, and up to three objects down. */
const anywhere = secretsUnder('', '*', '*.*', '*.*.*')

/** In the reason for a failure, the one part of a line that no serializer chose. */
const inReasons = secretsUnder('err', 'err.*', 'err.*.*')

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
    redact: anywhere,
    hooks: { streamWrite: withoutSecrets },
  }
  return pino(options, destination)
}

/**
 * For lines whose every part but the reason of a failure was picked: to search the whole of each, wherever in it a
 * secret might stand, is a good part of what a webhook costs (docs/benchmarks.md).
 */
export const pickedLinesOnly = (log: Logger, bindings: Record<string, string>): Logger =>
  log.child(bindings, { redact: inReasons })
