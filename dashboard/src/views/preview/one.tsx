import { useQuery } from '@tanstack/react-query'
import { __, sprintf } from '@wordpress/i18n'
import { useEffect, useRef } from 'react'
import { call, type Preview } from '../../api/client.ts'
import { postStatusInWords } from '../../components/post-words.ts'
import { Loading } from '../../components/states/loading.tsx'
import { siteQuery } from '../../data/sites.ts'
import { Deliver } from './deliver.tsx'
import type { MatrixRequest } from './matrix-form.tsx'
import { Losses, Markup, Terms, Uploads } from './parts.tsx'
import { PreviewFailure } from './preview-failure.tsx'
import { ShownPost } from './shown-post.tsx'
import { deliverAs, OutcomeOf } from './words.tsx'

interface OneProps {
  ask: MatrixRequest
  siteId: string
  /** To where one came from. */
  onBack?: () => void
}

/** What a document would become on one site. */
export function One({ ask, siteId, onBack }: OneProps) {
  const { id, given, delivery } = ask
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const site = useQuery(siteQuery(siteId))
  const query = useQuery({
    queryKey: ['previews', id, siteId],
    queryFn: async ({ signal }) =>
      (
        await call(
          'previewDocument',
          { path: { uuid: siteId }, body: { data: given.data, delivery } },
          signal,
        )
      ).data,
    // It is of this document at this moment, and nobody else asks for it.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  return (
    <section className="g-section" aria-labelledby="preview-of">
      <h2 id="preview-of" ref={heading} tabIndex={-1}>
        {site.data
          ? // translators: %s: the name of a site
            sprintf(__('On %s', 'galley'), site.data.name)
          : __('On this site', 'galley')}
      </h2>
      {onBack && (
        <p className="g-section">
          <button type="button" className="g-button" onClick={onBack}>
            {__('Back to all sites', 'galley')}
          </button>
        </p>
      )}
      {query.data ? (
        <Shown preview={query.data} ask={ask} siteId={siteId} />
      ) : query.isError ? (
        <PreviewFailure error={query.error} onAgain={() => void query.refetch()} />
      ) : (
        <Loading />
      )}
    </section>
  )
}

function Shown({ preview, ask, siteId }: { preview: Preview; ask: MatrixRequest; siteId: string }) {
  const { outcome, error, post } = preview
  return (
    <div className="g-previewed">
      <div className={`g-card g-told g-verdict ${outcome === 'held' ? 'warning' : ''}`}>
        <p>
          <OutcomeOf outcome={outcome} /> {post.status.result && postStatusInWords(post.status.result)}
        </p>
        {error && <p>{error.message}</p>}
        {post.slug && (
          <p className="g-weak" dir="ltr">
            /{post.slug}/
          </p>
        )}
        {post.excerpt && <p className="g-weak">{post.excerpt}</p>}
        <Deliver
          ask={ask}
          siteIds={[siteId]}
          label={deliverAs(outcome === 'held' ? null : post.status.result)}
        />
      </div>
      <ShownPost preview={preview} siteId={siteId} />
      <div className="g-parts">
        <Losses warnings={preview.warnings} />
        <Uploads uploads={preview.uploads} />
        <Terms terms={preview.terms} />
      </div>
      <Markup content={post.content} />
    </div>
  )
}
