/**
 * Writes the Prisma client (src/database/generated) from prisma/schema.prisma, with no network: `npm ci` runs it.
 *
 * `prisma generate` first makes sure that a native schema engine is present, downloading one if need be, and then
 * never runs it. Naming any existing file as that engine skips the download.
 */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const cli = createRequire(import.meta.url).resolve('prisma/build/index.js')

const { status, error } = spawnSync(process.execPath, [cli, 'generate', '--no-hints'], {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...process.env,
    PRISMA_SCHEMA_ENGINE_BINARY: cli,
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    CHECKPOINT_DISABLE: '1',
  },
})
if (error) throw error
process.exitCode = status ?? 1
