import { databaseFailure, databaseMessage, isReadTimeout } from '../database/errors.ts'
import { GalleyError, hasErrnoCode, operatorError } from '../errors.ts'

const DISK_ERROR_CODES = [
  ...['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EIO', 'EMFILE', 'ENFILE', 'EACCES', 'EPERM'],
  ...['ENOENT', 'EEXIST', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG'],
]

/** Runs work on the installation. @param next what is left, and what to do @throws GalleyError `disk_failed`, `database_lost`, `stopped` */
export async function withInterruptionAdvice<Result>(next: string, work: () => Promise<Result>) {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof GalleyError || !(cause instanceof Error)) throw cause
    if (cause.name === 'AbortError') throw operatorError('stopped', `Stopped. ${next}`, cause)
    if (isDiskError(cause))
      throw operatorError(
        'disk_failed',
        `The disk ended it (${cause.message}). Free space, or put right what that says. ${next}`,
        cause,
      )
    if (databaseFailure(cause) !== undefined)
      throw new GalleyError({
        code: 'database_lost',
        action: 'retry',
        message: `${isReadTimeout(cause) ? DATABASE_SILENT : `The database ended it (${databaseMessage(cause) ?? cause.message}). See that it runs and has space.`} ${next}`,
        cause,
      })
    throw cause
  }
}

/** A database's socket is a file too. */
const isDiskError = (error: Error): boolean =>
  hasErrnoCode(error, ...DISK_ERROR_CODES) && !('syscall' in error && error.syscall === 'connect')

const DATABASE_SILENT =
  'The database gave no answer for minutes. See that it runs, and that nothing between here and there drops its packets: a firewall, a VPN, a proxy that ends what is idle.'
