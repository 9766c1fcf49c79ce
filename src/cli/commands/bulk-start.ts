import type { Command } from 'commander'
import { exitCodes } from '../exit-codes.ts'
import { CommandFailure } from '../failure.ts'
import {
  choosesDeliveries,
  type DeliveryFilter,
  deliveryFilter,
  type SiteFilter,
  siteFilter,
} from '../filters.ts'
import { examples } from '../help.ts'
import { readJson } from '../input.ts'
import { several } from '../lists.ts'
import { inSession, type Session } from '../session.ts'
import type { World } from '../world.ts'
import { reported, watchBulk } from './bulk-report.ts'

interface Options extends DeliveryFilter, SiteFilter {
  status?: string[]
  label?: string
  site?: string[]
  all?: boolean
  to?: string
  add?: string[]
  remove?: string[]
  reason?: string
  settings?: string
  dryRun?: boolean
  watch?: boolean
  idempotencyKey?: string
}

/** `galley bulk start`. */
export function startsBulk(command: Command, world: World): void {
  choosesDeliveries(command.command('start'))
    .description('Do one thing to all deliveries, or all sites, that match.')
    .argument(
      '<action>',
      'of deliveries: retry, release, move, overwrite, cancel; of sites: label, settings, check, pause, resume',
    )
    .option('--level <level>', 'of sites: only those whose last check ended with ok, warning or problem')
    .option('--finding <check>', 'of sites: only those where this check is a warning or a problem')
    .option('--search <text>', 'of sites: only those whose name or address has this in it')
    .option('--all', 'everything, where no filter is given')
    .option('--to <site>', 'for move: the site that they go to')
    .option('--add <label>', 'for label: labels that sites get', several)
    .option('--remove <label>', 'for label: labels that are taken from them', several)
    .option('--reason <text>', 'for pause: for whoever looks at the site')
    .option('--settings <file>', 'for settings: JSON file with what is to change')
    .option('--dry-run', 'show what would be done, and do nothing')
    .option('--idempotency-key <name>', 'sent again under the same name, it is the same job')
    .option('--watch', 'wait for the end. Ends with 7 where something failed')
    .addHelpText(
      'after',
      examples(
        'galley bulk start release --label news --dry-run --watch',
        'galley bulk start retry --status failed --code timeout',
        'galley bulk start label --search example.com --add english',
        'galley bulk start check --all',
      ),
    )
    .action(inSession<[string], Options>(world, start))
}

const ofSites = new Set(['label', 'settings', 'check', 'pause', 'resume'])

async function start(session: Session, options: Options, action: string): Promise<void> {
  const { all, dryRun, watch, idempotencyKey } = options
  const [filter, others] = ofSites.has(action)
    ? [siteFilter(options), deliveryFilter(options)]
    : [deliveryFilter(options), siteFilter(options)]
  // What means nothing to this action is for Galley to refuse by name, rather than left out unsaid.
  const asked = { ...others, ...filter }
  if (Object.keys(asked).length === 0 && !all)
    throw new CommandFailure(
      exitCodes.usage,
      'no_filter',
      'Say what to act on (--status, --label, --site, --code, …), or --all for everything.',
    )
  const answer = await session.call('createBulk', {
    headers: { 'idempotency-key': idempotencyKey },
    body: {
      ...{ action, filter: asked, dry_run: dryRun ?? false },
      parameters: await parametersOf(session, options),
    } as never,
  })
  if (watch) return watchBulk(session, answer.id)
  await session.show(answer, () => reported(session, answer.data))
}

async function parametersOf({ world }: Session, { to, add, remove, reason, settings }: Options) {
  return {
    ...(settings !== undefined && ((await readJson(world, settings)) as object)),
    ...(to !== undefined && { site_id: to }),
    ...(add !== undefined && { add }),
    ...(remove !== undefined && { remove }),
    ...(reason !== undefined && { reason }),
  }
}
