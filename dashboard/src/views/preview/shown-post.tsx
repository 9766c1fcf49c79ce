import './preview.css'
import { useQuery } from '@tanstack/react-query'
import { __, _n } from '@wordpress/i18n'
import { useMemo } from 'react'
import type { Preview as WholePreview } from '../../api/client.ts'
import { withNumber } from '../../components/format.ts'
import { describeError } from '../../components/states.tsx'
import { stylesQuery } from '../../data/sites.ts'
import { currentLanguage } from '../../i18n.ts'
import boxes from './boxes.css?url'
import ours from './frame.css?url'
import { sanitisedMarkup } from './sanitise-markup.ts'

/** What is shown of a post: its markup, and the boxes for what is in no media library yet. */
type Preview = Pick<WholePreview, 'uploads'> & {
  post: Pick<WholePreview['post'], 'title' | 'content' | 'footnotes'>
}

/** The post with its site's styles; with plain ones until they are loaded, or when they cannot be. */
export function ShownPost({ preview, siteId }: { preview: Preview; siteId: string }) {
  const { data, error } = useQuery(stylesQuery(siteId))
  return (
    <div className="g-post">
      <Frame
        preview={preview}
        styles={data?.path}
        title={__('The post as the editor will show it', 'galley')}
      />
      <div className="g-weak" role="status">
        {data ? (
          <p>
            {__('With the styles of the site, without its web fonts and background images.', 'galley')}{' '}
            {data.left_out.length > 0 && leftOut(data.left_out.length)}
          </p>
        ) : error ? (
          <p>
            {__('With plain styles, not those of the site.', 'galley')} {describeError(error).text}
          </p>
        ) : (
          <p>{__('Loading the styles of the site…', 'galley')}</p>
        )}
      </div>
    </div>
  )
}

const leftOut = (count: number): string =>
  withNumber(
    // translators: %d: how many style sheets
    _n('%d style sheet could not be read.', '%d style sheets could not be read.', count, 'galley'),
    count,
  )

interface FrameProps {
  preview: Preview
  /** The path of the site's styles; undefined for plain ones. */
  styles: string | undefined
  title: string
}

/**
 * A post as the editor will show it. The frame has no rights, an origin of its own, and the policy of the page: it loads style sheets
 * from Galley and nothing else. Its content is what {@link sanitisedMarkup} keeps.
 *
 * Each content is a new frame: Chromium left a frame blank that got its second `srcdoc` before its first was drawn.
 */
function Frame({ preview, styles, title }: FrameProps) {
  const content = useMemo(() => documentOf(preview, styles ?? ours), [preview, styles])
  return <iframe key={content} className="g-frame-of-post" title={title} sandbox="" srcDoc={content} />
}

function documentOf({ post, uploads }: Preview, styles: string): string {
  const made = document.implementation.createHTMLDocument(post.title)
  made.documentElement.lang = currentLanguage()
  for (const href of [boxes, styles]) {
    const sheet = made.createElement('link')
    sheet.rel = 'stylesheet'
    sheet.href = new URL(href, location.href).href
    made.head.append(sheet)
  }
  const element = (name: string, classes: string) =>
    Object.assign(made.createElement(name), { className: classes })
  // The classes of a single post, which themes style.
  made.body.className = 'single single-post'
  made.body.dir = 'auto'
  const main = element('main', `wp-block-group ${LAYOUT}`)
  const heading = element('h1', 'wp-block-post-title entry-title')
  heading.textContent = post.title
  const text = element('div', `entry-content wp-block-post-content ${LAYOUT}`)
  const notes = post.footnotes.map(({ content }) => `<li>${content}</li>`).join('')
  const list = notes && `<ol class="wp-block-footnotes">${notes}</ol>`
  text.append(sanitisedMarkup(made, post.content + list, uploads))
  main.append(heading, text)
  made.body.append(main)
  return `<!doctype html>${made.documentElement.outerHTML}`
}

const LAYOUT = 'has-global-padding is-layout-constrained'
