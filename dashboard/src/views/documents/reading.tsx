import { __, _n } from '@wordpress/i18n'
import { Fragment, type ReactNode } from 'react'
import type { DocumentResult, GeneratedBlock, GeneratedInline } from '../../api/client.ts'
import { withNumber } from '../../components/format.ts'
import { ExternalLink, ownFile } from './external-link.tsx'

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

type Of<Type extends GeneratedBlock['type']> = Extract<GeneratedBlock, { type: Type }>

/** The blocks of a document, each as the element that it is. */
const Blocks = ({ blocks }: { blocks: GeneratedBlock[] }) => blocks.map(withIndexKeys(block))

const block = (one: GeneratedBlock): ReactNode => (shown[one.type] as (one: GeneratedBlock) => ReactNode)(one)

const shown = {
  // The document's title is the heading above.
  heading: ({ level, text }) => {
    const Heading = `h${Math.min(6, Math.max(3, level + 1))}` as 'h3'
    return <Heading>{text}</Heading>
  },
  paragraph: ({ content }) => <p>{content.map(withIndexKeys(inline))}</p>,
  list: ({ ordered, items }) => {
    const List = ordered ? 'ol' : 'ul'
    return <List>{items.map(withIndexKeys((item) => <li>{item}</li>))}</List>
  },
  table: ({ headers, rows }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled with the keyboard too
    <section className="g-wide" tabIndex={0}>
      <table>
        <thead>
          <tr>{headers.map(withIndexKeys((cell) => <th scope="col">{cell}</th>))}</tr>
        </thead>
        <tbody>
          {rows.map(withIndexKeys((row) => <tr>{row.map(withIndexKeys((cell) => <td>{cell}</td>))}</tr>))}
        </tbody>
      </table>
    </section>
  ),
  code_block: ({ value }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long line is scrolled with the keyboard too
    <pre dir="ltr" tabIndex={0}>
      <code>{value}</code>
    </pre>
  ),
  image: ({ url, alt }) => (
    <figure>
      <img src={ownFile(url)} alt={alt} loading="lazy" />
    </figure>
  ),
  quote: ({ value }) => (
    <blockquote>
      <p>{value}</p>
    </blockquote>
  ),
} satisfies { [Type in GeneratedBlock['type']]: (block: Of<Type>) => ReactNode }

function inline(item: GeneratedInline): ReactNode {
  if (item.type === 'link') return <ExternalLink url={item.url}>{item.text}</ExternalLink>
  if (item.type === 'bold') return <strong>{item.text}</strong>
  if (item.type === 'italic') return <em>{item.text}</em>
  if (item.type === 'code') return <code>{item.text}</code>
  return item.text
}

/** Items with their index as key, for lists without ids that never change their order. */
const withIndexKeys =
  <Item,>(show: (item: Item) => ReactNode) =>
  (item: Item, place: number) => <Fragment key={place}>{show(item)}</Fragment>
