import { useMemo } from 'react'
import type { Preview } from '../../api/client.ts'
import { currentLanguage } from '../../i18n.ts'
import boxes from './boxes.css?url'
import ours from './frame.css?url'
import { sanitisedMarkup } from './sanitise-markup.ts'

interface FrameProps {
  preview: Preview
  /** Where Galley has the styles of the site; undefined for those of an editor without a theme. */
  styles: string | undefined
  title: string
}

/**
 * A post as the editor will show it. The frame has no rights at all, an origin of its own, and the policy of the page: it
 * loads style sheets from Galley, and nothing from anywhere else. What is put into it is only what {@link sanitisedMarkup} knows.
 *
 * Another content is another frame: Chromium never drew one that was below the window and got its second `srcdoc` before
 * its first was there, as when the styles of the site come at once.
 */
export function Frame({ preview, styles, title }: FrameProps) {
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
  // The classes of a single post, which themes give their styles to.
  made.body.className = 'single single-post'
  made.body.dir = 'auto'
  const main = element('main', `wp-block-group ${LAYOUT}`)
  const heading = element('h1', 'wp-block-post-title entry-title')
  heading.textContent = post.title
  const text = element('div', `entry-content wp-block-post-content ${LAYOUT}`)
  text.append(sanitisedMarkup(made, post.content, uploads))
  main.append(heading, text)
  made.body.append(main)
  return `<!doctype html>${made.documentElement.outerHTML}`
}

const LAYOUT = 'has-global-padding is-layout-constrained'
