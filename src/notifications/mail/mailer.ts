import { createTransport } from 'nodemailer'
import pTimeout, { TimeoutError } from 'p-timeout'
import type { LanguageCode } from '../../lib/sentences.ts'
import type { Logger } from '../../log/log.ts'
import { redactSecret, redactSecrets } from '../../log/redact.ts'
import type { AttemptResult } from '../claim.ts'
import { singleLine } from '../words.ts'
import { type MailContent, mailBodySchema, renderMail } from './mail.ts'
import { MAILTO, type MailSettings } from './settings.ts'

/** Milliseconds for an attempt; mail servers may greet slowly on purpose. */
const MAIL_TIMEOUT_MS = 20_000

const SMTP_IDLE_TIMEOUT_MS = 10_000

interface ComposedMail extends MailContent {
  id: string
  to: string
  /** ISO 8601. */
  date: string
}

/** Sends a mail once, without keeping it. A refusal is a result too. */
export type SendComposed = (mail: ComposedMail) => Promise<AttemptResult>

interface OutgoingMail {
  /** Of the notification: every attempt has the same Message-ID, so that mailboxes recognise it. */
  id: string
  url: string
  body: Buffer
  language: LanguageCode
}

/** Sends a mail once. A refusal is a result too. */
export type SendMail = (mail: OutgoingMail) => Promise<AttemptResult>

/** Sends the mails of the outbox. @param publicUrl base of links, without a trailing slash */
export function createMailer(settings: MailSettings, publicUrl: () => string, log: Logger): SendMail {
  const send = createComposedMailer(settings, log)
  return ({ id, url, body, language }) => {
    const told = mailBodySchema.parse(JSON.parse(body.toString('utf8')))
    const content = renderMail(told, publicUrl(), language)
    return send({ id, to: url.slice(MAILTO.length), date: told.created_at, ...content })
  }
}

/** A connection for each mail. */
export const createComposedMailer =
  (settings: MailSettings, log: Logger): SendComposed =>
  async ({ id, ...mail }) => {
    const { address } = settings.from
    const transport = createTransport(transportOptions(settings))
    try {
      const sending = transport.sendMail({
        ...mail,
        from: settings.from,
        messageId: `<${id}@${address.slice(address.lastIndexOf('@') + 1)}>`,
        // Keeps auto-responders from answering.
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
      await pTimeout(sending, { milliseconds: MAIL_TIMEOUT_MS })
      return { httpStatus: null, error: null }
    } catch (cause) {
      const error =
        cause instanceof TimeoutError ? mailTimeout : mailFailure(cause as SmtpError, settings.credentials)
      // Not as thrown: servers repeat what they were sent, the password included.
      const reason = redactedSmtpMessage(cause as SmtpError, settings.credentials)
      log.warn(
        { mail: id, host: settings.host, code: error.code, reason },
        'the mail server did not take a mail',
      )
      return { httpStatus: null, error }
    }
  }

const transportOptions = ({ host, port, tls, credentials }: MailSettings) => ({
  host,
  port,
  secure: tls === 'implicit',
  requireTLS: tls === 'starttls',
  ignoreTLS: tls === 'off',
  ...(credentials && { auth: { user: credentials.user, pass: credentials.password } }),
  connectionTimeout: SMTP_IDLE_TIMEOUT_MS,
  greetingTimeout: SMTP_IDLE_TIMEOUT_MS,
  socketTimeout: SMTP_IDLE_TIMEOUT_MS,
  disableFileAccess: true,
  disableUrlAccess: true,
})

interface SmtpError extends Error {
  code?: string
  /** What the server answered, if it did: `550`. */
  responseCode?: number
  response?: string
}

type MailFailure = NonNullable<AttemptResult['error']>

export const mailNotConfiguredFailure: MailFailure = {
  code: 'mail_not_configured',
  message:
    'This Galley sends no mail. Whoever runs it has to set GALLEY_SMTP_URL and GALLEY_MAIL_FROM, for each process that works; then have it sent again.',
}

const mailTimeout: MailFailure = {
  code: 'mail_timeout',
  message:
    'The mail server did not accept the mail in time. It may have accepted it anyway, and Galley tries again.',
}

/** The server's or connection's message, without the password. */
function redactedSmtpMessage(
  { message, response }: SmtpError,
  credentials: MailSettings['credentials'],
): string {
  const { user, password } = credentials ?? { user: '', password: '' }
  // As the text of a server may have them, and as AUTH PLAIN sends them in base64.
  const secrets = [password, `\0${user}\0${password}`]
  return singleLine(redactSecrets(secrets.reduce(redactSecret, response ?? message)), 300)
}

/** Why a mail was not taken, for whoever reads the attempt. */
function mailFailure(error: SmtpError, credentials: MailSettings['credentials']): MailFailure {
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
    // The server's address and error are for the log: the reader may be a customer of the operator.
    message:
      'The mail server could not be reached, or closed the connection. Whoever runs this Galley finds the reason in its log, and should check GALLEY_SMTP_URL.',
  }
}

const isCertificate = (code: string | undefined, message: string): boolean =>
  /CERT|SELF_SIGNED|ERR_TLS|ERR_SSL|^EPROTO$/.test(code ?? '') || /certificate|altnames/i.test(message)
