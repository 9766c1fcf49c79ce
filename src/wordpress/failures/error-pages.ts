import { decodeHTML } from 'entities'
import { stripTags } from '../../lib/text.ts'
import { findTags, pageTitle } from '../html.ts'
import type { FailureCode } from './catalogue.ts'
import { isBrowserCheck, isMadeByWordPress, refuserOf, type SearchableAnswer } from './firewalls.ts'
import type { FailureFacts, RawAnswer } from './types.ts'

/** An answer that is not WordPress's JSON, made ready to be recognised. */
export interface ErrorPage extends SearchableAnswer {
  headers: Record<string, string>
  /** What a person would read of it; made when it is asked for. */
  readonly words: string
}

/** Far into a page nothing is said about who made it. */
const MAX_PAGE_BYTES = 256 * 1024

export function parseErrorPage({ status, headers, body }: RawAnswer): ErrorPage {
  const text = body.subarray(0, MAX_PAGE_BYTES).toString('utf8')
  return {
    status,
    headers,
    headerLines: Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
    text,
    title: htmlToText(pageTitle(text)),
    get words() {
      return htmlToText(text)
    },
  }
}

/** Markup and entities removed, spaces folded: what a person would read. */
export const htmlToText = (html: string): string =>
  decodeHTML(stripTags(html.slice(0, MAX_PAGE_BYTES), ' '))
    .replace(/\s+/g, ' ')
    .trim()

export interface Classification {
  code: FailureCode
  facts?: Partial<FailureFacts>
}

/** What the sentence of a failure gains from a page, or `null` where the page is of another kind. */
type PageSignature = (page: ErrorPage) => Partial<FailureFacts> | null

const firstMatch = (pattern: RegExp, text: string): string | undefined => pattern.exec(text)?.[1]?.trim()

function textAfter(label: RegExp, text: string): string | undefined {
  const found = label.exec(text)
  if (found === null) return undefined
  const from = found.index + found[0].length
  const parts = stripTags(text.slice(from, from + 2_000), '<').split('<')
  return parts
    .map((part) => part.trim())
    .find(({ length }) => length >= 3)
    ?.slice(0, 200)
}

/** For kinds that name no reference. */
const factsIf = (condition: boolean): Partial<FailureFacts> | null => (condition ? {} : null)

const cloudflare = ({ headers }: ErrorPage): boolean =>
  headers.server?.toLowerCase() === 'cloudflare' || headers['cf-ray'] !== undefined

function cloudflareRay({ headers, words }: ErrorPage): Partial<FailureFacts> {
  const id = headers['cf-ray'] ?? firstMatch(/Ray ID: ?([0-9a-f]{16})/i, words)
  return id === undefined ? {} : { reference: `ray ${id}` }
}

/** Cloudflare adds a script below `challenge-platform` to ordinary pages too; `orchestrate` is in challenges alone. */
const CLOUDFLARE_CHALLENGE = /challenge-platform\/(h\/\w\/)?orchestrate|cf-chl-|_cf_chl_/

/** What Cloudflare's own refusals contain. It passes those of the server on with the same headers. */
const CLOUDFLARE_REFUSAL =
  /cf-error-details|cf-wrapper|cloudflare ray id|cloudflare_error|<center>cloudflare|error code: ?1\d{3}/i

/** What a page of WordPress may say by itself. All else may stand in its posts, as the name of a firewall does. */
const TOLD_BY_WORDPRESS: ReadonlySet<FailureCode> = new Set(['maintenance_page', 'login_wall'])

/** Whether a page that people read may hold it: a form with a captcha, a login in its head, a script of its host. */
const mayBePartOfPage = (code: FailureCode): boolean =>
  code.startsWith('firewall_') || code === 'cloudflare_challenge' || code === 'login_wall'

/** A page that stands in front of a site has fewer links. */
const MIN_LINKS = 10

export const isMissing = ({ status }: Pick<RawAnswer, 'status'>): boolean => status === 404 || status === 410

/** The program that makes a page, as its head names it. */
export const generatorOf = (html: string): string | undefined =>
  findTags(html, ['meta'])
    .find(({ attributes }) => attributes.get('name')?.toLowerCase() === 'generator')
    ?.attributes.get('content')
    ?.slice(0, 80)

