import type { Field } from '@wordpress/dataviews'
import { __, sprintf } from '@wordpress/i18n'
import type { ListedSite } from '../../api/client.ts'
import { RowLink } from '../../components/row-link.tsx'
import { DeliveryStatus, SiteStatus, siteStates } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'

/** What the table shows of a site. Those with `filterBy` are what GET /v1/sites filters by. */
export const fields = (labels: Field<ListedSite>): Field<ListedSite>[] => [
  {
    id: 'name',
    label: __('Site', 'galley'),
    enableGlobalSearch: true,
    enableHiding: false,
    getValue: ({ item }) => item.name,
    render: ({ item }) => (
      <RowLink to={`/sites/${item.id}`} title={item.name}>
        {item.name}
      </RowLink>
    ),
  },
  {
    id: 'url',
    label: __('Address', 'galley'),
    enableSorting: false,
    filterBy: false,
    render: ({ item }) => (
      <a href={item.url} rel="noreferrer" target="_blank" dir="ltr">
        {item.url.replace(/^https?:\/\//, '')}
      </a>
    ),
  },
  {
    id: 'status',
    label: __('State', 'galley'),
    elements: Object.entries(siteStates).map(([value, { label }]) => ({ value, label: label() })),
    filterBy: { operators: ['isAny'], isPrimary: true },
    render: ({ item }) => <SiteStatus status={item.status} />,
  },
  labels,
  {
    id: 'backlog',
    label: __('Waiting', 'galley'),
    enableSorting: false,
    filterBy: false,
    render: ({ item }) => <Waiting item={item} />,
  },
  {
    id: 'last_delivery',
    label: __('Last delivery', 'galley'),
    enableSorting: false,
    filterBy: false,
    render: ({ item }) =>
      item.last_delivery && (
        <span>
          <DeliveryStatus status={item.last_delivery.status} /> <Time at={item.last_delivery.created_at} />
        </span>
      ),
  },
  {
    id: 'created',
    label: __('Connected', 'galley'),
    filterBy: false,
    render: ({ item }) => <Time at={item.created_at} />,
  },
  {
    id: 'finding',
    label: __('What a check found', 'galley'),
    enableSorting: false,
    filterBy: false,
    render: ({ item }) => (
      <span className="g-clamp">
        {item.trouble?.message ??
          (item.worst_finding && item.worst_finding.level !== 'ok' ? item.worst_finding.means : '')}
      </span>
    ),
  },
]

function Waiting({ item: { backlog, held } }: { item: ListedSite }) {
  const many = ({ count, more }: ListedSite['held']) => `${count}${more ? '+' : ''}`
  if (backlog.count === 0 && held.count === 0) return <span className="g-weak">–</span>
  return (
    <span>
      {backlog.count > 0 && many(backlog)}
      {backlog.count > 0 && held.count > 0 && ' · '}
      {held.count > 0 &&
        sprintf(
          // translators: %s: how many deliveries wait for a person
          __('%s for you', 'galley'),
          many(held),
        )}
    </span>
  )
}
