import { randomUUID } from 'node:crypto'

/** A request to a simulated site, its address without the folder that the site lies in. */
export interface SiteRequest {
  method: string
  /** `/wp-json/wp/v2/posts/12`, without the query. */
  path: string
  query: URLSearchParams
  authorization: string | undefined
  contentType: string
  body: Buffer
}

/** What a site says. `json` goes out as JSON unless there is a `text`. */
export interface SiteAnswer {
  status: number
  headers: Record<string, string>
  json?: unknown
  text?: string | Buffer
}

interface Item {
  id: number
  [field: string]: unknown
}

/** As much of a WordPress as connecting, the doctor, a preview and a delivery look at, in memory. */
export interface SimulatedWordPress {
  /** `POST /wp/v2/posts/{id}`: what a request asks for, with numbers taken out. */
  keyOf(request: SiteRequest): string
  answer(request: SiteRequest): SiteAnswer
  posts: Map<number, Item>
  username: string
  password: string
}

const json = (value: unknown, status = 200, headers: Record<string, string> = {}): SiteAnswer => ({
  status,
  headers: { 'content-type': 'application/json; charset=UTF-8', date: new Date().toUTCString(), ...headers },
  json: value,
})

const refusal = (status: number, code: string, message: string): SiteAnswer =>
  json({ code, message, data: { status } }, status)

