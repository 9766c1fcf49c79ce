import { __, sprintf } from '@wordpress/i18n'
import type { ListedSite } from '../../api/client.ts'
import { formatBounded } from '../../components/format.ts'
import { labelColumn } from '../../components/labels.tsx'
import { RowLink } from '../../components/row-link.tsx'
import { DeliveryStatus, SiteState, siteStates } from '../../components/status.tsx'
import type { TableColumn } from '../../components/table/columns.ts'
import { Time } from '../../components/time.tsx'

/** The columns of the sites. */
export const columns = (): TableColumn<ListedSite>[] => [
  {
    id: 'name',
    header: __('Site', 'galley'),
    accessorKey: 'name',
    enableHiding: false,
    cell: ({ row: { original } }) => (
      <>
        <RowLink to={`/sites/${original.id}`} title={original.name}>
          {original.name}
        </RowLink>
        <span className="g-address" dir="ltr" title={original.url}>
          {original.url.replace(/^https?:\/\//, '')}
        </span>
      </>
    ),
  },
  {
    id: 'state',
    header: __('State', 'galley'),
    accessorKey: 'state',
    cell: ({ row }) => <SiteState state={row.original.state} />,
    meta: { options: Object.entries(siteStates).map(([value, { label }]) => ({ value, label: label() })) },
  },
  labelColumn(({ labels }) => labels),
  {
    id: 'backlog',
    header: __('Waiting', 'galley'),
    cell: ({ row }) => waiting(row.original),
  },
  {
    id: 'last_delivery',
    header: __('Last delivery', 'galley'),
    cell: ({ row: { original } }) =>
      original.last_delivery && (
        <span className="g-one-line">
          <DeliveryStatus status={original.last_delivery.status} />{' '}
          <Time at={original.last_delivery.ended_at ?? original.last_delivery.created_at} />
        </span>
      ),
  },
  {
    id: 'created',
    header: __('Connected', 'galley'),
    accessorKey: 'created_at',
    cell: ({ row }) => <Time at={row.original.created_at} />,
  },
  {
    id: 'finding',
    header: __('Problem', 'galley'),
    cell: ({ row: { original } }) => {
      const { trouble, worst_finding: finding } = original
      const text = trouble?.message ?? (finding?.level === 'ok' ? undefined : finding?.means)
      return (
        text && (
          <span className="g-clamp" title={text}>
            {text}
          </span>
        )
      )
    },
    meta: { wide: true },
  },
]

function waiting({ backlog, held }: ListedSite) {
  if (backlog.count === 0 && held.count === 0) return null
  return (
    <>
      {backlog.count > 0 && (
        <span className="g-together">
          {sprintf(
            // translators: %s: how many deliveries wait for their turn
            __('%s queued', 'galley'),
            formatBounded(backlog),
          )}
        </span>
      )}
      {backlog.count > 0 && held.count > 0 && ', '}
      {held.count > 0 && (
        <span className="g-together">
          {sprintf(
            // translators: %s: how many deliveries wait for a person
            __('%s for you', 'galley'),
            formatBounded(held),
          )}
        </span>
      )}
    </>
  )
}
