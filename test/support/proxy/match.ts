import type { IncomingMessage } from 'node:http'
import type { Fault, Match, ProxiedRequest } from './types.ts'

export interface Rule {
  match: Match
  fault: Fault
  /** Requests that fitted so far. */
  seen: number
}

/** The fault for a request. Every rule that fits counts it, also behind the one that is applied. */
export function faultFor(rules: Rule[], request: ProxiedRequest): Fault | undefined {
  let chosen: Fault | undefined
  for (const rule of rules) {
    if (!fits(rule.match, request)) continue
    rule.seen++
    if (rule.match.nth === undefined || rule.match.nth === rule.seen) chosen ??= rule.fault
  }
  return chosen
}

const fits = ({ method, path, where }: Match, request: ProxiedRequest): boolean =>
  (method === undefined || method === request.method) &&
  (path === undefined || (typeof path === 'string' ? path === request.path : path.test(request.path))) &&
  (where === undefined || where(request))

export const methodOf = ({ method = 'GET', url = '' }: Pick<IncomingMessage, 'method' | 'url'>): string =>
  new URL(url, 'http://proxy').searchParams.get('_method') ?? method

export function pathOf(url: string): string {
  const { pathname, searchParams } = new URL(url, 'http://proxy')
  return searchParams.get('rest_route') ?? /\/wp-json(\/.*)$/.exec(pathname)?.[1] ?? pathname
}
