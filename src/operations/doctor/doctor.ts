import { statfs } from 'node:fs/promises'
import { type DatabasePlace, openPool, withServer } from '../../database/index.ts'
import { hasCode } from '../../errno.ts'
import { GalleyError } from '../../errors.ts'
import type { Logger } from '../../log.ts'
import { VERSION } from '../../version.ts'
import { databaseFindings } from './database.ts'
import { type Finding, ok, problem, warning } from './findings.ts'

export interface Installation extends DatabasePlace {
  secretKeys: string | undefined
  /** Without a trailing slash. */
  publicUrl: string
}

/** Bytes. */
const LITTLE = 2e9
const NOTHING = 2e8

/** Milliseconds for an answer from Galley's own address. */
const PATIENCE_MS = 5_000

/** Looks at an installation from within; changes nothing. */
export async function checkInstallation(installation: Installation, log: Logger): Promise<Finding[]> {
  return [
    ok('version', `Galley ${VERSION} on Node ${process.versions.node}.`),
    await diskFinding(installation.dataDir),
    ...(await ofDatabase(installation, log)),
    await addressFinding(installation.publicUrl),
  ]
}

async function ofDatabase(installation: Installation, log: Logger): Promise<Finding[]> {
  try {
    return await withServer(installation, log, async (connectionString) => {
      const pool = openPool({ connectionString, max: 1, connectionTimeoutMillis: 2 * PATIENCE_MS })
      return databaseFindings(pool, installation).finally(() => pool.end())
    })
  } catch (error) {
    return [
      problem(
        'database',
        error instanceof GalleyError ? error.message : `It cannot be used: ${said(error)}.`,
      ),
    ]
  }
}

async function diskFinding(dataDir: string): Promise<Finding> {
  try {
    const { bavail, bsize } = await statfs(dataDir)
    const free = bavail * bsize
    const text = `${(free / 1e9).toFixed(1)} GB are free where the data folder ${dataDir} is`
    if (free < NOTHING) return problem('disk', `${text}: PostgreSQL stops when nothing is left.`)
    return free < LITTLE ? warning('disk', `${text}, which is little.`) : ok('disk', `${text}.`)
  } catch (error) {
    if (hasCode(error, 'ENOENT'))
      return ok('disk', `The data folder ${dataDir} does not exist yet; it is created at the first start.`)
    return problem('disk', `The data folder ${dataDir} cannot be read: ${said(error)}.`)
  }
}

async function addressFinding(publicUrl: string): Promise<Finding> {
  try {
    const { status } = await fetch(`${publicUrl}/healthz`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    if (status === 200) return ok('address', `Galley answers at ${publicUrl}.`)
    return warning(
      'address',
      `${publicUrl} answers ${status}, and not as Galley: check PUBLIC_URL and the proxy.`,
    )
  } catch (error) {
    return warning(
      'address',
      `There is no answer from ${publicUrl} on this machine (${said(error)}): start Galley, or check PUBLIC_URL and the proxy.`,
    )
  }
}

const said = (error: unknown): string => {
  const { cause, message } = error as Error
  return cause instanceof Error && cause.message !== '' ? cause.message : message
}
