import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { Logger } from '../../log.ts'
import type { Answer } from '../receiver.ts'
import { mailBodySchema } from './body.ts'
import { mailFailure, type SmtpError, spoken, tooSlow } from './failures.ts'
import { mailOf } from './mail.ts'
import { MAILTO, type MailSettings } from './settings.ts'

/** Milliseconds for all of an attempt. Mail servers may greet slowly, on purpose. */
const MAIL_WITHIN_MS = 20_000

/** Milliseconds of silence after which the server is given up. */
const SILENT_MS = 10_000

/** A notification that is a mail. */
export interface MailToSend {
  /** Of the notification: the mail has the same Message-ID in every attempt, by which a mailbox knows it again. */
  id: string
  /** `mailto:` and an address. */
  url: string
  /** See {@link mailBodySchema}. */
  body: Buffer
}

/** Sends a mail once. That it was not taken is an answer too. */
export type SendMail = (mail: MailToSend) => Promise<Answer>

/**
 * Sends mail through the operator's server, and nowhere else: a connection for each mail, which ends with it.
 *
 * @param publicUrl where links lead, without a slash at its end
 */
export const createMailer =
  (settings: MailSettings, publicUrl: () => string, log: Logger): SendMail =>
  async ({ id, url, body }) => {
    const began = performance.now()
    const took = () => Math.round(performance.now() - began)
    const told = mailBodySchema.parse(JSON.parse(body.toString('utf8')))
    const to = url.slice(MAILTO.length)
    // Only here: most installations send no mail.
    const [{ default: MailComposer }, { default: Connection }] = await Promise.all([
      import('nodemailer/lib/mail-composer'),
      import('nodemailer/lib/smtp-connection'),
    ])
    const { address } = settings.from
    const message = await new MailComposer({
      ...mailOf(told, publicUrl()),
      from: settings.from,
      to,
      messageId: `<${id}@${address.slice(address.lastIndexOf('@') + 1)}>`,
      date: told.created_at,
      // No answer of a machine answers it.
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
    })
      .compile()
      .build()
    try {
      await hand(new Connection(connectionOptions(settings)), settings, { from: address, to }, message)
      return { tookMs: took(), httpStatus: null, error: null }
    } catch (cause) {
      const error = cause === LATE ? tooSlow : mailFailure(cause as SmtpError, settings.credentials)
      // Not as it was thrown: servers repeat what they were sent, a password among it.
      const reason = spoken(cause as SmtpError, settings.credentials)
      log.warn(
        { notification: id, host: settings.host, code: error.code, reason },
        'the mail server did not take a mail',
      )
      return { tookMs: took(), httpStatus: null, error }
    }
  }

const connectionOptions = ({ host, port, tls }: MailSettings): SMTPConnection.Options => ({
  host,
  port,
  secure: tls === 'implicit',
  requireTLS: tls === 'starttls',
  ignoreTLS: tls === 'off',
  connectionTimeout: SILENT_MS,
  greetingTimeout: SILENT_MS,
  socketTimeout: SILENT_MS,
})

const LATE = new Error('late')

/** Says all that SMTP says, and resolves once the server has taken the mail. @throws SmtpError, {@link LATE} */
async function hand(
  connection: SMTPConnection,
  { credentials }: MailSettings,
  envelope: { from: string; to: string },
  message: Buffer,
): Promise<void> {
  let late: NodeJS.Timeout | undefined
  try {
    await new Promise<void>((resolve, reject) => {
      late = setTimeout(() => reject(LATE), MAIL_WITHIN_MS)
      const unless =
        (next: () => void) =>
        (error?: Error | null): void =>
          error ? reject(error) : next()
      const send = () => connection.send({ ...envelope, to: [envelope.to] }, message, unless(resolve))
      // It stays: what is said after the end is nobody's any more, and must not end the process.
      connection.on('error', reject)
      connection.once('end', () => reject(new Error('it closed the connection')))
      connection.connect(() => {
        if (credentials === undefined) send()
        else connection.login({ user: credentials.user, pass: credentials.password }, unless(send))
      })
    })
  } finally {
    clearTimeout(late)
    connection.close()
  }
}
