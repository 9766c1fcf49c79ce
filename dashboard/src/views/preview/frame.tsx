import type { Preview } from '../../api/client.ts'
import { currentLanguage } from '../../i18n.ts'
import { shownIn } from './clean.ts'
import styles from './frame.css?url'

interface FrameProps {
  preview: Preview
  title: string
}

/**
 * A post as the editor will show it. The frame has no rights at all, an origin of its own, and the policy of the page; what
 * is put into it is only what {@link shownIn} knows.
 */
export const Frame = ({ preview, title }: FrameProps) => (
  <iframe className="g-frame-of-post" title={title} sandbox="" srcDoc={documentOf(preview)} />
)

function documentOf({ post, uploads }: Preview): string {
  const made = document.implementation.createHTMLDocument(post.title)
  made.documentElement.lang = currentLanguage()
  const sheet = made.createElement('link')
  sheet.rel = 'stylesheet'
  sheet.href = new URL(styles, location.href).href
  made.head.append(sheet)
  const heading = made.createElement('h1')
  heading.textContent = post.title
  made.body.dir = 'auto'
  made.body.append(heading, shownIn(made, post.content, uploads))
  return `<!doctype html>${made.documentElement.outerHTML}`
}
