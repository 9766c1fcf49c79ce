import './edits.css'
import { useQuery } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import type { DetailedDelivery, PostEdits } from '../../../api/client.ts'
import { useMay } from '../../../app/session-context.ts'
import { Fact, Facts } from '../../../components/facts.tsx'
import { QueryResult } from '../../../components/states/query-result.tsx'
import { editsQuery } from '../../../data/deliveries.ts'
import { Decide } from './decide.tsx'
import { readable } from './readable.ts'
import { Sides } from './sides.tsx'

/** A delivery that waits because somebody edited the post: what was changed, and what is to become of it. */
export default function Edits({ delivery }: { delivery: DetailedDelivery }) {
  const query = useQuery(editsQuery(delivery.id))
  const mayAct = useMay('deliveries.act')
  return (
    <section className="g-card g-section g-edits">
      <h2>{__('Somebody edited the post', 'galley')}</h2>
      <QueryResult query={query}>{(edits) => <Texts edits={edits} />}</QueryResult>
      <Others details={delivery.error?.details} />
      {mayAct && <Decide delivery={delivery} />}
    </section>
  )
}

function Texts({ edits: { galley, site } }: { edits: PostEdits }) {
  const asRead = site && readable(galley.content) !== readable(site.content)
  const [markup, setMarkup] = useState(false)
  if (site === null) return <p>{__('The post was deleted on the site.', 'galley')}</p>
  const changed = galley.content !== site.content
  // Where a reader sees no difference, there is one in the markup alone.
  const inMarkup = markup || !asRead
  const show = inMarkup ? (text: string) => text : readable
  return (
    <>
      {galley.title !== site.title && (
        <Sides title={__('Title', 'galley')} ours={galley.title} theirs={site.title} />
      )}
      {galley.excerpt !== site.excerpt && (
        <Sides title={__('Excerpt', 'galley')} ours={galley.excerpt} theirs={site.excerpt} />
      )}
      {changed && (
        <>
          <Sides
            title={inMarkup ? __('Markup', 'galley') : __('Text', 'galley')}
            ours={show(galley.content)}
            theirs={show(site.content)}
          />
          {asRead && (
            <p>
              <button
                type="button"
                className="g-button"
                aria-pressed={markup}
                onClick={() => setMarkup(!markup)}
              >
                {__('Show the markup', 'galley')}
              </button>
            </p>
          )}
        </>
      )}
      {galley.title === site.title && galley.excerpt === site.excerpt && !changed && (
        <p>{__('The texts are the same.', 'galley')}</p>
      )}
    </>
  )
}

interface Change {
  field: string
  galley: string
  site: string
}

const names: Record<string, () => string> = {
  categories: () => __('Categories, by ID', 'galley'),
  tags: () => __('Tags, by ID', 'galley'),
  'featured image': () => __('Featured image, by ID', 'galley'),
}

/** What was changed beside the texts. */
function Others({ details }: { details: unknown }) {
  const { changes } = (details ?? {}) as { changes?: Change[] }
  const others = Array.isArray(changes) ? changes.filter(({ field }) => names[field] !== undefined) : []
  if (others.length === 0) return null
  return (
    <Facts>
      {others.map(({ field, galley, site }) => (
        <Fact key={field} label={names[field]?.() ?? field}>
          <del>{galley || '–'}</del> → <ins>{site || '–'}</ins>
        </Fact>
      ))}
    </Facts>
  )
}
