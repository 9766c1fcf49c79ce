import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createByteBudget } from '../../../src/bytes/budget.ts'
import { createSiteStylesCache } from '../../../src/delivery/preview/preview.ts'
import { createOutbound } from '../../../src/outbound/outbound.ts'
import { readStyles } from '../../../src/wordpress/site-styles.ts'

// A server that is any site's: what is asked of it, and what is made of its answers.

type Answer = { status?: number; type?: string; body?: string }

let server: Server
let site: { name: string; url: string }
let answers: Record<string, Answer>
let asked: string[]
/** Bytes of the budget, when the last was asked. */
let heldThen: number
const budget = createByteBudget()
const outbound = createOutbound({ allowPrivate: ['127.0.0.1'], userAgent: 'Galley/test', budget })

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '')
    heldThen = budget.documents.held
    expect(request.headers.authorization).toBeUndefined()
    const { status = 200, type = 'text/html', body = '' } = answers[request.url ?? ''] ?? { status: 404 }
    response.writeHead(status, { 'content-type': type }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  site = { name: 'tides.test', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await outbound.close()
})
beforeEach(() => {
  answers = {}
  asked = []
})

const css = (body: string): Answer => ({ type: 'text/css; charset=utf-8', body })
const page = (...head: string[]): Answer => ({ body: `<!doctype html><head>${head.join('\n')}</head>` })
const LIBRARY = '/wp-includes/css/dist/block-library/style.min.css'

it('has the style sheets of the front page in their order, and the library of all blocks before them', async () => {
  answers = {
    '/': page(
      '<link rel="stylesheet" href="/one.css">',
      '<style id="global-styles-inline-css">.two{x:y}</style>',
      `<LINK REL='preload stylesheet' HREF='${site.url}/three.css' media='(min-width: 1px)'>`,
      '<link rel="stylesheet" media="print" href="/printed.css">',
      '<link rel="alternate stylesheet" href="/other.css"><link rel="icon" href="/icon.css">',
      '<script src="/core/wp-includes/js/x.js"></script>',
    ),
    '/one.css': css('.one{x:y}'),
    '/three.css': css('.three{x:y}'),
    [`/core${LIBRARY}`]: css('.library{x:y}'),
  }
  const { css: read, leftOut } = await readStyles(outbound, site)
  const order = ['.library{x:y}', '.one{x:y}', '.two{x:y}', '@media (min-width: 1px){.three{x:y}']
  const places = order.map((rule) => read.indexOf(rule))
  expect(places).not.toContain(-1)
  expect(places).toEqual([...places].sort((a, b) => a - b))
  expect(leftOut).toEqual([])
  expect([...asked].sort()).toEqual(['/', `/core${LIBRARY}`, '/one.css', '/three.css'].sort())
})

it('goes on without one that cannot be had, and says which', async () => {
  const link = (href: string) => `<link rel="stylesheet" href="${href}">`
  answers = {
    '/': page(
      ...[
        '/gone.css',
        '/page.css',
        '/long.css',
        '/good.css',
        'ftp://x.test/a.css',
        'http://10.1.2.3/a.css',
      ].map(link),
    ),
    '/page.css': { body: '<p>Sign in</p>' },
    '/long.css': css(`a{b:"${'x'.repeat(600_000)}"}`),
    '/good.css': css('p{x:y}'),
  }
  const { css: read, leftOut } = await readStyles(outbound, site)
  expect(read).toContain('p{x:y}')
  expect(read.length).toBeLessThan(1_000)
  const left = ['/gone.css', '/page.css', '/long.css'].map((path) => `${site.url}${path}`)
  expect(leftOut.sort()).toEqual([...left, 'http://10.1.2.3/a.css'].sort())
})

it('reads no more than a megabyte of them, and asks for no more than it needs', async () => {
  const names = Array.from({ length: 60 }, (_, index) => `/${index}.css`)
  answers = Object.fromEntries(names.map((name) => [name, css(`a{b:c}`.repeat(40_000))]))
  answers['/'] = page(...names.map((name) => `<link rel="stylesheet" href="${name}">`))
  const { css: read, leftOut } = await readStyles(outbound, site)
  expect(read.length).toBeLessThanOrEqual(1024 * 1024)
  expect(leftOut.length).toBeGreaterThan(30)
  expect(asked.length).toBeLessThan(15)
})

it('takes a page of nothing but unclosed style elements as one', async () => {
  answers = { '/': { body: '<style/>'.repeat(100_000) } }
  const { css: read } = await readStyles(outbound, site)
  expect(read.length).toBeLessThan(2 * 1024 * 1024)
})

it.each([
  ['no page', { status: 503 }, 'its front page answered HTTP 503'],
  ['a page without any', page('<title>Tides</title>'), 'its front page names none'],
])('says of %s why there are none', async (_, answer: Answer, why) => {
  answers = { '/': answer, [LIBRARY]: css('p{x:y}') }
  await expect(readStyles(outbound, site)).rejects.toMatchObject({
    code: 'no_styles',
    message: `The styles of tides.test could not be read: ${why}.`,
  })
})

it('reads them once for all who ask, within the budget of bytes, and keeps no failure', async () => {
  const styles = createSiteStylesCache(outbound, budget.documents)
  const one = { ...site, id: 'a', accountId: 'b' }
  await expect(styles.of(one)).rejects.toMatchObject({ code: 'no_styles' })
  answers = { '/': page('<style>p{x:y}</style>') }
  asked = []
  const [first, second] = await Promise.all([styles.of(one), styles.of(one)])
  expect(heldThen).toBeGreaterThan(1_000_000)
  expect(second).toBe(first)
  expect(await styles.of(one)).toBe(first)
  expect(asked.filter((path) => path === '/')).toHaveLength(1)
  expect(budget.documents.held).toBe(0)
})
