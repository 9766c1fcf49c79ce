import { __, _n } from '@wordpress/i18n'
import type { DocumentResult } from '../../api/client.ts'
import { withNumber } from '../../components/number.ts'
import { Blocks } from './blocks.tsx'
import { ownFile } from './external-link.tsx'

/** A document to be read: its blocks as elements of the page, its texts as text. */
export function Reading({ document }: { document: DocumentResult }) {
  const { title, description, content, word_count } = document
  const featured = content.featured_image
  return (
    <article className="g-card g-section g-reading" aria-labelledby="reading">
      <h2 id="reading">{title}</h2>
      <p className="g-weak">{description}</p>
      <p className="g-weak">
        {withNumber(
          // translators: %d: how many words a text has
          _n('%d word', '%d words', word_count, 'galley'),
          word_count,
        )}
        {content.meta.slug && (
          <>
            {' · '}
            <span dir="ltr">{content.meta.slug}</span>
          </>
        )}
      </p>
      {featured && (
        <figure>
          <img src={ownFile(featured.url)} alt={featured.alt} />
          <figcaption className="g-weak">{__('Featured image', 'galley')}</figcaption>
        </figure>
      )}
      <Blocks blocks={content.content} />
    </article>
  )
}
