import type { Action, AtFault } from '../errors.ts'

interface Facts {
  /** Host, with the port where it is not the scheme's own. */
  host: string
  /** What exactly was seen: an error code, an address, a limit. */
  seen: string
}

export interface TransportFailure {
  fault: AtFault
  /** What to do where nothing left us. Once something did, a write becomes `ambiguous`. */
  action: Action
  /** What happened, as a whole sentence. */
  happened: (facts: Facts) => string
  /** What the person who can mend it does next. */
  todo: string
  /** Of our own answer to whoever asked; 502 unless given. */
  httpStatus?: number
}

/** Everything that can go wrong before there is an answer to read. */
export const transportFailures = {
  address_invalid: {
    fault: 'owner',
    action: 'owner',
    happened: ({ seen }) => `${seen}.`,
    todo: 'Give a web address in full, as in https://example.com/.',
  },
  address_not_allowed: {
    fault: 'owner',
    action: 'owner',
    happened: ({ host, seen }) => `Galley does not connect to ${host}: ${seen}.`,
    todo: 'If this server is yours and meant to be reached, its operator can name it in GALLEY_ALLOW_PRIVATE.',
  },
  dns_failed: {
    fault: 'site',
    action: 'retry',
    happened: ({ host, seen }) => `The name ${host} cannot be resolved (${seen}).`,
    todo: 'Check the spelling, whether the domain has expired, and its DNS records.',
  },
  tls_failed: {
    fault: 'site',
    action: 'retry',
    happened: ({ host, seen }) => `No secure connection to ${host}: ${seen}.`,
    todo: 'Ask its host to renew or repair the TLS certificate.',
  },
  site_unreachable: {
    fault: 'site',
    action: 'retry',
    happened: ({ host, seen }) => `${host} does not accept connections (${seen}).`,
    todo: 'Check that the server is up and that its firewall lets this one in.',
  },
  connection_lost: {
    fault: 'site',
    action: 'retry',
    happened: ({ host, seen }) => `No complete answer came from ${host}: ${seen}.`,
    todo: 'If this keeps happening, ask its host why requests are cut off.',
  },
  site_timeout: {
    fault: 'site',
    action: 'retry',
    happened: ({ host, seen }) => `${host} did not answer in time (${seen}).`,
    todo: 'If this keeps happening, ask its host why it is slow.',
  },
  answer_too_big: {
    fault: 'site',
    action: 'permanent',
    happened: ({ host, seen }) => `${host} sent an answer larger than ${seen}, so Galley stopped reading it.`,
    todo: 'Check that the address is right: no page and no REST API answers with this much.',
  },
  answer_undecodable: {
    fault: 'site',
    action: 'retry',
    happened: ({ host, seen }) => `The answer of ${host} is not compressed the way it says (${seen}).`,
    todo: 'Ask its host to fix the compression setting.',
  },
  memory_busy: {
    fault: 'galley',
    action: 'retry',
    happened: ({ host }) =>
      `The answer of ${host} was not read: Galley is handling as much data as its memory limit allows, and no room became free in time.`,
    todo: 'Galley tries again; if this keeps happening, its operator can raise GALLEY_BYTES_IN_FLIGHT.',
    httpStatus: 503,
  },
  too_many_redirects: {
    fault: 'site',
    action: 'retry',
    happened: ({ host, seen }) => `${host} redirects in circles (${seen}).`,
    todo: 'Fix the site address or the redirect rules of the server.',
  },
  request_aborted: {
    fault: 'galley',
    action: 'retry',
    happened: ({ host }) => `Galley cancelled the request to ${host} because it is stopping.`,
    todo: 'Galley repeats it after the restart.',
  },
} satisfies Record<string, TransportFailure>

export type TransportCode = keyof typeof transportFailures
