/** A process that sends notifications, for a test to kill. Arguments: connection string; a mail server's port, and how it is to be encrypted. */
import { pino } from 'pino'
import { openDatabase } from '../../src/database/client.ts'
import { createMailer } from '../../src/notifications/mail/mailer.ts'
import { NotificationSender } from '../../src/notifications/sender.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { generateSecretKey, openKeyring, parseSecretKeys } from '../../src/secrets/keyring.ts'

const [connectionString = '', port = '25', tls = 'off'] = process.argv.slice(2)
const log = pino({ level: 'silent' })
const { pool } = openDatabase({ connectionString, poolSize: 3, log })
const outbound = createOutbound({ allowPrivate: 'all', userAgent: 'Galley/test' })
const keyring = openKeyring(parseSecretKeys(generateSecretKey(), 'this test'))
const from = { name: 'Galley', address: 'galley@example.net' }
const credentials = tls === 'off' ? undefined : { user: 'galley', password: 'right' }
const settings = { host: 'localhost', port: Number(port), tls: tls as 'off', credentials, from }
const mail = createMailer(settings, () => 'https://galley.example.net', log)
process.stdout.write('sends\n')
await new NotificationSender({
  pool,
  outbound,
  keyring,
  log,
  publicUrl: () => 'https://galley.example.net',
  mail,
}).run(new AbortController().signal)
