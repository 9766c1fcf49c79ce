import type { ClientBase } from 'pg'
import type { Recorded } from './record.ts'

/** Tables that grow with what is delivered. Sites, accounts, keys, sources and the queue's jobs are few beside them. */
const GROWING = new Set([
  'event',
  'delivery',
  'delivery_step',
  'delivery_media',
  'connect_link',
  'generation_job',
  'generation_part',
  'generation_call',
  'credit_entry',
  'stored_file',
  'notification',
  'notification_attempt',
  'backfill_document',
  'audit_entry',
  'bulk_job',
  'bulk_item',
  'idempotency_key',
  'site_import_line',
  'digest_item',
  'change',
])

/** Of what is under way in this moment, or to be done alone: to read all of it is what the sweep wants. */
const SMALL = new Set([
  'notification_receiver_waits',
  'notification_leased_by',
  'notification_repeat_at',
  'delivery_under_way',
  'delivery_alone',
  'delivery_canonical_public_idx',
])

interface Node {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Filter?: string
  'Total Cost': number
  'Plan Rows': number
  'Parent Relationship'?: string
  Plans?: Node[]
}

/** Without what is looked up of each row that was found. */
function costOfReading({ 'Total Cost': total, 'Plan Rows': rows, Plans: plans = [] }: Node): number {
  const lookups = plans.filter((plan) => plan['Parent Relationship'] === 'SubPlan')
  return total - rows * lookups.reduce((sum, plan) => sum + plan['Total Cost'], 0)
}

/**
 * Reads of a growing table, in the plan of a statement, that read more of it the more it has: a sequential scan, an index
 * from end to end, or so many rows as are a share of the table.
 *
 * @param rows of the largest table
 */
export async function longReads(
  client: ClientBase,
  { text, values, named }: Recorded,
  rows: number,
): Promise<string[]> {
  const plans = [await plan(client, `EXPLAIN (FORMAT JSON) ${text}`, values)]
  if (named) plans.push(await plan(client, `EXPLAIN (FORMAT JSON, GENERIC_PLAN) ${text}`))
  return plans.flatMap((node) => reads(node, { rows, limited: false, table: undefined }))
}

async function plan(client: ClientBase, text: string, values?: unknown[]): Promise<Node> {
  const { rows } = await client.query(values === undefined ? { text } : { text, values })
  return rows[0]['QUERY PLAN'][0].Plan
}

interface Place {
  rows: number
  /** A Limit above ends the read early. */
  limited: boolean
  /** Of the bitmap scan above. */
  table: string | undefined
}

function reads(node: Node, { rows, limited, table }: Place): string[] {
  const {
    'Node Type': type,
    'Relation Name': relation = table,
    'Index Name': index,
    'Plan Rows': read,
  } = node
  const found: string[] = []
  const grows = relation !== undefined && GROWING.has(relation)
  if (grows && type === 'Seq Scan') found.push(`${type} of ${relation}`)
  if (
    grows &&
    /^(Index|Bitmap Index)/.test(type) &&
    node['Index Cond'] === undefined &&
    !limited &&
    !SMALL.has(index ?? '')
  )
    found.push(`${index} of ${relation} from end to end`)
  if (grows && /Scan$/.test(type) && read > Math.max(1_000, rows / 20) && !limited)
    found.push(`${type} of ${relation}: ${read} rows by ${index}`)
  const most = limited && node.Filter !== undefined && read < rows / 10 && costOfReading(node) > rows / 20
  if (grows && most) found.push(`${index} of ${relation}: most of it, for ${read} rows`)
  const below = { rows, table: type === 'Bitmap Heap Scan' ? relation : undefined }
  // A sort reads all that is below it, whatever the limit above.
  const ends = type === 'Limit' || (limited && !/Sort|Aggregate|Hash|Materialize|CTE/.test(type))
  return [...found, ...(node.Plans ?? []).flatMap((plan) => reads(plan, { ...below, limited: ends }))]
}
