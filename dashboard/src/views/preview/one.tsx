import { useQuery } from '@tanstack/react-query'
import { __, sprintf } from '@wordpress/i18n'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { call, type Preview } from '../../api/client.ts'
import { Button } from '../../components/button.tsx'
import { Loading } from '../../components/loading.tsx'
import { fieldInWords, valueInWords } from '../../components/post-fields/inputs.ts'
import { postStatusInWords } from '../../components/post-words.ts'
import { Badge } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { warningItems } from '../../components/warnings.tsx'
import { siteQuery } from '../../data/sites.ts'
import { currentLocale } from '../../i18n.ts'
import { Deliver } from './deliver.tsx'
import type { MatrixRequest } from './matrix-form.tsx'
import { PreviewFailure } from './preview-failure.tsx'
import { ShownPost } from './shown-post.tsx'
import { deliverAs, FieldOutcome, OutcomeOf, TermOutcome, taxonomyInWords } from './words.tsx'

interface OneProps {
  ask: MatrixRequest
  siteId: string
  /** Leads back. */
  onBack?: () => void
}

/** A preview of a document on one site. */
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
          { path: { uuid: siteId }, body: { data: given.data, delivery, source_id: given.sourceId } },
          signal,
        )
      ).data,
    // Only this page asks for this preview.
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
          <Button onClick={onBack}>{__('Back to all sites', 'galley')}</Button>
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
        <SetFields fields={preview.fields} />
      </div>
      <Markup content={post.content} />
    </div>
  )
}

interface PartProps {
  title: string
  /** Shown when it is empty. */
  none: string
  children: ReactNode[]
}

function Part({ title, none, children }: PartProps) {
  const id = useId()
  return (
    <section className="g-card" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {children.length === 0 ? <p className="g-weak">{none}</p> : <ul>{children}</ul>}
    </section>
  )
}

/** What differs from the document. */
const Losses = ({ warnings }: Pick<Preview, 'warnings'>) => (
  <Part title={__('Lost or changed', 'galley')} none={__('Nothing: everything arrives.', 'galley')}>
    {warningItems(warnings)}
  </Part>
)

/** The files for the site's media library. */
const Uploads = ({ uploads }: Pick<Preview, 'uploads'>) => (
  <Part title={__('New in the media library', 'galley')} none={__('No files.', 'galley')}>
    {uploads.map(({ placeholder, file_name, mime_type, size, alt, url, featured }) => (
      <li key={placeholder.id}>
        <strong>{file_name}</strong> {featured && <Badge tone="info">{__('Featured image', 'galley')}</Badge>}
        <p className="g-weak">
          {mime_type} · {bytesInWords(size)}
        </p>
        <p>{alt || <span className="g-weak">{__('No alternative text', 'galley')}</span>}</p>
        <p className="g-weak" dir="ltr">
          {url}
        </p>
      </li>
    ))}
  </Part>
)

/** Categories and tags. */
const Terms = ({ terms }: Pick<Preview, 'terms'>) => (
  <Part title={__('Categories and tags', 'galley')} none={__('The document names none.', 'galley')}>
    {terms.map(({ taxonomy, name, outcome }) => (
      <li key={`${taxonomy} ${name}`}>
        {name} <span className="g-weak">{taxonomyInWords(taxonomy)}</span> <TermOutcome outcome={outcome} />
      </li>
    ))}
  </Part>
)

/** The other fields of the post. */
const SetFields = ({ fields }: Pick<Preview, 'fields'>) => (
  <Part title={__('Fields of the post', 'galley')} none={__('As the site has them by itself.', 'galley')}>
    {fields.map(({ name, value, outcome }) => {
      const { label, form } = fieldInWords(name)
      return (
        <li key={name}>
          <strong>{label}</strong> <FieldOutcome outcome={outcome} />
          <p>{form?.kind === 'date' ? <Time at={String(value)} exact /> : valueInWords(form, value)}</p>
        </li>
      )
    })}
  </Part>
)

/** The markup that WordPress would get. */
const Markup = ({ content }: { content: string }) => (
  <details className="g-card g-sent g-markup">
    <summary>{__('Markup', 'galley')}</summary>
    <pre dir="ltr">{content}</pre>
  </details>
)

/** `1.4 MB` */
function bytesInWords(bytes: number): string {
  const [unit, divisor] = bytes < 1_000_000 ? ['kilobyte', 1_000] : ['megabyte', 1_000_000]
  return new Intl.NumberFormat(currentLocale(), {
    style: 'unit',
    unit: unit as string,
    maximumFractionDigits: 1,
  }).format(bytes / (divisor as number))
}
