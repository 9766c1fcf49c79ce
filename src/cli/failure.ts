import { GalleyError } from '../errors.ts'

/** A command that cannot go on: the sentence for whoever typed it, and how the process ends. */
export class CommandFailure extends GalleyError {
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, code: string, message: string, cause?: unknown, details?: unknown) {
    super({ code, message, action: 'owner', fault: 'owner', cause, details })
    this.name = 'CommandFailure'
    this.exitCode = exitCode
  }
}

/** How a command ends: what a script decides by, and docs/cli.md lists. */
export const exitCodes = {
  done: 0,
  /** It failed: Galley refused it or failed itself, or something that is no command's fault. */
  failed: 1,
  /** The command line is wrong, or what it hands over: an option, a file, a value. */
  usage: 2,
  /** No key, one that does not count, or one that may not do this. */
  notAllowed: 3,
  /** There is no such site, delivery, source, key, job or file. */
  notFound: 4,
  /** Nobody answers at the address of Galley, or nothing of Galley's. */
  unreachable: 5,
  /** As things are now it cannot be done: it is under way, is connected already, there are no credits, or too much was asked at once. */
  conflict: 6,
  /** Done, and what came of it is not what was asked for: a delivery was held, a check found a problem, lines failed. */
  notAsAsked: 7,
  stopped: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

export const usageError = (code: string, message: string, cause?: unknown): CommandFailure =>
  new CommandFailure(exitCodes.usage, code, message, cause)

export const notAsAsked = (code: string, message: string): CommandFailure =>
  new CommandFailure(exitCodes.notAsAsked, code, message)

/** Ctrl-C ended it. */
export const stopped = (cause: unknown): CommandFailure =>
  new CommandFailure(exitCodes.stopped, 'stopped', 'Stopped.', cause)

export function exitCodeOfStatus(status: number): ExitCode {
  if (status === 401 || status === 403) return exitCodes.notAllowed
  if (status === 404) return exitCodes.notFound
  if (status === 402 || status === 409 || status === 429) return exitCodes.conflict
  if (status >= 500) return status === 500 ? exitCodes.failed : exitCodes.unreachable
  return exitCodes.usage
}

export const exitCodeOfError = (code: string): ExitCode => EXIT_CODES_BY_ERROR[code] ?? exitCodes.failed

const EXIT_CODES_BY_ERROR: Readonly<Record<string, ExitCode>> = {
  backup_missing: exitCodes.notFound,
  secret_key_unknown: exitCodes.notFound,
  rotation_under_way: exitCodes.conflict,
  data_folder_in_use: exitCodes.conflict,
  stopped: exitCodes.stopped,
}
