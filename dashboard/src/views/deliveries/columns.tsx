import { __ } from '@wordpress/i18n'
import type { Delivery } from '../../api/client.ts'
import { labelColumn } from '../../components/labels.tsx'
import { RowLink } from '../../components/row-link.tsx'
import { DeliveryStatus, deliveryStates } from '../../components/status.tsx'
import type { TableColumn } from '../../components/table/columns.ts'
import { Time } from '../../components/time.tsx'

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
    cell: ({ row }) => <DeliveryStatus status={row.original.status} />,
    meta: {
      options: Object.entries(deliveryStates).map(([value, { label }]) => ({ value, label: label() })),
    },
  },
  {
    id: 'site',
    header: __('Site', 'galley'),
    cell: ({ row: { original } }) => (
      <RowLink to={`/sites/${original.site_id}`}>{original.site?.name ?? original.site_id}</RowLink>
    ),
  },
  labelColumn(({ site }) => site?.labels ?? []),
  {
    id: 'error',
    header: __('Message', 'galley'),
    cell: ({ row: { original } }) =>
      original.error && (
        <span className="g-clamp" title={original.error.message}>
          {original.error.message}
        </span>
      ),
    meta: { wide: true },
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
