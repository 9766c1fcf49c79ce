import { __ } from '@wordpress/i18n'
import { useDeferredValue, useEffect, useId, useRef, useState } from 'react'
import { Field } from '../../components/form.tsx'
import { useNonEmptyPage } from '../../components/non-empty-page.ts'
import { Panel } from '../../components/panel.tsx'
import { searchText } from '../../components/search-text.ts'
import { QueryResult, StillSearching } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { type DeliveryPage, deliveriesQuery } from '../../data/deliveries.ts'
import type { Given } from './document.ts'

interface ChooseProps {
  given: Given | undefined
  /** Why there is no document. */
  mistake: string | undefined
  onFile(file: File): void
  /** Whether received documents are shown. */
  past: boolean
  onPast(): void
}

/** The choice of a file, here or by dropping it anywhere. */
export function Choose({ given, mistake, onFile, past, onPast }: ChooseProps) {
  const id = useId()
  const over = useDropped(onFile)
  return (
    <section className={`g-card g-section g-drop ${over ? 'over' : ''}`} aria-labelledby={`${id}-title`}>
      <div>
        <h2 id={`${id}-title`}>{given ? given.name : __('Drop a document here', 'galley')}</h2>
        <p className="g-weak" id={`${id}-help`}>
          {given
            ? titleOf(given)
            : __('A JSON file: a webhook as it is sent, or the document in it.', 'galley')}
        </p>
      </div>
      <div className="g-actions">
        <label className="g-button" htmlFor={id}>
          {given ? __('Choose another file', 'galley') : __('Choose a file', 'galley')}
        </label>
        <input
          id={id}
          className="hidden-text"
          type="file"
          accept=".json,application/json"
          aria-describedby={`${id}-help`}
          onChange={({ target }) => {
            const [file] = target.files ?? []
            if (file) onFile(file)
            // The same file can be chosen again.
            target.value = ''
          }}
        />
        <button type="button" className="g-button" aria-expanded={past} onClick={onPast}>
          {__('Use one you have received', 'galley')}
        </button>
      </div>
      {mistake && (
        <p className="g-field-error" role="alert">
          {mistake}
        </p>
      )}
    </section>
  )
}

/** The document, before Galley has read it. */
function titleOf({ data: { title, content } }: Given): string {
  const found: unknown = title ?? content?.meta?.title
  return typeof found === 'string' ? found : __('(no title)', 'galley')
}

/** Takes files that are dropped anywhere on the page; a browser would open them. @returns whether a file hovers over the page */
function useDropped(onFile: (file: File) => void): boolean {
  const [over, setOver] = useState(false)
  const taker = useRef(onFile)
  taker.current = onFile
  useEffect(() => {
    const hover = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setOver(true)
    }
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false)
    const drop = (event: DragEvent) => {
      const [file] = event.dataTransfer?.files ?? []
      if (file === undefined) return
      event.preventDefault()
      setOver(false)
      taker.current(file)
    }
    addEventListener('dragover', hover)
    addEventListener('dragleave', leave)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', hover)
      removeEventListener('dragleave', leave)
      removeEventListener('drop', drop)
    }
  }, [])
  return over
}

/** Documents that are offered; for others there is the search. */
const OFFERED = 10

/** Received documents. Choosing one takes its webhook and site. */
export function ReceivedDocuments({ onTake }: { onTake(id: string): void }) {
  const [search, setSearch] = useState('')
  const title = useDeferredValue(searchText(search))
  const [query, searching] = useNonEmptyPage<DeliveryPage>((cursor) =>
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
      {searching ? (
        <StillSearching />
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
