import { type DestinationStream, type Logger, pino } from 'pino'
import type { Config } from './config.ts'

export type { Logger } from 'pino'

const secretNames = [
  'authorization',
  'cookie',
  'x-api-key',
  'application_password',
  'applicationPassword',
  'signing_secret',
  'signingSecret',
  'upstream_api_key',
  'upstreamApiKey',
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
 * The log of this process: JSON lines, secrets replaced by `[redacted]`.
 *
 * @param destination where the lines go; standard output where left out.
 */
export function createLog({ logLevel }: Pick<Config, 'logLevel'>, destination?: DestinationStream): Logger {
  const options = {
    level: logLevel,
    base: { pid: process.pid },
    redact: anywhere,
  }
  return destination ? pino(options, destination) : pino(options)
}

/**
 * For lines whose every part but the reason of a failure was picked: to search the whole of each, wherever in it a
 * secret might stand, is a good part of what a webhook costs (docs/benchmarks.md).
 */
export const pickedLinesOnly = (log: Logger, bindings: Record<string, string>): Logger =>
  log.child(bindings, { redact: inReasons })

/**
 * The token in the address of a webhook or a connect link is its password, and WordPress sends an application password
 * back in a query: neither comes into a log line.
 */
export function withoutToken(url: string): string {
  const shown = url.replace(/(\/(?:webhooks|connect)\/)[^/?#]+/, '$1[redacted]')
  const connect = shown.indexOf('/connect/')
  const query = connect === -1 ? -1 : shown.indexOf('?', connect)
  return query === -1 ? shown : `${shown.slice(0, query)}?[redacted]`
}
