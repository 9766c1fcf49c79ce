import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { generateSecretKey } from '../src/secrets/keyring.ts'

/** Nobody answers here, so that a start loads everything, reaches no database, and ends. */
const NOBODY = 'postgresql://127.0.0.1:1/nobody'

/** Runs in the process that is started: what V8 has compiled by its end is what the next start needs. */
const RECORDER = `
  import { writeFileSync } from 'node:fs'
  const { script } = await import(process.env.BUNDLE)
  const cache = new URL(process.env.BUNDLE.replace(/\\.js$/, '.cache'))
  process.once('exit', () => writeFileSync(cache, script.createCachedData()))`

/**
 * Records V8's code cache of a bundled Galley, by a start without a database. It is used by this version of Node alone,
 * and is no machine code: other machines can use it.
 *
 * @param file as {@link bundleGalley} returns it
 */
export function recordCode(file: string): void {
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', RECORDER], {
    // Where nobody's .env is.
    cwd: dirname(file),
    env: {
      PATH: process.env.PATH,
      BUNDLE: pathToFileURL(file).href,
      DATABASE_URL: NOBODY,
      GALLEY_SECRET_KEYS: generateSecretKey(),
      LOG_LEVEL: 'silent',
    },
    encoding: 'utf8',
  })
  if (!stderr.startsWith('The database "nobody" at 127.0.0.1:1 cannot be used'))
    throw new Error(`Galley could not be loaded: ${stderr}`)
}
