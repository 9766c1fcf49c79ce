import { __ } from '@wordpress/i18n'
import { useDeferredValue, useState } from 'react'
import { Field } from '../../components/field.tsx'
import { useFound } from '../../components/found.ts'
import { Panel } from '../../components/panel.tsx'
import { searchText } from '../../components/search-text.ts'
import { LookingFurther } from '../../components/states/looking-further.tsx'
import { QueryResult } from '../../components/states/query-result.tsx'
import { Time } from '../../components/time.tsx'
import { type DeliveryPage, deliveriesQuery } from '../../data/deliveries.ts'

/** How many are offered; who means another searches. */
const OFFERED = 10

/** Documents that came: of one, its delivery is taken, with what was received and the site. */
export function ReceivedDocuments({ onTake }: { onTake(id: string): void }) {
  const [search, setSearch] = useState('')
  const title = useDeferredValue(searchText(search))
  const [query, lookingFurther] = useFound<DeliveryPage>((cursor) =>
    deliveriesQuery({ limit: OFFERED, cursor, title: title === '' ? undefined : title }),
  )
  return (
    <Panel title={__('Documents received', 'galley')}>
      <Field
        label={__('Search for a title', 'galley')}
        type="search"
        value={search}
        onChange={setSearch}
        autoComplete="off"
      />
      {lookingFurther ? (
        <LookingFurther />
      ) : (
        <QueryResult query={query}>
          {({ data }) =>
            data.length === 0 ? (
              <p className="g-weak">
                {title === ''
                  ? __('Nothing has arrived yet.', 'galley')
                  : __('Nothing has this title.', 'galley')}
              </p>
            ) : (
              <ul className="g-past">
                {data.map((delivery) => (
                  <li key={delivery.id}>
                    <button type="button" className="g-link" onClick={() => onTake(delivery.id)}>
                      {delivery.title ?? __('(no title)', 'galley')}
                    </button>{' '}
                    <span className="g-weak">
                      {delivery.site?.name} · <Time at={delivery.created_at} />
                    </span>
                  </li>
                ))}
              </ul>
            )
          }
        </QueryResult>
      )}
    </Panel>
  )
}
