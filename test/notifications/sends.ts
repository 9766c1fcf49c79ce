/** A process that sends notifications, for a test to kill. Arguments: connection string; a mail server's port, and how it is to be encrypted. */
import { pino } from 'pino'
import { openDatabase } from '../../src/database/index.ts'
import { createMailer } from '../../src/notifications/mail/mailer.ts'
import { Sender } from '../../src/notifications/sender.ts'
import { createOutbound } from '../../src/outbound/index.ts'
import { openKeyring } from '../../src/secrets/index.ts'
import { createKey, parseKeys } from '../../src/secrets/keys.ts'

const [connectionString = '', port = '25', tls = 'off'] = process.argv.slice(2)
const log = pino({ level: 'silent' })
const { pool } = openDatabase({ connectionString, poolSize: 3, log })
const outbound = createOutbound({ allowPrivate: 'all', userAgent: 'Galley/test' })
const keyring = openKeyring(parseKeys(createKey(), 'this test'))
const from = { name: 'Galley', address: 'galley@example.net' }
const credentials = tls === 'off' ? undefined : { user: 'galley', password: 'right' }
const settings = { host: 'localhost', port: Number(port), tls: tls as 'off', credentials, from }
const mail = createMailer(settings, () => 'https://galley.example.net', log)
await new Sender({ pool, outbound, keyring, log, mail }).run(new AbortController().signal)
