import { Option } from 'commander'
import {
  addDeliveryFilterOptions,
  addSiteFilterOptions,
  type CliCommand,
  type FilterOptions,
  toFilter,
} from '../options.ts'
import { withSession } from '../session.ts'
import type { CliWorld } from '../world.ts'

interface Format {
  format: 'csv' | 'ndjson'
}

export function exportCommand(command: CliCommand, world: CliWorld): void {
  formatOption(addDeliveryFilterOptions(command.command('deliveries')))
    .description('All deliveries that match, the newest first.')
    .examples('galley export deliveries --status held,failed --format csv > held.csv')
    .action(exportByFilter(world, 'exportDeliveries'))
  formatOption(addSiteFilterOptions(command.command('sites')))
    .description('All sites that match, without their credentials.')
    .examples('galley export sites --format csv > sites.csv')
    .action(exportByFilter(world, 'exportSites'))
  formatOption(command.command('audit'))
    .description('The audit log, the newest entry first.')
    .option('--since <moment>', 'only from then on, such as 2026-01-31T00:00:00Z')
    .option('--until <moment>', 'only before then')
    .examples('galley export audit --format csv > audit.csv')
    .action(
      withSession<[], Format & { since?: string; until?: string }>(
        world,
        (session, { format, since, until }) =>
          session.take('exportAuditEntries', { query: { format, since, until } }),
      ),
    )
}

const exportByFilter = (world: CliWorld, id: 'exportDeliveries' | 'exportSites') =>
  withSession<[], FilterOptions & Format>(world, (session, { format, ...options }) =>
    session.take(id, { query: { ...toFilter(options), format } }),
  )

const formatOption = (command: CliCommand): CliCommand =>
  command.addOption(
    new Option('--format <format>', 'a JSON object a line, or CSV for a spreadsheet')
      .choices(['ndjson', 'csv'])
      .default('ndjson'),
  )
