import { expect, test } from 'vitest'
import { isReserved, type PublicPost, readPage } from '../../src/delivery/public-check/read-page.ts'

// Pages of sites that no test has as a real one. The others: public-check.wordpress.test.ts.

const text = Array.from({ length: 40 }, (_, n) => `tide${n}`).join(' ')

const post = (more: Partial<PublicPost> = {}): PublicPost => ({
  ...{ site: 'harbour.example', home: 'https://harbour.example', id: 12, type: 'posts' },
  ...{ url: 'https://harbour.example/tides/', title: 'Why tides come', content: `<p>${text}</p>` },
  ...{ hasFeaturedImage: false, asksNoindex: false, ...more },
})

const read = (of: PublicPost, html: string, { url = of.url, status = 200, headers = {} } = {}) =>
  readPage(of, { status, url, headers, body: Buffer.from(html) })

const codes = (...[of, html, more]: Parameters<typeof read>) =>
  read(of, html, more).warnings.map(({ code }) => code)

test.each<[string, Partial<PublicPost>, string, string[]]>([
  ['a text of its own is told without any title', {}, `<p>${text}`, ['public_title_missing']],
  ['a short text says nothing without a title', { content: '<p>Words.' }, '<p>Words.', ['public_other_page']],
  ['a post of a player alone', { content: 'https://youtu.be/x1' }, '<h1>Why tides come</h1><iframe>', []],
  [
    'no page of a post of pictures',
    { content: '<img src="/a.png">' },
    '<title>Shop</title>',
    ['public_other_page'],
  ],
  ['a parked page', {}, '<title>Buy this domain</title>', ['unreadable']],
  [
    'a post whose document asks for it',
    { asksNoindex: true },
    `<meta name=robots content=noindex><h1>Why tides come</h1>${text}`,
    [],
  ],
  ['a robot of another name', {}, `<meta name=otherbot content=noindex><h1>Why tides come</h1>${text}`, []],
  ['half of the text', {}, `<h1>Why tides come</h1>${text.slice(0, 180)}`, []],
  ['the beginning of the text', {}, `<h1>Why tides come</h1>${text.slice(0, 60)}`, ['public_text_missing']],
  [
    'a headline in capitals and entities',
    { title: 'R&amp;D – “now”' },
    `<h1>R&#038;D &#8211; &#8220;NOW&#8221;</h1>${text}`,
    [],
  ],
])('%s', (_, more, html, expected) => {
  const found = () => {
    try {
      return codes(post(more), html)
    } catch {
      return ['unreadable']
    }
  }
  expect(found()).toEqual(expected)
})

test('the same address in another way of writing is no redirect, and another one is', () => {
  const other = '<title>Harbour</title>'
  expect(codes(post(), other, { url: 'https://www.harbour.example/tides' })).toEqual(['public_other_page'])
  expect(codes(post(), other, { url: 'https://harbour.example/' })).toEqual(['public_redirected'])
  expect(
    codes(post({ url: 'https://harbour.example/?p=12' }), other, { url: 'https://harbour.example/tides/' }),
  ).toEqual(['public_other_page'])
})

test('a page that says what it shows is believed, and one that is cut off may have had the text', () => {
  const page = (type: string, id: number) =>
    `<link rel="alternate" title="JSON" type="application/json" href="https://harbour.example/wp-json/wp/v2/${type}/${id}" /><h1>Why tides come</h1>${text}`
  expect(codes(post(), page('posts', 12))).toEqual([])
  expect(codes(post(), page('pages', 7))).toEqual(['public_other_page'])
  expect(codes(post(), page('categories', 12))).toEqual(['public_other_page'])
  expect(codes(post(), `<h1>Why tides come</h1>${' '.repeat(1024 * 1024)}`)).toEqual([])
})

test('addresses of WordPress lie at the root of a site, which may be a folder', () => {
  const at = (url: string, home = 'https://harbour.example/blog') => isReserved({ url, home })
  expect(at('https://harbour.example/blog/wp-admin/')).toBe(true)
  expect(at('https://harbour.example/blog/news/feed')).toBe(true)
  expect(at('https://harbour.example/blog/news/wp-admin/')).toBe(false)
  expect(at('https://harbour.example/wp-admin/', 'https://harbour.example')).toBe(true)
  expect(at('https://harbour.example/?p=12', 'https://harbour.example')).toBe(false)
})

test('pictures are those of the text and the featured image, each once, and at most five', () => {
  const images = [1, 2, 2, 3, 4, 5, 6].map((n) => `<img src="/${n}.png">`).join('')
  const html = `<h1>Why tides come</h1><img class="wp-post-image" src="first.png"><img src="/logo.png">${text}`
  const { pictures } = read(post({ content: `${text}${images}`, hasFeaturedImage: true }), html)
  expect(pictures).toEqual(
    ['tides/first.png', '1.png', '2.png', '3.png', '4.png'].map((name) => `https://harbour.example/${name}`),
  )
})
