/** A process that sends notifications, for a test to kill. Argument: connection string. */
import { pino } from 'pino'
import { openDatabase } from '../../src/database/index.ts'
import { Sender } from '../../src/notifications/sender.ts'
import { createOutbound } from '../../src/outbound/index.ts'
import { openKeyring } from '../../src/secrets/index.ts'
import { createKey, parseKeys } from '../../src/secrets/keys.ts'

const [connectionString = ''] = process.argv.slice(2)
const log = pino({ level: 'silent' })
const { pool } = openDatabase({ connectionString, poolSize: 3, log })
const outbound = createOutbound({ allowPrivate: 'all', userAgent: 'Galley/test' })
const keyring = openKeyring(parseKeys(createKey(), 'this test'))
await new Sender({ pool, outbound, keyring, log }).run(new AbortController().signal)
