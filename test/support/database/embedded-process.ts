/**
 * A process that holds an embedded database as Galley does, for tests to kill. Prints events as lines of JSON.
 * Argument: the data folder.
 */
import { startEmbedded } from '../../../src/database/embedded/start.ts'
import { GalleyError } from '../../../src/errors.ts'

const [dataDir = ''] = process.argv.slice(2)
const say = (event: object) => process.stdout.write(`${JSON.stringify(event)}\n`)
const log = (level: string) => (what: unknown, text?: string) => {
  const error = what instanceof Object && 'err' in what ? String(what.err) : undefined
  say({ event: 'log', level, text: text ?? what, error })
}

process.on('SIGINT', () => say({ event: 'interrupted' }))
try {
  const database = await startEmbedded({
    dataDir,
    log: { info: log('info'), warn: log('warn'), error: log('error') },
    onLost: ({ code, message }) => say({ event: 'lost', code, message }),
  })
  process.on('SIGTERM', async () => {
    await database.stop()
    say({ event: 'stopped' })
    process.exit()
  })
  const { pid, connectionString } = database
  say({ event: 'ready', pid, connectionString })
} catch (error) {
  if (!(error instanceof GalleyError)) throw error
  say({ event: 'failed', code: error.code, message: error.message })
  process.exitCode = 1
}
