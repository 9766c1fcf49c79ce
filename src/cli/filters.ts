import type { Command } from 'commander'
import { several } from './lists.ts'

// What a list shows, an export takes and a bulk job acts on is chosen by the same options.

export interface DeliveryFilter {
  site?: string[]
  label?: string
  source?: string
  status?: string[]
  code?: string
  title?: string
  document?: string
  createdFrom?: string
  createdTo?: string
}

/** Gives a command the options that choose deliveries. */
export const choosesDeliveries = (command: Command): Command =>
  command
    .option(
      '--status <status>',
      'only those that are queued, delivering, delivered, held, failed or cancelled; may be given several times',
      several,
    )
    .option('--site <id>', 'only those to this site; may be given several times', several)
    .option('--label <label>', 'only those to sites with this label')
    .option('--source <id>', 'only those that came from this source')
    .option('--document <id>', 'only those of this document')
    .option('--title <text>', 'only those whose title has this in it')
    .option('--code <code>', 'only those that wait or failed for this reason')
    .option('--created-from <moment>', 'only those since then, such as 2026-01-31T00:00:00Z')
    .option('--created-to <moment>', 'only those before then')

/** The filter as the API has it. */
export const deliveryFilter = ({ site, source, document, createdFrom, createdTo, ...same }: DeliveryFilter) =>
  given({
    site_id: site,
    source_id: source,
    document_id: document,
    created_from: createdFrom,
    created_to: createdTo,
    ...pick(same, ['label', 'status', 'code', 'title']),
  })

export interface SiteFilter {
  site?: string[]
  label?: string
  status?: string[]
  level?: string
  finding?: string
  trouble?: string
  search?: string
}

/** Gives a command the options that choose sites. */
export const choosesSites = (command: Command): Command =>
  command
    .option('--label <label>', 'only those with this label')
    .option(
      '--status <status>',
      'only those that are connected, problem, paused, needs_owner or stopped; may be given several times',
      several,
    )
    .option('--level <level>', 'only those whose last check ended with ok, warning or problem')
    .option('--finding <check>', 'only those where this check of the last report is a warning or a problem')
    .option('--trouble <code>', 'only those in trouble for this reason, such as password_wrong')
    .option('--search <text>', 'only those whose name or address has this in it')

/** The filter as the API has it. */
export const siteFilter = ({ site, ...same }: SiteFilter) =>
  given({ site_id: site, ...pick(same, ['label', 'status', 'level', 'finding', 'trouble', 'search']) })

const pick = <Value extends object>(value: Value, names: (keyof Value & string)[]) =>
  Object.fromEntries(names.map((name) => [name, value[name]]))

const given = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined))
