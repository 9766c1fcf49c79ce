import { __ } from '@wordpress/i18n'
import { type ReactNode, useId } from 'react'
import type { Preview } from '../../api/client.ts'
import { Badge } from '../../components/status.tsx'
import { currentLocale } from '../../i18n.ts'
import { TermOutcome, taxonomyInWords } from './words.tsx'

interface PartProps {
  title: string
  /** What is said where there is nothing. */
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

/** What is not as the document has it. */
export const Losses = ({ warnings }: Pick<Preview, 'warnings'>) => (
  <Part title={__('Lost or changed', 'galley')} none={__('Nothing: everything arrives.', 'galley')}>
    {warnings.map(({ code, message }) => (
      <li key={`${code} ${message}`}>{message}</li>
    ))}
  </Part>
)

/** Files that would come into the library of the site. */
export const Uploads = ({ uploads }: Pick<Preview, 'uploads'>) => (
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
export const Terms = ({ terms }: Pick<Preview, 'terms'>) => (
  <Part title={__('Categories and tags', 'galley')} none={__('The document names none.', 'galley')}>
    {terms.map(({ taxonomy, name, outcome }) => (
      <li key={`${taxonomy} ${name}`}>
        {name} <span className="g-weak">{taxonomyInWords(taxonomy)}</span> <TermOutcome outcome={outcome} />
      </li>
    ))}
  </Part>
)

/** What WordPress would be sent. */
export const Markup = ({ content }: { content: string }) => (
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