/** @param home the site's own address, without a trailing slash */
export function simulateWordPress(home: string, username: string, password: string): SimulatedWordPress {
  const posts = new Map<number, Item>()
  const media = new Map<number, Item>()
  const terms = new Map<number, Item>()
  const passwordUuid = randomUUID()
  let lastId = 10
  const root = `${home}/wp-json/`
  const credentials = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const link = { link: `<${root}>; rel="https://api.w.org/"` }

  const index = {
    name: 'A simulated site',
    url: home,
    home,
    gmt_offset: 0,
    namespaces: ['oembed/1.0', 'wp/v2', 'wp-block-editor/v1'],
    authentication: {
      'application-passwords': { endpoints: { authorization: `${home}/wp-admin/authorize-application.php` } },
    },
    routes: {},
  }
  const user = {
    id: 3,
    name: 'An editor',
    slug: username,
    roles: ['editor'],
    capabilities: {
      edit_posts: true,
      publish_posts: true,
      upload_files: true,
      manage_categories: true,
      edit_others_posts: true,
    },
  }
  const type = (name: string, base: string) => ({
    slug: name,
    rest_base: base,
    rest_namespace: 'wp/v2',
    name: base,
    taxonomies: ['category', 'post_tag'],
    supports: { title: true, editor: true, excerpt: true, thumbnail: true, author: true },
  })

  const asPost = ({ id, ...fields }: Item) => ({
    id,
    slug: fields.slug || `post-${id}`,
    status: fields.status ?? 'draft',
    link: `${home}/?p=${id}`,
    modified_gmt: '2026-01-01T00:00:00',
    author: 3,
    title: { raw: fields.title ?? '' },
    content: { raw: fields.content ?? '' },
    excerpt: { raw: fields.excerpt ?? '' },
    categories: fields.categories ?? [],
    tags: fields.tags ?? [],
    featured_media: fields.featured_media ?? 0,
    meta: {},
    _links: { 'wp:action-publish': [], 'wp:action-create-categories': [], 'wp:action-create-tags': [] },
  })
  const asMedia = ({ id, ...fields }: Item) => ({
    id,
    slug: fields.slug,
    status: 'inherit',
    source_url: `${home}/wp-content/uploads/${id}.png`,
    mime_type: 'image/png',
    alt_text: fields.alt_text ?? '',
    post: Number(fields.post ?? 0),
    media_details: {
      width: 8,
      height: 8,
      sizes: { full: { source_url: `${home}/${id}.png`, width: 8, height: 8 } },
    },
  })
  const bySlug = (items: Map<number, Item>, query: URLSearchParams): Item[] => {
    const wanted = query.get('slug')?.split(',')
    const include = query.get('include')?.split(',').map(Number)
    return [...items.values()].filter(
      ({ id, slug }) =>
        (wanted === undefined || wanted.includes(String(slug))) && (include?.includes(id) ?? true),
    )
  }

  /** Posts, media and terms alike: a collection, and one item of it. */
  function collection(
    { method, query }: SiteRequest,
    id: number | undefined,
    fields: () => Record<string, unknown>,
    items: Map<number, Item>,
    asRecord: (item: Item) => unknown,
    noun: string,
  ): SiteAnswer {
    if (id === undefined && method === 'GET')
      return json(bySlug(items, query).map(asRecord), 200, { 'x-wp-total': '1', 'x-wp-totalpages': '1' })
    if (id === undefined) {
      lastId += 1
      const made = { ...fields(), id: lastId }
      items.set(lastId, made)
      return json(asRecord(made), 201)
    }
    const item = items.get(id)
    if (item === undefined) return refusal(404, `rest_${noun}_invalid_id`, `Invalid ${noun} ID.`)
    if (method === 'DELETE') items.delete(id)
    else if (method === 'POST') Object.assign(item, fields(), { id })
    return json(method === 'DELETE' ? { deleted: true, previous: asRecord(item) } : asRecord(item))
  }

  function rest(request: SiteRequest, route: string): SiteAnswer {
    const { method, body, contentType, query } = request
    if (route === '') return json(index)
    if (request.authorization !== credentials)
      return refusal(401, 'rest_not_logged_in', 'You are not currently logged in.')
    const sent = (): Record<string, unknown> => JSON.parse(body.toString('utf8') || '{}')
    const [, what = '', id] = /^wp\/v2\/([a-z_]+)(?:\/(\d+))?/.exec(route) ?? []
    const number = id === undefined ? undefined : Number(id)
    if (route === 'wp/v2/users/me') return json(user)
    if (route.endsWith('/introspect')) return json({ uuid: passwordUuid, app_id: '', name: 'Galley' })
    if (route.includes('/application-passwords/')) return json({ deleted: true, previous: {} })
    if (what === 'types') return json({ post: type('post', 'posts'), page: type('page', 'pages') })
    if (what === 'users') return json([user])
    if (what === 'plugins') return refusal(403, 'rest_cannot_view_plugins', 'Sorry, you are not allowed.')
    if (method === 'OPTIONS')
      return json({
        schema: {
          properties: {
            title: {},
            content: {},
            excerpt: {},
            status: { enum: ['publish', 'draft', 'pending'] },
            meta: { properties: {} },
          },
        },
      })
    if (what === 'posts' || what === 'pages') return collection(request, number, sent, posts, asPost, 'post')
    if (what === 'media') {
      const form = body.subarray(0, 4_096).toString('latin1')
      if (method === 'POST' && number === undefined && form.includes('application/octet-stream'))
        return refusal(
          500,
          'rest_upload_unknown_error',
          'Sorry, you are not allowed to upload this file type.',
        )
      const multipart = contentType.startsWith('multipart/')
      const field = (name: string) => new RegExp(`name="${name}"\r\n\r\n([^\r]*)`).exec(form)?.[1]
      const fields = () =>
        multipart ? { slug: field('slug'), alt_text: field('alt_text'), post: field('post') } : sent()
      return collection(request, number, fields, media, asMedia, 'post')
    }
    if (what === 'categories' || what === 'tags') {
      const kind = what === 'tags' ? 'post_tag' : 'category'
      const same = [...terms.values()].filter(
        ({ taxonomy, name }) => taxonomy === kind && name === query.get('search'),
      )
      if (method === 'GET') return json(same, 200, { 'x-wp-totalpages': '1' })
      lastId += 1
      const made: Item = { parent: 0, ...sent(), taxonomy: kind, id: lastId }
      // As it stands in the database, which is how WordPress answers it.
      made.name = String(made.name)
        .trim()
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
      terms.set(lastId, made)
      return json(made, 201)
    }
    return refusal(404, 'rest_no_route', 'No route was found.')
  }

  return {
    posts,
    username,
    password,
    keyOf: ({ method, path }) =>
      `${method} ${path.replace(/\/\d+/g, '/{id}').replace(/[0-9a-f-]{36}/g, '{uuid}')}`,
    answer(request) {
      const { path, method } = request
      if (path.startsWith('/wp-json')) return rest(request, path.slice('/wp-json/'.length))
      const generator = '<meta name="generator" content="WordPress 7.1">'
      const page = `<!doctype html><html><head><title>A site</title>${generator}</head><body>Hello.</body></html>`
      return {
        status: 200,
        headers: { 'content-type': 'text/html', ...link },
        text: method === 'HEAD' ? '' : page,
      }
    },
  }
}
