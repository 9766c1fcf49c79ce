import { __ } from '@wordpress/i18n'
import { Fragment } from 'react'
import type { Answer } from '../api/client.ts'
import { labelsQuery } from '../data/sites.ts'
import { countOf } from './bulk/words.ts'
import { RowLink } from './row-link.tsx'
import type { Item, TableColumn } from './table/columns.ts'

/** Labels of a site, each a link to the sites that have it. */
export const Labels = ({ labels }: { labels: readonly string[] }) => (
  <span>
    {labels.map((label, place) => (
      <Fragment key={label}>
        {place > 0 && ', '}
        <RowLink to="/sites" search={{ label }}>
          {label}
        </RowLink>
      </Fragment>
    ))}
  </span>
)

/** A column of the labels of a site, with the filter by one of them. */
export const labelColumn = <Row extends Item>(
  labelsOf: (row: Row) => readonly string[],
): TableColumn<Row> => ({
  id: 'label',
  header: __('Label', 'galley'),
  cell: ({ row }) => <Labels labels={labelsOf(row.original)} />,
  meta: {
    options: (search) => ({
      ...labelsQuery(search),
      select: ({ data }: Answer<'listLabels'>) =>
        data
          .map(({ label, site_count }) => ({ value: label, label, note: countOf('sites', site_count) }))
          .sort((one, other) => one.label.localeCompare(other.label, undefined, { numeric: true })),
    }),
  },
})
