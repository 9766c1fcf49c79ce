import { __ } from '@wordpress/i18n'
import type { JobInDetail } from '../../api/client.ts'
import { Time } from '../../components/time.tsx'
import { ExternalLink } from './external-link.tsx'

/** Pages that were read for a document. */
export function Sources({ sources }: { sources: JobInDetail['sources'] }) {
  if (sources.length === 0) return null
  return (
    <section className="g-card g-section">
      <h2>{__('Sources', 'galley')}</h2>
      <ol className="g-sources">
        {sources.map(({ url, title, published }) => (
          <li key={url}>
            <ExternalLink url={url}>{title || url}</ExternalLink>
            <p className="g-weak">
              <span dir="ltr">{hostOf(url)}</span>
              {published && (
                <>
                  {' · '}
                  <Time at={published} />
                </>
              )}
            </p>
          </li>
        ))}
      </ol>
    </section>
  )
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)
