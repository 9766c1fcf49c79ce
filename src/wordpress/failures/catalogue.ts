import { deliveryFailures } from './catalogue/delivery.ts'
import { firewallFailures } from './catalogue/firewall.ts'
import { ownerFailures } from './catalogue/owner.ts'
import { siteFailures } from './catalogue/site.ts'
import type { Failure } from './types.ts'

/**
 * Every failure a WordPress site can answer with. What fails before there is an answer (DNS, TLS, time-outs)
 * is in `src/outbound/catalogue.ts`. The codes are published: they never change.
 */
export const catalogue = {
  ...siteFailures,
  ...firewallFailures,
  ...ownerFailures,
  ...deliveryFailures,
} satisfies Record<string, Failure>

export type FailureCode = keyof typeof catalogue
