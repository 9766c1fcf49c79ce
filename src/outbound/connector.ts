import { lookup as dnsLookup, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { transportFailure } from './failure.ts'
import type { Permission } from './permission.ts'

interface Guard {
  origin: URL
  permission: Permission
  timeoutMs: number
  lookup: LookupFunction | undefined
}

/**
 * Opens sockets to one origin, and to nowhere the permission refuses. Three checks, each for what the others
 * cannot see: an IP literal never reaches `lookup`; of a name every answer must pass, since any of them may
 * be connected to; and the address at the far end of the socket is judged again.
 */
export function guardedConnector({ origin, permission, timeoutMs, lookup }: Guard): buildConnector.connector {
  const host = origin.hostname.replace(/^\[|\]$/g, '')
  const port = origin.port === '' ? (origin.protocol === 'https:' ? 443 : 80) : Number(origin.port)
  const refusal = (address: string | undefined) => {
    const why = address === undefined ? 'it has no address' : permission({ host, port, address })
    const attempt = { url: origin, method: 'GET', sent: false }
    if (why === null) return null
    // Where a name leads inside a network is for the operator's log alone: whoever may name hosts could map it.
    const told = isIP(host) ? why : 'the name leads to what is not a public address of a web server'
    return transportFailure('address_not_allowed', told, attempt, new Error(why))
  }
  const connect = buildConnector({
    timeout: timeoutMs,
    lookup: guardedLookup(lookup ?? dnsLookup, (address) => refusal(address)),
  })

  return (options, callback) => {
    const refused = isIP(host) ? refusal(host) : null
    if (refused) return callback(refused, null)
    connect(options, (error, socket) => {
      if (error) return callback(error, null)
      const reached = refusal(socket.remoteAddress)
      if (!reached) return callback(null, socket)
      socket.destroy()
      callback(reached, null)
    })
  }
}

function guardedLookup(lookup: LookupFunction, refusal: (address: string) => Error | null): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, answer) => {
      if (error) return callback(error, '')
      const addresses = answer as LookupAddress[]
      for (const { address } of addresses) {
        const refused = refusal(address)
        if (refused) return callback(refused, '')
      }
      const [first] = addresses
      if (!first) return callback(Object.assign(new Error('no address'), { code: 'ENODATA' }), '')
      if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}
