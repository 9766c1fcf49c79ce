import { GalleyError } from '../errors.ts'
import type { ExitCode } from './exit-codes.ts'

/** A command that cannot go on: the sentence for whoever typed it, and how the process ends. */
export class CommandFailure extends GalleyError {
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, code: string, message: string, cause?: unknown, details?: unknown) {
    super({ code, message, action: 'owner', fault: 'owner', cause, details })
    this.name = 'CommandFailure'
    this.exitCode = exitCode
  }
}
