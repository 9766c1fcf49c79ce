import { z } from 'zod'

export interface MailSettings {
  host: string
  port: number
  /** `implicit` from the first byte, `starttls` before anything else, or `off`. */
  tls: 'implicit' | 'starttls' | 'off'
  /** Undefined where the server needs none. */
  credentials: { user: string; password: string } | undefined
  from: MailSender
}

interface MailSender {
  name: string
  address: string
}

const PORTS: Record<string, number> = { 'smtp:': 587, 'smtps:': 465 }

/** Reads `smtp://user:password@host:port` or `smtps://…`. @throws Error for the operator, without secrets */
export function parseSmtpUrl(text: string): Pick<MailSettings, 'host' | 'port' | 'credentials'> & {
  implicit: boolean
} {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const port = PORTS[url?.protocol ?? '']
  if (url === undefined || port === undefined || url.hostname === '')
    throw new Error('it begins with smtp:// or smtps://, and a host follows')
  if (url.search !== '' || url.hash !== '' || !['', '/'].includes(url.pathname))
    throw new Error(
      'there is nothing after the port; write @ / : # ? % of a password as %40 %2F %3A %23 %3F %25',
    )
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)]
  if ((user === '') !== (password === '')) throw new Error('a user and a password belong together')
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? port : Number(url.port),
    credentials: user === '' ? undefined : { user, password },
    implicit: url.protocol === 'smtps:',
  }
}

/** Reads `galley@example.com` or `Galley <galley@example.com>`. @throws Error in words for the operator */
export function parseMailSender(text: string): MailSender {
  const open = text.lastIndexOf('<')
  const named = open !== -1 && text.endsWith('>')
  const name = named ? text.slice(0, open).trim() : 'Galley'
  const address = named ? text.slice(open + 1, -1) : text.trim()
  if (!isMailAddress(address) || /\p{Cc}/u.test(name)) throw new Error('that is not an e-mail address')
  return { name: name.replace(/^"(.*)"$/, '$1'), address }
}

const mailAddress = z.email().max(254)

/** A bare address, without a name and without what could break a header. */
export const isMailAddress = (text: string): boolean => mailAddress.safeParse(text).success

export const MAILTO = 'mailto:'

/** Hosts of this machine, reached without a network. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
