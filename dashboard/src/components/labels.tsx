import { Fragment } from 'react'
import { RowLink } from './row-link.tsx'

/** Labels of a site, each leading to all sites that have it. */
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
