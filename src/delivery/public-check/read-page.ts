import { excerpt } from '../../lib/text.ts'
import type { OutboundResponse } from '../../outbound/outbound.ts'
import type { Warning, WarningCode } from '../../warnings.ts'
import { htmlToText, parseErrorPage, recognisePage } from '../../wordpress/failures/error-pages.ts'
import { findTags, pageTitle, type Tag, visibleWords } from '../../wordpress/html.ts'
import { isReservedSlug } from '../../wordpress/posts/slugs.ts'

/** A post that should be public, and what readers should find at its address. */
export interface PublicPost {
  site: string
  home: string
  id: number
  /** REST base of its type. */
  type: string
  url: string
  title: string
  content: string
  hasFeaturedImage: boolean
  asksNoindex: boolean
}

/** What a page says of a post, and the pictures of it that visitors should see; none where they do not see the post. */
export interface PageReading {
  warnings: Warning[]
  pictures: string[]
}

export const LARGEST_PAGE = 1024 * 1024

/** A page from which nothing about the post can be told, with the reason as the end of a sentence. */
export class PageUnreadable extends Error {}

export const warn = (code: WarningCode, message: string): Warning[] => [{ code, message }]

/**
 * Compares a stranger’s answer at the address of a post, after redirects, with the post; no 404 and no 410.
 * @throws PageUnreadable where it is an error, or a firewall’s page
 */
export function readPage(post: PublicPost, page: OutboundResponse): PageReading {
  const html = page.body.toString('utf8')
  const words = wordsOf(html)
  const of = identify(post, page, html)
  const isPage = page.status < 300 && (page.headers['content-type'] ?? 'text/html').includes('html')
  const hasTitle = ` ${words.join(' ')} `.includes(` ${wordsOf(post.title).join(' ')} `)
  if (!isPage || of === 'another' || !hasText(words, post, of === 'post' || hasTitle))
    return { warnings: hiddenWarning(post, page, { html, words, of, hasTitle }), pictures: [] }
  return {
    warnings: [...(hasTitle ? [] : titleWarning(post)), ...noindexWarning(post, page, html)],
    pictures: picturesOf(post, page.url, html),
  }
}

interface ReadWords {
  html: string
  words: string[]
  of: 'post' | 'another' | 'unknown'
  hasTitle: boolean
}

function hiddenWarning(post: PublicPost, page: OutboundResponse, { html, words, of, hasTitle }: ReadWords) {
  const { site, id, url } = post
  if (isReserved(post)) return reservedWarning(post)
  const known = recognisePage(parseErrorPage(page))?.code
  const to = movedTo(url, page.url)
  const title = htmlToText(pageTitle(html))
  if (known?.startsWith('maintenance_') || (of !== 'another' && isComingSoon(html, title, words)))
    return warn(
      'public_coming_soon',
      `${site} shows visitors a page for a site that is not open yet, or under maintenance, so nobody reads post ${id} at ${url}. Switch that off in the plugin or with the host when the site is to be public.`,
    )
  if (page.status === 401 || (known === 'login_wall' && of === 'unknown') || to?.includes('/wp-login.php'))
    return warn(
      'public_login',
      `${site} asks visitors to log in before it shows post ${id} at ${url}. Switch that off for posts in the plugin or with the host if everybody is to read it.`,
    )
  if (page.status >= 300 || (known !== undefined && known !== 'login_wall'))
    throw new PageUnreadable(`it answered HTTP ${page.status}${known === undefined ? '' : ` (${known})`}`)
  if (of === 'post' && html.includes('post-password-form')) return []
  if (to !== null)
    return warn(
      'public_redirected',
      `The address of post ${id} on ${site}, ${url}, sends visitors on to ${to}, which does not show the post. Look for a redirect in the plugins of the site or with the host.`,
    )
  if (of === 'another' || (of === 'unknown' && !hasTitle))
    return warn(
      'public_other_page',
      `The address of post ${id} on ${site}, ${url}, shows visitors another page${title === '' ? '' : `, “${excerpt(title, 100)}”,`} in place of the post. Give the post or that page another slug in WordPress.`,
    )
  // What was cut off may have had it.
  if (page.body.length >= LARGEST_PAGE) return []
  return warn(
    'public_text_missing',
    `The page of post ${id} on ${site}, ${url}, does not show the text of the post. A plugin may keep it for members, the theme may show excerpts, or a cache an older version: look at the page without being logged in.`,
  )
}

/** Whether WordPress answers the address of a post itself. */
export function isReserved({ url, home }: Pick<PublicPost, 'url' | 'home'>): boolean {
  const [address = [], root = []] = [url, home].map((one) => new URL(one).pathname.split('/').filter(Boolean))
  return isReservedSlug(address.at(-1) ?? '', address.length === root.length + 1)
}

export const reservedWarning = ({ site, id, url }: PublicPost): Warning[] =>
  warn(
    'public_reserved_address',
    `WordPress keeps the address ${url} for itself, so nobody can read post ${id} on ${site} there. Give the post another slug in WordPress.`,
  )

const MAX_PICTURES = 5

function picturesOf({ content, hasFeaturedImage }: PublicPost, page: string, html: string): string[] {
  const featured = hasFeaturedImage ? findTags(html, ['img']).filter(isFeaturedImage).slice(0, 1) : []
  const sources = [...featured, ...findTags(content, ['img'])].map(
    ({ attributes }) => attributes.get('src') ?? '',
  )
  const addresses = sources.filter((source) => source !== '' && URL.canParse(source, page))
  return [...new Set(addresses.map((source) => new URL(source, page).href))].slice(0, MAX_PICTURES)
}

