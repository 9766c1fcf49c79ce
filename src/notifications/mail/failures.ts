import { withoutSecrets } from '../../redact.ts'
import type { Answer } from '../receiver.ts'
import type { MailSettings } from './settings.ts'
import { plain } from './words.ts'

/** What an SMTP connection says of its failure. */
export interface SmtpError extends Error {
  /** `EAUTH`, `ETLS`, … */
  code?: string
  /** What the server answered, if it did: `550`. */
  responseCode?: number
  response?: string
}

type Failure = NonNullable<Answer['error']>

/** No mail leaves this process. */
export const notConfigured: Failure = {
  code: 'mail_not_configured',
  message:
    'This Galley sends no mail. Whoever runs it has to set GALLEY_SMTP_URL and GALLEY_MAIL_FROM, for each process that works; then have it sent again.',
}

/** That the whole of an attempt took too long. */
export const tooSlow: Failure = {
  code: 'mail_timeout',
  message:
    'The mail server did not accept the mail in time. It may have accepted it anyway, and Galley tries again.',
}

/** What the server said, or what became of the connection; without the password, whoever repeats it. */
export function spoken({ message, response }: SmtpError, credentials: MailSettings['credentials']): string {
  const said = response ?? message
  const { user = '', password = '' } = credentials ?? {}
  const secrets = password === '' ? [] : [password, ...encodings(user, password)]
  return plain(
    withoutSecrets(secrets.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), said)),
    300,
  )
}

/** As a password is sent. */
const encodings = (user: string, password: string): string[] =>
  [password, `\0${user}\0${password}`].map((text) => Buffer.from(text).toString('base64'))

/** Why a mail was not taken, in words for who looks at the attempt. */
export function mailFailure(error: SmtpError, credentials: MailSettings['credentials']): Failure {
  const { code, message, responseCode } = error
  const said = spoken(error, credentials)
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