/** The failure that a page by itself tells, whatever was asked for. */
export function recognisePage(page: ErrorPage): Required<Classification> | null {
  const { text } = page
  const isOrdinary = page.status < 300 || isMissing(page)
  const isWordPress = isOrdinary && isMadeByWordPress(text)
  const isOther =
    isOrdinary && !isWordPress && (Boolean(generatorOf(text)) || findTags(text, ['a']).length >= MIN_LINKS)
  for (const [code, recognise] of Object.entries(pageSignatures) as [FailureCode, PageSignature][]) {
    const isPart = (isWordPress && !TOLD_BY_WORDPRESS.has(code)) || (isOther && mayBePartOfPage(code))
    const facts = isPart ? null : recognise(page)
    if (facts) return { code, facts }
  }
  return null
}

/** From the most telling to the least. Written from the pages these products send; no text is copied. */
const pageSignatures: Partial<Record<FailureCode, PageSignature>> = {
  cloudflare_challenge: (page) =>
    page.headers['cf-mitigated'] === 'challenge' || (cloudflare(page) && CLOUDFLARE_CHALLENGE.test(page.text))
      ? cloudflareRay(page)
      : null,
  gateway_error: (page) =>
    cloudflare(page) && page.status >= 520 && page.status <= 530
      ? {
          found: `Cloudflare ${ORIGIN_ERRORS[page.status] ?? 'cannot reach the server'}, ${cloudflareRay(page).reference ?? 'no ray id'}`,
        }
      : null,
  firewall_wordfence: ({ text }) =>
    /generated by wordfence|wordfence\.com|wfBlockedPage/i.test(text)
      ? withReference('block reason', textAfter(/Block Reason:?/i, text))
      : null,
  firewall_sucuri: (page) =>
    page.headers['x-sucuri-block'] !== undefined ||
    /sucuri website firewall|sucuri cloudproxy/i.test(page.text)
      ? withReference('block id', firstMatch(/Block ID: ?([A-Z0-9]{3,20})/i, page.words))
      : null,
  firewall_imunify: ({ headers, text }) =>
    factsIf(/imunify360/i.test(headers.server ?? '') || /imunify360/i.test(text)),
  firewall_modsecurity: ({ status, title, text }) =>
    /mod_?security/i.test(text) || (status === 406 && /not acceptable/i.test(title || text))
      ? withReference('unique id', firstMatch(/(?:unique[_ ]id|reference id)["\s:#]*([\w@-]{10,40})/i, text))
      : null,
  firewall_captcha: ({ text }) => {
    const kind = firstMatch(/(sgcaptcha|hcaptcha\.com|recaptcha|captcha-delivery|turnstile)/i, text)
    return kind === undefined ? null : { found: kind }
  },
  firewall_challenge: (page) => (isBrowserCheck(page) ? refuserOf(page) : null),
  // Some products answer HTTP 200 to what they refuse.
  firewall_blocked: (page) =>
    page.status < 300 && /^(request rejected|access denied|(web )?page blocked|blocked\b)/i.test(page.title)
      ? { found: `a page called “${page.title}”`, ...refuserOf(page) }
      : null,
  account_suspended: ({ status, title, text }) =>
    /^(this )?(account|site|website)( has been| is)? suspended|bandwidth limit exceeded/i.test(title) ||
    status === 509 ||
    text.includes('/cgi-sys/suspendedpage.cgi')
      ? { found: title }
      : null,
  firewall_cloudflare: (page) =>
    cloudflare(page) &&
    (/attention required|error\s*10\d\d|access denied/i.test(page.title) ||
      (page.status === 403 && CLOUDFLARE_REFUSAL.test(page.text)))
      ? cloudflareRay(page)
      : null,
  https_expected: ({ status, text }) =>
    factsIf(
      status === 400 &&
        /plain HTTP request was sent to HTTPS port|speaking plain HTTP to an SSL-enabled server port/i.test(
          text,
        ),
    ),
  maintenance_mode: ({ status, headers, text, title }) =>
    factsIf(
      /briefly unavailable for scheduled maintenance/i.test(text) ||
        // Core's own in another language comes by wp_die, and asks for ten minutes (`wp_maintenance`).
        (status === 503 &&
          (headers['retry-after'] === '600' || MAINTENANCE_WORDS.test(title)) &&
          (text.includes('wp-die-message') || text.includes('"wp_die"'))),
    ),
  maintenance_page: ({ status, headers, title }) =>
    factsIf(
      headers['x-maintenance-mode-wp'] !== undefined || (status === 503 && MAINTENANCE_WORDS.test(title)),
    ),
  database_down: ({ text }) => factsIf(/error establishing a database connection/i.test(text)),
  php_fatal_error: (page) => {
    const { status, text } = page
    const fatal = firstMatch(/(?:PHP )?((?:Fatal|Parse) error(?:<\/b>)?:[^\n<]{5,300})/i, text)
    if (fatal !== undefined) return { said: fatal.replace('</b>', '') }
    if (/there has been a critical error on (this|your) website/i.test(text)) return {}
    // Once anything was printed WordPress says nothing of a crash (`WP_Fatal_Error_Handler::handle`): the answer ends there.
    const said = status === 200 || status === 500 ? page.words : ''
    return /^(PHP )?(Warning|Notice|Deprecated)\s?:/i.test(said) && / on line \d{1,9}$/.test(said)
      ? { said }
      : null
  },
  // WordPress's own page for what ended a request, in whatever language: a crash, a lost database, a plugin's word.
  site_error: ({ status, text }) => {
    const said = status < 500 ? undefined : textAfter(/class="wp-die-message">/, text)
    return said === undefined ? null : { said: htmlToText(said) }
  },
  parking_page: ({ text, title }) =>
    /sedoparking|parkingcrew|bodis\.com|domain (name )?is for sale|buy this domain|parked (free|domain)|this domain (has expired|is parked)|domain has expired/i.test(
      text,
    )
      ? { found: title }
      : null,
  login_wall: ({ status, headers, text, title }) => {
    const challenge = headers['www-authenticate']
    if (status === 401 && challenge) return { found: `HTTP authentication, ${challenge}` }
    // The page for a missing address has the login of every page of the site.
    if (isMissing({ status })) return null
    const asks = findTags(text, ['input']).some(
      ({ attributes }) => attributes.get('type')?.toLowerCase() === 'password',
    )
    return asks ? { found: title || 'a login page' } : null
  },
}

/** What Cloudflare means by its statuses: https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/ */
const ORIGIN_ERRORS: Readonly<Record<number, string>> = {
  520: 'got an answer from the server that it cannot read',
  521: 'is refused by the server',
  522: 'cannot connect to the server',
  524: 'got no answer from the server in time',
  525: 'cannot agree with the server on encryption',
  526: 'does not trust the certificate of the server',
}

const withReference = (label: string, id: string | undefined): Partial<FailureFacts> =>
  id === undefined ? {} : { reference: `${label}: ${id}` }

// Words of a plugin's refusal without a code, in the languages that most sites have; others get a server error's sentence.

/** “You are not authorized”, in other languages than English. */
export const NOT_AUTHORIZED_WORDS =
  /nicht (autorisiert|berechtigt|befugt|angemeldet|eingeloggt)|pas (autorisé|connecté|identifié)|non autorisé|no (está|estás|tienes|tiene) (autoriza|permiso|conectad|identificad)|no autorizad|non (sei|siete|è) (autorizzat|conness|loggat)|niet (gemachtigd|geautoriseerd|bevoegd|ingelogd|aangemeld)|não (está|tem|possui) (autoriza|permiss|conectad|logad)|nie (masz|jesteś) (uprawnie|autoryzowan|upoważnion|zalogowan)|не (авторизован|имеете прав)|нет прав|(権限|許可)がありません|ログインしていません|(没有|無)权限|沒有權限|未授权|未登[录錄入]/i

/** Publishing, or the featured image without which some plugins let nothing be published. */
export const PUBLISHING_WORDS =
  /\b(publish|featured image|publier|publié|publication|publicar|publicad|publicación|pubblicar|pubblicat|gepubliceerd|publiceren|opublikowa|publikowa)|veröffentlich|beitragsbild|image (mise en avant|à la une)|imagen destacada|immagine in evidenza|uitgelichte afbeelding|imagem (em |de )?destaca|obrazek wyróżniający|опубликова|публикац|изображение записи|公開|アイキャッチ|发布|發佈|特色(图|圖)/i

/** A site that is closed for a while, by a plugin or its host. */
export const MAINTENANCE_WORDS =
  /maintenance|wartung|mantenimiento|manutenzione|manutenção|manutencao|onderhoud|konserwacj|przerwa techniczna|обслуживани|технические работы|メンテナンス|维护|維護/i
