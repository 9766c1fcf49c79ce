import type { Field } from '@wordpress/dataviews'
import { __ } from '@wordpress/i18n'
import type { Delivery } from '../../api/client.ts'
import { RowLink } from '../../components/row-link.tsx'
import { DeliveryStatus, deliveryStates } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'

/** What the table shows of a delivery. Those with `filterBy` are what GET /v1/deliveries filters by. */
export const fields = (labels: Field<Delivery>): Field<Delivery>[] => [
  {
    id: 'title',
    label: __('Document', 'galley'),
    enableGlobalSearch: true,
    enableSorting: false,
    enableHiding: false,
    getValue: ({ item }) => item.title ?? '',
    render: ({ item }) => (
      <RowLink to={`/deliveries/${item.id}`} title={item.title ?? undefined}>
        {item.title ?? __('(no title)', 'galley')}
      </RowLink>
    ),
  },
  {
    id: 'status',
    label: __('Status', 'galley'),
    enableSorting: false,
    elements: Object.entries(deliveryStates).map(([value, { label }]) => ({ value, label: label() })),
    filterBy: { operators: ['isAny'], isPrimary: true },
    render: ({ item }) => <DeliveryStatus status={item.status} />,
  },
  {
    id: 'site',
    label: __('Site', 'galley'),
    enableSorting: false,
    filterBy: false,
    getValue: ({ item }) => item.site?.name ?? '',
    render: ({ item }) => <RowLink to={`/sites/${item.site_id}`}>{item.site?.name ?? item.site_id}</RowLink>,
  },
  labels,
  {
    id: 'error',
    label: __('Message', 'galley'),
    enableSorting: false,
    filterBy: false,
    getValue: ({ item }) => item.error?.message ?? '',
    render: ({ item }) => (
      <span className="g-clamp" title={item.error?.message}>
        {item.error?.message}
      </span>
    ),
  },
  {
    id: 'post',
    label: __('Post', 'galley'),
    enableSorting: false,
    filterBy: false,
    render: ({ item }) =>
      item.post?.url ? (
        <a href={item.post.url} rel="noreferrer" target="_blank">
          {__('Open', 'galley')}
        </a>
      ) : null,
  },
  {
    id: 'created_at',
    label: __('Received', 'galley'),
    filterBy: false,
    render: ({ item }) => <Time at={item.created_at} />,
  },
  {
    id: 'updated_at',
    label: __('Last change', 'galley'),
    // Galley has one direction of it, and a column is offered in both.
    enableSorting: false,
    filterBy: false,
    render: ({ item }) => <Time at={item.updated_at} />,
  },
]
