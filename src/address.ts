import { z } from 'zod'

/** Where a process listens. */
export interface Address {
  host: string
  /** 0 lets the system choose. */
  port: number
}

const wanted = 'must be a port, or host:port such as 127.0.0.1:9090'

/** `9090`, `127.0.0.1:9090` or `[::1]:9090`; a port alone is of this machine. */
export const addressSchema = z
  .string()
  .max(260, wanted)
  .transform((text, context): Address => {
    const split = text.lastIndexOf(':')
    const [host, port] = split < 0 ? ['127.0.0.1', text] : [text.slice(0, split), text.slice(split + 1)]
    if (/^([\w.-]+|\[[\da-f:.]+\])$/i.test(host) && /^\d{1,5}$/.test(port) && Number(port) <= 65_535)
      return { host: host.startsWith('[') ? host.slice(1, -1) : host, port: Number(port) }
    context.addIssue({ code: 'custom', message: wanted })
    return z.NEVER
  })
