import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import type { BulkItem, BulkJob } from '../../api/client.ts'
import { useAddressSearch } from '../../app/address-search.ts'
import { bulkActions } from '../../components/bulk/words.ts'
import { Select } from '../../components/form.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { Badge, type State } from '../../components/status.tsx'
import { type BulkItemsQuery, bulkItemsQuery } from '../../data/bulk.ts'
import { deliveriesQuery } from '../../data/deliveries.ts'
import { sitesQuery } from '../../data/sites.ts'

const PAGE = 25

type Outcome = BulkItem['outcome']

const outcomes = {
  failed: { label: () => __('Refused', 'galley'), tone: 'bad' },
  skipped: { label: () => __('Skipped', 'galley'), tone: 'neutral' },
  done: { label: () => __('Done', 'galley'), tone: 'good' },
  waiting: { label: () => __('Waits for its turn', 'galley'), tone: 'neutral' },
} satisfies Record<Outcome, State>

/** The result of each item. */
export function Items({ job: { id, action, dry_run } }: { job: BulkJob }) {
  const { kind } = bulkActions[action]
  const [{ outcome, cursor }, setSearch] = useAddressSearch()
  const query = useQuery(
    bulkItemsQuery(id, { limit: PAGE, cursor, outcome: outcome as BulkItemsQuery['outcome'] }),
  )
  const names = useNames(kind, query.data?.data.map((item) => item.id) ?? [])
  const said = (item: Outcome) =>
    item === 'done' && dry_run ? __('Would be changed', 'galley') : outcomes[item].label()
  return (
    <section className="g-section">
      <h2>{__('Individual results', 'galley')}</h2>
      <div className="g-filters">
        <Select
          label={__('Show', 'galley')}
          value={outcome ?? ''}
          onChange={(value) => setSearch({ outcome: value === '' ? undefined : value })}
          options={{
            '': __('Everything', 'galley'),
            ...Object.fromEntries((Object.keys(outcomes) as Outcome[]).map((one) => [one, said(one)])),
          }}
        />
      </div>
      <Rows<BulkItem>
        headed
        query={query}
        label={__('Individual results', 'galley')}
        empty={<p className="g-weak">{__('There are none.', 'galley')}</p>}
      >
        {(item) => (
          <Row
            title={
              <Link to={`/${kind}/$id`} params={{ id: item.id } as never}>
                {names.get(item.id)?.name ?? item.id}
              </Link>
            }
            state={<Badge tone={outcomes[item.outcome].tone}>{said(item.outcome)}</Badge>}
          >
            {/* A line that is there before the name of the site comes. */}
            {kind === 'deliveries' && <p className="g-weak">{names.get(item.id)?.of ?? '\u00a0'}</p>}
            {item.message && <p>{item.message}</p>}
          </Row>
        )}
      </Rows>
    </section>
  )
}

interface Named {
  name: string
  /** The site of a delivery. */
  of?: string | undefined
}

/** The names of deliveries or sites by their ids, at most a page of them; what was removed has none. */
function useNames(kind: 'deliveries' | 'sites', ids: string[]): Map<string, Named> {
  const [asked, limit] = [ids.length > 0, Math.max(ids.length, 1)]
  const deliveries = useQuery({
    ...deliveriesQuery({ delivery_id: ids, limit }),
    enabled: asked && kind === 'deliveries',
  })
  const sites = useQuery({ ...sitesQuery({ site_id: ids, limit }), enabled: asked && kind === 'sites' })
  if (kind === 'sites') return new Map(sites.data?.data.map(({ id, name }) => [id, { name }]))
  return new Map(
    deliveries.data?.data.map(({ id, title, site }) => [
      id,
      { name: title ?? __('(no title)', 'galley'), of: site?.name },
    ]),
  )
}
