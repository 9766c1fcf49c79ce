import type { Pool } from 'pg'
import { Gauge, type Registry } from 'prom-client'
import { isoInstant } from '../../database/statement.ts'
import { eventLiteral, type NotificationSource } from '../../notifications/notify.ts'
import type { TransportCode } from '../../outbound/failures.ts'
import type { FailureCode } from '../../wordpress/failures/catalogue.ts'
import { isLasting } from '../../wordpress/failures/judge.ts'
import { problemSinceSql, reportsProblem } from './report.ts'

// A site in trouble has `trouble`, and `paused_until`, when it is tried next; without that it waits for a person.

/** The most urgent first. */
export const siteStates = ['needs_you', 'needs_owner', 'down', 'paused', 'unchecked', 'working'] as const

export type SiteState = (typeof siteStates)[number]

/** The failure of a site that no longer has the author or language of its settings; valid only while they name them. */
export const SETTING_REFUSED = 'setting_refused' satisfies FailureCode

/** Failures that the user of Galley puts right, and not the owner of the site: its address, a setting, a secret. */
const NEED_USER: readonly (FailureCode | TransportCode | 'secret_key_missing' | 'secret_unreadable')[] = [
  SETTING_REFUSED,
  'not_wordpress',
  'https_expected',
  'address_invalid',
  'address_not_allowed',
  'secret_key_missing',
  'secret_unreadable',
]

const MINUTE_MS = 60_000

export const MAX_ATTENTION_AFTER_MS = 24 * 60 * MINUTE_MS

/** Milliseconds of an outage with this cause after which it needs a person. */
export const attentionAfterMs = (code: string): number =>
  isLasting(code) ? 10 * MINUTE_MS : MAX_ATTENTION_AFTER_MS

const needsPerson = (s: string) => `(${waitsForOwner(s)} OR ${s}.attention_at <= now())`

/** The first that holds of `s`, an alias of `site`, is the site's state. */
const STATE_RULES: readonly (readonly [state: SiteState, holds: (s: string) => string])[] = [
  ['paused', (s) => `${s}.stopped_at IS NOT NULL`],
  [
    'needs_you',
    (s) =>
      `${needsPerson(s)} AND ${s}.trouble ->> 'code' IN (${NEED_USER.map((code) => `'${code}'`).join(', ')})`,
  ],
  ['needs_owner', needsPerson],
  ['down', (s) => `${s}.trouble IS NOT NULL`],
  // A delivery that went through since then disproves the report.
  ['needs_owner', reportsProblem],
  ['unchecked', (s) => `${s}.report_at IS NULL AND ${s}.last_success_at IS NULL`],
]

/** SQL expression of the state. @param site alias of `site` */
export const siteStateSql = (site: string): string =>
  `CASE ${STATE_RULES.map(([state, holds]) => `WHEN ${holds(site)} THEN '${state}'`).join(' ')} ELSE 'working' END`

/** SQL expression of when the state began; null where it is not known. @param site alias of `site` */
export const stateSinceSql = (site: string): string =>
  `CASE ${siteStateSql(site)} WHEN 'paused' THEN ${site}.stopped_at WHEN 'working' THEN NULL WHEN 'unchecked' THEN NULL
     ELSE coalesce(${site}.trouble_since, ${problemSinceSql(site)}) END`

/** SQL condition: it is stopped until a person acts. @param site alias of `site` */
export const waitsForOwner = (site: string): string =>
  `${site}.trouble IS NOT NULL AND ${site}.paused_until IS NULL`

/** SQL condition: it may be tried now, as far as its pauses say. @param site alias of `site` */
export const isDueSite = (site: string): string =>
  `${site}.stopped_at IS NULL AND (${site}.paused_until IS NULL OR ${site}.paused_until <= now())`

/**
 * Whether a site is sent deliveries now. `probing`: it failed last time; it is asked whether it works, then one delivery
 * tries, and the others follow its success. `resting`: in trouble and paused, or paused by a person.
 */
export type SiteReadiness = 'open' | 'probing' | 'resting' | 'needs_owner'

/** SQL expression of the readiness. @param site alias of `site` */
export const siteReadinessSql = (site: string): string =>
  `CASE WHEN ${waitsForOwner(site)} THEN 'needs_owner' WHEN NOT (${isDueSite(site)}) THEN 'resting'
     WHEN ${site}.trouble IS NOT NULL THEN 'probing' ELSE 'open' END`

/** Registers how many sites of the installation have which state. Without the database no value is shown. */
export function registerSiteMetrics(registry: Registry, pool: Pool): void {
  const gauge = new Gauge({
    name: 'galley_sites',
    help: 'Sites, by state.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      this.reset()
      const found = await pool.query<{ state: SiteState; count: number }>(COUNT_STATES).catch(() => null)
      const counts = new Map(found?.rows.map(({ state, count }) => [state, count]))
      if (found !== null) for (const state of siteStates) gauge.set({ state }, counts.get(state) ?? 0)
    },
  })
}

const COUNT_STATES = {
  name: 'site-states',
  text: `SELECT ${siteStateSql('site')} AS state, count(*)::int AS count FROM site GROUP BY 1`,
}

/** The `RETURNING` list of a site for notifications. @param site alias of `site` */
export const notifiedSiteColumns = (site: string): string => {
  const columns = ['id', 'account_id', 'name', 'url', 'labels', 'trouble', 'paused_until']
  return `${columns.map((column) => `${site}.${column}`).join(', ')}, ${siteStateSql(site)} AS state,
    ${stateSinceSql(site)} AS since`
}

const notificationData = (
  more: string,
): string => `json_build_object('id', told.id, 'name', told.name, 'url', told.url,
  'labels', told.labels,
  'state', told.state, 'since', ${isoInstant('told.since')}, 'trouble', told.trouble,
  'next_try', ${isoInstant('told.paused_until')}, ${more})`

/** Notifies of a site. @param more members of its data beside those of every site */
export const siteNotification = (relation: string, event: string, more: string): NotificationSource => ({
  relation,
  event,
  subject: 'told.id',
  site: 'told.id',
  data: notificationData(more),
})

/** Notifies of a check with worse results. @param relation {@link notifiedSiteColumns}, `level` and `worse`, the lines */
export const siteGotWorse = (relation: string): NotificationSource =>
  siteNotification(
    relation,
    `CASE WHEN jsonb_array_length(told.worse) > 0 THEN ${eventLiteral('site.regression')} END`,
    `'level', told.level, 'findings', told.worse, 'what_to_do', (
       SELECT string_agg(coalesce(line ->> 'todo', line ->> 'means'), ' ') FROM jsonb_array_elements(told.worse) AS line)`,
  )
