import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** A mail as the server took it. */
interface Taken {
  from: string
  to: string[]
  raw: string
  mail: Email
}

/** A mail server, which takes everything unless the test says otherwise. */
export interface MailServer {
  port: number
  taken: Taken[]
  /** Who signed in. */
  users: string[]
  /** Connections that were opened, whatever came of them. */
  connections: number
  /** What it does with a mail that has arrived: nothing takes it, an error refuses it, a promise keeps its sender waiting. */
  onMail: (taken: Taken) => Promise<void> | void
  close(): Promise<void>
}

export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const server: MailServer = {
    port: 0,
    taken: [],
    users: [],
    connections: 0,
    onMail: () => undefined,
    close: async () => undefined,
  }
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onConnect(_session, done) {
      server.connections += 1
      done()
    },
    onAuth({ username, password }, _session, done) {
      if (password !== 'right') return done(Object.assign(new Error('no such user'), { responseCode: 535 }))
      server.users.push(username ?? '')
      done(null, { user: username })
    },
    async onData(stream, { envelope }, done) {
      const raw = await buffer(stream).catch(() => undefined)
      // Its sender was killed in the midst of it.
      if (raw === undefined) return
      const taken = {
        from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
        to: envelope.rcptTo.map(({ address }) => address),
        raw: raw.toString('utf8'),
        mail: await PostalMime.parse(raw),
      }
      server.taken.push(taken)
      try {
        await server.onMail(taken)
        done()
      } catch (error) {
        done(error as Error)
      }
    },
    ...options,
  })
  // A client that is killed, or that does not trust the certificate, is no failure of the server.
  smtp.on('error', () => undefined)
  const listening = smtp.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  server.port = (listening.address() as AddressInfo).port
  server.close = () => new Promise((resolve) => smtp.close(() => resolve()))
  return server
}

/** A mail is refused with this, as servers do. */
export const refusal = (responseCode: number, message: string): Error =>
  Object.assign(new Error(message), { responseCode })
