import { __ } from '@wordpress/i18n'
import type { Delivery } from '../../api/client.ts'
import { labelColumn } from '../../components/labels.tsx'
import { PostState } from '../../components/post-state.tsx'
import { postStatuses } from '../../components/post-words.ts'
import { RowLink } from '../../components/row-link.tsx'
import {
  DeliveryStatus,
  deliveryStates,
  StateBadge,
  WaitsForSite,
  waitsForSite,
} from '../../components/status.tsx'
import type { TableColumn } from '../../components/table/columns.ts'
import { Time } from '../../components/time.tsx'
import { bySeverity, severityWords } from '../../components/warnings.tsx'

const titleOf = ({ title }: Delivery): string => title ?? __('(no title)', 'galley')

/** The columns of the deliveries. */
export const columns = (): TableColumn<Delivery>[] => [
  {
    id: 'title',
    header: __('Document', 'galley'),
    accessorFn: titleOf,
    enableSorting: false,
    enableHiding: false,
    cell: ({ row: { original } }) => (
      <RowLink to={`/deliveries/${original.id}`} title={original.title ?? undefined}>
        {titleOf(original)}
      </RowLink>
    ),
  },
  {
    id: 'status',
    header: __('Status', 'galley'),
    cell: ({ row: { original } }) => <DeliveryStatus status={original.status} />,
    meta: {
      options: Object.entries(deliveryStates).map(([value, { label }]) => ({ value, label: label() })),
    },
  },
  {
    id: 'site',
    header: __('Site', 'galley'),
    cell: ({ row: { original } }) => (
      <RowLink to={`/sites/${original.site_id}`} title={original.site?.name}>
        {original.site?.name ?? original.site_id}
      </RowLink>
    ),
  },
  labelColumn(({ site }) => site?.labels ?? []),
  {
    id: 'reference',
    header: __('Reference', 'galley'),
    cell: ({ row: { original } }) => original.reference,
  },
  {
    id: 'error',
    header: __('Reason', 'galley'),
    cell: ({ row: { original } }) => {
      const { status, stands, error, warnings } = original
      const waits = waitsForSite(stands)
      // Of a queued one it is a failure of the site, which is tried again.
      const message = status === 'waiting' ? undefined : (error ?? bySeverity(warnings)[0])?.message
      return (
        (waits || message) && (
          <span className="g-clamp" title={message}>
            {waits && <WaitsForSite delivery={original} />}
            {waits && message && ' · '}
            {message}
          </span>
        )
      )
    },
    meta: { wide: true },
  },
  {
    id: 'severity',
    header: __('Warnings', 'galley'),
    enableSorting: false,
    cell: ({ row: { original } }) => {
      const [worst] = bySeverity(original.warnings)
      return worst && <StateBadge of={severityWords[worst.severity]} />
    },
    meta: {
      options: Object.entries(severityWords).map(([value, { label }]) => ({ value, label: label() })),
    },
  },
  {
    id: 'post_status',
    header: __('In WordPress', 'galley'),
    enableSorting: false,
    cell: ({ row: { original } }) => original.post && <PostState post={original.post} />,
    meta: {
      options: Object.entries(postStatuses).map(([value, label]) => ({ value, label: label() })),
      spare: true,
    },
  },
  {
    id: 'post',
    header: __('Post', 'galley'),
    cell: ({ row: { original } }) =>
      original.post?.url && (
        <a href={original.post.url} rel="noreferrer" target="_blank">
          {__('Open', 'galley')}
        </a>
      ),
  },
  {
    id: 'created_at',
    header: __('Received', 'galley'),
    accessorKey: 'created_at',
    cell: ({ row }) => <Time at={row.original.created_at} />,
  },
  {
    // The API has one direction of this order, and a column offers both.
    id: 'updated_at',
    header: __('Last change', 'galley'),
    cell: ({ row }) => <Time at={row.original.updated_at} />,
  },
]
