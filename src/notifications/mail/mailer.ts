import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { Logger } from '../../log/log.ts'
import { redactSecrets } from '../../log/redact.ts'
import type { AttemptResult } from '../attempt.ts'
import { mailBodySchema, renderMail, singleLine } from './mail.ts'
import { MAILTO, type MailSettings } from './settings.ts'

/** Milliseconds for all of an attempt. Mail servers may greet slowly, on purpose. */
const MAIL_TIMEOUT_MS = 20_000

/** Milliseconds of silence after which the server is given up. */
const SMTP_IDLE_TIMEOUT_MS = 10_000

/** A notification that is a mail. */
export interface OutgoingMail {
  /** Of the notification: the mail has the same Message-ID in every attempt, by which a mailbox knows it again. */
  id: string
  /** `mailto:` and an address. */
  url: string
  /** See {@link mailBodySchema}. */
  body: Buffer
}

/** Sends a mail once. That it was not taken is an answer too. */
export type SendMail = (mail: OutgoingMail) => Promise<AttemptResult>

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
      ...renderMail(told, publicUrl()),
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
      await deliverOverSmtp(
        new Connection(connectionOptions(settings)),
        settings,
        { from: address, to },
        message,
      )
      return { tookMs: took(), httpStatus: null, error: null }
    } catch (cause) {
      const error = cause === LATE ? mailTimeout : mailFailure(cause as SmtpError, settings.credentials)
      // Not as it was thrown: servers repeat what they were sent, a password among it.
      const reason = redactedSmtpMessage(cause as SmtpError, settings.credentials)
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
  connectionTimeout: SMTP_IDLE_TIMEOUT_MS,
  greetingTimeout: SMTP_IDLE_TIMEOUT_MS,
  socketTimeout: SMTP_IDLE_TIMEOUT_MS,
})

const LATE = new Error('late')

/** Says all that SMTP says, and resolves once the server has taken the mail. @throws SmtpError, {@link LATE} */
async function deliverOverSmtp(
  connection: SMTPConnection,
  { credentials }: MailSettings,
  envelope: { from: string; to: string },
  message: Buffer,
): Promise<void> {
  let late: NodeJS.Timeout | undefined
  try {
    await new Promise<void>((resolve, reject) => {
      late = setTimeout(() => reject(LATE), MAIL_TIMEOUT_MS)
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

/** What an SMTP connection says of its failure. */
export interface SmtpError extends Error {
  /** `EAUTH`, `ETLS`, … */
  code?: string
  /** What the server answered, if it did: `550`. */
  responseCode?: number
  response?: string
}

type MailFailure = NonNullable<AttemptResult['error']>

/** No mail leaves this process. */
export const mailNotConfiguredFailure: MailFailure = {
  code: 'mail_not_configured',
  message:
    'This Galley sends no mail. Whoever runs it has to set GALLEY_SMTP_URL and GALLEY_MAIL_FROM, for each process that works; then have it sent again.',
}

/** That the whole of an attempt took too long. */
export const mailTimeout: MailFailure = {
  code: 'mail_timeout',
  message:
    'The mail server did not accept the mail in time. It may have accepted it anyway, and Galley tries again.',
}

/** What the server said, or what became of the connection; without the password, whoever repeats it. */
export function redactedSmtpMessage(
  { message, response }: SmtpError,
  credentials: MailSettings['credentials'],
): string {
  const said = response ?? message
  const { user = '', password = '' } = credentials ?? {}
  const secrets = password === '' ? [] : [password, ...credentialEncodings(user, password)]
  return singleLine(
    redactSecrets(secrets.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), said)),
    300,
  )
}

/** As a password is sent. */
const credentialEncodings = (user: string, password: string): string[] =>
  [password, `\0${user}\0${password}`].map((text) => Buffer.from(text).toString('base64'))

/** Why a mail was not taken, in words for who looks at the attempt. */
export function mailFailure(error: SmtpError, credentials: MailSettings['credentials']): MailFailure {
  const { code, message, responseCode } = error
  const said = redactedSmtpMessage(error, credentials)
  if (code === 'EAUTH')
    return {
      code: 'mail_login_refused',
      message: `The mail server refused user and password: ${said}. Whoever runs this Galley has to correct GALLEY_SMTP_URL.`,
    }
  if (code === 'ETLS' || isCertificate(code, message))
    return {
      code: 'mail_not_encrypted',
      message: `The connection to the mail server could not be encrypted: ${said}. Its certificate must be valid for the host in GALLEY_SMTP_URL; smtps:// is for servers that encrypt from the start.`,
    }
  if (responseCode !== undefined && responseCode >= 500)
    return {
      code: 'mail_refused',
      message: `The mail server refused the mail: ${said}. Check the address of the receiver, and GALLEY_MAIL_FROM.`,
    }
  if (responseCode !== undefined)
    return { code: 'mail_deferred', message: `The mail server is not accepting mail right now: ${said}.` }
  return {
    code: 'mail_server_unreachable',
    // Where it is, and why not, is for the log: whoever reads this may be a customer of who runs Galley.
    message:
      'The mail server could not be reached, or closed the connection. Whoever runs this Galley finds the reason in its log, and should check GALLEY_SMTP_URL.',
  }
}

const isCertificate = (code: string | undefined, message: string): boolean =>
  /CERT|SELF_SIGNED|ERR_TLS|ERR_SSL|^EPROTO$/.test(code ?? '') || /certificate|altnames/i.test(message)