const isFeaturedImage = ({ attributes }: Tag): boolean =>
  attributes.get('class')?.includes('wp-post-image') ?? false

/** Words of a page that are read: those of a long text, and of what stands around it. */
const MOST_WORDS = 50_000

function wordsOf(markup: string): string[] {
  // WordPress writes 3x4 as 3×4.
  const text = markup.normalize('NFC').replace(/×|&#(215|x0*d7);/gi, 'x')
  return visibleWords(text)
    .slice(0, MOST_WORDS)
    .map((word) => word.toLowerCase())
}

/** Words in a row by which a text is known: single ones stand in many others. */
const ROW = 3
const MOST_ROWS = 300
/** Of the rows of a post, at least this share must stand on its page: plugins put parts of their own between them. */
const MIN_SHARE = 0.5

const rowsOf = (words: readonly string[], length: number): string[] =>
  words.slice(length - 1).map((_, index) => words.slice(index, index + length).join(' '))

/** Words of a text that alone show whose page it is. */
const TELLING_WORDS = 30

/** Whether a page has most of the text. @param isTold that it is the page of the post, without which a short text says nothing */
function hasText(words: readonly string[], { content }: PublicPost, isTold: boolean): boolean {
  // In place of an address there is a player.
  const own = wordsOf(content.replace(/https?:\/\/[^\s<"]+/g, ' '))
  if (!isTold && own.length < TELLING_WORDS) return false
  const length = Math.min(ROW, own.length)
  const wanted = length === 0 ? [] : rowsOf(own, length).slice(0, MOST_ROWS)
  const shown = new Set(rowsOf(words, length))
  return wanted.filter((row) => shown.has(row)).length >= wanted.length * MIN_SHARE
}

/** What a page of WordPress says that it shows: the post, another thing, or nothing of the kind. */
function identify({ id, type }: PublicPost, { headers }: OutboundResponse, html: string): ReadWords['of'] {
  const tags = findTags(html, ['link', 'body'])
  const inHeader = headers.link?.split(',').find((link) => link.includes('type="application/json"')) ?? ''
  const links = [
    ...tags.flatMap(({ attributes }) =>
      attributes.get('type') === 'application/json' ? [attributes.get('href') ?? ''] : [],
    ),
    inHeader.slice(inHeader.indexOf('<') + 1, inHeader.indexOf('>')),
  ]
  for (const link of links) {
    const [shown, number = ''] = link.replaceAll('%2F', '/').split('/').slice(-2)
    if (/^\d+$/.test(number)) return shown === type && Number(number) === id ? 'post' : 'another'
  }
  const classes = classOfBody(tags)
  const [, number] = /\b(?:postid|page-id)-(\d+)\b/.exec(classes) ?? []
  if (number !== undefined) return Number(number) === id ? 'post' : 'another'
  // Lists of posts may have all of its text.
  return /(^| )(home|blog|archive|search)( |$)/.test(classes) ? 'another' : 'unknown'
}

const classOfBody = (tags: readonly Tag[]): string =>
  tags.find(({ name }) => name === 'body')?.attributes.get('class') ?? ''

/** As plugins and hosts call a site that is not open, in the languages that most sites have. */
const COMING_SOON =
  /coming[ -]soon|under[ -]construction|launching soon|opening soon|demnächst|im aufbau|wartungs(arbeiten|modus)|bientôt|en construction|próximamente|prossimamente|in costruzione|binnenkort|em breve|wkrótce|скоро откро|近日公開|敬请期待/i

/** Words of a page that are its headline, where it is one of these. */
const HEADLINE_WORDS = 60

const isComingSoon = (html: string, title: string, words: readonly string[]): boolean =>
  [title, classOfBody(findTags(html, ['body'])), words.slice(0, HEADLINE_WORDS).join(' ')].some((text) =>
    COMING_SOON.test(text),
  )

/** Where a redirect has led; null where that is the same address written in another way. */
function movedTo(from: string, to: string): string | null {
  const [asked, reached] = [new URL(from), new URL(to)]
  const isByNumber = asked.searchParams.has('p') && asked.host === reached.host && reached.pathname !== '/'
  return isByNumber || placeOf(asked) === placeOf(reached) ? null : to
}

const placeOf = ({ host, pathname }: URL): string =>
  `${host.replace(/^www\./, '')}${pathname.replace(/\/$/, '')}`

const titleWarning = ({ site, id, url }: PublicPost): Warning[] =>
  warn(
    'public_title_missing',
    `The page of post ${id} on ${site}, ${url}, shows its text and not its title. A cache may show an older version, or a plugin another title: look at the page without being logged in.`,
  )

function noindexWarning(
  { site, id, url, asksNoindex }: PublicPost,
  { headers }: OutboundResponse,
  html: string,
): Warning[] {
  const inPage = findTags(html, ['meta']).some(
    ({ attributes }) =>
      /^(robots|googlebot)$/i.test(attributes.get('name') ?? '') &&
      NOINDEX.test(attributes.get('content') ?? ''),
  )
  if (asksNoindex || !(inPage || NOINDEX.test(headers['x-robots-tag'] ?? ''))) return []
  return warn(
    'public_noindex',
    `The page of post ${id} on ${site}, ${url}, tells search engines not to list it (noindex, in ${inPage ? 'meta robots' : 'the header X-Robots-Tag'}). If they are to find it, clear “Discourage search engines from indexing this site” under Settings → Reading in WordPress, or the setting of the SEO plugin or the host.`,
  )
}

const NOINDEX = /(^|,)\s*(googlebot\s*:\s*)?(noindex|none)\b/i
