import { type Command, Option } from 'commander'
import {
  choosesDeliveries,
  choosesSites,
  type DeliveryFilter,
  deliveryFilter,
  type SiteFilter,
  siteFilter,
} from '../filters.ts'
import { examples } from '../help.ts'
import { inSession } from '../session.ts'
import type { World } from '../world.ts'

interface Format {
  format: 'csv' | 'ndjson'
}

/** `galley export …`: a whole list on standard output, as it comes. */
export function exports(command: Command, world: World): void {
  as(choosesDeliveries(command.command('deliveries')))
    .description('All deliveries that match, the newest first.')
    .addHelpText('after', examples('galley export deliveries --status held,failed --format csv > held.csv'))
    .action(
      inSession<[], DeliveryFilter & Format>(world, (session, { format, ...options }) =>
        session.take('exportDeliveries', { query: { ...deliveryFilter(options), format } }),
      ),
    )
  as(choosesSites(command.command('sites')))
    .description('All sites that match, without their credentials.')
    .addHelpText('after', examples('galley export sites --format csv > sites.csv'))
    .action(
      inSession<[], SiteFilter & Format>(world, (session, { format, ...options }) =>
        session.take('exportSites', { query: { ...siteFilter(options), format } }),
      ),
    )
  as(command.command('audit'))
    .description('The audit log, the newest entry first.')
    .option('--since <moment>', 'only from then on, such as 2026-01-31T00:00:00Z')
    .option('--until <moment>', 'only before then')
    .addHelpText('after', examples('galley export audit --format csv > audit.csv'))
    .action(
      inSession<[], Format & { since?: string; until?: string }>(world, (session, { format, since, until }) =>
        session.take('exportAuditEntries', { query: { format, since, until } }),
      ),
    )
}

const as = (command: Command): Command =>
  command.addOption(
    new Option('--format <format>', 'a JSON object a line, or CSV for a spreadsheet')
      .choices(['ndjson', 'csv'])
      .default('ndjson'),
  )
